package main

// teams refuse what cannot be supervised.
var teams = section{pkg: ".", tests: []string{"TestCheck"}, guards: []guard{
	{
		name: "second-reading", protects: "without a reviewer what is at risk high is read twice (·66)",
		file: "check_review.go", on: `if !readTwice(s) {`, off: `if false {`,
	},
	{
		name: "independent-reading", protects: "a second reading is by others, without a look at the first (·66)",
		file: "check_review.go", on: `return !both && !slices.Contains(other.Deps, s.ID)`, off: `return !both || !slices.Contains(other.Deps, s.ID)`,
	},
	{
		name: "auto-approval", protects: "a policy approves by itself at low risk only (·124)",
		file: "check_plan.go", on: `if s.RiskLevel.Level() > 0 && c.team.Policy.AutoDecision == AutoApprove {`, off: `if false {`,
	},
	{
		name: "auto-approval-workers", protects: "and only with workers that may take no higher risk (·124)",
		file: "check_team.go", on: `if w := &c.team.Workers[i]; w.MaxRiskLevel.Level() > 0 && !c.onlyJudges(w) {`, off: `if w := &c.team.Workers[i]; w == nil && c.onlyJudges(w) {`,
	},
	{
		name: "gated-effects", protects: "effects that need an approval are not planned without one (·120)",
		file: "check_plan.go", on: `case EffectIrreversible, EffectExternalComm, EffectPayment:`, off: `case "none":`,
	},
	{
		name: "sensitive-actions", protects: "nor are actions that do (·121)",
		file: "check_plan.go", on: `if word := sensitive(s.Action); word != "" {`, off: `if word := sensitive(s.Action); word == "-" {`,
	},
	{
		name: "price-step", protects: "a step of a price is for calls longer than it, and for those alone (·90)",
		file: "price.go", on: `if input > m.Steps[i].Above {`, off: `if input >= m.Steps[i].Above {`, tests: []string{"TestPriceOfAStep"},
	},
	{
		name: "price-most", protects: "no length costs more than what is reserved (·90)",
		file: "price.go", on: `p = p.Max(m.Steps[i].price())`, off: `p = m.Steps[i].price()`, tests: []string{"TestPriceOfAStep"},
	},
	{
		name: "approves-beside-judge", protects: "a reviewer that does other work counts where the policy approves by itself (·124)",
		file: "check_team.go", on: `&& !c.onlyJudges(w) {`, off: `&& w.WorkerID != c.team.Policy.Judge() {`, tests: []string{"TestReviewerAtRisk"},
	},
	{
		name: "approves-judged", protects: "one that only judges does not (·124)",
		file: "check_team.go", on: `&& !c.onlyJudges(w) {`, off: `{`, tests: []string{"TestReviewerAtRisk"},
	},
	{
		name: "advice-judged", protects: "nor where plans are advised: it is given nothing at risk high (·25)",
		file: "check_team.go", on: ` && w.WorkerID != c.team.Policy.Judge() { // no`, off: ` { // no`, tests: []string{"TestReviewerAtRisk"},
	},
	{
		name: "agent-types", protects: "a plan that lists more roles than it has subtasks is refused (·24)",
		file: "check_plan.go", on: `if n := len(p.AgentTypes) - len(p.Subtasks); n > 0 {`, off: `if n := 0; n > 0 {`, tests: []string{"TestMoreAgentTypesThanSubtasks"},
	},
	{
		name: "plan-cycle", protects: "a plan whose subtasks wait for each other is refused (·21)",
		file: "check_cycle.go", on: `for i := range g.deps {
		w.from(`, off: `for i := range g.deps[:0] {
		w.from(`,
	},
}}

