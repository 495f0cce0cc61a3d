package chargehand

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

const maxGoal = 4_000 // bytes

// plan checks a plan that stands at path.
func (c *check) plan(path string, p *Plan) {
	if p == nil || len(p.Subtasks) == 0 {
		c.problem(path+".subtasks", "there is no subtask: a plan needs at least one")
		return
	}
	if n := len(p.Subtasks); n > MaxPlanSize {
		c.problem(path+".subtasks", "may have %d subtasks, it has %d", MaxPlanSize, n)
		return
	}
	c.natural(path+".version", int64(p.Version))
	c.fraction(path+".complexityScore", p.ComplexityScore)
	if n := len(p.AgentTypes) - len(p.Subtasks); n > 0 {
		c.problem(path+".agentTypes", "has %d more than there are subtasks: each is the role of the subtask in its place", n)
	}

	ids := names{}
	for i := range p.Subtasks {
		ids.add(p.Subtasks[i].ID, i)
	}
	for i := range p.Subtasks {
		c.base = path + ".subtasks[" + strconv.Itoa(i) + "]"
		c.subtaskID(".id", p.Subtasks[i].ID, &ids, i)
		c.subtask(&p.Subtasks[i])
		c.deps(&p.Subtasks[i], &ids)
		c.words(".replaces", p.Subtasks[i].Replaces)
	}
	c.base = ""
	c.reviewed(path, p)
	c.cycles(path, newGraph(p, &ids))
}

// nothingReplaced checks that a first plan does not make up for another.
func (c *check) nothingReplaced(path string, p *Plan) {
	for i := range p.Subtasks {
		if len(p.Subtasks[i].Replaces) > 0 {
			c.problem(fmt.Sprintf("%s.subtasks[%d].replaces", path, i), "is only for a plan that is made after failures (`replan`)")
		}
	}
}

// timely finds subtasks that leave less time than all who can do them say they take: nobody would be
// chosen (SPEC.md ·11). What is not known breaches nothing.
func (c *check) timely(path string, p *Plan) {
	for i := range p.Subtasks {
		s := &p.Subtasks[i]
		w, limit := c.quickest(s), Duration(time.Duration(s.TimeoutMS)*time.Millisecond)
		if limit > 0 && w != nil && w.Latency() > time.Duration(limit) {
			c.add(fmt.Sprintf("%s.subtasks[%d].timeoutMs", path, i),
				fmt.Sprintf("allows %s, and no worker that can do it is that fast: %s takes %s on average", limit, tick(w.WorkerID), Duration(w.Latency())),
				"allow more, or correct the worker's `averageLatencyMs`")
		}
	}
}

// quickest is who takes the least time of those that can do the subtask; nil if there is nobody, or it
// leaves any time.
func (c *check) quickest(s *Subtask) *WorkerSpec {
	var best *WorkerSpec
	if s.TimeoutMS <= 0 {
		return nil
	}
	for i := range c.team.Workers {
		w := &c.team.Workers[i]
		if !w.Can(s.Capability) || s.Assignee != "" && s.Assignee != w.WorkerID {
			continue
		}
		if best == nil || w.Latency() < best.Latency() {
			best = w
		}
	}
	return best
}

func (c *check) subtaskID(path, id string, ids *names, place int) {
	if !c.required(path, id, "others depend on it by this name") {
		return
	}
	c.identifier(path, id)
	if first := ids.first[id]; first != place {
		c.problem(path, "%s is also the id of subtask number %d", tick(id), first+1)
	}
}

func (c *check) subtask(s *Subtask) {
	c.line(".label", s.Label)
	if c.required(".goal", s.Goal, "say what is to be done") {
		c.goalSize(".goal", s.Goal)
	}
	if c.required(".capability", s.Capability, "say what a worker must be able to do") {
		c.someoneCan(".capability", s.Capability)
	}
	choice(c, ".criticality", s.Criticality, Critical, Standard, Simple)
	c.hazards(s)
	if len(s.Input) > 0 && !json.Valid(s.Input) {
		c.problem(".input", "is not valid JSON")
	}
	c.words(".requiredAspects", s.RequiredAspects)
	c.words(".toolGrants", s.ToolGrants)
	c.refer(".outputContract", "contract", s.OutputContract, &c.contracts)
	c.natural(".timeoutMs", int64(s.TimeoutMS))
	c.affordable(".budget.usd", s.Budget.USD)
	c.natural(".budget.tokens", s.Budget.Tokens)
	c.assignee(".assignee", s)
	c.someoneCan(".compensation", s.Compensation)
}

