package main

// people are asked, and answer.
var people = section{pkg: "internal/supervise", tests: []string{"TestScripts"}, guards: []guard{
	{
		name: "nonce", protects: "a decision carries the nonce of its review (·125, row 37)",
		file: "desk.go", on: `case in.Nonce != r.Nonce:`, off: `case false:`,
	},
	{
		name: "content-hash", protects: "a decision is about the content that is there now (·125, row 36)",
		file: "desk.go", on: `case in.ContentHash != r.ContentHash:`, off: `case false:`,
	},
	{
		name: "principal", protects: "a decision names the person who makes it (·125)",
		file: "desk.go", on: `case in.Approver == "":`, off: `case false:`,
	},
	{
		name: "decided-once", protects: "a review is decided once (row 33)",
		file: "desk.go", on: `case !r.Open() && !r.Decision.ByPolicy:`, off: `case r.Decision != nil && r.Decision.ByPolicy == r.Decision.Withdrawn && false:`,
	},
	{
		name: "expired-review", protects: "who decides after the policy did is refused (row 37)",
		file: "desk.go", on: `case !r.Open():`, off: `case false:`,
	},
	{
		name: "nothing-to-approve", protects: "where there is no output none can be approved (·125)",
		file: "desk.go", on: `case in.Approved && r.OutputRef == "" && in.EditRef == "" && r.Subject != chargehand.SubjectTools:`, off: `case false:`,
	},
	{
		name: "decision-in-time", protects: "when the run is coming to its end nothing is decided any more (row 37)",
		file: "desk.go", on: `case m.run.abort != nil || m.closing.asked:`, off: `case false:`,
	},
	{
		name: "gap-of-unknown-write", protects: "a run that is cut off says which writes may have taken effect (·160)",
		file: "run.go", on: `f.Why += notKnown`, off: `_ = f`,
	},
	{
		name: "gap-cause", protects: "a gap that the run did not wait for names what went wrong (·7)",
		file: "result.go", on: `g.Cause, g.Why = m.undecided(k)`, off: `g.Why = k.state.Sign().Label`,
	},
	{
		name: "review-deadline", protects: "a review nobody answers is answered by the policy in time (·124)",
		file: "timer.go", on: `m.decideByPolicy(now, m.desk.reviews[t.review], out)`, off: `_ = t`,
	},
	{
		name: "required-review", protects: "a run waits for a review of something required (·122)",
		file: "conclude.go", on: `return m.desk.required > 0 || m.board.parts[countAccepted] == 0`, off: `return m.board.parts[countAccepted] == 0`,
	},
	{
		name: "conflicts-review", protects: "where the policy says so a person sees conflicts before they stand (·140)",
		file: "conclude.go", on: `m.reviewConflicts(now, m.closing.conflicts, out)
	return true`, off: `return false`,
	},
	{
		name: "cancel-reason", protects: "nobody cancels a run without a reason (·129)",
		file: "run.go", on: `case in.Verb == chargehand.Cancel && in.Reason == "":`, off: `case false:`,
	},
}}