// routes keep work from workers that may not do it.
var routes = section{pkg: "internal/route", tests: []string{"TestExclusion", "TestReviewerOfItsOwnWork", "TestRiskUnknownToWorker", "TestStatic", "TestOrder"}, guards: []guard{
	{
		name: "capability", protects: "a worker without the capability is never a candidate (·11, ·12)",
		file: "route.go", on: `if !w.Can(q.Subtask.Capability) {`, off: `if false && !w.Can(q.Subtask.Capability) {`,
	},
	{
		name: "own-reviewer", protects: "no reviewer does what is at risk high (·66)",
		file: "route.go", on: `case w.WorkerID == t.Policy.Reviewer && s.RiskLevel.Level() >= chargehand.RiskHigh.Level():`, off: `case false:`,
	},
	{
		name: "risk-ceiling", protects: "no worker is given a risk above its own (·11, ·12)",
		file: "route.go", on: `case w.MaxRiskLevel.Level() < s.RiskLevel.Level():`, off: `case false:`,
	},
	{
		name: "tenant-enablement", protects: "a worker serves only the tenants it is enabled for (·10)",
		file: "route.go", on: `case len(w.Tenants) > 0 && !slices.Contains(w.Tenants, q.Tenant):`, off: `case false:`,
	},
	{
		name: "tool-grants", protects: "a subtask goes to no worker that lacks a tool it needs (·11, ·54)",
		file: "route.go", on: `case missing(w.ToolGrants, s.ToolGrants) != "":`, off: `case false:`,
	},
	{
		name: "output-contract", protects: "a subtask goes to no worker that does not promise its contract (·11)",
		file: "route.go", on: `case len(w.OutputContracts) > 0 && s.OutputContract != "" && !slices.Contains(w.OutputContracts, s.OutputContract):`, off: `case false:`,
	},
	{
		name: "had-its-chance", protects: "a reassignment goes to somebody else (·71, ·72)",
		file: "route.go", on: `case slices.Contains(q.Avoid, w.WorkerID):`, off: `case false:`,
	},
}}

