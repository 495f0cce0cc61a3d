// Package secret takes values such as keys from the environment, and keeps them out of what is said
// afterwards.
package secret

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/chargehand/chargehand/internal/regular"
)

// Values are the values taken from the environment, and others like them, by name, so that no
// message repeats them. The zero Values are none. Several goroutines may use them.
type Values struct {
	mu     sync.Mutex
	byName map[string][]string // the newest last
}

// remembered is how many values of one name are kept: a token that was renewed may still be said.
const remembered = 16

// Add has a value kept out of what is said from now on. Earlier values of the name are still kept out.
func (v *Values) Add(name, value string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.byName == nil {
		v.byName = map[string][]string{}
	}
	if known := v.byName[name]; !slices.Contains(known, value) {
		v.byName[name] = append(known[max(0, len(known)+1-remembered):], value)
	}
}

// all are the values, each with its name.
func (v *Values) all() []form {
	v.mu.Lock()
	defer v.mu.Unlock()
	var all []form
	for name, values := range v.byName {
		for _, value := range values {
			all = append(all, form{name, value})
		}
	}
	return all
}

// Expand replaces each $NAME or ${NAME} in text by what the environment holds under it, and $$ by a
// dollar sign. Where NAME is not set, NAME_FILE may name a file that holds the value.
func (v *Values) Expand(text string) (string, error) {
	var failure error
	expanded := os.Expand(text, func(name string) string {
		if name == "$" {
			return name
		}
		value, err := fromEnvironment(name)
		if err != nil && failure == nil {
			failure = err
		}
		v.Add(name, value)
		return value
	})
	return expanded, failure
}

const longest = 1 << 20 // bytes of a file

func fromEnvironment(name string) (string, error) {
	if v := os.Getenv(name); v != "" {
		return v, nil
	}
	path := os.Getenv(name + "_FILE")
	if path == "" {
		return "", fmt.Errorf("the environment variable %s is not set, and neither is %s_FILE", name, name)
	}
	b, err := regular.Read(path, longest)
	if err != nil {
		return "", fmt.Errorf("read %s_FILE: %w", name, err)
	}
	v := strings.TrimRight(string(b), "\r\n")
	if v == "" {
		return "", fmt.Errorf("the file that %s_FILE names is empty", name)
	}
	return v, nil
}

// Environment is what a process sees that is started: PATH, HOME, LANG and TMPDIR, and what is
// added, expanded.
func (v *Values) Environment(added map[string]string) ([]string, error) {
	env := []string{}
	for _, name := range []string{"PATH", "HOME", "LANG", "TMPDIR"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(added)) {
		value, err := v.Expand(added[name])
		if err != nil {
			return nil, fmt.Errorf("env.%s: %w", name, err)
		}
		env = append(env, name+"="+value)
	}
	return env, nil
}

// Redact puts each value's name in its place, the longest first: one may begin with another. A value
// is found as it is and as JSON spells it. Values under six bytes stay: they are no secrets, and would
// be found everywhere. Where the text is an excerpt, what is left of a value at the cut goes too.
func (v *Values) Redact(text string) string {
	forms := v.forms()
	parts := strings.SplitAfter(redact(text, forms), cutMark)
	for i, part := range parts {
		said, marked := strings.CutSuffix(part, cutMark)
		if parts[i] = uncut(said, forms); marked {
			parts[i] += cutMark
		}
	}
	return strings.Join(parts, "")
}

const (
	short   = 6 // bytes
	cutMark = "…"
)

// A form is one way in which a value may be written.
type form struct{ name, text string }

// forms are those of all values that are not too short, the longest first.
func (v *Values) forms() []form {
	var all []form
	for _, f := range v.all() {
		if len(f.text) < short {
			continue
		}
		all = append(all, f)
		for _, html := range []bool{true, false} {
			if s := string(spelled(f.text, html)); s[1:len(s)-1] != f.text {
				all = append(all, form{f.name, s[1 : len(s)-1]})
			}
		}
	}
	slices.SortFunc(all, func(a, b form) int {
		return cmp.Or(len(b.text)-len(a.text), strings.Compare(a.name, b.name), strings.Compare(a.text, b.text))
	})
	return all
}

func redact(text string, forms []form) string {
	for _, f := range forms {
		//guard:redaction
		text = strings.ReplaceAll(text, f.text, "$"+f.name)
	}
	return text
}

// uncut puts a value's name in the place of its beginning, if the text ends in that.
func uncut(text string, forms []form) string {
	most, of := short-1, ""
	for _, f := range forms {
		for n := min(len(f.text)-1, len(text)); n > most; n-- {
			if strings.HasSuffix(text, f.text[:n]) {
				most, of = n, "$"+f.name
			}
		}
	}
	if of == "" {
		return text
	}
	return text[:len(text)-most] + of
}
