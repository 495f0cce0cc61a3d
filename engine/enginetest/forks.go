package enginetest

import (
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/worker"
)

// forks wants a second run from the middle of a first that waits for a person: it asks for itself,
// and the answer to one decides nothing in the other.
func forks(t *testing.T, open Open) {
	e := open(t, worker.Set{"liar": says(lying)}, nil)
	ctx := background(t)
	run, asked := parked(t, e, nil)
	before, err := e.Run(ctx, run)
	if err != nil {
		t.Fatal(err)
	}
	fork, err := e.Fork(ctx, run, chargehand.Fork{By: "olu"})
	if err != nil {
		t.Fatalf("fork: %v", err)
	}
	v, err := e.Run(ctx, fork)
	if err != nil {
		t.Fatal(err)
	}
	if p := v.Parent; p == nil || p.Run != run || p.Seq != before.Seq || !strings.HasPrefix(p.Hash, "sha256:") || v.StartedBy != "olu" {
		t.Errorf("the fork is of %+v, by %s", v.Parent, v.StartedBy)
	}
	again := v.Reviews[len(v.Reviews)-1]
	if again.ID == asked.ID || again.Nonce == asked.Nonce || again.ContentHash != asked.ContentHash {
		t.Errorf("the run asks %+v, its fork %+v", asked, again)
	}
	if _, err := e.Decide(ctx, answer(again, true)); err != nil {
		t.Fatal(err)
	}
	v, _ = finish(t, e, fork)
	wantState(t, v, chargehand.RunCompleted, chargehand.StopComplete)
	if after, err := e.Run(ctx, run); err != nil || after.Seq != before.Seq {
		t.Errorf("the forked run went on from record %d to %d (%v)", before.Seq, after.Seq, err)
	}
	if _, err := e.Fork(ctx, fork, chargehand.Fork{}); chargehand.CodeOf(err) != chargehand.CodeEnded {
		t.Errorf("a run that has ended was forked at its end: %v", err)
	}
	if _, err := e.Fork(ctx, fork, chargehand.Fork{Seq: v.Seq + 1}); chargehand.CodeOf(err) != chargehand.CodeInvalid {
		t.Errorf("a record that is not there was forked from: %v", err)
	}
	if _, err := e.Fork(ctx, "run_nobody", chargehand.Fork{}); chargehand.CodeOf(err) != chargehand.CodeNotFound {
		t.Errorf("a run that is not there was forked: %v", err)
	}
}
