package local_test

import (
	"context"
	"sync"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// TestPausedRunWaitsThroughARestart pauses a run whose only worker is at it, and ends the process.
// The next one has the worker do another run's work, and goes on with the first when it is told to.
func TestPausedRunWaitsThroughARestart(t *testing.T) {
	dir := t.TempDir()
	e, err := local.Open(t.Context(), local.Options{Dir: dir, Workers: worker.Set{"w": cast["sleeper"]}})
	if err != nil {
		t.Fatal(err)
	}
	paused := start(t, e, order(1, nil))
	until(t, e, paused, begun)
	if err := e.Control(t.Context(), paused, chargehand.Control{Verb: chargehand.Pause, By: "olu"}); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}

	var mu sync.Mutex
	var keys []string
	note := worker.Func(func(ctx context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		mu.Lock()
		defer mu.Unlock()
		keys = append(keys, task.IdempotencyKey)
		return echo(ctx, task)
	})
	e = open(t, local.Options{Dir: dir, Workers: worker.Set{"w": note}})
	other := start(t, e, order(1, nil))
	until(t, e, other, ended)
	if len(keys) != 1 || keys[0] != other+"/s0/1" {
		t.Fatalf("while the run is paused its worker has done %v", keys)
	}
	if err := e.Control(t.Context(), paused, chargehand.Control{Verb: chargehand.Resume, By: "olu"}); err != nil {
		t.Fatal(err)
	}
	if v := until(t, e, paused, ended); v.State != chargehand.RunCompleted || len(v.Rows[0].Attempts) != 1 || len(keys) != 2 || keys[1] != paused+"/s0/1" {
		t.Errorf("the run came out as %s after %v", v.State, keys)
	}
}