func (c *check) goalSize(path, goal string) {
	if len(goal) > maxGoal {
		c.problem(path, "may have %d bytes, it has %d", maxGoal, len(goal))
	}
}

// hazards checks what a subtask does to the world. What would have to be approved beforehand is
// refused (SPEC.md ·120, ·121, ·124).
func (c *check) hazards(s *Subtask) {
	c.risk(".riskLevel", s.RiskLevel)
	//guard:auto-approval
	if s.RiskLevel.Level() > 0 && c.team.Policy.AutoDecision == AutoApprove {
		c.add(".riskLevel", fmt.Sprintf("is %s, and the policy approves by itself, which is only for risk low", s.RiskLevel),
			"write `autoDecision: reject` in the policy")
	}
	choice(c, ".effect", s.Effect, EffectRead, EffectWrite, EffectIrreversible, EffectExternalComm, EffectPayment)
	if s.Debate && !s.Effect.Reads() {
		c.problem(".debate", "is only for what reads: a second worker would do it again")
	}
	switch s.Effect {
	case EffectIrreversible, EffectExternalComm, EffectPayment:
		//guard:gated-effects
		c.problem(".effect", "%s needs an approval; %s", tick(string(s.Effect)), noApproval)
	}
	if s.RequiresApproval {
		c.problem(".requiresApproval", "asks for an approval; %s", noApproval)
	}
	if word := sensitive(s.Action); word != "" {
		c.problem(".action", "%s is a sensitive action (%s) and needs an approval; %s", tick(s.Action), word, noApproval)
	}
}

var sensitiveWords = []string{"delete", "publish", "pay", "send", "share"}

// sensitive is the word that makes an action sensitive, empty if there is none. Words are split
// at what is no letter and where a capital follows a small letter: publish_report and
// publishReport have one, payload has none (SPEC.md ·121).
func sensitive(action string) string {
	for _, word := range actionWords(action) {
		if slices.Contains(sensitiveWords, word) {
			return word
		}
	}
	return ""
}

func actionWords(action string) []string {
	var b strings.Builder
	small := false
	for _, r := range action {
		if small && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		small = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.FieldsFunc(b.String(), func(r rune) bool { return !unicode.IsLetter(r) })
}

func (c *check) assignee(path string, s *Subtask) {
	if c.refer(path, "worker", s.Assignee, &c.workerIDs) && c.capabilities.has(s.Capability) && !c.can(s.Assignee, s.Capability) {
		c.problem(path, "%s does not have the capability %s", tick(s.Assignee), tick(s.Capability))
	}
}

func (c *check) deps(s *Subtask, ids *names) {
	seen := make(map[string]bool, len(s.Deps))
	for i, dep := range s.Deps {
		fault, hint := "", ""
		switch {
		case dep == "":
			fault = "is empty"
		case seen[dep]:
			fault = tick(dep) + " is listed twice"
		case dep == s.ID:
			fault = "the subtask depends on itself"
		case !ids.has(dep):
			fault, hint = "there is no subtask "+tick(dep), ids.hint(dep)
		}
		if fault != "" {
			c.add(".deps["+strconv.Itoa(i)+"]", fault, hint)
		}
		seen[dep] = true
	}
}

// grantedTools finds tools that a declared plan wants and no worker has. A plan that is made during a
// run has a gap there (SPEC.md ·12).
func (c *check) grantedTools(path string, p *Plan) {
	for i := range p.Subtasks {
		for j, tool := range p.Subtasks[i].ToolGrants {
			if strings.TrimSpace(tool) != "" && !c.granted.has(tool) {
				c.add(fmt.Sprintf("%s.subtasks[%d].toolGrants[%d]", path, i, j), "no worker is granted the tool "+tick(tool), c.granted.hint(tool))
			}
		}
	}
}
