package tool

import (
	"strings"

	"github.com/chargehand/chargehand"
)

// maxName is how long a tool's name may be with every provider.
const maxName = 64

// aliases gives each full name one that providers take: letters, digits, "_" and "-", at most 64.
// "files.read" is files__read; a name that cannot be told from another's in that form, or is too
// long, ends in a part of its hash. Names are distinct if they were, and the same list gives the
// same names.
func aliases(full []string) map[string]string {
	taken, of := map[string]bool{}, make(map[string]string, len(full))
	for _, name := range full {
		a, ok := plainAlias(name)
		for salt := ""; !ok || taken[a]; salt += "+" {
			a, ok = hashedAlias(name, salt), true
		}
		taken[a], of[name] = true, a
	}
	return of
}

// plainAlias is the name with its first dot as two underscores, if no other name gives the same.
func plainAlias(name string) (string, bool) {
	server, tool, _ := strings.Cut(name, ".")
	a := server + "__" + tool
	ambiguous := strings.Count(a, "__") > 1 || strings.Contains(a, "___")
	return a, !ambiguous && len(a) <= maxName && strings.IndexFunc(a, unsafe) < 0
}

func hashedAlias(name, salt string) string {
	const digits = 16
	hash := chargehand.Hash([]byte(name + salt))[len("sha256:"):][:digits]
	safe := strings.Map(func(r rune) rune {
		if unsafe(r) {
			return '_'
		}
		return r
	}, name)
	return safe[:min(len(safe), maxName-digits-1)] + "_" + hash
}

func unsafe(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	return !letter && r != '_' && r != '-'
}
