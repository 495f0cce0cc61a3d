package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/internal/sandbox"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/worker"
)

func (a *app) planCommand() *cobra.Command {
	return group("plan", "Look at a plan before anything is spent", a.planShowCommand(), a.planLintCommand())
}

func (a *app) planShowCommand() *cobra.Command {
	var f orderForm
	var models modelForm
	var form string
	c := &cobra.Command{
		Use: "show TEAM|TEAM.yaml [FILE...]", Short: "Show the plan of a team: subtasks, workers, cost and time", Args: args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, given []string) error {
			r, err := a.team(given[0])
			if err != nil {
				return err
			}
			if r, err = a.apply(models, r); err != nil {
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
			return a.placed(r, a.showPlan(c.Context(), &orders[0], form))
		},
	}
	c.Flags().StringVar(&f.plan, "plan", "", "file with a plan to show instead of the team's")
	c.Flags().StringVar(&f.goal, "goal", "", "what to do (default the team's description)")
	models.register(c.Flags())
	a.outputFlag(c, &form, "table", "wide", "json", "yaml", "name")
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
		return "planned when it is run"
	}
	return term.Count(len(p.Subtasks), "subtask")
}

// lint reports a ready-made team's problems; those of a file were told when it was read. What the team
// leaves open is told as a warning.
func (a *app) lint(name string, r Ready, under, summary string) error {
	var problems []chargehand.Problem
	for _, p := range slices.Concat(r.Team.Check(), r.Team.CheckCeiling(), a.Lint(&r.Team)) {
		if strings.HasPrefix(p.Path, under) {
			problems = append(problems, p)
		}
	}
	if len(problems) > 0 {
		return &chargehand.Error{Code: chargehand.CodeInvalid, What: name + " cannot be used", Problems: problems}
	}
	for _, p := range append(r.Team.Remarks(), exposed(&r.Team)...) {
		if strings.HasPrefix(p.Path, under) {
			fmt.Fprintf(a.io.Err, "warning: %s\n", term.Line(p.String()))
		}
	}
	fmt.Fprintf(a.io.Out, "%s: no problems (%s)\n", term.Line(name), summary)
	return nil
}

// exposed finds programs that nothing keeps from the engine here.
func exposed(t *chargehand.Team) []chargehand.Problem {
	var problems []chargehand.Problem
	for path, r := range t.Programs() {
		if why := sandbox.Exposed(r.Isolation); why != "" {
			problems = append(problems, chargehand.Problem{
				Path: path + ".isolation", Message: "the program runs without isolation (" + why + "): it can do what your account can, also decide reviews and read keys",
				Hint: "see docs/security.md",
			})
		}
	}
	return problems
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
	case p.LLM != nil && a.Agents != nil:
		return a.askModel(ctx, o)
	}
	return nil, &chargehand.Error{
		Code: chargehand.CodeInvalid, What: "the team " + o.Team.Name + " has no plan",
		Why: "it declares no template, and its planner is not part of this program", Next: "give a plan with --plan",
	}
}

// askModel has the team's language model plan. An invalid plan goes back once, as in a run (SPEC.md
// ·21); what is wrong with the second is for the caller to say.
func (a *app) askModel(ctx context.Context, o *chargehand.Order) (*chargehand.Plan, error) {
	planner, err := a.Agents.Planner(&o.Team)
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	ask := worker.PlanRequest{Objective: o.Objective, Team: &o.Team, Iteration: 1}
	var plan chargehand.Plan
	var spent chargehand.Usage
	for range 2 {
		var u chargehand.Usage
		plan, u, err = planner.Plan(ctx, ask)
		spent = spent.Plus(u)
		if ask.Errors = wrongs(&o.Team, &plan, err); len(ask.Errors) == 0 {
			break
		}
		returned(&ask, plan, err)
	}
	if spent.USD > 0 || err == nil {
		fmt.Fprintf(a.io.Err, "planned by %s, for %s\n", term.Line(o.Team.Planner.LLM.Model), term.Money(spent.USD))
	}
	switch {
	case err != nil && worker.KindOf(err) == worker.Garbage:
		return nil, &chargehand.Error{Code: chargehand.CodeInvalid, What: "the plan cannot be followed", Why: err.Error(), Err: err}
	case err != nil:
		return nil, fmt.Errorf("plan: %w", err)
	}
	return &plan, nil
}

// returned shows a planner what it made, which was refused.
func returned(ask *worker.PlanRequest, p chargehand.Plan, err error) {
	ask.Last, ask.LastText = &p, ""
	if g, ok := errors.AsType[*worker.Error](err); ok {
		ask.Last, ask.LastText = nil, excerpt.Head(string(g.Raw), 64<<10)
	}
}

// wrongs is what a planner hears about its plan; nothing where it is fine, or there is none to mend.
func wrongs(t *chargehand.Team, p *chargehand.Plan, err error) []string {
	if err != nil {
		if worker.KindOf(err) == worker.Garbage {
			return []string{"the planner failed: " + err.Error()} // as in a run
		}
		return nil
	}
	var out []string
	for _, problem := range t.CheckPlan(p) {
		out = append(out, problem.String())
	}
	return out
}

// priced is the order's team as a run would have it: with models, and what their calls cost.
func (a *app) priced(o *chargehand.Order) error {
	if a.Agents == nil {
		return nil
	}
	t, problems := a.Agents.Complete(&o.Team)
	if len(problems) > 0 {
		return &chargehand.Error{Code: chargehand.CodeInvalid, What: fmt.Sprintf("the team %q cannot be supervised", o.Team.Name), Problems: problems}
	}
	o.Team = *t
	return nil
}

