package gate

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
)

// Items that come with a verdict are those of the output, and there are none without an ACCEPT.
func TestItemsOfVerdict(t *testing.T) {
	root := chargehand.Contract{Items: &chargehand.ItemRule{Path: "", Key: "k", Facts: []string{"answer", "k"}}}
	quote := "The fee is USD 12,500 a year."
	found := object{"k": " fee ", "quote": quote, "start": 0, "end": len(quote), "answer": "USD 12,500", "by": []any{"<a>", 1.5}}
	missed := object{"k": "fee", "quote": "The fie", "start": 0, "end": 7}
	small, wrong := small(), small()
	wrong.Result.Output = []byte(`{"text":"x","items":[{"key":"fee"}]}`)
	for _, tt := range []struct {
		name     string
		contract chargehand.Contract
		sub      Submission
		want     int
	}{
		{"one", smallContract(), small, 1},
		{"two, at the root", root, submit(asked(quote), []object{found, found}), 2},
		{"none", root, submit(asked(quote), []object{}), 0},
		{"no list of items", chargehand.Contract{}, submit(asked(quote), []object{found}), 0},
		{"rejected", root, submit(asked(quote), []object{found, missed}), 0},
		{"malformed", smallContract(), wrong, 0},
		{"not JSON", smallContract(), func() Submission { s := small; s.Result.Output = []byte(`{"items":[`); return s }(), 0},
		{"no such contract", smallContract(), func() Submission { s := small; s.Contract = "other"; return s }(), 0},
	} {
		g := gateOf(t, tt.contract)
		for range 2 { // the second time in the room of the first
			v, items := g.CheckItems(tt.sub)
			if diff := cmp.Diff(g.Check(tt.sub), v); diff != "" {
				t.Errorf("%s: %s", tt.name, diff)
			}
			if len(items) != tt.want || items != nil && v.Recommendation != chargehand.Accept {
				t.Errorf("%s: %s with %d items, want %d", tt.name, v.Recommendation, len(items), tt.want)
			}
			if v.Recommendation != chargehand.Accept {
				continue
			}
			want, err := g.Items(tt.sub.Contract, tt.sub.Result.Output)
			if diff := cmp.Diff(want, items); diff != "" || err != nil {
				t.Errorf("%s: %v %s", tt.name, err, diff)
			}
		}
	}
}

// The items of one submission are not those of the next.
func TestItemsOfVerdictStay(t *testing.T) {
	g := gateOf(t, smallContract())
	sub := small()
	_, items := g.CheckItems(sub)
	want := fmt.Sprintf("%+v", items)
	for range 3 {
		other := submit(asked("No fee."), object{"text": "y", "items": []object{{"key": "no", "quote": "No fee.", "start": 0, "end": 7}}})
		if v, _ := g.CheckItems(other); v.Recommendation != chargehand.Accept {
			t.Fatalf("%v", v.Issues)
		}
	}
	if got := fmt.Sprintf("%+v", items); got != want || len(items) != 1 {
		t.Errorf("%s became %s", want, got)
	}
}
