package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
	"github.com/chargehand/chargehand/worker"
)

func (a *app) planCommand() *cobra.Command {
	return group("plan", "Look at a plan before anything is spent", a.planShowCommand(), a.planLintCommand())
}

func (a *app) planShowCommand() *cobra.Command {
	var f orderForm
	var form string
	c := &cobra.Command{
		Use: "show TEAM|TEAM.yaml [FILE...]", Short: "Show the plan of a team: subtasks, workers, cost and time", Args: args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, given []string) error {
			if err := oneOf("--output", form, "table", "json"); err != nil {
				return err
			}
			r, err := a.team(given[0])
			if err != nil {
				return err
			}
			docs, err := a.documents(given[1:])
			if err != nil {
				return err
			}
			r.Documents = false
			orders, err := a.orders(r, f, docs)
			if err != nil {
				return err
			}
			return a.showPlan(c.Context(), &orders[0], form == "json")
		},
	}
	c.Flags().StringVar(&f.plan, "plan", "", "file with a plan to show instead of the team's")
	c.Flags().StringVar(&f.goal, "goal", "", "what to do (default the team's description)")
	outputFlag(c, &form, "table", "table or json")
	return c
}

func (a *app) planLintCommand() *cobra.Command {
	var plan string
	c := &cobra.Command{
		Use: "lint TEAM|TEAM.yaml", Short: "Check a team, its contracts and its plan, and tell every problem", Args: args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, given []string) error {
			r, err := a.team(given[0])
			if err != nil {
				return err
			}
			p := r.Team.Planner.Template
			if plan != "" {
				if p, err = a.LoadPlan(plan, r.Team.CheckPlan); err != nil {
					return err
				}
			}
			return a.lint(given[0], r, "$", fmt.Sprintf("%s, %s", term.Count(len(r.Team.Workers), "worker"), planned(p)))
		},
	}
	c.Flags().StringVar(&plan, "plan", "", "file with a plan to check against the team")
	return c
}

func planned(p *chargehand.Plan) string {
	if p == nil {
		return "planned by a function"
	}
	return term.Count(len(p.Subtasks), "subtask")
}

// lint reports a ready-made team's problems; those of a file were told when it was read.
func (a *app) lint(name string, r Ready, under, summary string) error {
	var problems []chargehand.Problem
	for _, p := range append(r.Team.Check(), a.Lint(&r.Team)...) {
		if strings.HasPrefix(p.Path, under) {
			problems = append(problems, p)
		}
	}
	if len(problems) > 0 {
		return &chargehand.Error{Code: chargehand.CodeInvalid, What: name + " cannot be used", Problems: problems}
	}
	fmt.Fprintf(a.io.Out, "%s: no problems (%s)\n", term.Line(name), summary)
	return nil
}

// plan asks for the plan that a run of the order would begin with.
func (a *app) plan(ctx context.Context, o *chargehand.Order) (*chargehand.Plan, error) {
	switch p := o.Team.Planner; {
	case o.Objective.Plan != nil:
		return o.Objective.Plan, nil
	case p.Template != nil:
		return p.Template, nil
	case a.Planners[p.Func] != nil:
		plan, _, err := a.Planners[p.Func].Plan(ctx, worker.PlanRequest{Objective: o.Objective, Team: &o.Team, Iteration: 1})
		if err != nil {
			return nil, fmt.Errorf("plan: %w", err)
		}
		return &plan, nil
	}
	return nil, &chargehand.Error{
		Code: chargehand.CodeInvalid, What: "the team " + o.Team.Name + " has no plan",
		Why: "it declares no template, and its planner is not part of this program", Next: "give a plan with --plan",
	}
}

func (a *app) showPlan(ctx context.Context, o *chargehand.Order, asJSON bool) error {
	p, err := a.plan(ctx, o)
	if err != nil {
		return err
	}
	if problems := o.Team.CheckPlan(p); len(problems) > 0 {
		return &chargehand.Error{Code: chargehand.CodeInvalid, What: "the plan cannot be followed", Problems: problems}
	}
	if asJSON {
		return term.WriteJSON(a.io.Out, p)
	}
	t := term.Table{Head: []string{"SUBTASK", "LABEL", "CAPABILITY", "AFTER", "NEEDED", "WORKERS", "EST."}, Width: a.screen(a.io.Out).Width}
	f := newForecast(&o.Team, p)
	for i := range p.Subtasks {
		s := &p.Subtasks[i]
		needed := "optional"
		if s.Required {
			needed = "required"
		}
		t.Add(s.ID, s.Label, s.Capability, strings.Join(s.Deps, " "), needed, strings.Join(f.workers(s), " "), f.estimate(s))
	}
	st := a.style(a.io.Out)
	if err := t.Write(a.io.Out, st); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.io.Out, "\n%s\n", st.Text(f.summary(o)))
	return err
}

// A forecast is what a plan costs and how long it takes if every first attempt is accepted.
type forecast struct {
	team *chargehand.Team
	plan *chargehand.Plan
}

func newForecast(t *chargehand.Team, p *chargehand.Plan) forecast { return forecast{t, p} }

// workers are those that have the subtask's capability, in the team's order.
func (f forecast) workers(s *chargehand.Subtask) []string {
	var ids []string
	for i := range f.team.Workers {
		if w := &f.team.Workers[i]; w.Can(s.Capability) {
			ids = append(ids, w.WorkerID)
		}
	}
	if ids == nil {
		return []string{"none"}
	}
	return ids
}

// first is the dearest of the workers: what a run reserves.
func (f forecast) first(s *chargehand.Subtask) (cost chargehand.Micros, latency time.Duration) {
	for _, id := range f.workers(s) {
		if w := f.team.Worker(id); w != nil {
			cost, latency = max(cost, w.CostPerCallEstimateUSD), max(latency, w.Latency())
		}
	}
	return cost, latency
}

func (f forecast) estimate(s *chargehand.Subtask) string {
	cost, latency := f.first(s)
	text := term.Money(cost)
	if latency > 0 {
		text += " " + term.Span(latency)
	}
	return text
}

// summary is the number of subtasks, the cost of all and the time of the longest chain.
func (f forecast) summary(o *chargehand.Order) string {
	var cost chargehand.Micros
	var decisions int
	ends := map[string]time.Duration{}
	for range f.plan.Subtasks { // each round settles at least one more link of every chain
		moved := false
		for i := range f.plan.Subtasks {
			s := &f.plan.Subtasks[i]
			_, latency := f.first(s)
			end := latency
			for _, d := range s.Deps {
				end = max(end, ends[d]+latency)
			}
			moved = moved || ends[s.ID] != end
			ends[s.ID] = end
		}
		if !moved {
			break
		}
	}
	var longest time.Duration
	for i := range f.plan.Subtasks {
		s := &f.plan.Subtasks[i]
		c, _ := f.first(s)
		cost += c
		longest = max(longest, ends[s.ID])
		if s.RequiresApproval {
			decisions++
		}
	}
	text := fmt.Sprintf("%s, estimate %s", term.Count(len(f.plan.Subtasks), "subtask"), term.Money(cost))
	if b := o.Budget.USD; b > 0 {
		text += " of " + term.Money(b)
	}
	if longest > 0 {
		text += ", longest chain " + term.Span(longest)
	}
	if decisions > 0 {
		text += ", " + term.Count(decisions, "approval")
	}
	return text + ", shape " + string(f.plan.Shape())
}
