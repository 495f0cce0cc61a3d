package lexical

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// An anchor is a trigger of a category: one or more words in a row, the last of which may go on
// ("assign*"). It is read twice: on words, to pick the sentences that are weighed, and as a
// pattern, for the record of an absent category.
type anchor []string

func anchors(list string) []anchor {
	var out []anchor
	for item := range strings.SplitSeq(list, ",") {
		out = append(out, strings.Fields(item))
	}
	return out
}

// opens reports whether ws begins with the anchor.
func (a anchor) opens(ws []word) bool {
	if len(ws) < len(a) {
		return false
	}
	for i, part := range a {
		prefix, goesOn := strings.CutSuffix(part, "*")
		if goesOn && !strings.HasPrefix(ws[i].lower, prefix) || !goesOn && ws[i].lower != part {
			return false
		}
	}
	return true
}

// pattern is the anchor in RE2. Whatever is no word character may stand between its words.
func (a anchor) pattern() string {
	parts := make([]string, len(a))
	for i, part := range a {
		parts[i] = strings.Replace(part, "*", `\w*`, 1)
		if parts[i] == part {
			parts[i] += `\b`
		}
	}
	return `(?i)\b` + strings.Join(parts, `\W+`)
}

// Triggers are the anchors of category, as RE2 patterns; none for one that Find does not answer.
func Triggers(category string) []string {
	m := models()[category]
	if m == nil {
		return nil
	}
	var out []string
	for _, a := range m.anchors {
		out = append(out, a.pattern())
	}
	return out
}

// mostHits bounds the record; beyond it the closest passages are told as one.
const mostHits = 20

// search records that the anchors, wherever they occur, were judged and passed over.
func (d *Document) search(m *model, scores []float64) clause.Search {
	found := clause.Search{Spans: []clause.Span{{End: len(d.text)}}}
	var matches []clause.Span
	for _, a := range m.anchors {
		p := a.pattern()
		found.Patterns = append(found.Patterns, p)
		for _, at := range regexp.MustCompile(p).FindAllStringIndex(d.text, -1) {
			matches = append(matches, clause.Span{Start: at[0], End: at[1]})
		}
	}
	for _, p := range gather(d.passages(matches, scores)) {
		found.Hits = append(found.Hits, clause.Hit{Span: p.Span, Why: p.why(m)})
	}
	return found
}

// A passage is a stretch of text with one anchor match or more.
type passage struct {
	clause.Span
	says    string // the first match, as written
	matches int
	score   float64 // the best of its sentences
	title   bool    // all of it is heading
}

// passages puts each match into the sentence around it; matches that share a sentence, or reach
// from one into the next, share a passage.
func (d *Document) passages(matches []clause.Span, scores []float64) []passage {
	slices.SortFunc(matches, func(a, b clause.Span) int { return a.Start - b.Start })
	var out []passage
	i := 0
	for _, match := range matches {
		for i < len(d.sentences) && d.sentences[i].end <= match.Start {
			i++
		}
		p := passage{Span: match, says: d.text[match.Start:match.End], matches: 1, title: true}
		for j := i; j < len(d.sentences) && d.sentences[j].span().Start < match.End; j++ {
			p.join(passage{Span: d.sentences[j].span(), score: scores[j], title: d.sentences[j].title})
		}
		if n := len(out); n > 0 && p.Start < out[n-1].End {
			out[n-1].join(p)
			continue
		}
		out = append(out, p)
	}
	return out
}

func (p *passage) join(q passage) {
	p.Start, p.End = min(p.Start, q.Start), max(p.End, q.End)
	p.matches += q.matches
	p.score = max(p.score, q.score)
	p.title = p.title && q.title
}

// gather joins the closest neighbours until no more than mostHits passages are left.
func gather(ps []passage) []passage {
	joins := len(ps) - mostHits
	if joins <= 0 {
		return ps
	}
	limit := gapAt(ps, joins)
	kept := ps[:1]
	for _, p := range ps[1:] {
		last := &kept[len(kept)-1]
		if joins > 0 && p.Start-last.End <= limit {
			last.join(p)
			joins--
			continue
		}
		kept = append(kept, p)
	}
	return kept
}

// gapAt is the n-th smallest distance between neighbours.
func gapAt(ps []passage, n int) int {
	gaps := make([]int, 0, len(ps)-1)
	for i := range ps[1:] {
		gaps = append(gaps, ps[i+1].Start-ps[i].End)
	}
	slices.Sort(gaps)
	return gaps[n-1]
}

// why tells a reader for what reason the passage answers nothing.
func (p passage) why(m *model) string {
	says := strings.Join(strings.Fields(p.says), " ")
	switch {
	case p.title:
		return fmt.Sprintf("names %s in a heading only", m.topic)
	case p.matches > 1:
		return fmt.Sprintf("says %q and the like %d times; at best scores %.2f, below %.2f: %s", says, p.matches, p.score, threshold, m.lacking)
	}
	return fmt.Sprintf("says %q; scores %.2f, below %.2f: %s", says, p.score, threshold, m.lacking)
}
