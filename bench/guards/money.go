package main

// money is the run's ledger.
var money = section{pkg: "internal/supervise", tests: []string{"TestScripts"}, guards: []guard{
	{
		name: "ceiling", protects: "settled and reserved together stay within the budget (·90, row 27)",
		file: "ledger.go", on: `(l.ceiling.USD == 0 || usd <= l.ceiling.USD)`, off: `(usd <= usd)`,
	},
	{
		name: "token-ceiling", protects: "so do tokens (·90)",
		file: "ledger.go", on: `(l.ceiling.Tokens == 0 || tokens <= l.ceiling.Tokens)`, off: `(tokens <= tokens)`,
	},
	{
		name: "reserve", protects: "a call is reserved before it is queued (·90, row 26)",
		file: "dispatch.go", on: `if m.ledger.fits(key, amount{a.reserve.usd + pending.usd, a.reserve.tokens + pending.tokens}) {`, off: `if _ = pending; true {`,
	},
	{
		name: "reserve-together", protects: "what is queued in one record is reserved together (row 27)",
		file: "dispatch.go", on: `return amount{b.ask.reserve.usd * chargehand.Micros(n), b.ask.reserve.tokens * int64(n)}`, off: `return amount{b.ask.reserve.usd * chargehand.Micros(min(n, 0)), 0}`,
	},
	{
		name: "reserve-at-start", protects: "an attempt starts only if its reservation still fits (·90)",
		file: "attempt.go", on: `if !m.ledger.fits(forAttempt(k.ref()), reserve) {`, off: `if false {`,
	},
	{
		name: "settle", protects: "what a call cost is counted against the budget (·90)",
		file: "ledger.go", on: `l.settled.usd += use.USD`, off: `_ = use`,
	},
	{
		name: "bill-gives-nothing-back", protects: "a worker cannot give money back by a negative bill (·90, row 25)",
		file: "ledger.go", on: `if u.USD <= 0 {`, off: `if u.USD == 0 {`,
	},
	{
		name: "bill-bounded", protects: "no bill can carry the sums beyond their range (row 25)",
		file: "ledger.go", on: `u.USD = min(u.USD, mostBilled)`, off: `_ = mostBilled`,
	},
	{
		name: "unsent-costs-nothing", protects: "a call that certainly did not begin costs nothing (·90)",
		file: "ledger.go", on: `	if notBegun {
		return 0
	}`, off: `	_ = notBegun`,
	},
	{
		name: "reserve-while-stopping", protects: "an attempt being stopped keeps its reservation until its usage is known (·90)",
		file: "ledger.go", on: `return attempt(f.AttemptRef), !f.Stopping`, off: `return attempt(f.AttemptRef), true`,
	},
	{
		name: "envelope-after-crash", protects: "after a crash all that was reserved counts as spent (·90)",
		file: "resume.go", on: `return m.ledger.held[forAttempt(chargehand.AttemptRef{Subtask: k.spec.ID, Attempt: a.number})].usage()`, off: `return chargehand.Usage{}`,
	},
	{
		name: "synthesis-reserve", protects: "the last step's money is set aside when the plan is adopted (·91)",
		file: "ledger.go", on: `if f.Reserve > 0 || f.ReserveTokens > 0 {`, off: `if false {`,
	},
	{
		name: "judge-reserve", protects: "a reviewer's call is reserved too (·90)",
		file: "verdict.go", on: `case m.ledger.fits(key, price):`, off: `case key != "":`,
	},
	{
		name: "planner-reserve", protects: "so is a planner's (·90)",
		file: "plan.go", on: `return m.ledger.fits(forPlan, m.planNeeds())`, off: `return true`,
		tests: []string{"TestScripts", "TestPlannerIsReservedFor"},
	},
	{
		name: "checked-before-begun", protects: "money goes to check what is done before it goes to begin more (·91)",
		file: "dispatch.go", on: ` || len(m.board.unjudged) > 0 {`, off: ` {`,
	},
	{
		name: "money-comes-back", protects: "a task waits for money that is only reserved, instead of being left out (·76)",
		file: "dispatch.go", on: `if m.busy() {`, off: `if false {`,
	},
	{
		name: "single-tier", protects: "at four fifths of the budget what waits moves to the cheapest tier (·91)",
		file: "dispatch.go", on: `case m.ledger.low && k.spec.Criticality != chargehand.Critical:`, off: `case false:`,
	},
	{
		name: "spawn-share", protects: "a dynamic worker may cost half of what is left, no more (·93)",
		file: "ledger.go", on: `return left.Times(chargehand.SpawnShare)`, off: `return *left`,
		tests: []string{"TestSpawnIsHalfOfWhatRemains"},
	},
	{
		name: "top-up", protects: "a call under way is given more only where it fits (·90)",
		file: "topup.go", on: `case !l.fits(key, want):`, off: `case false:`,
	},
	{
		name: "top-up-subtask", protects: "a subtask's own budget bounds its attempts, whatever the run may spend (·95)",
		file: "topup.go", on: `case k != nil && k.spec.Budget.USD > 0 && want.usd > k.spec.Budget.USD:`, off: `case false:`,
	},
	{
		name: "top-up-bounded", protects: "no sum that is asked for leaves its range (row 25)",
		file: "topup.go", on: `case want.usd > mostBilled || want.tokens > mostBilled:`, off: `case false:`,
	},
	{
		name: "top-up-held", protects: "what a call is given on top is reserved (·90)",
		file: "ledger.go", on: `l.hold(holding(f.For, f.AttemptRef), amount{f.Reserved, f.Tokens})`, off: `_ = f.Reserved`,
	},
	{
		name: "top-up-current", protects: "a call that is over is given nothing (row 21)",
		file: "topup.go", on: `if k := m.current(in.AttemptRef, in.Epoch); k != nil {`, off: `if k := m.board.tasks[in.Subtask]; k != nil {`,
	},
	{
		name: "overbilled-named", protects: "a bill above its reservation is named, with its figures (·90)",
		file: "machine.go", on: `if over != nil {`, off: `if false {`,
	},
	{
		name: "crash-loses-envelope", protects: "an attempt that is pursued again after a crash is reserved anew, and what it had counts as spent (·90)",
		file: "resume.go", on: `f.Lost, f.Reserved, f.ReservedTokens = m.wholeEnvelope(k.attempt, k), need.usd, need.tokens`, off: `_ = need`,
	},
	{
		name: "crash-loses-judge", protects: "so is a reviewer's call (·90)",
		file: "resume.go", on: `AttemptRef: k.ref(), Times: k.attempt.judgings, Reserved: price.usd, Tokens: price.tokens, Lost: held.usage(),`, off: `AttemptRef: k.ref(), Times: k.attempt.judgings, Reserved: price.usd, Tokens: price.tokens,`,
	},
	{
		name: "crash-within-ceiling", protects: "nothing is pursued again that the ceiling does not hold twice (·90)",
		file: "resume.go", on: `return f, m.ledger.fits("", need)`, off: `return f, true`,
	},
	{
		name: "model-tokens", protects: "a language model reserves tokens under a ceiling in tokens (·90)",
		file: "estimate.go", on: `return m.ledger.ceiling.Tokens > 0 && w != nil && w.Kind == chargehand.KindLLM`, off: `return false`,
	},
	{
		name: "check-of-synthesis", protects: "the money for the last step's check stays set aside while it is written (·91)",
		file: "ledger.go", on: `if _, held := l.held[forSynthesis]; held && l.check != (amount{}) {`, off: `if false {`,
	},
}}

