package pattern

import (
	"regexp"
	"strings"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// A trigger is a phrase that a category cannot be stated without. It runs over the text as given.
// No trigger can match a full stop, so searching between full stops finds what searching the whole
// text finds; that makes most of the text cheap to skip.
type trigger struct {
	re      *regexp.Regexp
	anchors []string // lower case; every match holds one of them. Empty means unknown
}

// newTrigger compiles phrase: case is ignored, and a space stands for any white space.
func newTrigger(phrase string) trigger {
	re := regexp.MustCompile(`(?i)` + strings.ReplaceAll(phrase, " ", `\s+`))
	return trigger{re: re, anchors: anchorsOf(re)}
}

// matches returns every match of t in the document.
func (t trigger) matches(d *Document) []clause.Span {
	var out []clause.Span
	for start := 0; start < len(d.text); {
		end := len(d.text)
		if i := strings.IndexByte(d.text[start:], '.'); i >= 0 {
			end = start + i
		}
		if t.possible(d, start, end) {
			for _, m := range t.re.FindAllStringIndex(d.text[start:end], -1) {
				out = append(out, clause.Span{Start: start + m[0], End: start + m[1]})
			}
		}
		start = end + 1
	}
	return out
}

// possible reports whether text[start:end] can hold a match.
func (t trigger) possible(d *Document, start, end int) bool {
	if len(t.anchors) == 0 || d.folds {
		return true
	}
	return containsAny(d.lower[start:end], t.anchors)
}
