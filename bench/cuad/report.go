package main

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// fewest is how many contracts must have a category for it to count in the macro-average.
const fewest = 5

// A report is everything the benchmark measures.
type report struct {
	Contracts    int           `json:"contracts"`
	With         figures       `json:"with_gate"`
	Without      figures       `json:"without_gate"`
	Second       figures       `json:"second_reader"` // alone, in its categories
	Correlations []correlation `json:"correlations"`
	Misses       []miss        `json:"misses"` // with the gate
	SupervisedMS int64         `json:"supervised_ms"`
	PlainMS      int64         `json:"plain_ms"`
}

// figures are what one way of reading is worth.
type figures struct {
	Categories    []line `json:"categories"`
	MacroSpan     rate   `json:"macro_span"`     // over categories with at least five positive contracts
	MacroContract rate   `json:"macro_contract"` // likewise
	Averaged      int    `json:"averaged"`       // how many categories that is
	Answers       int    `json:"answers"`
	RightAnswers  int    `json:"right_answers"`
}

// A line is one category's figures.
type line struct {
	Category     string `json:"category"`
	Quotes       int    `json:"quotes"`
	Spans        int    `json:"spans"`
	Span         rate   `json:"span"`
	Present      int    `json:"present"`
	Stated       int    `json:"stated"`
	Contract     rate   `json:"contract"`
	Answers      int    `json:"answers"`
	RightAnswers int    `json:"right_answers"`
}

// scores are the tallies that a report is made from, by category.
type scores struct {
	contracts             int
	with, without, second map[string]*tally
	contested             map[string][]bool // per contract, in order
}

func newScores(contracts []contract, runs []supervised, first, second []reading) (scores, error) {
	s := scores{contracts: len(contracts), contested: map[string][]bool{}}
	var err error
	if s.with, err = score(contracts, func(i int) extractor { return runs[i] }); err != nil {
		return s, err
	}
	if s.without, err = score(contracts, func(i int) extractor { return first[i] }); err != nil {
		return s, err
	}
	if s.second, err = score(contracts, func(i int) extractor { return second[i] }); err != nil {
		return s, err
	}
	for _, name := range secondCategories() {
		for _, run := range runs {
			s.contested[name] = append(s.contested[name], run.contested[name])
		}
	}
	for name := range s.second {
		if !slices.Contains(secondCategories(), name) {
			delete(s.second, name)
		}
	}
	return s, nil
}

func newReport(s scores) report {
	r := report{
		Contracts: s.contracts, With: newFigures(s.with), Without: newFigures(s.without), Second: newFigures(s.second),
	}
	for _, name := range secondCategories() {
		r.Correlations = append(r.Correlations,
			correlate(name, s.without[name].wrong, s.second[name].wrong, s.contested[name]))
	}
	for _, c := range clause.Categories() {
		r.Misses = append(r.Misses, s.with[c.Name].misses...)
	}
	return r
}

// newFigures gathers tallies in CUAD's order.
func newFigures(tallies map[string]*tally) figures {
	var f figures
	for _, c := range clause.Categories() {
		t := tallies[c.Name]
		if t == nil {
			continue
		}
		l := line{
			Category: c.Name, Quotes: t.Quotes, Spans: t.Spans, Span: t.spanRate(),
			Present: t.Present, Stated: t.Stated, Contract: t.contractRate(),
			Answers: t.Answers, RightAnswers: t.RightAnswers,
		}
		f.Categories = append(f.Categories, l)
		f.Answers += l.Answers
		f.RightAnswers += l.RightAnswers
		if l.Present >= fewest {
			f.Averaged++
			f.MacroSpan.plus(l.Span)
			f.MacroContract.plus(l.Contract)
		}
	}
	f.MacroSpan.over(f.Averaged)
	f.MacroContract.over(f.Averaged)
	return f
}

func (r *rate) plus(o rate) {
	r.Precision += o.Precision
	r.Recall += o.Recall
	r.F1 += o.F1
}

func (r *rate) over(n int) {
	if n > 0 {
		r.Precision, r.Recall, r.F1 = r.Precision/float64(n), r.Recall/float64(n), r.F1/float64(n)
	}
}

func (r report) printJSON(out io.Writer) error {
	e := json.NewEncoder(out)
	e.SetIndent("", " ")
	return e.Encode(r)
}
