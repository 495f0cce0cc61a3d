package chargehand

import (
	"fmt"
	"slices"
)

// Remarks are what a sound team leaves open, and whoever wrote it may not have meant to. They stop
// nothing.
func (t *Team) Remarks() []Problem {
	c := newCheck(t)
	for i := range t.Workers {
		path := fmt.Sprintf("$.workers[%d]", i)
		c.ungranted(path, &t.Workers[i])
		c.untimed(path, &t.Workers[i])
	}
	c.outlived()
	c.untied()
	c.uncounted()
	return c.problems
}

// outside reports whether a worker does its work where the engine sees none of its calls.
func (w *WorkerSpec) outside() bool {
	return w.Kind == KindExec || w.Kind == KindHTTP || w.Kind == KindA2A
}

// ungranted finds grants that nothing enforces (SPEC.md ·54).
func (c *check) ungranted(path string, w *WorkerSpec) {
	if w.outside() && len(w.ToolGrants) > 0 {
		c.add(path+".toolGrants", fmt.Sprintf("are told to a worker of kind %s, and nothing holds it to them: its calls are its own", tick(string(w.Kind))),
			"give it no more than it may do anyway")
	}
}

// untimed finds workers that do not declare how long they take, where a subtask's deadline follows from
// that (SPEC.md ·85).
func (c *check) untimed(path string, w *WorkerSpec) {
	open := func(s Subtask) bool { return w.Can(s.Capability) && s.TimeoutMS == 0 }
	p, last := c.team.Planner.Template, c.team.Synthesis
	declared := p != nil && !slices.ContainsFunc(p.Subtasks, open) && (last == nil || !w.Can(last.Capability) || last.TimeoutMS > 0)
	if w.AverageLatencyMS > 0 || declared {
		return
	}
	c.add(path+".averageLatencyMs", fmt.Sprintf("is missing: a subtask of %s without `timeoutMs` gets a minute", tick(w.WorkerID)),
		"set it, and such a subtask gets twice that, at least a second")
}

// outlived finds reviews that the run does not last long enough for (SPEC.md ·124).
func (c *check) outlived() {
	run, wait := c.team.Deadline.Std(), c.team.Policy.Patience()
	if run > 0 && run < wait {
		c.add("$.deadline", fmt.Sprintf("is %s, and a review waits for %s: the run ends before the time to decide is over", run, wait),
			"give the run longer, or set `policy.reviewTimeout` below it")
	}
}

// untied finds a last step by a model whose sentences need not say what they rest on (SPEC.md ·141).
func (c *check) untied() {
	s := c.team.Synthesis
	if s == nil {
		return
	}
	if contract := c.team.Contract(s.OutputContract); contract != nil && contract.Statements != nil {
		return
	}
	model := slices.ContainsFunc(c.team.Workers, func(w WorkerSpec) bool { return w.Kind == KindLLM && w.Can(s.Capability) })
	if model {
		c.add("$.synthesis.outputContract", "has no `statements`: a model writes the result, and nothing ties its sentences to what was found",
			"name a contract with `statements`")
	}
}

// uncounted finds workers whose tokens are only known when they are spent, under a ceiling (SPEC.md ·90).
func (c *check) uncounted() {
	if c.team.Budget.Tokens == 0 {
		return
	}
	p := c.team.Planner.Template
	for i := range c.team.Workers {
		w := &c.team.Workers[i]
		declared := p != nil && !slices.ContainsFunc(p.Subtasks, func(s Subtask) bool { return w.Can(s.Capability) && s.Budget.Tokens == 0 })
		if w.outside() && !declared {
			c.add("$.budget.tokens", fmt.Sprintf("is a ceiling, and nothing is set aside for the tokens of %s before it is called", tick(w.WorkerID)),
				"give its subtasks a `budget.tokens`")
		}
	}
}
