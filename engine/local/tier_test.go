package local_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// models makes workers that are language models: each call costs what its tier does.
type models struct{}

func (models) Complete(t *chargehand.Team) (*chargehand.Team, []chargehand.Problem) { return t, nil }

func (models) Planner(*chargehand.Team) (worker.Planner, error) { return nil, nil }

func (models) Worker(_ *chargehand.Team, w *chargehand.WorkerSpec, _ string) (worker.Worker, error) {
	return worker.Func(func(ctx context.Context, _ chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		bill := chargehand.Usage{USD: w.CostPerCallEstimateUSD, InputTokens: 900, OutputTokens: 100}
		if err := worker.LineOf(ctx).Cover(ctx, bill); err != nil {
			return chargehand.WorkerResult{}, err
		}
		return chargehand.WorkerResult{Output: []byte(`1`), Usage: bill}, nil
	}), nil
}

// TestTiersOfModels: work goes to the tier of its criticality; when four fifths of the ceiling are
// settled, what is not critical goes to the cheapest, while critical work and the last step, whose
// money was set aside, keep theirs (SPEC.md ·91, ·92).
func TestTiersOfModels(t *testing.T) {
	o := order(35, func(team *chargehand.Team) {
		team.Workers, team.Models = nil, chargehand.Models{Tier1: "p/best", Tier2: "p/good", Tier3: "p/cheap"}
		for tier, cost := range []chargehand.Micros{20_000, 10_000, 1_000} {
			team.Workers = append(team.Workers, chargehand.WorkerSpec{
				WorkerID: fmt.Sprintf("t%d", tier+1), Kind: chargehand.KindLLM, Capabilities: []string{"c", "s"}, Tier: tier + 1,
				CostPerCallEstimateUSD: cost, AverageLatencyMS: 5_000, LLM: &chargehand.LLMKind{MaxTokens: 100},
			})
		}
		team.Policy.RunConcurrency = 1
		team.Synthesis = &chargehand.Synthesis{Capability: "s"}
		list := team.Planner.Template.Subtasks
		for i := range list {
			list[i].Priority = -i
			list[i].Criticality = chargehand.Standard
		}
		list[0].Criticality, list[33].Criticality = chargehand.Simple, chargehand.Critical
	})
	o.Budget.USD = 400_000 // four fifths are settled with s32
	e := open(t, local.Options{Agents: models{}})
	run := start(t, e, o)
	v := until(t, e, run, ended)
	if v.State != chargehand.RunCompleted || !v.LowBudget {
		t.Fatalf("the run is %s with $%s spent, low %t: %s", v.State, v.Spent, v.LowBudget, v.Why)
	}
	got := map[string]string{}
	for _, row := range v.Rows {
		got[row.ID] = row.Attempts[0].Worker
	}
	want := map[string]string{"s0": "t3", "s33": "t1", "s34": "t3", "_synthesis": "t2"}
	for i := 1; i <= 32; i++ {
		want[fmt.Sprintf("s%d", i)] = "t2"
	}
	if !maps.Equal(got, want) {
		t.Errorf("served by %v, want %v", got, want)
	}
}
