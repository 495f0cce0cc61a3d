package main

import (
	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// An extractor answers the categories of one contract. Whatever reads contracts can be scored: an
// extractor alone, or a supervised run's results.
type extractor interface {
	Find(category string) (clause.Found, error)
}

// A tally counts right and wrong for one category. The zero tally has seen nothing.
type tally struct {
	Quotes, RightQuotes   int // quotes predicted, and those that overlap an annotated span
	Spans, HitSpans       int // spans annotated, and those that a quote overlaps
	Present, Stated, Both int // contracts that have the category, that are said to, and both
	Answers, RightAnswers int // of the contracts in Both: those with a true answer, and those given it
	Contracts             int
	wrong                 []bool // per contract, in order: presence or the answer was told wrongly
	misses                []miss
}

// A miss is an annotated span that no quote overlaps, or a quote that overlaps none. One of the
// two texts is empty.
type miss struct {
	File      string `json:"file"`
	Category  string `json:"category"`
	Annotated string `json:"annotated,omitempty"`
	Quoted    string `json:"quoted,omitempty"`
}

// overlap reports whether a and b share at least half of the shorter of the two.
func overlap(a, b clause.Span) bool {
	common := min(a.End, b.End) - max(a.Start, b.Start)
	shorter := min(a.End-a.Start, b.End-b.Start)
	return common > 0 && 2*common >= shorter
}

// add counts one contract's answer.
func (t *tally) add(c contract, category string, f clause.Found) {
	truth := c.truth[category]
	for _, q := range f.Quotes {
		t.Quotes++
		if anyOverlap(q.Span, truth.spans) {
			t.RightQuotes++
		} else {
			t.misses = append(t.misses, miss{File: c.file, Category: category, Quoted: excerpt(c.text, q.Span)})
		}
	}
	quoted := spansOf(f.Quotes)
	for _, s := range truth.spans {
		t.Spans++
		if anyOverlap(s, quoted) {
			t.HitSpans++
		} else {
			t.misses = append(t.misses, miss{File: c.file, Category: category, Annotated: excerpt(c.text, s)})
		}
	}
	t.addContract(truth, f, category)
}

// addContract counts presence and the answer.
func (t *tally) addContract(truth annotation, f clause.Found, category string) {
	present, stated := len(truth.spans) > 0, len(f.Quotes) > 0
	t.Contracts++
	t.wrong = append(t.wrong, present != stated)
	if present {
		t.Present++
	}
	if stated {
		t.Stated++
	}
	if !present || !stated {
		return
	}
	t.Both++
	if truth.answer != "" {
		t.Answers++
		if sameAnswer(category, truth.answer, f.Answer) {
			t.RightAnswers++
		} else {
			t.wrong[len(t.wrong)-1] = true
		}
	}
}

func anyOverlap(s clause.Span, in []clause.Span) bool {
	for _, o := range in {
		if overlap(s, o) {
			return true
		}
	}
	return false
}

func spansOf(quotes []clause.Quote) []clause.Span {
	var out []clause.Span
	for _, q := range quotes {
		out = append(out, q.Span)
	}
	return out
}

// A rate is a precision and a recall, 0..1. With nothing predicted precision is 1, with nothing to
// find recall is 1.
type rate struct {
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

func newRate(right, predicted, hit, all int) rate {
	r := rate{Precision: share(right, predicted), Recall: share(hit, all)}
	if sum := r.Precision + r.Recall; sum > 0 {
		r.F1 = 2 * r.Precision * r.Recall / sum
	}
	return r
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

func (t *tally) spanRate() rate     { return newRate(t.RightQuotes, t.Quotes, t.HitSpans, t.Spans) }
func (t *tally) contractRate() rate { return newRate(t.Both, t.Stated, t.Both, t.Present) }

// score counts each category over every contract; said is what the extractor said of the i-th.
func score(contracts []contract, said func(i int) extractor) (map[string]*tally, error) {
	out := make(map[string]*tally)
	for _, category := range clause.Categories() {
		out[category.Name] = &tally{}
	}
	for i, c := range contracts {
		for name, t := range out {
			f, err := said(i).Find(name)
			if err != nil {
				return nil, err
			}
			t.add(c, name, f)
		}
	}
	return out, nil
}