func (a *app) showPlan(ctx context.Context, o *chargehand.Order, form string) error {
	if err := a.priced(o); err != nil {
		return err
	}
	p, err := a.plan(ctx, o)
	if err != nil {
		return err
	}
	if problems := o.Team.CheckPlan(p); len(problems) > 0 {
		return &chargehand.Error{Code: chargehand.CodeInvalid, What: "the plan cannot be followed", Problems: problems}
	}
	f := newForecast(&o.Team, p)
	if limit := cmp.Or(o.Budget.USD, o.Team.Budget.USD); limit > 0 && f.cost() > limit {
		fmt.Fprintf(a.io.Err, "warning: the plan is estimated at %s, above the budget of %s: a run leaves gaps where the money ends\n",
			term.Money(f.cost()), term.Money(limit))
	}
	if slices.Contains(dataForms, form) {
		fmt.Fprint(a.io.Err, firstAsks(o, p))
	}
	return a.show(form, page{
		value: p, lines: []any{p}, names: names(p.Subtasks, func(s *chargehand.Subtask) string { return s.ID }),
		text: func() error { return a.tabulatePlan(o, f, form) },
	})
}

func (a *app) tabulatePlan(o *chargehand.Order, f forecast, form string) error {
	p := f.plan
	t := term.Table{Head: []string{"SUBTASK", "LABEL", "CAPABILITY", "AFTER", "NEEDED", "RISK", "EFFECT", "CONTRACT", "WORKERS", "EST."}}
	for i := range p.Subtasks {
		s := &p.Subtasks[i]
		needed := "optional"
		if s.Required {
			needed = "required"
		}
		t.Add(s.ID, s.Label, s.Capability, strings.Join(s.Deps, " "), needed,
			string(cmp.Or(s.RiskLevel, chargehand.RiskLow)), string(cmp.Or(s.Effect, chargehand.EffectRead)), s.OutputContract, strings.Join(f.workers(s), " "), f.estimate(s))
	}
	if err := a.writeTable(form, &t, "RISK", "EFFECT", "CONTRACT"); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.io.Out, "\n%s\n%s", a.style(a.io.Out).Text(f.summary(o)), firstAsks(o, p))
	return err
}

// firstAsks says why a run would have this plan approved before anything of it begins; empty where it
// would not.
func firstAsks(o *chargehand.Order, p *chargehand.Plan) string {
	in := supervise.Planned{Plan: *p, Source: sourceOf(o)}
	ids := supervise.Unvouched(&o.Team, &in)
	switch {
	case !supervise.AsksFirst(&o.Team, &in):
		return ""
	case len(ids) == 0:
		return "Nothing begins before a person has approved the plan (policy.approvePlan).\n"
	}
	const shown = 10
	names := term.Line(strings.Join(ids[:min(shown, len(ids))], ", "))
	if n := len(ids) - shown; n > 0 {
		names += fmt.Sprintf(" and %d more", n)
	}
	return "Nothing begins before a person has approved the plan: a model made it, and wants to do more than read in " +
		names + " (policy.planEffects).\n"
}

// sourceOf is where the order's plan comes from, as a run records it.
func sourceOf(o *chargehand.Order) string {
	switch p := o.Team.Planner; {
	case o.Objective.Plan != nil:
		return "objective"
	case p.Template != nil:
		return "template"
	case p.LLM != nil:
		return "llm"
	}
	return "func"
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

// cost is that of all first attempts, of their reviews, and of the synthesis with its review.
func (f forecast) cost() chargehand.Micros {
	var sum, review chargehand.Micros
	if w := f.team.Worker(f.team.Policy.Judge()); w != nil {
		review = w.CostPerCallEstimateUSD
	}
	for i := range f.plan.Subtasks {
		c, _ := f.first(&f.plan.Subtasks[i])
		sum += c + review
	}
	if s := f.team.Synthesis; s != nil {
		c, _ := f.first(&chargehand.Subtask{Capability: s.Capability})
		sum += c + review
	}
	return sum
}

// crowded is how long all attempts take at least, with no more of them at once than the team allows.
func (f forecast) crowded() time.Duration {
	var sum time.Duration
	for i := range f.plan.Subtasks {
		_, latency := f.first(&f.plan.Subtasks[i])
		sum += latency
	}
	return sum / time.Duration(f.team.Policy.Concurrency())
}

// summary is the number of subtasks, the cost of all and the time they take.
func (f forecast) summary(o *chargehand.Order) string {
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
		longest = max(longest, ends[s.ID])
		if s.RequiresApproval {
			decisions++
		}
	}
	text := fmt.Sprintf("%s, estimate %s", term.Count(len(f.plan.Subtasks), "subtask"), term.Money(f.cost()))
	if b := cmp.Or(o.Budget.USD, o.Team.Budget.USD); b > 0 {
		text += " of " + term.Money(b)
	}
	if longest > 0 {
		text += ", longest chain " + term.Span(longest)
	}
	if all := f.crowded(); all > longest {
		text += fmt.Sprintf(", at least %s with %d at once", term.Span(all), f.team.Policy.Concurrency())
	}
	if decisions > 0 {
		text += ", " + term.Count(decisions, "approval")
	}
	return text + ", shape " + string(f.plan.Shape())
}