// covers is the same money where workers ask for it.
var covers = section{pkg: "engine/local", guards: []guard{
	{
		name: "cover", protects: "a worker is told yes only within what is reserved for it (·90)",
		file: "wire.go", on: `if err := l.ask(ctx, in); err != nil {`, off: `if err := error(nil); err != nil {`,
		tests: []string{"TestCover"},
	},
	{
		name: "cover-durable", protects: "it is told so when that is durable, not before (·90)",
		file: "wire.go", on: `case a.err == nil:`, off: `case !errors.Is(a.err, errClosed):`,
		tests: []string{"TestCoverWaitsForTheDisk"},
	},
	{
		name: "monitor-stops", protects: "a text that is not wanted ends its attempt, whatever its worker answers (·68)",
		file: "attempt.go", on: `case a.stopped != nil:`, off: `case a.stopped != nil && !ok:`,
		tests: []string{"TestMonitorStops"},
	},
	{
		name: "monitor-halts", protects: "a worker that goes on all the same is stopped (·68)",
		file: "wire.go", on: `		l.cancel()`, off: `		_ = l.cancel`,
		tests: []string{"TestMonitorStops/goes_on"},
	},
	{
		name: "tokens-bounded", protects: "a slow follower of texts loses the oldest, and holds nobody up (row 5)",
		file: "tokens.go", on: `len(l.waiting) > maxTokens || l.bytes > maxTokenBytes && len(l.waiting) > 1`, off: `len(l.waiting) > 1<<40`,
		tests: []string{"TestTokens"},
	},
}}
