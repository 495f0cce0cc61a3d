package agent

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/worker"
)

const introOfPlan = "The data of your planning."

// What of the sources a planner is shown, in bytes: workers get them in full.
const (
	beginning  = 2_000  // of one document
	beginnings = 20_000 // of all
	drafted    = 40_000 // of its last plan
	undone     = 20_000 // of earlier subtasks that were not accepted, as they were planned
	idsShown   = 10_000 // of the ids of accepted subtasks whose outputs are not shown
)

// A planner is a language model that plans (SPEC.md ·13, ·20 to ·24).
type planner struct {
	kind  chargehand.LLMPlanner
	meter func() *meter
}

// Planner is the team's planner.
func (a *Agents) Planner(t *chargehand.Team) (worker.Planner, error) {
	if t.Planner.LLM == nil {
		return nil, errors.New("the team's planner is no language model")
	}
	p := &planner{kind: *t.Planner.LLM}
	ref := or(p.kind.Model, t.Models.Of(1))
	if ref == "" {
		return nil, errors.New("the planner names no model, and the team none for tier 1")
	}
	var err error
	if p.meter, err = a.metered(t, ref); err != nil {
		return nil, fmt.Errorf("planner: %w", err)
	}
	return p.plan, nil
}

// plan asks the model for a plan. Whether it is one for the team is for the engine to check; what
// went wrong comes back in the next request.
func (p *planner) plan(ctx context.Context, r worker.PlanRequest) (chargehand.Plan, chargehand.Usage, error) {
	m := p.meter()
	reg := registryOf(r.Team)
	asked, fields, err := p.request(r, reg)
	if err != nil {
		return chargehand.Plan{}, m.spent, err
	}
	if err := fits(asked, fields, defaultInput); err != nil {
		return chargehand.Plan{}, m.spent, err
	}
	resp, err := m.call(ctx, *asked)
	if err != nil {
		return chargehand.Plan{}, m.spent, failure(ctx, err, m.spent)
	}
	if err := ended(resp, asked.Tokens()); err != nil {
		return chargehand.Plan{}, m.spent, err
	}
	plan, err := readPlan(resp.Text)
	return plan, m.spent, err
}

func (p *planner) request(r worker.PlanRequest, reg registry) (*model.Request, []field, error) {
	shown, err := plainJSON(reg)
	if err != nil {
		return nil, nil, fmt.Errorf("write the registry: %w", err)
	}
	schema, err := plainJSON(planSchema(r.Team, reg, r.Iteration > 1))
	if err != nil {
		return nil, nil, fmt.Errorf("write the schema of a plan: %w", err)
	}
	fields := planFields(r)
	return &model.Request{
		System: system(plannerPrompt, dataRules, titled("What can be done", string(shown)),
			titled("What your supervisor says", p.kind.Prompt)),
		Schema: schema, MaxTokens: planAnswer(&p.kind),
		Messages: []model.Message{{Role: model.User, Text: frame(introOfPlan, fields)}},
	}, fields, nil
}

// planFields are what a planner goes by, as data.
func planFields(r worker.PlanRequest) []field {
	var out []field
	left := beginnings
	for _, d := range r.Objective.Documents {
		text := excerpt.Head(d.Text, min(beginning, left))
		left -= len(text)
		f := field{Field: "document", Name: d.Name, Hash: d.Hash, Bytes: max(len(d.Text), int(d.Size)), text: text}
		if len(text) < f.Bytes {
			f.Shown = len(text)
		}
		out = append(out, f)
	}
	if r.Example != nil {
		out = append(out, field{Field: "earlier plan", text: example(r.Example)})
	}
	out = append(out, field{Field: "objective", text: r.Objective.Goal})
	if len(r.Objective.Input) > 0 {
		out = append(out, field{Field: "input", text: string(r.Objective.Input)})
	}
	out = append(out, soFar(r)...)
	if r.Iteration > 1 {
		out = append(out, field{Field: "iteration", text: strconv.Itoa(r.Iteration)})
	}
	if len(r.Errors) > 0 {
		out = append(out, field{Field: "errors", text: listed(r.Errors)})
	}
	last := r.LastText
	if r.Last != nil {
		last = example(r.Last)
	}
	if last != "" {
		out = append(out, beginningOf(field{Field: "last plan"}, last, drafted))
	}
	return out
}

// beginningOf is a field with so much of a text, at most, and says so where that is not all.
func beginningOf(f field, text string, most int) field {
	f.Bytes, f.text = len(text), excerpt.Head(text, most)
	if len(f.text) < f.Bytes {
		f.Shown = len(f.text)
	}
	return f
}

// example is an earlier plan as a planner may see it: what it could have written itself.
func example(earlier *chargehand.Plan) string {
	p := planText{Subtasks: []planned{}, Rationale: earlier.Rationale, ComplexityScore: earlier.ComplexityScore}
	for i := range earlier.Subtasks {
		s := &earlier.Subtasks[i]
		p.Subtasks = append(p.Subtasks, planned{
			ID: s.ID, Label: s.Label, Goal: s.Goal, Capability: s.Capability, TaskType: s.TaskType, Deps: listOf(s.Deps),
			Priority: s.Priority, Criticality: s.Criticality, Required: s.Required, Role: s.Role, RiskLevel: s.RiskLevel,
			Effect: s.Effect, RequiredAspects: listOf(s.RequiredAspects), OutputContract: s.OutputContract, ToolGrants: listOf(s.ToolGrants),
			Replaces: s.Replaces,
		})
	}
	text, err := plainJSON(p)
	if err != nil {
		panic("agent: a plan holds only plain data: " + err.Error())
	}
	return string(text)
}

// listOf is the list as the schema of a plan wants it: empty, and not absent.
func listOf(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// soFar is what the plans before have come to: what is missing and why, which subtasks that were, and the
// accepted outputs, each under its subtask's id (SPEC.md ·23).
func soFar(r worker.PlanRequest) []field {
	var out []field
	if len(r.Failed) > 0 {
		out = append(out, beginningOf(field{Field: "gaps"}, gaps(r.Team, r.Failed), undone))
	}
	var failed chargehand.Plan
	var unseen []string
	left := beginnings
	for i := range r.Earlier {
		e := &r.Earlier[i]
		switch {
		case !e.State.Accepted():
			failed.Subtasks = append(failed.Subtasks, e.Subtask)
		case len(e.Output) == 0 || left == 0:
			unseen = append(unseen, e.Subtask.ID)
		default:
			f := beginningOf(field{Field: "accepted", From: e.Subtask.ID, Name: e.Subtask.Name(), Hash: e.OutputRef}, string(e.Output), min(beginning, left))
			left -= len(f.text)
			out = append(out, f)
		}
	}
	if len(failed.Subtasks) > 0 {
		out = append(out, beginningOf(field{Field: "not done"}, example(&failed), undone))
	}
	if len(unseen) > 0 {
		out = append(out, beginningOf(field{Field: "accepted too"}, listed(unseen), idsShown))
	}
	return out
}

// gaps are gaps as a planner may see them: without who was at work.
func gaps(t *chargehand.Team, list []chargehand.Gap) string {
	var lines []string
	for _, g := range list {
		line := fmt.Sprintf("%s (%s): %s, %s", or(g.Subtask, "the run"), g.Label, g.State, g.Cause)
		if g.Why != "" {
			line += ": " + withoutWorkers(t, g.Why)
		}
		lines = append(lines, line)
	}
	return listed(lines)
}
