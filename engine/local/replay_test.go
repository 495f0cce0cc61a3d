package local_test

import (
	"testing"

	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

func TestReplayTellsWhatTheRecordsSay(t *testing.T) {
	e := open(t, local.Options{Dir: t.TempDir(), Workers: worker.Set{"w": echo}})
	run := start(t, e, order(3, nil))
	until(t, e, run, ended)
	if err := e.Replay(t.Context(), run); err != nil {
		t.Fatalf("an untouched run: %v", err)
	}
	if err := e.Forge(t.Context(), `update run set summary = cast(replace(cast(summary as text), '"accepted":3', '"accepted":2') as blob)`); err != nil {
		t.Fatal(err)
	}
	if err := e.Replay(t.Context(), run); err == nil {
		t.Error("a list that says something else than the records was taken for the same")
	}
}

func TestLookTakesNothingUp(t *testing.T) {
	dir := t.TempDir()
	opt := local.Options{Dir: dir, Workers: worker.Set{"w": doubtful}}
	e, err := local.Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	run := start(t, e, order(1, nil))
	until(t, e, run, needsHuman)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := local.LookAt(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	before, err := l.Run(t.Context(), run)
	if err != nil || before.NeedsHuman != 1 {
		t.Fatalf("the run needs %d decisions (%v)", before.NeedsHuman, err)
	}
	if res, err := l.Result(t.Context(), run); err != nil || len(res.Gaps) != 1 {
		t.Errorf("the provisional result has gaps %v (%v)", res, err)
	}
	if _, err := l.Fleet(t.Context()); err != nil {
		t.Error(err)
	}
	opt.Hold = true
	held := open(t, opt)
	after, err := held.Run(t.Context(), run)
	if err != nil || after.Seq != before.Seq {
		t.Errorf("looking and holding added %d records (%v)", after.Seq-before.Seq, err)
	}
}
