package contractreview

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// record is a reader's search in a form that is cheap to repeat. A pattern that spells out no word,
// such as one for dates in figures, shows nobody what was looked for and is left out. One that lets
// two words stand so many letters apart, which is costly to run, lets them stand any number apart;
// it then matches more, and what it matches is passed over for the reader's reason as well.
func record(text string, s clause.Search) *chargehand.Search {
	out := &chargehand.Search{Spans: []chargehand.SearchSpan{}, Patterns: []string{}}
	for _, sp := range s.Spans {
		out.Spans = append(out.Spans, chargehand.SearchSpan{Start: sp.Start, End: sp.End})
	}
	for _, h := range s.Hits {
		out.Hits = append(out.Hits, chargehand.SearchHit{Start: h.Start, End: h.End, Why: h.Why})
	}
	for _, p := range s.Patterns {
		if tree, err := syntax.Parse(p, syntax.Perl); err == nil && spells(tree) {
			out.Patterns = append(out.Patterns, relax(p))
		}
	}
	if !slices.Equal(out.Patterns, s.Patterns) {
		out.Hits = rehit(text, out)
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

// mostHits bounds a record; neighbours are told as one.
const mostHits = 200

// rehit is the hits of a search whose patterns are not the reader's own: every match lies in one,
// and each holds a match.
func rehit(text string, s *chargehand.Search) []chargehand.SearchHit {
	why := "The words are there, but not as a clause of this kind."
	if len(s.Hits) > 0 {
		why = s.Hits[0].Why
	}
	var matches [][]int
	for _, p := range s.Patterns {
		matches = append(matches, regexp.MustCompile(p).FindAllStringIndex(text, -1)...)
	}
	all := slices.Clone(matches)
	for _, h := range s.Hits {
		all = append(all, []int{h.Start, h.End})
	}
	byStart := func(a, b []int) int { return a[0] - b[0] }
	slices.SortFunc(all, byStart)
	slices.SortFunc(matches, byStart)
	var out []chargehand.SearchHit
	for _, p := range merged(all) {
		if n := len(out); n > 0 && n >= mostHits {
			out[n-1].End = p[1]
			continue
		}
		if holds(p, matches) {
			out = append(out, chargehand.SearchHit{Start: p[0], End: p[1], Why: why})
		}
	}
	return out
}

// merged joins passages, in order of their starts, that overlap.
func merged(passages [][]int) [][]int {
	var out [][]int
	for _, p := range passages {
		if n := len(out); n > 0 && p[0] < out[n-1][1] {
			out[n-1][1] = max(out[n-1][1], p[1])
			continue
		}
		out = append(out, []int{p[0], p[1]})
	}
	return out
}

// holds reports whether one of the matches, in order of their starts, lies in the passage.
func holds(p []int, matches [][]int) bool {
	i, _ := slices.BinarySearchFunc(matches, p[0], func(m []int, start int) int { return m[0] - start })
	return i < len(matches) && matches[i][1] <= p[1]
}
