package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// engine is the peer that this program is about: the local engine, through its public interface.
type engine struct {
	*local.Engine
	order chargehand.Order
}

const (
	callPrice = 20 // micro-USD of each model call
	patience  = 120_000
)

func newEngine(ctx context.Context, s setting) (*engine, error) {
	team := newTeam(s.workload)
	e, err := local.Open(ctx, local.Options{
		Dir: s.dir, Workers: s.model.workers(team),
		Planners: map[string]worker.Planner{"planner": s.model.planner(s.workload.subtasks)},
	})
	if err != nil {
		return nil, err
	}
	return &engine{Engine: e, order: newOrder(team)}, nil
}

func newOrder(team chargehand.Team) chargehand.Order {
	return chargehand.Order{
		Team: team, StartedBy: "bench",
		Objective: chargehand.Objective{
			Goal:      "Find the notice periods of the agreement.",
			Documents: []chargehand.Document{{Name: "agreement.txt", Text: document}},
		},
	}
}

// newTeam is a planner, the workers of the pool, a reviewer and a writer, with a budget that
// covers every call.
func newTeam(w workload) chargehand.Team {
	t := chargehand.Team{
		Name: "notice-periods", Planner: chargehand.Planner{Func: "planner", EstimateUSD: callPrice},
		Contracts: []chargehand.Contract{findings, report},
		Synthesis: &chargehand.Synthesis{Capability: "write", Goal: "Count what was found.", OutputContract: "report", TimeoutMS: patience},
		Policy:    chargehand.Policy{RunConcurrency: w.subtasks, Reviewer: "reviewer", Queue: chargehand.QueueOrder(w.queue)},
		Budget:    chargehand.Budget{USD: chargehand.Micros(10 * callPrice * w.calls())},
	}
	latency := int(w.latency.Milliseconds())
	workers, slots := w.pool()
	for i := range workers {
		t.Workers = append(t.Workers, chargehand.WorkerSpec{
			WorkerID: fmt.Sprintf("finder-%d", i+1), Capabilities: []string{"find"}, OutputContracts: []string{"findings"},
			MaxConcurrentTasks: slots, AverageLatencyMS: latency, CostPerCallEstimateUSD: callPrice,
		})
	}
	t.Workers = append(t.Workers,
		chargehand.WorkerSpec{
			WorkerID: "reviewer", Capabilities: []string{"review"}, MaxConcurrentTasks: w.runs * w.subtasks,
			AverageLatencyMS: latency, CostPerCallEstimateUSD: callPrice,
		},
		chargehand.WorkerSpec{
			WorkerID: "writer", Capabilities: []string{"write"}, OutputContracts: []string{"report"},
			MaxConcurrentTasks: w.runs, AverageLatencyMS: latency, CostPerCallEstimateUSD: callPrice,
		})
	return t
}

// findings is the contract of a worker's output: a schema, a rule, and items with grounded quotes.
var findings = chargehand.Contract{
	Name: "findings",
	Schema: json.RawMessage(`{"type":"object","required":["items"],"additionalProperties":false,"properties":{"items":{
		"type":"array","minItems":1,"maxItems":1,"items":{"type":"object","required":["text","key","quote","start","end","answer"],
		"properties":{"text":{"type":"string"},"key":{"type":"string"},"quote":{"type":"string"},"start":{"type":"integer"},
		"end":{"type":"integer"},"answer":{"type":"string"}}}}}}`),
	Items: &chargehand.ItemRule{Path: "/items"},
	Rules: []chargehand.Rule{{
		ID: "about-its-task", Each: "/items", CEL: `item.text.startsWith(item.key + " attempt-")`,
		Message: "The text must be about the task it stands under.",
	}},
	Criteria: []string{"The quote answers the question."},
}

// report is the contract of the synthesis.
var report = chargehand.Contract{
	Name: "report",
	Schema: json.RawMessage(`{"type":"object","required":["text"],"properties":{"text":{"type":"string",
		"pattern":"^FINAL n=[0-9]+ retried=[0-9]+$"}}}`),
}

func (m *model) planner(n int) worker.Planner {
	return func(context.Context, worker.PlanRequest) (chargehand.Plan, chargehand.Usage, error) {
		tasks, err := readPlan(m.plan(n))
		if err != nil {
			return chargehand.Plan{}, spent(), err
		}
		plan := chargehand.Plan{Subtasks: make([]chargehand.Subtask, len(tasks))}
		for i, t := range tasks {
			plan.Subtasks[i] = chargehand.Subtask{
				ID: t.ID, Goal: t.Goal, Capability: "find", OutputContract: "findings",
				RequiredAspects: []string{t.ID}, TimeoutMS: patience,
			}
		}
		return plan, spent(), nil
	}
}

func spent() chargehand.Usage {
	return chargehand.Usage{InputTokens: 200, OutputTokens: 250, USD: callPrice}
}

// workers are the functions behind a team's workers.
func (m *model) workers(t chargehand.Team) worker.Set {
	set := worker.Set{"reviewer": worker.ReviewerFunc(m.reviewer), "writer": worker.Func(m.writer)}
	for _, w := range t.Workers {
		if w.Can("find") {
			set[w.WorkerID] = worker.Func(m.finder)
		}
	}
	return set
}

func (m *model) finder(_ context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	out, err := m.work(workPrompt(t.TaskID, t.Attempt, t.Goal, t.Feedback))
	return chargehand.WorkerResult{Output: out, Usage: spent()}, err
}

func (m *model) writer(_ context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	prompt := make([]string, 0, 1+len(t.InputRefs))
	prompt = append(prompt, t.Goal)
	for _, r := range t.InputRefs {
		prompt = append(prompt, r.Text)
	}
	out, err := json.Marshal(map[string]string{"text": m.synthesize(strings.Join(prompt, "\n"))})
	return chargehand.WorkerResult{Output: out, Usage: spent()}, err
}

// reviewer is asked about every output, that of the synthesis included.
func (m *model) reviewer(_ context.Context, t chargehand.ReviewerTask) (chargehand.Verdict, chargehand.Usage, error) {
	if !strings.HasPrefix(t.TaskID, "task-") {
		m.answered(call{"review of the synthesis", -1, t.Attempts})
		return accepted, spent(), nil
	}
	b, err := m.review(reviewPrompt(t.TaskID, t.Attempts, t.Goal, t.WorkerOutput))
	if err != nil {
		return chargehand.Verdict{}, chargehand.Usage{}, err
	}
	o, err := readOpinion(b)
	if err != nil {
		return chargehand.Verdict{}, chargehand.Usage{}, err
	}
	if o.Accept {
		return accepted, spent(), nil
	}
	return chargehand.Verdict{Recommendation: chargehand.Reject, Confidence: 3, Feedback: o.Feedback}, spent(), nil
}

var accepted = chargehand.Verdict{Recommendation: chargehand.Accept, Confidence: 9}

// run starts a run and waits for its result, as any caller would.
func (e *engine) run(ctx context.Context) (string, error) {
	id, err := e.Start(ctx, e.order)
	if err != nil {
		return "", err
	}
	res, err := chargehand.Wait(ctx, e, id)
	if err != nil {
		return "", err
	}
	if res.Status != chargehand.RunCompleted {
		return "", fmt.Errorf("the run ended as %s: %s %+v", res.Status, res.StopReason, res.Gaps)
	}
	var final struct {
		Text string `json:"text"`
	}
	err = json.Unmarshal(res.Output, &final)
	return final.Text, err
}

func (e *engine) commits() int64 { return e.Commits() }

func (e *engine) close() error { return e.Close() }