// attempts are the run machine's: who may answer, what becomes of an answer, what is tried again.
var attempts = section{pkg: "internal/supervise", tests: []string{"TestScripts"}, guards: []guard{
	{
		name: "turned-away", protects: "who is turned away for good is not asked again at once (·70)",
		file: "recover.go", on: `!t.final && (w == nil`, off: `(w == nil`, tests: []string{"TestScripts/turned_away"},
	},
	{
		name: "fencing", protects: "a straggler's answer does not act on its successor: attempt number and epoch must be the running one's (·55, row 21)",
		file: "attempt.go", on: ` || k.number != ref.Attempt || k.attempt.epoch != epoch {`, off: ` {`,
	},
	{
		name: "late-once", protects: "a second copy of a late result is evidence, and is not paid again (row 22)",
		file: "attempt.go", on: `f.Usage = chargehand.Usage{} // a second copy: its attempt is settled`, off: `_ = a`,
	},
	{
		name: "findings", protects: "an output without the gate's findings is not taken (·60)",
		file: "attempt.go", on: `if !known(in.Verdict.Recommendation) {`, off: `if false {`,
	},
	{
		name: "grant-once", protects: "a lease that is held already starts nothing a second time (·55)",
		file: "attempt.go", on: `case k != nil && k.holds(in.Epoch):`, off: `case false:`,
	},
	{
		name: "grant-wanted", protects: "a lease nobody waits for any more starts nothing and is given back (·101)",
		file: "attempt.go", on: `case k == nil || k.state != chargehand.SubtaskQueued || k.number != in.Attempt || m.run.state != chargehand.RunRunning:`, off: `case k == nil:`,
	},
	{
		name: "grant-fits", protects: "a lease for an ask that has been replaced starts nothing (·91)",
		file: "attempt.go", on: `case w == nil || !k.asksFor(w):`, off: `case false:`,
	},
	{
		name: "slot-until-stopped", protects: "a worker that is told to stop keeps its slot until it has (·101, row 17)",
		file: "attempt.go", on: `out.begin(Stop{ref, epoch})`, off: "out.begin(Stop{ref, epoch})\n\tout.give(epoch, chargehand.OutcomeLate)",
	},
	{
		name: "attempt-deadline", protects: "an attempt ends at its deadline (·71, ·86, row 17)",
		file: "timer.go", on: `m.overrun(now, m.board.tasks[t.attempt.Subtask], out)`, off: `_ = t`,
	},
	{
		name: "schema-verdict", protects: "an output of the wrong form is not accepted (·61, ·72)",
		file: "verdict.go", on: `case !v.SchemaPass:`, off: `case false:`,
	},
	{
		name: "rejection", protects: "an output that the gate rejects is not accepted (·60, ·73)",
		file: "verdict.go", on: `case v.Recommendation == chargehand.Reject:`, off: `case false:`,
	},
	{
		name: "gate-asks-person", protects: "an output the gate leaves to a person goes to one (·62)",
		file: "verdict.go", on: `case v.Recommendation == chargehand.HumanReview:`, off: `case false:`,
	},
	{
		name: "partial", protects: "a partial result is accepted only where the policy allows it (·78)",
		file: "verdict.go", on: `case s == chargehand.StatusPartial && !m.partialAllowed(k):`, off: `case false:`,
	},
	{
		name: "own-confidence", protects: "a worker's own confidence may lower an outcome, never raise it (·65, row 25)",
		file: "verdict.go", on: `if own != nil && *own >= 0 && *own < score {`, off: `if own != nil && *own >= 0 {`,
	},
	{
		name: "low-confidence", protects: "below 0.6 a person decides (·65)",
		file: "verdict.go", on: `case !(score >= chargehand.HumanBelow): // no number at all is below, too`, off: `case false:`,
	},
	{
		name: "flagged-confidence", protects: "from 0.6 to 0.7 an acceptance is flagged (·65)",
		file: "verdict.go", on: `case score < chargehand.LowBelow:`, off: `case false:`,
	},
	{
		name: "reviewer", protects: "where the policy names a reviewer nothing is accepted without one (·66)",
		file: "verdict.go", on: `case m.team.Policy.Judge() != "":`, off: `case false:`,
	},
	{
		name: "malformed-verdict", protects: "a reviewer's nonsense is an error, never an acceptance (·4)",
		file: "verdict.go", on: `why = malformed(&in.Verdict)`, off: `_ = malformed(&in.Verdict)`,
	},
	{
		name: "verdict-fencing", protects: "only the answer to the reviewer's latest question counts (·66)",
		file: "verdict.go", on: ` || k.number != in.Attempt || k.attempt.judgings != in.Times {`, off: ` {`,
	},
	{
		name: "no-progress", protects: "the same output to the same input again is no progress (·79)",
		file: "verdict.go", on: `if p.worker == k.attempt.worker && p.input == k.attempt.input && p.output == k.attempt.output && p.output != "" {`, off: `if p.worker == "" {`,
	},
	{
		name: "attempts-cap", protects: "a subtask is tried so often and no more (·70, ·77)",
		file: "recover.go", on: `return max(0, most-k.number)`, off: `return max(1, most-k.number)`,
		tests: []string{"TestScripts"},
	},
	{
		name: "worker-attempts-cap", protects: "a worker's policy may lower the number of attempts (·70)",
		file: "recover.go", on: `most = min(most, w.FailurePolicy.MaxAttempts)`, off: `_ = w`,
	},
	{
		name: "retryable", protects: "a worker that may not be asked again is not (·70)",
		file: "recover.go", on: `if do == retrySame && !s.retryable {
		return askPerson
	}`, off: ``,
		tests: []string{"TestScripts", "TestRecoveryTable"},
	},
	{
		name: "unknown-outcome", protects: "a write that may have taken effect is not tried again: a person settles it (·160, row 29)",
		file: "recover.go", on: `if t.hidesOutcome() && !k.spec.Effect.Reads() {`, off: `if false {`,
	},
	{
		name: "no-blind-repeat", protects: "after a restart a write without a key is not pursued again (·160, row 1)",
		file: "resume.go", on: `return k.spec.Effect.Reads() || w != nil && w.Idempotent`, off: `return true`,
	},
	{
		name: "interruption", protects: "an attempt that died with its process has missed no deadline (·160)",
		file: "machine.go", on: "m.interrupt(now, in, &out)\n\t\tm.expire(now, &out)", off: "m.expire(now, &out)\n\t\tm.interrupt(now, in, &out)",
	},
	{
		name: "leases-let-go", protects: "the slots of attempts that died while they were being stopped are given back (·101)",
		file: "resume.go", on: `for len(k.stopping) > 0 {`, off: `for false {`,
	},
	{
		name: "unreviewed-said", protects: "a result says what the gate alone accepted, where the team does without a reviewer (·66)",
		file: "result.go", on: `return m.team.Policy.Reviewer == chargehand.NoReviewer || m.team.Policy.Reviewer == k.attempt.worker`, off: `return false`,
	},
	{
		name: "paused-stays-paused", protects: "a process that takes up a paused run begins nothing for it (·129)",
		file: "run.go", on: `m.run.adrift = m.run.state == chargehand.RunPaused && !f.Held`, off: `m.run.adrift = false`,
	},
	{
		name: "adrift-slots", protects: "what waits in a paused run after a restart holds no worker (·101, ·129)",
		file: "resume.go", on: `if k := m.board.tasks[l.Subtask]; k.adrift() && k.attempt.epoch == l.Epoch {`, off: `if k := m.board.tasks[l.Subtask]; false && k.adrift() {`,
	},
	{
		name: "adrift-key", protects: "an attempt that is pursued again after a pause stays with the worker that has its key (·160)",
		file: "attempt.go", on: `if !k.adrift() {`, off: `if true {`,
	},
	{
		name: "adrift-begun", protects: "what waited in a paused run is taken up when that goes on (·129)",
		file: "run.go", on: `if adrift {
			m.beginAgain(now, out)`, off: `if adrift = false; adrift {
			m.beginAgain(now, out)`,
	},
}}
