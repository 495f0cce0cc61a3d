package chargehand

import (
	"fmt"
	"iter"
	"maps"
	"slices"
)

func (c *check) contract(path string, k *Contract, place int) {
	at := path + ".name"
	if c.required(at, k.Name, "give it a name") {
		c.identifier(at, k.Name)
		if first := c.contracts.first[k.Name]; first != place {
			c.problem(at, "%s is also the name of $.contracts[%d]", tick(k.Name), first)
		}
	}
	if k.Version != "" && !sane(k.Version) {
		c.add(path+".version", tick(k.Version)+" cannot be a version", "use letters, digits, `-`, `_` and `.`, such as `2.3`")
	}
	c.schema(path+".schema", k.Schema)
	if k.Items != nil {
		c.pointer(path+".items.path", k.Items.Path)
	}
	if s := k.Statements; s != nil {
		c.pointer(path+".statements.path", s.Path)
		choice(c, path+".statements.unsupported", s.Unsupported, RejectUnsupported, MarkUnsupported, RemoveUnsupported)
	}
	for i, p := range k.Grounded {
		c.pointer(fmt.Sprintf("%s.grounded[%d]", path, i), p)
	}
	c.calculations(path+".calculations", k.Calculations)
	c.rules(path+".rules", k.Rules)
	c.detectors(path+".detectors", k.Detectors)
	on := slices.Concat(k.Detectors, c.team.Policy.Detectors)
	for i, d := range k.StopOn {
		if !slices.ContainsFunc(on, func(r DetectorRule) bool { return r.Detector == d }) {
			c.add(fmt.Sprintf("%s.stopOn[%d]", path, i), tick(string(d))+" is none of the contract's detectors", "add it to `detectors`")
		}
	}
	c.words(path+".criteria", k.Criteria)
	c.natural(path+".maxBytes", int64(k.MaxBytes))
}

func (c *check) detectors(path string, list []DetectorRule) {
	for i, r := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		if r.Detector == "" {
			c.add(at, "names no detector", "write its name, such as `secrets`")
		}
		choice(c, at, r.Detector, DetectPersonalData, DetectSecrets, DetectURLs, DetectInjection)
		if choice(c, at+".severity", r.Severity, SeverityError, SeverityReview, SeverityWarning) && r.Detector == DetectSecrets && r.Severity != "" && r.Severity != SeverityError {
			c.add(at+".severity", "a secret in an output is always an error", "delete the line")
		}
	}
}

func (c *check) calculations(path string, list []Calculation) {
	ids := names{}
	for i := range list {
		at, k := fmt.Sprintf("%s[%d]", path, i), &list[i]
		c.id(at+".id", k.ID, &ids, i)
		c.pointer(at+".path", k.Path)
		c.required(at+".equals", k.Equals, "say in CEL what the figure must be")
		c.positive(at+".tolerance", k.Tolerance)
	}
}

func (c *check) rules(path string, list []Rule) {
	ids := names{}
	for i := range list {
		at, r := fmt.Sprintf("%s[%d]", path, i), &list[i]
		c.id(at+".id", r.ID, &ids, i)
		c.pointer(at+".each", r.Each)
		c.required(at+".cel", r.CEL, "say in CEL what must hold")
		c.required(at+".message", r.Message, "say what to show when the rule does not hold")
		choice(c, at+".severity", r.Severity, SeverityError, SeverityReview, SeverityWarning)
	}
}

// id checks the name of one of several things in a list, and that no other has it.
func (c *check) id(path, id string, ids *names, place int) {
	if !c.required(path, id, "findings name it") {
		return
	}
	ids.add(id, place)
	if first := ids.first[id]; first != place {
		c.problem(path, "%s is also the id of number %d in the list", tick(id), first+1)
	}
}

