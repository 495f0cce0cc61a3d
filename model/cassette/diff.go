package cassette

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

const shown = 3 // differences that are told

// missing says why a request is not answered: how often it is on the tape, else what is different from the
// nearest.
func (p *Player) missing(q *asked, times int) string {
	if times > 0 {
		return fmt.Sprintf("%s has this request %d times, and it is asked once more", p.path, times)
	}
	if len(p.tape) == 0 {
		return p.path + " is empty"
	}
	mine := leaves(q)
	best, line, least := []string(nil), 0, math.Inf(1)
	for i := range p.tape {
		if d, far := differences(mine, leaves(&p.tape[i].Request)); far < least {
			best, line, least = d, i+1, far
		}
	}
	more := ""
	if len(best) > shown {
		more, best = fmt.Sprintf("\n  and %d more", len(best)-shown), best[:shown]
	}
	return fmt.Sprintf("this request is not in %s; exchange %d is the nearest, where\n  %s%s", p.path, line, strings.Join(best, "\n  "), more)
}

// leaves are the values of a request by their path.
func leaves(q *asked) map[string]string {
	b, _ := json.Marshal(q)
	var v any
	_ = json.Unmarshal(b, &v)
	out := map[string]string{}
	walk(out, "", v)
	return out
}

func walk(out map[string]string, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, sub := range v {
			at := strings.TrimPrefix(path+"."+key, ".")
			if key == "opaque" { // it is for the provider to read
				out[at] = digest(sub)
				continue
			}
			walk(out, at, sub)
		}
	case []any:
		for i, sub := range v {
			walk(out, fmt.Sprintf("%s[%d]", path, i), sub)
		}
	default:
		out[path] = fmt.Sprint(v)
	}
}

func digest(v any) string {
	b, _ := json.Marshal(v) // it came from JSON
	return fmt.Sprintf("sha256:%x", sha256.Sum256(b))
}

// differences are the paths at which two requests are not the same, in order, and how far apart they are: one
// for each, less the part of it that both begin with.
func differences(mine, tape map[string]string) (out []string, far float64) {
	all := maps.Clone(tape)
	maps.Copy(all, mine)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		a, asked := mine[path]
		b, taped := tape[path]
		if a != b || asked != taped {
			far += 1 - float64(common(a, b))/float64(max(len(a), len(b), 1))
		}
		switch {
		case !taped:
			out = append(out, fmt.Sprintf("%s is not there, and is %s now", path, excerpt(a, 0)))
		case !asked:
			out = append(out, fmt.Sprintf("%s is %s, and is not there now", path, excerpt(b, 0)))
		case a != b:
			at := common(a, b)
			out = append(out, fmt.Sprintf("%s is %s, and is %s now", path, excerpt(b, at), excerpt(a, at)))
		}
	}
	return out, far
}

// common is how many bytes two texts begin with alike, up to a character.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return n
}

// excerpt shows a text around a place.
func excerpt(s string, at int) string {
	before, after := []rune(s[:at]), []rune(s[at:])
	head, tail := "", ""
	if len(before) > 20 {
		head, before = "…", before[len(before)-20:]
	}
	if len(after) > 40 {
		tail, after = "…", after[:40]
	}
	return fmt.Sprintf("%q", head+string(before)+string(after)+tail)
}
