package contractreview

import (
	"slices"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// said is material of present items; a quote of "-" makes the category absent.
func said(pairs ...[3]string) *material {
	m := &material{items: map[string][]sourced{}}
	for _, p := range pairs {
		s := sourced{item: item{Category: p[0], Present: p[1] != "-", Quote: p[1], Answer: p[2]}}
		s.from = chargehand.Item{Subtask: "s", Attempt: 1, Worker: "w", Verdict: "accepted"}
		m.items[p[0]] = append(m.items[p[0]], s)
	}
	return m
}

func raised(m *material) []string {
	var out []string
	for _, h := range hazards {
		if _, ok := h.met(m); ok {
			out = append(out, h.id)
		}
	}
	return out
}

func TestHazards(t *testing.T) {
	notice := "Notice Period to Terminate Renewal"
	for _, tt := range []struct {
		name string
		m    *material
		want []string
	}{
		{"nothing was read", said(), nil},
		{"no limit", said([3]string{"Cap on Liability", "-", "No"}), []string{"liability-unlimited"}},
		{
			"no limit, and it says so", said([3]string{"Cap on Liability", "-", "No"}, [3]string{"Uncapped Liability", "x", "Yes"}),
			[]string{"liability-unlimited", "liability-uncapped"},
		},
		{"an amount", said([3]string{"Cap on Liability", "shall not exceed EUR 500,000", "Yes"}), []string{"liability-cap"}},
		{"kinds only", said([3]string{"Cap on Liability", "no indirect damages", "Yes"}), []string{"liability-kinds-only"}},
		{
			"an amount beside kinds", said([3]string{"Cap on Liability", "no indirect damages", "Yes"}, [3]string{"Cap on Liability", "limited to fees paid", "Yes"}),
			[]string{"liability-cap"},
		},
		{
			"stopped far ahead", said([3]string{"Renewal Term", "renews automatically", "1 year"}, [3]string{notice, "x", "180 days"}),
			[]string{"renewal-far-notice"},
		},
		{
			"stopped in time", said([3]string{"Renewal Term", "renews automatically", "1 year"}, [3]string{notice, "x", "2 months"}),
			[]string{"renewal-automatic"},
		},
		{"no notice", said([3]string{"Renewal Term", "renews", "1 year"}, [3]string{notice, "-", ""}), []string{"renewal-no-notice"}},
		{"consent", said([3]string{"Anti-Assignment", "without consent", "Yes"}), []string{"assignment-consent"}},
		{"reasonable consent", said([3]string{"Anti-Assignment", "not unreasonably withheld", "Yes"}), nil},
		{
			"readings disagree: what was found counts", said([3]string{"Cap on Liability", "-", "No"}, [3]string{"Cap on Liability", "not exceed $5", "Yes"}),
			[]string{"liability-cap"},
		},
	} {
		if got := raised(tt.m); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestHazardsAreDeclaredWell(t *testing.T) {
	seen := map[string]bool{}
	for _, h := range hazards {
		if seen[h.id] || h.title == "" || h.why == "" || !slices.Contains(levels, h.level) || len(h.when) == 0 {
			t.Errorf("hazard %+v", h)
		}
		seen[h.id] = true
		for _, c := range h.when {
			if _, ok := clause.Lookup(c.category); !ok {
				t.Errorf("%s: there is no category %q", h.id, c.category)
			}
		}
	}
}

func TestInDays(t *testing.T) {
	for answer, want := range map[string]int{"180 days": 180, "1 week": 7, "6 months": 180, "1 year": 365} {
		if got, ok := inDays(answer); !ok || got != want {
			t.Errorf("%s: %d, %v", answer, got, ok)
		}
	}
	for _, answer := range []string{"", "Yes", "soon enough", "3 moons"} {
		if n, ok := inDays(answer); ok {
			t.Errorf("%q: %d", answer, n)
		}
	}
}
