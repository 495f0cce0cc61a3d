package main

// leases keep every worker within its limits, and say who is next.
var leases = section{pkg: "internal/fleet", tests: []string{"TestScripts", "TestProperties"}, guards: []guard{
	{
		name: "capacity", protects: "no worker has more attempts at once than it may, across all runs (·101, row 26)",
		file: "instance.go", on: `if !w.up(in) || in.active >= w.Slots {`, off: `if !w.up(in) {`,
	},
	{
		name: "instances", protects: "no worker has more static instances than its max (·100)",
		file: "instance.go", on: `if n > w.Max {`, off: `if false {`,
	},
	{
		name: "register-bounded", protects: "no record is larger than the journal takes, however many workers a team has (·3)",
		file: "pool.go", on: `if i > 0 && size > most {`, off: `if i > 0 && size < 0 {`, tests: []string{"TestManyWorkers"},
	},
	{
		name: "lease-once", protects: "an attempt that has a lease is given no second one (·101)",
		file: "dispatch.go", on: `if epoch, ok := m.leases.byAttempt[k]; ok {`, off: `if epoch, ok := m.leases.byAttempt[k]; ok && epoch < 0 {`,
	},
	{
		name: "ask-once", protects: "an attempt that waits is queued once (·102)",
		file: "dispatch.go", on: `if m.queue.asks[k] == nil {`, off: `if true {`,
	},
	{
		name: "withdrawal", protects: "an ask that was taken back is not served (·129)",
		file: "dispatch.go", on: `if a := m.queue.asks[key{in.Run, in.AttemptRef}]; a != nil {`, off: `if a := m.queue.asks[key{in.Run, in.AttemptRef}]; a != nil && a.arrival < 0 {`,
	},
	{
		name: "epoch", protects: "every lease has an epoch of its own, higher than those before (row 21)",
		file: "dispatch.go", on: `Epoch: m.leases.epoch + 1,`, off: `Epoch: max(1, m.leases.epoch),`,
	},
	{
		name: "epoch-kept", protects: "epochs go on rising after the fleet's records are begun anew (row 21)",
		file: "rebase.go", on: `m.leases.epoch = f.Epoch`, off: `_ = f.Epoch`,
	},
	{
		name: "reconcile-leases", protects: "after a restart a lease without an attempt is freed (row 1)",
		file: "lease.go", on: `if !held[holding(l)] {`, off: `if false {`,
	},
	{
		name: "reconcile-attempts", protects: "after a restart an attempt without a lease is told so (row 1)",
		file: "lease.go", on: `out.Orphans = append(out.Orphans, h)`, off: `_ = l`,
	},
	{
		name: "tenant-share", protects: "while others wait no tenant has more than its share (·102)",
		file: "dispatch.go", on: `b.over = b.held >= share`, off: `b.over = b.held > share+b.held`,
		tests: []string{"TestScripts", "TestShares"},
	},
	{
		name: "queue-order", protects: "the queue goes by priority first (·102)",
		file: "queue.go", on: `return cmp.Or(priority, deadline, age, arrival)`, off: `return cmp.Or(deadline, age, arrival)`,
		tests: []string{"TestScripts"},
	},
	{
		name: "oldest-first", protects: "a queue that is to serve the oldest run first does (·102)",
		file: "queue.go", on: `return cmp.Or(age, priority, deadline, run, arrival)`, off: `return cmp.Or(priority, deadline, age, run, arrival)`,
		tests: []string{"TestScripts", "TestOldestEndsFirst"},
	},
	{
		name: "late-for-the-run", protects: "no worker is given what its average would finish after the run's deadline (·11)",
		file: "choose.go", on: `return a.Deadline.IsZero() || !m.now.Add(w.latency()).After(a.Deadline)`, off: `return true`,
		tests: []string{"TestScripts"},
	},
	{
		name: "rank", protects: "a worker of a higher rank serves only what is at risk (·103)",
		file: "choose.go", on: `if !a.atRisk {`, off: `if false {`,
		tests: []string{"TestScripts"},
	},
	{
		name: "spawn-limit", protects: "no dynamic worker is brought up that costs more than its run allows (·93)",
		file: "spawn.go", on: `if !m.spawnable(w) || w.Spawn.EstimateUSD >= below {`, off: `if !m.spawnable(w) {`,
		tests: []string{"TestScripts"},
	},
	{
		name: "spawn-max", protects: "no worker has more dynamic instances than its spawn.max (·100)",
		file: "spawn.go", on: `return n < w.Spawn.Max`, off: `return true`,
		tests: []string{"TestScripts"},
	},
	{
		name: "spawn-tries", protects: "a spawn is tried twice, no more (·100)",
		file: "spawn.go", on: `if at.Try < lastTry && w.Spawn != nil`, off: `if w.Spawn != nil`,
		tests: []string{"TestScripts"},
	},
	{
		name: "stray-instance", protects: "an instance nobody expects any more is sent away (·100)",
		file: "spawn.go", on: `out.begin(Retire{Worker: in.Worker, Instance: in.Instance})`, off: `_ = out`,
		tests: []string{"TestScripts"},
	},
	{
		name: "fleet-time", protects: "the fleet's time never goes back (row 15)",
		file: "machine.go", on: `if now = now.UTC().Truncate(time.Microsecond); now.After(m.now) {`, off: `if now = now.UTC().Truncate(time.Microsecond); true {`,
	},
}}

// breakers keep work from workers that are not fit for it.
var breakers = section{pkg: "internal/fleet", tests: []string{"TestScripts"}, guards: []guard{
	{
		name: "breaker-row", protects: "five failures in a row open the breaker (·74)",
		file: "breaker.go", on: `case b.Row >= tripRow:`, off: `case false:`,
	},
	{
		name: "breaker-share", protects: "so does half of the last twenty calls (·74)",
		file: "breaker.go", on: `case len(b.Recent) == tripRecent && 2*failed >= tripRecent:`, off: `case failed < 0:`,
	},
	{
		name: "breaker-open", protects: "a worker whose breaker is open is given nothing (·74, row 24)",
		file: "choose.go", on: ` && b.State != chargehand.BreakerOpen`, off: ``,
	},
	{
		name: "one-probe", protects: "a half-open breaker lets one probe through, no more (·74)",
		file: "choose.go", on: ` && b.Probe == 0`, off: ``,
	},
	{
		name: "breaker-rest", protects: "an open breaker stays open for its time (·74)",
		file: "breaker.go", on: `if b.State != chargehand.BreakerOpen || b.Until.After(m.now) {`, off: `if b.State != chargehand.BreakerOpen {`,
	},
	{
		name: "breaker-stale", protects: "what was begun before the breaker opened says nothing new (row 24)",
		file: "breaker.go", on: `if b.State != chargehand.BreakerClosed || epoch <= b.Stale {`, off: `if b.State != chargehand.BreakerClosed {`,
	},
	{
		name: "ramp", protects: "those who waited for a worker that is well again do not come all at once (row 24)",
		file: "choose.go", on: `return !w.full() && (b.Ramp == 0 || w.active-w.old < b.Ramp)`, off: `return !w.full() && b.Ramp >= 0`,
	},
	{
		name: "health", protects: "a worker that says it is not well is given nothing (·11)",
		file: "choose.go", on: ` && w.Unhealthy == ""`, off: ``,
	},
	{
		name: "drain", protects: "a worker that is drained is given nothing new (·129)",
		file: "choose.go", on: `return !w.Drained && `, off: `return `,
	},
}}
