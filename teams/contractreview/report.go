package contractreview

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// A report is the run's output. Gaps and conflicts are no part of it: the engine writes those.
type report struct {
	Summary  string     `json:"summary"`
	Level    level      `json:"level"` // the highest of the ratings; empty where there is none
	Risks    []rating   `json:"risks"`
	Findings []finding  `json:"findings"`
	Evidence []evidence `json:"evidence"`
	Report   page       `json:"report"`
}

// A page is a text for people. Reports of a result show it as a document.
type page struct {
	MediaType string `json:"mediaType"`
	Text      string `json:"text"`
}

// A rating is one hazard that is there.
type rating struct {
	ID         string   `json:"id"`
	Title      string   `json:"title"`
	Level      level    `json:"level"`
	Why        string   `json:"why"`
	Categories []string `json:"categories"`
	Evidence   []string `json:"evidence"` // ids
	Decided    []string `json:"decided"`  // subtasks of which a person accepted what the source does not show
	Contested  bool     `json:"contested,omitempty"`
}

// A finding is what was accepted about one category.
type finding struct {
	Group       string   `json:"group"`
	Category    string   `json:"category"`
	Present     bool     `json:"present"`
	Answer      string   `json:"answer"`
	Evidence    []string `json:"evidence"` // ids; none for an absent category
	Subtask     string   `json:"subtask"`
	Attempt     int      `json:"attempt"`
	Worker      string   `json:"worker"`
	Verdict     string   `json:"verdict"`
	ConfirmedBy []string `json:"confirmedBy,omitempty"`

	items []sourced
}

// Evidence is one passage, or the search behind an absence that a rating rests on.
type evidence struct {
	ID       string `json:"id"`
	Category string `json:"category"`
	Present  bool   `json:"present"`
	Document string `json:"document"`
	Name     string `json:"name"` // of the document
	Line     int    `json:"line"` // of the document where the quote begins, from 1; zero: it has no quote
	Quote    string `json:"quote"`
	*clause.Span
	Clause  string             `json:"clause,omitempty"`
	Search  *chargehand.Search `json:"search,omitempty"`
	Subtask string             `json:"subtask"`
	Attempt int                `json:"attempt"`
	Worker  string             `json:"worker"`
}

// writeReport is the worker behind the capability "report".
func writeReport(ctx context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	m, err := gather(t)
	if err != nil {
		return chargehand.WorkerResult{}, err
	}
	if ctx.Err() != nil {
		return chargehand.WorkerResult{}, context.Cause(ctx)
	}
	return output(compose(m))
}

// A composer writes a report and numbers its evidence.
type composer struct {
	*material
	report
	cited map[string]string // place to id
}

func compose(m *material) report {
	c := &composer{
		material: m, cited: map[string]string{},
		report: report{Risks: []rating{}, Findings: []finding{}, Evidence: []evidence{}},
	}
	for _, g := range groups {
		for _, name := range g.categories() {
			c.find(g, name)
		}
	}
	for _, l := range levels {
		for _, h := range hazards {
			if h.level == l && c.contractLike() {
				c.rate(h)
			}
		}
	}
	c.Summary = c.summary()
	c.Report = page{"text/markdown", c.text()}
	return c.report
}

// mostCited is how many passages of a category the report shows.
const mostCited = 20

// find adds a finding for each reading of the category that is handed over: one, or several that
// disagree. There is none where nothing was accepted: the engine names the gap.
func (c *composer) find(g group, category string) {
	items := c.items[category]
	for len(items) > 0 {
		first := items[0].from
		n := slices.IndexFunc(items, func(s sourced) bool { return s.from.Subtask != first.Subtask })
		if n < 0 {
			n = len(items)
		}
		c.Findings = append(c.Findings, c.finding(g, items[:n]))
		items = items[n:]
	}
}

// finding is what one reading says of a category.
func (c *composer) finding(g group, items []sourced) finding {
	first := items[0].from
	f := finding{
		Group: g.label, Category: items[0].Category, Present: items[0].Present, Answer: answers(items), Evidence: []string{},
		Subtask: first.Subtask, Attempt: first.Attempt, Worker: first.Worker, Verdict: first.Verdict,
		ConfirmedBy: first.ConfirmedBy, items: items[:min(len(items), mostCited)],
	}
	for _, s := range f.items {
		if s.Present && c.citable(s) {
			f.Evidence = append(f.Evidence, c.cite(s))
		}
	}
	return f
}

// answers are the different answers of a category's items.
func answers(items []sourced) string {
	var out []string
	for _, s := range items {
		if !slices.Contains(out, s.Answer) && len(out) < mostCited {
			out = append(out, s.Answer)
		}
	}
	return strings.Join(out, "; ")
}

func (c *composer) rate(h hazard) {
	items, ok := h.met(c.material)
	if !ok {
		return
	}
	r := rating{ID: h.id, Title: h.title, Level: h.level, Why: h.why, Evidence: []string{}, Decided: []string{}}
	for _, cond := range h.when {
		r.Categories = append(r.Categories, cond.category)
		r.Contested = r.Contested || c.contested(cond.category)
	}
	if r.Contested {
		r.Why += " The two readings of the contract disagree about this."
	}
	for _, s := range items[:min(len(items), mostCited)] {
		switch {
		case c.citable(s):
			r.Evidence = append(r.Evidence, c.cite(s))
		case !slices.Contains(r.Decided, s.from.Subtask):
			r.Decided = append(r.Decided, s.from.Subtask)
		}
	}
	c.Risks = append(c.Risks, r)
	if c.Level == "" {
		c.Level = h.level // hazards come with the gravest first
	}
}

// cite adds the passage to the evidence, once, and returns its id.
func (c *composer) cite(s sourced) string {
	place := s.Category + " " + c.document(s) + " " + s.from.Subtask
	if s.Span != nil {
		place += " " + strconv.Itoa(s.Start) + " " + strconv.Itoa(s.End)
	}
	if id, ok := c.cited[place]; ok {
		return id
	}
	e := evidence{
		ID: "e" + strconv.Itoa(len(c.Evidence)+1), Category: s.Category, Present: s.Present, Document: c.document(s),
		Quote: s.Quote, Span: s.Span, Search: s.Search, Subtask: s.from.Subtask, Attempt: s.from.Attempt, Worker: s.from.Worker,
	}
	e.Name = c.names[e.Document]
	if s.Present {
		e.Clause = c.clause(s)
	}
	if text := c.texts[e.Document]; s.Present && s.Span != nil && s.Start <= len(text) {
		e.Line = 1 + strings.Count(text[:s.Start], "\n")
	}
	c.Evidence = append(c.Evidence, e)
	c.cited[place] = e.ID
	return e.ID
}
