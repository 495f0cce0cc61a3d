package pattern

import (
	"slices"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// maxHits bounds a search's record to about 3 KiB; neighbouring hits are joined to stay below it.
const maxHits = 24

// search states that a category is absent: what was looked for, and why what was found is not it.
func (d *Document) search(triggers []trigger, matches []clause.Span, why string) clause.Search {
	s := clause.Search{Spans: []clause.Span{{Start: 0, End: len(d.text)}}}
	for _, t := range triggers {
		s.Patterns = append(s.Patterns, t.re.String())
	}
	for _, p := range join(d.passages(matches)) {
		h := clause.Hit{Span: p, Why: why}
		if d.endless(p) {
			h.Why = unread
		}
		s.Hits = append(s.Hits, h)
	}
	return s
}

const unread = "The words stand in a run of text without a full stop that is too long to be read as sentences."

// endless reports whether the passage holds a sentence that was not judged.
func (d *Document) endless(p clause.Span) bool {
	for i := d.at(p.Start); i < len(d.sentences) && d.sentences[i].Start < p.End; i++ {
		if d.sentences[i].endless {
			return true
		}
	}
	return false
}

// passages widens each match to the sentences it touches, and joins those that overlap.
func (d *Document) passages(matches []clause.Span) []clause.Span {
	slices.SortFunc(matches, func(a, b clause.Span) int { return a.Start - b.Start })
	var out []clause.Span
	for _, m := range matches {
		p := m
		for i := d.at(m.Start); i < len(d.sentences) && d.sentences[i].Start < m.End; i++ {
			p.Start, p.End = min(p.Start, d.sentences[i].Start), max(p.End, d.sentences[i].End)
		}
		if last := len(out) - 1; last >= 0 && p.Start < out[last].End {
			out[last].End = max(out[last].End, p.End)
		} else {
			out = append(out, p)
		}
	}
	return out
}

// join closes the smallest gaps between passages until at most maxHits remain.
func join(ps []clause.Span) []clause.Span {
	if len(ps) <= maxHits {
		return ps
	}
	gaps := make([]int, 0, len(ps)-1)
	for i := 1; i < len(ps); i++ {
		gaps = append(gaps, ps[i].Start-ps[i-1].End)
	}
	slices.Sort(gaps)
	widest, closed := gaps[len(ps)-maxHits-1], 0
	out := ps[:1]
	for _, p := range ps[1:] {
		if p.Start-out[len(out)-1].End <= widest && closed < len(ps)-maxHits {
			out[len(out)-1].End = p.End
			closed++
		} else {
			out = append(out, p)
		}
	}
	return out
}
