package contractreview

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/ground"
	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// record is a reader's search in a form that is cheap to repeat. A pattern that spells out no word,
// such as one for dates in figures, shows nobody what was looked for and is left out. One that lets
// two words stand so many letters apart, which is costly to run, lets them stand any number apart;
// it then matches more, and what it matches is passed over for the reader's reason as well, as is
// what the other reader's words match.
func record(text, category string, s clause.Search) *chargehand.Search {
	out := &chargehand.Search{Spans: []chargehand.SearchSpan{}, Patterns: []string{}}
	for _, sp := range s.Spans {
		out.Spans = append(out.Spans, chargehand.SearchSpan{Start: sp.Start, End: sp.End})
	}
	for _, h := range s.Hits {
		out.Hits = append(out.Hits, chargehand.SearchHit{Start: h.Start, End: h.End, Why: h.Why})
	}
	out.Patterns = append(out.Patterns, spelled(s.Patterns)...)
	for _, p := range wording(category) {
		if !slices.Contains(out.Patterns, p) {
			out.Patterns = append(out.Patterns, p)
		}
	}
	if slices.Equal(out.Patterns, s.Patterns) {
		return out
	}
	why := "The words are there, but not as a clause of this kind."
	if len(out.Hits) > 0 {
		why = out.Hits[0].Why
	}
	again, err := ground.Search(text, out.Patterns, out.Hits, why)
	if err != nil {
		panic("contractreview: the patterns are the package's own: " + err.Error())
	}
	out.Hits = again.Hits
	return out
}

// spelled are the patterns that spell out a word, relaxed.
func spelled(patterns []string) []string {
	var out []string
	for _, p := range patterns {
		if tree, err := syntax.Parse(p, syntax.Perl); err == nil && spells(tree) {
			out = append(out, relax(p))
		}
	}
	return out
}

// leastWord is how many letters in a row a pattern spells out.
const leastWord = 3

func spells(re *syntax.Regexp) bool {
	if re.Op != syntax.OpLiteral {
		return (re.Op != syntax.OpRepeat || re.Max != 0) && slices.ContainsFunc(re.Sub, spells)
	}
	row := 0
	for _, r := range re.Rune {
		if row++; !unicode.IsLetter(r) {
			row = 0
		}
		if row == leastWord {
			return true
		}
	}
	return false
}

// farApart is a repetition of ten or more, as it stands in a pattern. Group 1 is its lower bound.
var farApart = regexp.MustCompile(`\{([01]),\d{2,}\}`)

// relax takes the upper bound from every long repetition.
func relax(pattern string) string {
	return farApart.ReplaceAllStringFunc(pattern, func(s string) string {
		if s[1] == '1' {
			return "+"
		}
		return "*"
	})
}
