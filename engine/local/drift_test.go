package local_test

import (
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// versioned is a worker that says which version it is.
type versioned struct {
	worker.Func
	version string
}

func (v versioned) Version() string { return v.version }

//guard:drift
func TestDriftIsRefusedUnlessForced(t *testing.T) {
	dir := t.TempDir()
	opened := func(version string, force bool) (*local.Engine, error) {
		return local.Open(t.Context(), local.Options{Dir: dir, Force: force, Workers: worker.Set{"w": versioned{doubtful, version}}})
	}
	e, err := opened("1", false)
	if err != nil {
		t.Fatal(err)
	}
	run := start(t, e, order(1, nil))
	r := until(t, e, run, needsHuman).Reviews[0]
	yes := chargehand.Decision{ReviewID: r.ID, Approved: true, Approver: "ana", ContentHash: r.ContentHash, Nonce: r.Nonce}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}

	if e, err = opened("2", false); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := e.Decide(t.Context(), yes); chargehand.CodeOf(err) != chargehand.CodeDrift {
			t.Errorf("a run went on with another version of its worker: %v", err)
		}
	}
	if _, err := e.Start(t.Context(), order(1, nil)); chargehand.CodeOf(err) != chargehand.CodeInvalid {
		t.Errorf("a run began with a worker that is not of the version its team names: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}

	if e, err = opened("2", true); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	if _, err := e.Decide(t.Context(), yes); err != nil {
		t.Fatal(err)
	}
	var forced []string
	for rec, err := range e.Records(t.Context(), run, 0, true) {
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := rec.Fact.(chargehand.Recovered); ok {
			forced = append(forced, f.Forced...)
		}
	}
	if len(forced) != 1 {
		t.Errorf("the run records %q, want what was forced", forced)
	}
}
