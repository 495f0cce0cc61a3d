package main

// runs are the run machine's: how a run goes on, and how it ends.
var runs = section{pkg: "internal/supervise", tests: []string{"TestScripts"}, guards: []guard{
	{
		name: "caveats-told", protects: "the last step is told what is missing and in doubt (·141)",
		file: "conclude.go", on: `Caveats: m.caveats()`, off: `Caveats: Caveats{}`, tests: []string{"TestScripts/caveats"},
	},
	{
		name: "caveats-bound", protects: "and of ten thousand gaps the first",
		file: "result.go", on: `s.Count++; s.Count <= maxCaveats`, off: `s.Count++; s.Count > 0`, tests: []string{"TestCaveatsAreBounded"},
	},
	{
		name: "caveats-short", protects: "in short",
		file: "result.go", on: `g.Why = clip(g.Why, maxClause)`, off: `_ = maxClause`, tests: []string{"TestCaveatsAreBounded"},
	},
	{
		name: "caveats-alone", protects: "a run without a last step carries none of it",
		file: "result.go", on: `if m.team.Synthesis == nil {`, off: `if m.team == nil {`, tests: []string{"TestScripts"},
	},
	{
		name: "failure-threshold", protects: "the failure that ends a run is the one past the ratio, to the exact one (·80)",
		file: "board.go", on: `m.team.Policy.Ratio()+1e-9)) + 1`, off: `m.team.Policy.Ratio()+1e-9)) + 2`,
		tests: []string{"TestThreshold"},
	},
	{
		name: "required", protects: "a run is nothing without a subtask that is required (·80, ·127)",
		file: "board.go", on: `case lost && m.required(k):`, off: `case false:`,
	},
	{
		name: "required-past", protects: "also one that a worker whose policy says so had before another (·70)",
		file: "board.go", on: `return wants(k.attempt.worker) || slices`, off: `return wants(k.attempt.worker) || len(k.past) < 0 && slices`,
		tests: []string{"TestScripts/required_policy"},
	},
	{
		name: "required-nobody", protects: "or could have had (·70)",
		file: "board.go", on: `return w.FailurePolicy.Required && w.Can(`, off: `return false && w.Can(`, tests: []string{"TestScripts/required_nobody"},
	},
	{
		name: "required-skipped", protects: "and one that could not begin for want of another (·70, ·80)",
		file: "board.go", on: `if needy == nil && m.required(d) {`, off: `if needy == nil && d.spec.Required {`, tests: []string{"TestScripts/required_skipped"},
	},
	{
		name: "required-rejected", protects: "a required subtask that is rejected ends the run (·127)",
		file: "board.go", on: `case lost && k.state == chargehand.SubtaskRejected && m.required(k):`, off: `case false:`,
	},
	{
		name: "skip-dependants", protects: "what depends on a subtask that was not accepted is skipped (·51)",
		file: "board.go", on: `needy := m.skipDependants(now, k, out)`, off: `needy := (*task)(nil)`,
	},
	{
		name: "accepted-inputs", protects: "only accepted outputs reach dependants (·50)",
		file: "board.go", on: `if f.State.Accepted() {
			b.stated.take(k)
			b.unblock(k)
		}`, off: `b.unblock(k)`,
	},
	{
		name: "fail-policy", protects: "onSubtaskError: fail ends the run (·52)",
		file: "board.go", on: `case lost && m.team.Policy.OnSubtaskError == chargehand.FailRun:`, off: `case false:`,
	},
	{
		name: "run-concurrency", protects: "so many subtasks of a run at once and no more (·50)",
		file: "dispatch.go", on: `for m.board.open+len(b.tasks) < m.team.Policy.Concurrency() && len(m.board.ready) > 0 {`, off: `for len(m.board.ready) > 0 {`,
	},
	{
		name: "pause", protects: "a paused run begins nothing (·129)",
		file: "dispatch.go", on: `if m.run.state != chargehand.RunRunning || m.run.abort != nil ||`, off: `if m.run.abort != nil ||`,
	},
	{
		name: "pause-withdraws", protects: "a paused run takes its asks back (·129)",
		file: "run.go", on: `m.withdrawAll(out)`, off: `_ = m`,
	},
	{
		name: "plan-check", protects: "a plan is validated before it is used (·21)",
		file: "plan.go", on: `errs := m.planErrors(&in)`, off: `errs := m.planErrors(&Planned{Iteration: 2})[:0]`,
	},
	{
		name: "plan-once-more", protects: "an invalid plan goes back once, then a person looks (·21)",
		file: "plan.go", on: `case !again:`, off: `case !again || again:`,
	},
	{
		name: "plan-sent-back", protects: "one that a person sent back was not invalid (·21, ·26)",
		file: "plan.go", on: `again := m.planning.returned`, off: `again := len(m.planning.refused) > 0`, tests: []string{"TestScripts/plan_sent_back"},
	},
	{
		name: "plan-sent-back-said", protects: "what the person said of it still holds when the next one is invalid (·26)",
		file: "plan.go", on: `slices.Concat(m.planning.refused, errs)`, off: `errs`, tests: []string{"TestScripts/plan_sent_back"},
	},
	{
		name: "plan-sent-back-anew", protects: "after a person has looked, an invalid plan goes back once again (·21)",
		file: "desk.go", on: `m.planning.returned = false`, off: `_ = d`, tests: []string{"TestScripts/plan_sent_back"},
	},
	{
		name: "roles", protects: "a subtask without a role has the one its plan lists (·24)",
		file: "plan.go", on: `in.Plan.Subtasks = inRoles(&in.Plan)`, off: `_ = inRoles`, tests: []string{"TestScripts/roles"},
	},
	{
		name: "roles-own", protects: "its own goes before it (·24)",
		file: "plan.go", on: `if list[i].Role == "" {`, off: `{`, tests: []string{"TestScripts/roles"},
	},
	{
		name: "roles-replan", protects: "a later plan's roles are counted against its own subtasks (·24)",
		file: "plan.go", on: `make([]string, len(there))...`, off: `make([]string, 0)...`, tests: []string{"TestScripts/roles"},
	},
	{
		name: "calls-told", protects: "an attempt is told how many calls of tools it may make (·2)",
		file: "attempt.go", on: `MaxToolCalls: mostCalls(k.spec, w), `, off: ``, tests: []string{"TestAllowance"},
	},
	{
		name: "budget-told", protects: "and what it may consume (·2)",
		file: "attempt.go", on: `Budget: m.allowance(k)`, off: `Budget: k.spec.Budget`, tests: []string{"TestAllowance"},
	},
	{
		name: "replans", protects: "a run is replanned three times at most (·23)",
		file: "plan.go", on: `p.iteration >= chargehand.DefaultMaxIterations || `, off: ``,
	},
	{
		name: "no-worker", protects: "what no worker may do is a gap at once, before anything is spent (·12, ·75)",
		file: "plan.go", on: `m.endHopeless(now, out)`, off: `_ = out`,
	},
	{
		name: "subtask-size", protects: "a subtask that no record can hold is sent back (·3)",
		file: "plan.go", on: `if n := weight(s); n > maxSubtask {`, off: `if n := weight(s); n < 0 {`,
	},
	{
		name: "run-deadline", protects: "a run ends at its deadline (·85)",
		file: "timer.go", on: "default:", off: "case false:",
	},
	{
		name: "ended-run", protects: "a run that has ended keeps late results as evidence and refuses the rest (row 21, row 37)",
		file: "machine.go", on: `case m.run.state.Final():
		m.afterwards(now, in, &out)`, off: `case false:`,
	},
	{
		name: "time-goes-on", protects: "time never goes back behind the last record, and no wake-up lies before it (·86, row 15)",
		file: "machine.go", on: `if now.Before(m.last) {`, off: `if false {`,
	},
	{
		name: "record-of-state", protects: "no state changes without a record: replay gives what was (·160)",
		file: "machine.go", on: `out.Records = append(out.Records, r)`, off: `if _, drop := f.(chargehand.RetryPlanned); !drop {
		out.Records = append(out.Records, r)
	}`,
	},
	{
		name: "stale-timer", protects: "a timer whose attempt has ended ends no other (·86)",
		file: "timer.go", on: `return k.state == chargehand.SubtaskRunning && k.attempt.armed == t.seq`, off: `return k.state == chargehand.SubtaskRunning`,
	},
}}
