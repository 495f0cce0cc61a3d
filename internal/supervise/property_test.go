package supervise

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/chargehand/chargehand"
)

// TestRandomRuns lets anything happen in any order, and checks after every step what must always
// hold. Then everybody does their work, and the run must come to its end.
func TestRandomRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		die := rapid.Uint64()
		w := newWorld(t, &dice{draw: func() uint64 { return die.Draw(t, "die") }})
		for range rapid.IntRange(0, 100).Draw(t, "steps") {
			w.act()
		}
		w.finish()
	})
}

// finish drives the run fairly: all that waits for an answer gets one, reviews expire, and what
// hangs is stopped.
func (w *world) finish() {
	for range 2_000 {
		if w.fair() {
			continue
		}
		if w.m.run.state.Final() {
			break
		}
		if at := w.m.Wake(); !at.IsZero() {
			w.now = at
			w.tell(Tick{})
			continue
		}
		w.t.Fatalf("the run is %s, nothing is under way, and it does not end: %+v", w.m.run.state, snap(w.m))
	}
	if !w.m.run.state.Final() {
		w.t.Fatalf("the run is %s and does not end", w.m.run.state)
	}
	w.leavesNothing()
}

// fair does one thing that is due, and reports whether there was one.
func (w *world) fair() bool {
	if w.m.run.state == chargehand.RunPaused {
		w.tell(Operate{chargehand.Control{Verb: chargehand.Resume, By: "op"}})
		return true
	}
	if len(w.asks) > 0 {
		w.grant()
		return true
	}
	if len(w.open) == 0 {
		return false
	}
	e := w.open[0]
	w.open = w.open[1:]
	good := chargehand.Verdict{SchemaPass: true, Score: 1, Recommendation: chargehand.Accept, Confidence: 9}
	switch e := e.(type) {
	case MakePlan:
		w.tell(w.fairPlan(e))
	case Launch:
		w.tell(Finished{
			AttemptRef: launched(e), Epoch: e.Epoch, Status: chargehand.StatusSucceeded, Output: "sha256:good",
			InputHash: "in", Size: 9, Verdict: good, Stances: w.dice.stances(),
		})
	case Stop:
		w.tell(Stopped{AttemptRef: e.AttemptRef, Epoch: e.Epoch})
	case Judge:
		w.tell(JudgeAnswered{AttemptRef: e.AttemptRef, Times: e.Times, Verdict: good})
	case Compare:
		w.tell(Compared{AttemptRef: e.AttemptRef, Agree: w.dice.one(2), Points: 1})
	case Aggregate:
		w.tell(WorkAggregated{Round: e.Round, Ref: "sha256:a"})
	case WriteResult:
		w.tell(ResultWritten{Result: "sha256:r", ResultHash: "sha256:h"})
	}
	return true
}

func (w *world) fairPlan(e MakePlan) Planned {
	in := Planned{Iteration: e.Iteration, Source: "func"}
	if e.Iteration == 1 {
		in.Plan = w.plan
	}
	return in
}

// leavesNothing checks that an ended run holds no lease, no money and no wish.
func (w *world) leavesNothing() {
	w.now = w.now.Add(time.Hour)
	w.tell(Tick{})
	if len(w.held) > 0 || len(w.m.ledger.held) > 0 && !onlySynthesis(w.m.ledger.held) || !w.m.Idle() {
		w.t.Fatalf("the run has ended and holds leases %v and money %v, idle %t", w.held, w.m.ledger.held, w.m.Idle())
	}
}

func onlySynthesis(held map[string]amount) bool {
	_, ok := held[forSynthesis]
	return ok && len(held) == 1
}
