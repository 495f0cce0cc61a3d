package chargehand

import (
	"fmt"
	"slices"
)

// CheckCeiling is CheckBudget of the team's own budget.
func (t *Team) CheckCeiling() []Problem { return t.CheckBudget(t.Budget) }

// CheckBudget lists what keeps the team from working under a ceiling: workers, or a planner, without a declared cost
// per call, in dollars or in tokens, whichever has a ceiling (SPEC.md ·90). It is no part of Check: a
// run that has begun goes on.
func (t *Team) CheckBudget(b Budget) []Problem {
	c := newCheck(t)
	for i := range t.Workers {
		c.ceiling(fmt.Sprintf("$.workers[%d]", i), &t.Workers[i], b)
	}
	c.plannerCeiling(b)
	return c.problems
}

// plannerCeiling checks that calls of a planner that is a Go function can be reserved. What a model costs
// is known.
func (c *check) plannerCeiling(b Budget) {
	p := &c.team.Planner
	if p.Func == "" || p.Free {
		return
	}
	most := c.team.mostUnpriced()
	if b.USD > 0 && p.EstimateUSD == 0 && most.MaxUSD == 0 {
		c.add("$.planner.estimateUSD", fmt.Sprintf("is missing: the budget of $%s is a ceiling, and it is not known what a call of the planner %s costs at most", b.USD, tick(p.Func)),
			"declare it, or write `free: true` if a call costs nothing, or set `policy.unpriced: {allow: true, maxUSD: ...}`")
	}
	if b.Tokens > 0 && most.MaxTokens == 0 {
		c.add("$.planner.free", fmt.Sprintf("is not set: the budget of %d tokens is a ceiling, and it is not known how many a call of the planner %s uses at most", b.Tokens, tick(p.Func)),
			"write `free: true` if it uses none, or set `policy.unpriced: {allow: true, maxTokens: ...}`")
	}
}

// mostUnpriced is what one call without a price may cost; zero where the team does not allow any.
func (t *Team) mostUnpriced() Unpriced {
	if p := t.Policy.Unpriced; p != nil && p.Allow {
		return *p
	}
	return Unpriced{}
}

// ceiling checks that a worker's calls can be reserved.
func (c *check) ceiling(path string, w *WorkerSpec, b Budget) {
	if w.Free || !w.Bills() {
		return
	}
	most := c.team.mostUnpriced()
	//guard:unpriced
	if b.USD > 0 && !w.Priced() && most.MaxUSD == 0 && !c.bounded(w, func(s Budget) bool { return s.USD > 0 }) {
		c.add(path+".costPerCallEstimateUSD", fmt.Sprintf("is missing: the budget of $%s is a ceiling, and it is not known what a call of %s costs at most", b.USD, tick(w.WorkerID)),
			"declare it, 0 if a call costs nothing, or set `policy.unpriced: {allow: true, maxUSD: ...}` for all workers without a price")
	}
	if b.Tokens > 0 && most.MaxTokens == 0 && !c.bounded(w, func(s Budget) bool { return s.Tokens > 0 }) {
		c.add(path+".free", fmt.Sprintf("is not set: the budget of %d tokens is a ceiling, and it is not known how many a call of %s uses at most", b.Tokens, tick(w.WorkerID)),
			"write `free: true` if it uses none, give its subtasks a `budget.tokens`, or set `policy.unpriced: {allow: true, maxTokens: ...}`")
	}
}

// bounded reports whether every call of a worker is one of a subtask whose own budget says what it may
// cost: the plan is the team's, and the worker neither checks outputs nor takes the last step.
func (c *check) bounded(w *WorkerSpec, bounds func(Budget) bool) bool {
	p, s := c.team.Planner.Template, c.team.Synthesis
	if p == nil || w.WorkerID == c.team.Policy.Judge() || s != nil && w.Can(s.Capability) {
		return false
	}
	return !slices.ContainsFunc(p.Subtasks, func(s Subtask) bool { return w.Can(s.Capability) && !bounds(s.Budget) })
}

// unpriced checks what a policy says of workers without a price.
func (c *check) unpriced(path string, p *Unpriced) {
	if p == nil {
		return
	}
	if !p.Allow {
		c.add(path+".allow", "is not true: the maximum is for work that is allowed", "write `allow: true`, or delete `unpriced`")
	}
	if p.MaxUSD == 0 && p.MaxTokens == 0 {
		c.add(path, "says no maximum", "give `maxUSD`, `maxTokens`, or both: what one call may cost at most")
	}
	c.affordable(path+".maxUSD", p.MaxUSD)
	c.natural(path+".maxTokens", p.MaxTokens)
}
