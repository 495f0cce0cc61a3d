package main

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/worker"
)

// newTeam is one worker whose drafts a rule gives to a person. Reviews wait for weeks, so that none
// lapses while others are made.
func newTeam(slots int) chargehand.Team {
	return chargehand.Team{
		Name: "drafts",
		Workers: []chargehand.WorkerSpec{{
			WorkerID: "drafter", Capabilities: []string{"draft"}, MaxConcurrentTasks: slots, CostPerCallEstimateUSD: 20,
		}},
		Contracts: []chargehand.Contract{{
			Name:   "draft",
			Schema: json.RawMessage(`{"type":"object","required":["text","sure"],"properties":{"text":{"type":"string"},"sure":{"type":"boolean"}}}`),
			Rules: []chargehand.Rule{{
				ID: "sure", CEL: "output.sure", Message: "The draft needs a person's eye.", Severity: chargehand.SeverityReview,
			}},
		}},
		Planner: chargehand.Planner{Template: &chargehand.Plan{Subtasks: []chargehand.Subtask{{
			ID: "draft", Goal: "Draft the reply.", Capability: "draft", OutputContract: "draft",
			TimeoutMS: int(time.Hour.Milliseconds()),
		}}}},
		Policy: chargehand.Policy{ReviewTimeout: chargehand.Duration(30 * 24 * time.Hour)},
		Budget: chargehand.Budget{USD: 10_000},
	}
}

func newOrder(team chargehand.Team, i int) chargehand.Order {
	return chargehand.Order{
		Team: team, StartedBy: "bench", Key: "letter-" + strconv.Itoa(i),
		Objective: chargehand.Objective{Goal: "Answer letter " + strconv.Itoa(i) + "."},
	}
}

// draft answers what the rule wants seen.
func draft(_ context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	out, err := json.Marshal(map[string]any{"text": "The reply to this: " + t.Objective, "sure": false})
	return chargehand.WorkerResult{Output: out, Usage: chargehand.Usage{USD: 20}}, err
}

var _ worker.Func = draft
