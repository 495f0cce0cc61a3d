package supervise

import (
	"testing"
	"time"

	"github.com/chargehand/chargehand"
)

// A planner is reserved for before it is called, charged its price where it reports none, and not
// called again when what is left does not cover it (SPEC.md ·90).
func TestPlannerIsReservedFor(t *testing.T) {
	team := &chargehand.Team{
		Name: "t", Workers: []chargehand.WorkerSpec{{WorkerID: "a", Capabilities: []string{"x"}}},
		Planner: chargehand.Planner{Func: "p", EstimateUSD: 400_000},
	}
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	m := New("run_1", team)
	o := chargehand.Order{Objective: chargehand.Objective{Goal: "g"}, Budget: chargehand.Budget{USD: 700_000}}
	m.Step(now, Start{Order: o, Seed: "s"})
	if got := m.ledger.reserved.usd; got != 400_000 {
		t.Fatalf("$%s are reserved for the planner, want $0.40", got)
	}
	out := m.Step(now, Planned{Iteration: 1, Err: "no model answered"})
	if m.ledger.reserved.usd != 0 || m.ledger.settled.usd != 400_000 {
		t.Errorf("after one call $%s are reserved and $%s settled", m.ledger.reserved.usd, m.ledger.settled.usd)
	}
	if m.run.abort == nil || m.run.abort.stop != chargehand.StopBudgetExhausted {
		t.Fatalf("the planner was called again for money that is not there: %v", out.Effects)
	}
	for _, e := range out.Effects {
		if _, again := e.(MakePlan); again {
			t.Error("the planner was called again for money that is not there")
		}
	}
}
