package local

import (
	"strings"
	"testing"

	"github.com/chargehand/chargehand/internal/gate"
	"github.com/chargehand/chargehand/internal/supervise"
)

// Before they are accepted outputs are compared as their conflicts are found afterwards: by what they
// say of a key, whatever the order and the number of their quotes.
func TestStancesAreTheSidesOfConflicts(t *testing.T) {
	outputs := [][]gate.Item{
		{{Key: "fee", Value: "500", Quote: "EUR 500"}, {Key: "fee", Value: "600"}},
		{{Key: "fee", Value: "600"}, {Key: "fee", Value: "500", Quote: "500 euros"}, {Key: "fee", Value: "600"}},
		{{Key: "fee", Value: "500"}},
		{{Key: "fee", Value: "absent"}},
	}
	for i, a := range outputs {
		for j, b := range outputs {
			tal := tally{sides: map[string][]*side{}}
			tal.add(supervise.Accepted{Subtask: "1"}, a)
			tal.add(supervise.Accepted{Subtask: "2"}, b)
			var agg aggregate
			tal.compare(&agg)
			x, y := stances(a), stances(b)
			if len(x) != 1 || len(y) != 1 || (x[0] != y[0]) != (len(agg.Conflicts) > 0) {
				t.Errorf("outputs %d and %d: stances %v and %v, and %d conflicts", i, j, x, y, len(agg.Conflicts))
			}
		}
	}
}

// A key that a record cannot hold as it is, or that would steer a terminal, is left out, and no other.
func TestStancesOfHostileKeys(t *testing.T) {
	var items []gate.Item
	for _, key := range []string{"fee", strings.Repeat("k", 81), "fee\x1b[2J", "fee\u202e", strings.Repeat("k", 80), "Gebühr"} {
		items = append(items, gate.Item{Key: key, Value: strings.Repeat("long ", 200)})
	}
	var keys []string
	for _, s := range stances(items) {
		keys = append(keys, s.Key)
		if len(s.Says) != 12 {
			t.Errorf("%s says %q", s.Key, s.Says)
		}
	}
	if got := strings.Join(keys, " "); got != "fee "+strings.Repeat("k", 80)+" Gebühr" {
		t.Errorf("the keys are %s", got)
	}
	if s := stances(nil); s != nil {
		t.Errorf("no items say %v", s)
	}
}
