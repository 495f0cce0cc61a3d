package main

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/gate"
	"github.com/chargehand/chargehand/teams/contractreview"
	"github.com/chargehand/chargehand/teams/contractreview/clause"
	"github.com/chargehand/chargehand/teams/contractreview/lexical"
	"github.com/chargehand/chargehand/worker"
)

// A blind is a lie that quotes truly and searches truly, told by one of the two readers of the
// contract-review team while the other is honest.
type blind struct {
	Kind     string `json:"kind"`
	Liar     string `json:"liar"`
	Made     int    `json:"made"`
	Wordless int    `json:"accepted_without_wording"` // where a contract expects no words under its keys
	Accepted int    `json:"accepted"`                 // by the gate
	Twice    int    `json:"read_twice"`               // of those accepted, in categories that the other reads too
	Exposed  int    `json:"exposed"`                  // of those, where the two readings are a conflict
}

const (
	firstReader  = "pattern-reader"
	secondReader = "lexical-reader"
)

// testBlind tells, for every contract and category, the lie that the annotators' word makes
// possible: where they marked something, that nothing is there; where they did not, a true quote of
// something else.
func testBlind(ctx context.Context, contracts []contract) ([]blind, error) {
	l := &liars{g: newGate(), wordless: newWordlessGate(), workers: contractreview.Workers()}
	var out []blind
	for _, liar := range []string{firstReader, secondReader} {
		absent := blind{Kind: "wrong absent, searched for something else", Liar: liar}
		present := blind{Kind: "true quote under the wrong category", Liar: liar}
		for i := range contracts {
			c := &contracts[i]
			for _, category := range categoriesOf(liar) {
				b, lie := &present, mistake
				if c.has(category) {
					b, lie = &absent, hide
				}
				it, ok := lie(c, category)
				if !ok {
					continue
				}
				if err := l.tell(ctx, c, it, liar, b); err != nil {
					return nil, err
				}
			}
		}
		out = append(out, absent, present)
	}
	return out, nil
}

func categoriesOf(reader string) []string {
	if reader == secondReader {
		return lexical.Categories()
	}
	var out []string
	for _, c := range clause.Categories() {
		out = append(out, c.Name)
	}
	return out
}

// besides are things that no contract of the data set speaks of.
var besides = []string{`(?i)\bplate\s+tectonics\b`, `(?i)\bsourdough\b`}

// hide says that a category is absent, on the strength of an honest search for something else.
func hide(c *contract, category string) (item, bool) {
	s := chargehand.Search{Spans: []chargehand.SearchSpan{{End: len(c.doc.Text)}}, Patterns: besides}
	for _, p := range besides {
		if regexp.MustCompile(p).MatchString(c.doc.Text) {
			return item{}, false
		}
	}
	return item{Category: category, Document: c.doc.Hash, Confidence: 1, Search: &s}, true
}

// mistake puts the longest quote of another category under this one.
func mistake(c *contract, category string) (item, bool) {
	var best *marking
	for i, m := range c.marked {
		if best == nil || m.span.End-m.span.Start > best.span.End-best.span.Start {
			best = &c.marked[i]
		}
	}
	if best == nil {
		return item{}, false
	}
	return quoting(c, category, c.text(best.span), best.span.Start, best.span.End, "Yes"), true
}

// liars put lies through the gate, and compare them with what the honest reader says.
type liars struct {
	g        *gate.Gate
	wordless *gate.Gate
	workers  worker.Set
}

func (l *liars) tell(ctx context.Context, c *contract, it item, liar string, b *blind) error {
	s := about(c, it)
	v, err := judge(l.g, s)
	if err != nil {
		return err
	}
	b.Made++
	if w, err := judge(l.wordless, s); err != nil {
		return err
	} else if accepted(w) {
		b.Wordless++
	}
	if !accepted(v) {
		return nil
	}
	b.Accepted++
	honest := firstReader
	if liar == firstReader {
		honest = secondReader
	}
	if !slices.Contains(categoriesOf(honest), it.Category) {
		return nil
	}
	b.Twice++
	said, err := l.read(ctx, c, it.Category, honest)
	if err != nil {
		return err
	}
	lied, err := json.Marshal(s.output)
	if err != nil {
		return err
	}
	a, err := l.value(lied)
	if err != nil {
		return err
	}
	h, err := l.value(said)
	if err == nil && a != h {
		b.Exposed++
	}
	return err
}

// read is what a reader says of one category.
func (l *liars) read(ctx context.Context, c *contract, category, reader string) (json.RawMessage, error) {
	res, err := l.workers[reader].Do(ctx, chargehand.WorkerTask{
		TaskID: "t", Attempt: 1, RequiredAspects: []string{category}, InputRefs: []chargehand.InputRef{c.doc},
	})
	if err != nil {
		return nil, fmt.Errorf("%s reads %s of %s: %w", reader, category, c.name, err)
	}
	return res.Output, nil
}

// value is what an output says of its one category, as runs compare readings: whatever its items
// say, each once, in order.
func (l *liars) value(output json.RawMessage) (string, error) {
	items, err := l.g.Items("clauses", output)
	if err != nil {
		return "", err
	}
	var out []string
	for _, it := range items {
		if !slices.Contains(out, it.Value) {
			out = append(out, it.Value)
		}
	}
	slices.Sort(out)
	return strings.Join(out, "; "), nil
}
