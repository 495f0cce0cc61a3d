package main

import (
	"slices"
	"testing"
	"time"
)

// TestSchedules wants the figures that are known of the workload: those of a pool without any
// overhead under each order.
func TestSchedules(t *testing.T) {
	want := map[string][2]time.Duration{ // median and total
		"first come":                {280 * time.Millisecond, 300 * time.Millisecond},
		"oldest run first":          {220 * time.Millisecond, 320 * time.Millisecond},
		"what may be retried first": {200 * time.Millisecond, 280 * time.Millisecond},
	}
	for _, s := range schedules {
		runs := s.play(workloads["W2"])
		if got := [2]time.Duration{median(runs), slices.Max(runs)}; got != want[s.name] {
			t.Errorf("%s: median and total %v, want %v", s.name, got, want[s.name])
		}
	}
	if got := workloads["W2"].ideal(); got != 280*time.Millisecond {
		t.Errorf("the bound is %s", got)
	}
}
