package main

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// canned answers from a map; a category that is not in it is absent.
type canned map[string]clause.Found

func (c canned) Find(category string) (clause.Found, error) { return c[category], nil }

func quotes(spans ...clause.Span) []clause.Quote {
	var out []clause.Quote
	for _, s := range spans {
		out = append(out, clause.Quote{Span: s})
	}
	return out
}

func TestOverlap(t *testing.T) {
	for _, tt := range []struct {
		a, b clause.Span
		want bool
	}{
		{clause.Span{Start: 0, End: 10}, clause.Span{Start: 5, End: 15}, true},
		{clause.Span{Start: 0, End: 10}, clause.Span{Start: 6, End: 16}, false},
		{clause.Span{Start: 0, End: 100}, clause.Span{Start: 98, End: 102}, true},
		{clause.Span{Start: 0, End: 100}, clause.Span{Start: 99, End: 102}, false},
		{clause.Span{Start: 0, End: 5}, clause.Span{Start: 5, End: 9}, false},
		{clause.Span{}, clause.Span{}, false},
	} {
		if overlap(tt.a, tt.b) != tt.want || overlap(tt.b, tt.a) != tt.want {
			t.Errorf("overlap(%v, %v) is not %v both ways", tt.a, tt.b, tt.want)
		}
	}
}

func TestScore(t *testing.T) {
	text := "0123456789 0123456789 0123456789"
	contracts := []contract{
		{file: "a", text: text, truth: map[string]annotation{
			"Insurance":     {spans: []clause.Span{{Start: 0, End: 10}, {Start: 11, End: 21}}, answer: "Yes"},
			"Governing Law": {spans: []clause.Span{{Start: 0, End: 4}}, answer: "New York"},
		}},
		{file: "b", text: text, truth: map[string]annotation{}},
	}
	given := canned{
		"Insurance":     {Quotes: quotes(clause.Span{Start: 0, End: 12}, clause.Span{Start: 24, End: 30}), Answer: "Yes"},
		"Governing Law": {Quotes: quotes(clause.Span{Start: 0, End: 4}), Answer: "Ohio"},
	}
	tallies, err := score(contracts, func(int) extractor { return given })
	if err != nil {
		t.Fatal(err)
	}
	got := tallies["Insurance"]
	want := tally{
		Quotes: 4, RightQuotes: 1, Spans: 2, HitSpans: 1, Present: 1, Stated: 2, Both: 1,
		Answers: 1, RightAnswers: 1, Contracts: 2,
	}
	if diff := cmp.Diff(want, counts(*got), cmp.AllowUnexported(tally{})); diff != "" {
		t.Errorf("tally differs (-want +got):\n%s", diff)
	}
	if law := tallies["Governing Law"]; law.Answers != 1 || law.RightAnswers != 0 {
		t.Errorf("answers %d, right %d, want 1 and 0", law.Answers, law.RightAnswers)
	}
	wantMisses := []miss{
		{File: "a", Category: "Insurance", Quoted: "234567"},
		{File: "a", Category: "Insurance", Annotated: "0123456789"},
		{File: "b", Category: "Insurance", Quoted: "0123456789 0"},
		{File: "b", Category: "Insurance", Quoted: "234567"},
	}
	if diff := cmp.Diff(wantMisses, got.misses); diff != "" {
		t.Errorf("misses differ (-want +got):\n%s", diff)
	}
}

// counts leaves out what is not a number.
func counts(t tally) tally {
	t.wrong, t.misses = nil, nil
	return t
}

func TestScoreReturnsTheExtractorsError(t *testing.T) {
	broken := errors.New("broken")
	_, err := score([]contract{{}}, func(int) extractor { return failing{broken} })
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

type failing struct{ err error }

func (f failing) Find(string) (clause.Found, error) { return clause.Found{}, f.err }

func TestRate(t *testing.T) {
	if got, want := newRate(1, 2, 1, 4), (rate{Precision: 0.5, Recall: 0.25, F1: 1.0 / 3}); math.Abs(got.F1-want.F1) > 1e-9 || got.Precision != want.Precision || got.Recall != want.Recall {
		t.Errorf("rate %v, want %v", got, want)
	}
	if got := newRate(0, 0, 0, 0); got != (rate{Precision: 1, Recall: 1, F1: 1}) {
		t.Errorf("rate of nothing %v, want all 1", got)
	}
	if got := newRate(0, 3, 0, 2); got.F1 != 0 {
		t.Errorf("F1 of nothing right %v, want 0", got.F1)
	}
}

func TestWrongCountsPresenceAndAnswer(t *testing.T) {
	const category = "Governing Law"
	here := quotes(clause.Span{Start: 0, End: 4})
	ohio := annotation{spans: []clause.Span{{Start: 0, End: 4}}, answer: "Ohio"}
	var got tally
	for _, tt := range []struct {
		truth annotation
		said  clause.Found
	}{
		{ohio, clause.Found{Quotes: here, Answer: "Ohio"}},
		{ohio, clause.Found{Quotes: here, Answer: "Texas"}},
		{ohio, clause.Found{}},
		{annotation{}, clause.Found{Quotes: here, Answer: "Ohio"}},
		{annotation{}, clause.Found{}},
	} {
		got.add(contract{text: "text", truth: map[string]annotation{category: tt.truth}}, category, tt.said)
	}
	if diff := cmp.Diff(bools("01110"), got.wrong); diff != "" {
		t.Errorf("wrong differs (-want +got):\n%s", diff)
	}
}

func TestMacroAverageLeavesOutRareCategories(t *testing.T) {
	tallies := make(map[string]*tally)
	for _, c := range clause.Categories() {
		tallies[c.Name] = &tally{Present: fewest - 1, Stated: 100, Contracts: 100}
	}
	tallies["Insurance"] = &tally{Present: 10, Stated: 10, Both: 5, Contracts: 100}
	tallies["Parties"] = &tally{Present: 10, Stated: 5, Both: 5, Contracts: 100}
	f := newFigures(tallies)
	if f.Averaged != 2 || f.MacroContract.Precision != 0.75 || f.MacroContract.Recall != 0.5 {
		t.Errorf("macro %v over %d, want precision 0.75 and recall 0.5 over 2", f.MacroContract, f.Averaged)
	}
}
