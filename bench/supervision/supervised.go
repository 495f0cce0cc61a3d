package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/agent"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/provider"
)

// teamOf is the team that does the work, reviewed by a model where one is named.
func teamOf(reviewer string, concurrency int) chargehand.Team {
	t := chargehand.Team{
		Name: "sections", Contracts: []chargehand.Contract{contract}, Budget: chargehand.Budget{USD: 100 * chargehand.USD},
		Policy:  chargehand.Policy{RunConcurrency: concurrency},
		Planner: chargehand.Planner{Template: &chargehand.Plan{Subtasks: []chargehand.Subtask{subtask(0)}}},
		Workers: []chargehand.WorkerSpec{{
			WorkerID: "reader", Kind: chargehand.KindLLM, Model: "anthropic/" + workModel, Tier: 2, Capabilities: []string{"read"},
			OutputContracts: []string{contract.Name}, MaxConcurrentTasks: concurrency,
			LLM: &chargehand.LLMKind{Prompt: plainPrompt},
		}},
	}
	for _, ref := range []string{"anthropic/" + workModel, "anthropic/" + cheapModel} {
		t.Prices = append(t.Prices, *priceOf(ref))
	}
	if reviewer != "" {
		t.Policy.Reviewer = "reviewer"
		t.Workers = append(t.Workers, chargehand.WorkerSpec{
			WorkerID: "reviewer", Kind: chargehand.KindLLM, Model: "anthropic/" + reviewer, Tier: 3, Capabilities: []string{"review"},
			MaxConcurrentTasks: concurrency,
		})
	}
	return t
}

func subtask(n int, deps ...string) chargehand.Subtask {
	return chargehand.Subtask{
		ID: fmt.Sprintf("s%02d", n), Goal: goal(n), Capability: "read", OutputContract: contract.Name, RequiredAspects: aspects,
		Criticality: chargehand.Standard, Deps: deps,
	}
}

// A done run is what a supervised run left.
type done struct {
	result  *chargehand.Result
	records []chargehand.Record
	outputs [][]byte // those that were accepted
}

// supervised does a plan's work in an engine.
func supervised(ctx context.Context, s *provider.Server, team chargehand.Team, text string, plan []chargehand.Subtask) (d *done, err error) {
	e, err := local.Open(ctx, local.Options{Agents: agent.New(agent.Options{Open: reach(s)})})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	run, err := e.Start(ctx, chargehand.Order{Team: team, StartedBy: "bench", Objective: chargehand.Objective{
		Goal: "Read the agreement.", Documents: []chargehand.Document{{Name: "agreement.txt", Text: text}},
		Plan: &chargehand.Plan{Subtasks: plan, ComplexityScore: 0.5},
	}})
	if err != nil {
		return nil, err
	}
	d = &done{}
	of := map[chargehand.AttemptRef]string{}
	for r, err := range e.Records(ctx, run, 0, true) {
		if err != nil {
			return nil, err
		}
		d.records = append(d.records, r)
		switch f := r.Fact.(type) {
		case chargehand.OutputChecked:
			of[f.AttemptRef] = f.Output
		case chargehand.SubtaskEnded:
			if !f.State.Accepted() {
				return nil, fmt.Errorf("%s ended as %s: %s", f.Subtask, f.State, f.Why)
			}
			body, err := e.Blob(ctx, of[chargehand.AttemptRef{Subtask: f.Subtask, Attempt: f.Attempt}])
			if err != nil {
				return nil, err
			}
			d.outputs = append(d.outputs, body)
		}
	}
	d.result, err = e.Result(ctx, run)
	return d, err
}
