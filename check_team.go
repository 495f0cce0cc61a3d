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
	for i, p := range k.Grounded {
		c.pointer(fmt.Sprintf("%s.grounded[%d]", path, i), p)
	}
	c.calculations(path+".calculations", k.Calculations)
	c.rules(path+".rules", k.Rules)
	for i, d := range k.Detectors {
		choice(c, fmt.Sprintf("%s.detectors[%d]", path, i), d, DetectPersonalData, DetectSecrets, DetectURLs, DetectInjection)
	}
	c.words(path+".criteria", k.Criteria)
	c.natural(path+".maxBytes", int64(k.MaxBytes))
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
	c.refer("$.policy.reviewer", "worker", p.Reviewer, &c.workerIDs)
	choice(c, "$.policy.conflicts", p.Conflicts, RecordConflict, ReviewConflict)
	choice(c, "$.policy.queue", p.Queue, QueuePriority, QueueFair, QueueOldest, QueueDeadline)
	c.money("$.policy.singleActionLimit", p.CostLimit)
}

// autoDecision lets a policy approve by itself only where nothing can go badly wrong (SPEC.md ·124).
func (c *check) autoDecision(d AutoDecision) {
	choice(c, "$.policy.autoDecision", d, AutoReject, AutoApprove)
	if d != AutoApprove {
		return
	}
	for i := range c.team.Workers {
		if w := &c.team.Workers[i]; w.MaxRiskLevel.Level() > 0 {
			c.add("$.policy.autoDecision", fmt.Sprintf("`approve` is only for risk low, and the worker %s may take risk %s",
				tick(w.WorkerID), w.MaxRiskLevel), "write `reject`, or lower the worker's maxRiskLevel")
			return
		}
	}
}

func (c *check) planner() {
	p := &c.team.Planner
	if p.EstimateUSD < 0 {
		c.problem("$.planner.estimateUSD", "must not be negative")
	}
	switch {
	case p.Template == nil && p.Func == "":
		c.problem("$.planner", "is missing: declare a template, or name a function that plans")
	case p.Template != nil && p.Func != "":
		c.problem("$.planner", "has both a template and a func: keep one")
	}
	if p.Replan && p.Func == "" {
		c.problem("$.planner.replan", "needs a func: a template has no second plan")
	}
	if p.Template != nil {
		c.plan("$.planner.template", p.Template)
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
