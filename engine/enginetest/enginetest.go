// Package enginetest is the conformance suite: what every chargehand.Engine does, whatever it is
// made of. An engine's own tests call Run with a way to open one.
package enginetest

import (
	"context"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/worker"
)

// Open opens an engine that can reach the given Go code. The suite closes nothing: Open registers
// its own cleanup.
type Open func(t *testing.T, workers worker.Set, planners map[string]worker.Planner) chargehand.Engine

// Run runs the suite.
func Run(t *testing.T, open Open) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, open Open)
	}{
		{"completes and cites", completes},
		{"corrects an invalid output", corrects},
		{"asks a person and follows the answer", asksPerson},
		{"lets the policy decide at the deadline", policyDecides},
		{"refuses decisions that are not about what is there", refusesDecisions},
		{"reassigns at a deadline", reassigns},
		{"stops at the budget with a partial result", stopsAtBudget},
		{"pauses, resumes and cancels", controls},
		{"forks a run", forks},
		{"refuses a team it cannot supervise", refusesTeams},
		{"starts one run for one key", startsOnce},
		{"follows records without a gap", follows},
		{"hands on what workers say", streams},
		{"keeps capacity across runs", keepsCapacity},
		{"plans by function, and asks again", plansByFunction},
		{"has a plan approved first", approvesPlan},
		{"has an output done again", sendsBack},
		{"has a second worker answer a contested output", debates},
		{"has the reviewer choose, and a person", adjudicates},
		{"has a conflict debated before it is accepted", conflicts},
		{"names what it does not know", namesUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, open)
		})
	}
}

const patience = 30 * time.Second // for things that take milliseconds

func background(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// start begins a run and returns its id.
func start(t *testing.T, e chargehand.Engine, o chargehand.Order) string {
	t.Helper()
	if o.Objective.Goal == "" {
		o.Objective.Goal = "Say what the document says."
	}
	if o.StartedBy == "" {
		o.StartedBy = "sam"
	}
	id, err := e.Start(background(t), o)
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	return id
}

// until follows a run until ok is true of its view, and returns that.
func until(t *testing.T, e chargehand.Engine, run string, ok func(*chargehand.View) bool) *chargehand.View {
	t.Helper()
	var v chargehand.View
	for r, err := range e.Records(background(t), run, 0, true) {
		if err != nil {
			t.Fatalf("follow %s: %v", run, err)
		}
		if v.Apply(r); ok(&v) {
			return &v
		}
	}
	t.Fatalf("run %s stands at %s (%s), and what was waited for has not happened", run, v.State, v.Why)
	return nil
}

func ended(v *chargehand.View) bool      { return v.State.Final() }
func needsHuman(v *chargehand.View) bool { return v.NeedsHuman > 0 }

// finish waits for a run's end and returns what it came to.
func finish(t *testing.T, e chargehand.Engine, run string) (*chargehand.View, *chargehand.Result) {
	t.Helper()
	v := until(t, e, run, ended)
	r, err := e.Result(background(t), run)
	if err != nil {
		t.Fatalf("result of %s: %v", run, err)
	}
	return v, r
}

func wantState(t *testing.T, v *chargehand.View, s chargehand.RunState, stop chargehand.StopReason) {
	t.Helper()
	if v.State != s || v.Stop != stop {
		t.Fatalf("the run came out as %s (%s: %s), want %s (%s)", v.State, v.Stop, v.Why, s, stop)
	}
}

func wantCode(t *testing.T, err error, c chargehand.Code) {
	t.Helper()
	if got := chargehand.CodeOf(err); err == nil || got != c {
		t.Fatalf("got error %v of code %s, want code %s", err, got, c)
	}
}
