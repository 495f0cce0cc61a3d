package main

// turns are the loop around both machines.
var turns = section{pkg: "internal/turn", tests: []string{
	"TestALeaseChangesHandsInOneTurn", "TestEverybodyIsToldTheTime", "TestARefoldedLoopAgreesWithItsRuns", "TestNothingHappensBeforeAFoldIsToldOf",
	"TestARunIsTakenUpOnce", "TestOnlyIdleRunsAreParked", "TestTheFleetsTailIsKeptShort", "TestOnlyWorkLeavesTheEngine",
	"TestALeaseForNobodyIsGivenBack", "TestAFoldTakesNoNewLease", "TestLeasesAreComparedBeforeRunsGoOn", "TestAnAttemptWithoutItsLeaseHasFailed",
}, guards: []guard{
	{
		name: "runs-in-memory", protects: "an event of a run that is not in memory touches nothing",
		file: "turn.go", on: `if r == nil {
		t.strayGrant(in)
		return
	}`, off: `if r == nil {
		t.touched[id] = true
		t.out.Touched = append(t.out.Touched, id)
		return
	}`,
	},
	{
		name: "stray-lease", protects: "a lease for a run that is not in memory is given back (·101)",
		file: "turn.go", on: `t.stepFleet(fleet.Return{Epoch: g.Epoch, Outcome: chargehand.OutcomeUnused})`, off: `_ = g`,
	},
	{
		name: "fold-told-first", protects: "a loop folded anew is told so before anything else happens",
		file: "turn.go", on: `	for _, e := range first {
		_ = t.take(e) // nobody waits for an answer
	}
	for _, e := range events {
		t.out.Refusals = append(t.out.Refusals, t.take(e))
	}`, off: `	for _, e := range events {
		t.out.Refusals = append(t.out.Refusals, t.take(e))
	}
	for _, e := range first {
		t.take(e)
	}`,
	},
	{
		name: "leases-before-runs", protects: "the fleet's leases are compared before any run goes on (row 1)",
		file: "refold.go", on: "l.Settle(runs)\n\tl.Tell(runs, why)", off: "l.Tell(runs, why)\n\tl.Settle(runs)",
	},
	{
		name: "leases-held", protects: "the fleet learns of every attempt that still holds a lease (row 1)",
		file: "refold.go", on: `for _, h := range r.machine.Leases() {`, off: `for _, h := range r.machine.Leases()[:0] {`,
	},
	{
		name: "lost-lease", protects: "an attempt that lost its lease is not waited for",
		file: "turn.go", on: `t.orphans = append(t.orphans, out.Orphans...)`, off: `_ = t.orphans`,
	},
	{
		name: "parked-idle", protects: "only runs that wait for people or time leave memory",
		file: "refold.go", on: `if r == nil || !r.machine.Idle() {`, off: `if r == nil {`,
	},
	{
		name: "taken-up-once", protects: "a run is told once that this process takes it up (·161)",
		file: "refold.go", on: `if m == nil || t.told[e.Run] || slices.Contains(t.telling, e.Run) {`, off: `if m == nil || slices.Contains(t.telling, "") {`,
	},
	{
		name: "hold", protects: "on hold no worker is called",
		file: "refold.go", on: `case supervise.MakePlan, supervise.Launch, supervise.Judge:
		return true`, off: `case supervise.MakePlan, supervise.Judge:
		return true`,
	},
	{
		name: "wake-up", protects: "whoever wants to be told the time is (·85)",
		file: "turn.go", on: `t.stepRun(w.run, supervise.Tick{})`, off: `_ = w`,
	},
	{
		name: "fleet-tail", protects: "a restart never folds more of the fleet's records than so many",
		file: "turn.go", on: `if l.fleet.Tail() > l.tail() {`, off: `if false {`,
	},
}}

// records are what a journal takes.
var records = section{pkg: "internal/journal", tests: []string{"TestPayloadLimit", "TestRefusedRecords", "TestRefusedLines"}, guards: []guard{
	{
		name: "payload-cap", protects: "no record holds more than 16 KiB (·3)",
		file: "journal.go", on: `if n := payload(line[len(dst):]); n > MaxPayload {`, off: `if n := payload(line[len(dst):]); n < 0 {`,
	},
	{
		name: "record-order", protects: "a record has its run and its number (·162)",
		file: "journal.go", on: `case r.Seq < 1:`, off: `case false:`,
	},
	{
		name: "newer-record", protects: "records of a newer format are refused, not guessed at (row 6)",
		file: "journal.go", on: `if f, ok := r.Fact.(chargehand.RunStarted); ok && f.Format > Format {`, off: `if f, ok := r.Fact.(chargehand.RunStarted); ok && f.Format < 0 {`,
	},
}}