func (c *check) policy() {
	p := &c.team.Policy
	c.natural("$.policy.runConcurrency", int64(p.RunConcurrency))
	c.natural("$.policy.attempts", int64(p.Attempts))
	choice(c, "$.policy.onSubtaskError", p.OnSubtaskError, SkipDependants, FailRun, "retry")
	choice(c, "$.policy.profile", p.Profile, ProfileDefault, ProfileDataAnalysis, ProfileCritical)
	if p.FailureRatio != nil {
		c.fraction("$.policy.failureRatio", *p.FailureRatio)
	}
	c.natural("$.policy.reviewTimeout", int64(p.ReviewTimeout))
	c.autoDecision(p.AutoDecision)
	choice(c, "$.policy.whenOnlyReviewsRemain", p.WhenOnlyWaits, WaitForPeople, ReturnPartial)
	c.detectors("$.policy.detectors", p.Detectors)
	c.refer("$.policy.reviewer", "worker", p.Judge(), &c.workerIDs)
	choice(c, "$.policy.planEffects", p.PlanEffects, AskEffects, AllowEffects)
	choice(c, "$.policy.conflicts", p.Conflicts, RecordConflict, ReviewConflict)
	c.debate()
	choice(c, "$.policy.queue", p.Queue, QueuePriority, QueueFair, QueueOldest, QueueDeadline)
	c.money("$.policy.singleActionLimit", p.CostLimit)
	c.unpriced("$.policy.unpriced", p.Unpriced)
}

// debate checks how contested outputs are debated (SPEC.md ·69).
func (c *check) debate() {
	d := &c.team.Policy.Debate
	if d.Rounds < 0 || d.Rounds > MaxDebateRounds {
		c.problem("$.policy.debate.rounds", "is %d: want 1 to %d", d.Rounds, MaxDebateRounds)
	}
	choice(c, "$.policy.debate.adjudicate", d.Adjudicate, AdjudicateByPerson, AdjudicateByRules, AdjudicateByJudge)
	if d.Adjudicate == AdjudicateByJudge && c.team.Policy.Judge() == "" {
		c.add("$.policy.debate.adjudicate", "`judge` needs a reviewer", "name one in `policy.reviewer`")
	}
}

// autoDecision lets a policy approve by itself only where nothing can go badly wrong (SPEC.md ·124).
func (c *check) autoDecision(d AutoDecision) {
	choice(c, "$.policy.autoDecision", d, AutoReject, AutoApprove)
	if d != AutoApprove {
		return
	}
	for i := range c.team.Workers {
		if w := &c.team.Workers[i]; w.MaxRiskLevel.Level() > 0 && !c.onlyJudges(w) {
			c.add("$.policy.autoDecision", fmt.Sprintf("`approve` is only for risk low, and the worker %s may take risk %s",
				tick(w.WorkerID), w.MaxRiskLevel), "write `reject`, or lower the worker's maxRiskLevel")
			return
		}
	}
}

// onlyJudges reports whether a worker is the reviewer and has no capability that another worker has, or
// that the team's own subtasks want: then what risk it may take is that of what it judges.
func (c *check) onlyJudges(w *WorkerSpec) bool {
	if w.WorkerID != c.team.Policy.Judge() {
		return false
	}
	does := func(s Subtask) bool { return w.Can(s.Capability) }
	if p := c.team.Planner.Template; p != nil && slices.ContainsFunc(p.Subtasks, does) {
		return false
	}
	if s := c.team.Synthesis; s != nil && w.Can(s.Capability) {
		return false
	}
	return !slices.ContainsFunc(c.team.Workers, func(o WorkerSpec) bool {
		return o.WorkerID != w.WorkerID && slices.ContainsFunc(o.Capabilities, w.Can)
	})
}

