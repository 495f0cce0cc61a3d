package supervise

import (
	"testing"
	"time"

	"github.com/chargehand/chargehand"
)

// A dynamic worker may be brought up below half of what remains once the ask itself is reserved
// (SPEC.md ·93).
func TestSpawnIsHalfOfWhatRemains(t *testing.T) {
	team := &chargehand.Team{
		Name: "t", Workers: []chargehand.WorkerSpec{{WorkerID: "a", Capabilities: []string{"x"}, CostPerCallEstimateUSD: 200_000}},
		Planner: chargehand.Planner{Func: "p"},
	}
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	m := New("run_1", team)
	o := chargehand.Order{Objective: chargehand.Objective{Goal: "g"}, Budget: chargehand.Budget{USD: chargehand.USD}}
	m.Step(now, Start{Order: o, Seed: "s"})
	out := m.Step(now, Planned{Iteration: 1, Plan: chargehand.Plan{Subtasks: []chargehand.Subtask{{ID: "s1", Goal: "do", Capability: "x"}}}})
	if len(out.Fleet) != 1 {
		t.Fatalf("the fleet is told %v", out.Fleet)
	}
	if ask := out.Fleet[0].(Ask); ask.SpawnUpTo != 400_000 {
		t.Errorf("with $0.80 left a worker may be brought up below $%s", ask.SpawnUpTo)
	}
}
