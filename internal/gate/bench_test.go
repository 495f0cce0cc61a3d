package gate

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

const reviewSchema = `{"type":"object","required":["items"],"additionalProperties":false,"properties":{"items":{"type":"array","items":{
	"type":"object","required":["key","present"],"properties":{"key":{"type":"string"},"present":{"type":"boolean"},
	"quote":{"type":"string"},"start":{"type":"integer"},"end":{"type":"integer"},"answer":{"type":"string"},
	"search":{"type":"object"}}}}}}`

// reviewContract is a contract review as a team would declare it: schema, items, rules, detectors.
func reviewContract() chargehand.Contract {
	return chargehand.Contract{
		Schema: json.RawMessage(reviewSchema),
		Items:  &chargehand.ItemRule{Path: "/items"},
		Rules: []chargehand.Rule{
			{ID: "answered", Each: "/items", CEL: `!item.present || item.answer != ""`, Message: "A present clause needs an answer."},
			{ID: "some", CEL: `size(output.items) > 0`, Message: "There must be an item."},
		},
		Detectors: chargehand.Detect(chargehand.DetectPersonalData, chargehand.DetectSecrets, chargehand.DetectURLs, chargehand.DetectInjection),
	}
}

// review is a full answer about the first contract of the data set: 25 clauses present with quotes
// of it, 15 absent with searches that hold.
func review(t testing.TB) Submission {
	contracts, text := cuad(t)
	doc := text(contracts[0].File)
	var items []object
	var aspects []string
	for key, clause := range contracts[0].Clauses {
		for _, s := range clause.Spans {
			if len(items) < 25 {
				aspects = append(aspects, key)
				items = append(items, object{"key": key, "present": true, "quote": s.Text, "start": s.Start, "end": s.Start + len(s.Text), "answer": "Yes"})
			}
		}
	}
	for i := 0; len(items) < 40; i++ {
		key := fmt.Sprintf("Clause %d", i)
		patterns := []string{`(?i)\bassign\w*`, `(?i)change\s+(?:of|in)\s+control`, fmt.Sprintf(`(?i)\bescrow%d\b`, i), fmt.Sprintf(`(?i)\bexclusiv\w*|\bsole%d\b`, i)}
		aspects = append(aspects, key)
		items = append(items, object{"key": key, "present": false, "answer": "No", "search": searched(doc, patterns...)})
	}
	return submit(asked(doc, aspects...), object{"items": items})
}

// searched is a search record that holds: every match in a hit of its own.
func searched(doc string, patterns ...string) object {
	hits := []object{}
	for _, p := range patterns {
		for _, m := range regexp.MustCompile(p).FindAllStringIndex(doc, -1) {
			hits = append(hits, object{"start": m[0], "end": m[1], "why": "speaks of another matter"})
		}
	}
	return object{"spans": []object{{"start": 0, "end": len(doc)}}, "patterns": patterns, "hits": hits}
}

func BenchmarkCheck(b *testing.B) {
	g, s := gateOf(b, reviewContract()), review(b)
	if v := g.Check(s); v.Recommendation != chargehand.Accept {
		b.Fatalf("%s: %v", v.Recommendation, v.Issues[0])
	}
	b.ReportMetric(float64(len(s.Result.Output)), "output-bytes")
	loop(b, g, s)
}

// BenchmarkCheckSynthesis is the other shape: one long text, its figures looked up in the inputs.
func BenchmarkCheckSynthesis(b *testing.B) {
	contracts, text := cuad(b)
	doc := text(contracts[0].File)
	g := gateOf(b, chargehand.Contract{Grounded: []string{"/summary"}})
	s := submit(asked(doc), object{"summary": strings.ReplaceAll(doc[:2000], "_", "")})
	loop(b, g, s)
}
