package main

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func bools(s string) []bool {
	var out []bool
	for _, c := range s {
		out = append(out, c == '1')
	}
	return out
}

func TestPhi(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want float64
		ok   bool
	}{
		{"1100", "1100", 1, true},
		{"1100", "0011", -1, true},
		{"1100", "1010", 0, true},
		{"1110", "1100", 1 / math.Sqrt(3), true},
		{"0000", "1010", 0, false},
		{"1111", "1010", 0, false},
		{"", "", 0, false},
	} {
		got, ok := phi(bools(tt.a), bools(tt.b))
		if ok != tt.ok || math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("phi(%s, %s) = %v, %v, want %v, %v", tt.a, tt.b, got, ok, tt.want, tt.ok)
		}
	}
}

func TestCorrelate(t *testing.T) {
	got := correlate("Insurance", bools("100001"), bools("101000"), bools("001001"))
	phi := 0.25
	want := correlation{Category: "Insurance", Phi: &phi, First: 2, Second: 2, Both: 1, Conflicts: 2, Exposed: 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("correlation differs (-want +got):\n%s", diff)
	}
}
