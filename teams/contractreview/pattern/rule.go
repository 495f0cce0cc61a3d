package pattern

import (
	"slices"
	"sync"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// A rule reads one category whose clauses are whole sentences.
//
// Triggers are phrases over the text as given: case is ignored and a space stands for any white
// space. Everything else is matched against sentences in reading form and lower case, with single
// spaces.
type rule struct {
	category string
	triggers []string
	accept   []test // a sentence that a trigger touches is quoted when one of these holds
	veto     string // and this does not match. Empty means no veto
	more     string // later sentences of the same section that match are quoted too. Empty means none
	title    string // in a section whose title matches, a trigger is enough. Empty means no such section
	why      string // why a sentence is passed over, for a lawyer
	trust    float64
	answer   func(*Document, []clause.Quote) string // Zero means "Yes"
}

// A test holds for a sentence that matches need and does not match not. An empty not matches nothing.
type test struct{ need, not string }

// A reader answers one category.
type reader struct {
	triggers []trigger
	quotes   func(d *Document, matches []clause.Span) []clause.Quote
	answer   func(d *Document, quotes []clause.Quote) string
	why      string
	trust    float64
	none     string // the answer when absent
}

// readers compiles the tables at their first use.
var readers = sync.OnceValue(func() map[string]reader {
	out := make(map[string]reader)
	for _, group := range [][]rule{
		termRules, lawRules, commercialRules, competitionRules, controlRules, ipRules, licenseRules, liabilityRules,
	} {
		for _, r := range group {
			out[r.category] = r.reader()
		}
	}
	for name, r := range identityReaders() {
		out[name] = r
	}
	return out
})

// Confidence is how often a stated clause of category was one on the contracts the patterns were
// tuned on, 0..1; zero for an unknown category. It is also the confidence of every quote.
func Confidence(category string) float64 { return readers()[category].trust }

// Triggers are the phrases of category, as RE2 patterns; none for an unknown one.
func Triggers(category string) []string {
	var out []string
	for _, t := range readers()[category].triggers {
		out = append(out, t.re.String())
	}
	return out
}

func (r reader) find(d *Document) clause.Found {
	var matches []clause.Span
	for _, t := range r.triggers {
		matches = append(matches, t.matches(d)...)
	}
	f := clause.Found{Quotes: r.quotes(d, matches), Answer: r.none}
	if len(f.Quotes) == 0 {
		f.Search = d.search(r.triggers, matches, r.why)
		return f
	}
	f.Answer = r.answer(d, f.Quotes)
	for i := range f.Quotes {
		f.Quotes[i].Confidence = r.trust
	}
	return f
}

// reader compiles r.
func (r rule) reader() reader {
	j := judge{veto: newWording(r.veto), more: newWording(r.more), title: newWording(r.title)}
	for _, t := range r.accept {
		j.accept = append(j.accept, compiledTest{need: newWording(t.need), not: newWording(t.not)})
	}
	out := reader{quotes: j.quotes, answer: r.answer, why: r.why, trust: r.trust}
	if out.answer == nil {
		out.answer, out.none = func(*Document, []clause.Quote) string { return "Yes" }, "No"
	}
	for _, p := range r.triggers {
		out.triggers = append(out.triggers, newTrigger(p))
	}
	return out
}

// A judge is the compiled part of a rule that decides about sentences.
type judge struct {
	accept            []compiledTest
	veto, more, title wording
}

type compiledTest struct{ need, not wording }

// quotes returns the accepted sentences that the matches touch, and those that go on from them.
func (j judge) quotes(d *Document, matches []clause.Span) []clause.Quote {
	var taken []int
	for _, m := range matches {
		for i := d.at(m.Start); i < len(d.sentences) && d.sentences[i].Start < m.End; i++ {
			taken = append(taken, i)
		}
	}
	slices.Sort(taken)
	taken = slices.Compact(taken)
	taken = slices.DeleteFunc(taken, func(i int) bool { return !j.accepts(d, i) })
	if j.more.re != nil {
		taken = j.extend(d, taken)
	}
	quotes := make([]clause.Quote, 0, len(taken))
	for _, i := range taken {
		quotes = append(quotes, clause.Quote{Span: d.sentences[i].Span})
	}
	return quotes
}

func (j judge) accepts(d *Document, i int) bool {
	s := d.sentences[i]
	if s.heading || s.endless || j.veto.in(s.lower) {
		return false
	}
	for _, t := range j.accept {
		if t.need.in(s.lower) && !t.not.in(s.lower) {
			return true
		}
	}
	return j.title.in(s.section.title)
}

// extend adds the sentences after a taken one, in its section, that match j.more.
func (j judge) extend(d *Document, taken []int) []int {
	var out []int
	for n, i := range taken {
		out = append(out, i)
		end := len(d.sentences)
		if n+1 < len(taken) {
			end = taken[n+1]
		}
		for k := i + 1; k < end && d.sentences[k].section == d.sentences[i].section; k++ {
			if s := d.sentences[k]; !s.heading && !s.endless && j.more.in(s.lower) && !j.veto.in(s.lower) {
				out = append(out, k)
			}
		}
	}
	return out
}
