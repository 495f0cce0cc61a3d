package contractreview

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

func TestRecord(t *testing.T) {
	const text = "No clause: compete now, and later compete again. On 1/2/2003 it ended. They compete."
	whole := []clause.Span{{End: len(text)}}
	hit := func(start, end int, why string) clause.Hit {
		return clause.Hit{Span: clause.Span{Start: start, End: end}, Why: why}
	}
	for _, tt := range []struct {
		name     string
		give     clause.Search
		patterns []string
		hits     []chargehand.SearchHit
	}{
		{
			"as it is",
			clause.Search{Spans: whole, Patterns: []string{`now`}, Hits: []clause.Hit{hit(11, 22, "a")}},
			[]string{`now`},
			[]chargehand.SearchHit{{Start: 11, End: 22, Why: "a"}},
		},
		{
			"a pattern without a word, and its hit",
			clause.Search{Spans: whole, Patterns: []string{`ended`, `\d+/\d+`}, Hits: []clause.Hit{hit(52, 55, "a"), hit(62, 69, "b")}},
			[]string{`ended`},
			[]chargehand.SearchHit{{Start: 62, End: 69, Why: "a"}},
		},
		{
			"far apart",
			clause.Search{Spans: whole, Patterns: []string{`compete[^.]{0,12}later`}, Hits: []clause.Hit{hit(11, 33, "a")}},
			[]string{`compete[^.]*later`},
			[]chargehand.SearchHit{{Start: 11, End: 33, Why: "a"}},
		},
		{
			"matches more",
			clause.Search{Spans: whole, Patterns: []string{`No[^.]{0,12}again`}},
			[]string{`No[^.]*again`},
			[]chargehand.SearchHit{{End: 47, Why: "The words are there, but not as a clause of this kind."}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := record(text, "", tt.give)
			if d := cmp.Diff(tt.hits, got.Hits); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(tt.patterns, got.Patterns); d != "" {
				t.Error(d)
			}
		})
	}
}