func (c *check) planner() {
	p := &c.team.Planner
	if p.EstimateUSD < 0 {
		c.problem("$.planner.estimateUSD", "must not be negative")
	}
	if p.Free && p.EstimateUSD > 0 {
		c.problem("$.planner.free", "cannot be: a call costs $%s", p.EstimateUSD)
	}
	given := 0
	for _, is := range []bool{p.Template != nil, p.Func != "", p.LLM != nil} {
		if is {
			given++
		}
	}
	switch {
	case given == 0:
		c.problem("$.planner", "is missing: declare a template, name a function that plans, or an llm")
	case given > 1:
		c.problem("$.planner", "has more than one of template, func and llm: keep one")
	}
	if p.Replan && p.Template != nil {
		c.problem("$.planner.replan", "needs a func or an llm: a template has no second plan")
	}
	c.advice()
	if p.LLM != nil {
		c.model("$.planner.llm.model", p.LLM.Model)
		c.natural("$.planner.llm.maxTokens", int64(p.LLM.MaxTokens))
		if p.LLM.Model == "" && c.team.Models.Of(1) == "" {
			c.add("$.planner.llm.model", "is missing: say which model plans, or name one for tier 1 in `models`", "such as `model: openai/gpt-5`")
		}
	}
	if p.Template != nil {
		c.plan("$.planner.template", p.Template)
		c.grantedTools("$.planner.template", p.Template)
		c.nothingReplaced("$.planner.template", p.Template)
		c.timely("$.planner.template", p.Template)
	}
}

// advice checks that the history is asked only where little can go wrong by it (SPEC.md ·25).
func (c *check) advice() {
	p := &c.team.Planner
	if !p.Advice {
		return
	}
	if p.Template != nil {
		c.problem("$.planner.advice", "needs a func or an llm: a template is not made")
	}
	for i := range c.team.Workers {
		w := &c.team.Workers[i]
		if w.MaxRiskLevel.Level() >= RiskHigh.Level() && w.WorkerID != c.team.Policy.Judge() { // no reviewer is given what is at risk high
			c.add("$.planner.advice", fmt.Sprintf("is only for risk below high, and the worker %s may take risk %s",
				tick(w.WorkerID), w.MaxRiskLevel), "leave it out, or lower the worker's maxRiskLevel")
			return
		}
	}
}

func (c *check) synthesis() {
	s := c.team.Synthesis
	if s == nil {
		return
	}
	if c.required("$.synthesis.capability", s.Capability, "say which capability writes the run's output") {
		c.someoneCan("$.synthesis.capability", s.Capability)
	}
	c.goalSize("$.synthesis.goal", s.Goal)
	c.refer("$.synthesis.outputContract", "contract", s.OutputContract, &c.contracts)
	c.natural("$.synthesis.timeoutMs", int64(s.TimeoutMS))
}

func (c *check) routes() {
	routed := names{}
	for i := range c.team.Routes {
		path, r := fmt.Sprintf("$.routes[%d]", i), &c.team.Routes[i]
		if c.required(path+".capability", r.Capability, "say which subtasks the route is for") {
			c.someoneCan(path+".capability", r.Capability)
			routed.add(r.Capability, i)
			if first := routed.first[r.Capability]; first != i {
				c.problem(path+".capability", "%s has a route already, $.routes[%d]", tick(r.Capability), first)
			}
		}
		if c.required(path+".strategy", string(r.Strategy), "`static`, `capability` or `load-aware`") {
			choice(c, path+".strategy", r.Strategy, RouteStatic, RouteCapability, RouteLoad)
		}
		c.routed(path+".workers", r)
	}
}

// routed checks the workers that a route names, which only a static one does.
func (c *check) routed(path string, r *Route) {
	switch {
	case r.Strategy == RouteStatic && len(r.Workers) == 0:
		c.problem(path, "is missing: a static route names its workers, in order of preference")
	case r.Strategy != RouteStatic && len(r.Workers) > 0:
		c.problem(path, "is only for static routes")
		return
	}
	c.words(path, r.Workers)
	for i, id := range r.Workers {
		at := fmt.Sprintf("%s[%d]", path, i)
		if c.refer(at, "worker", id, &c.workerIDs) && c.capabilities.has(r.Capability) && !c.can(id, r.Capability) {
			c.problem(at, "%s does not have the capability %s", tick(id), tick(r.Capability))
		}
	}
}

func (c *check) can(worker, capability string) bool {
	return c.team.Workers[c.workerIDs.first[worker]].Can(capability)
}

// sorted is the pairs of m by key, so that problems come in the same order every time.
func sorted(m map[string]string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}
