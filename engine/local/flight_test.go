package local_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// A held engine supervises a run of two subtasks, whose worker answers for each when it is let. Its
// writes wait, one answer is in what is being written, and the machines have taken the other.
type held struct {
	*testing.T
	*local.Engine
	run     string
	calls   atomic.Int64
	release func(fail int64) error
}

func hold(t *testing.T) *held {
	h := &held{T: t}
	t.Helper()
	let := map[string]chan struct{}{"s0": make(chan struct{}), "s1": make(chan struct{})}
	w := worker.Func(func(ctx context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		h.calls.Add(1)
		select {
		case <-let[task.TaskID]:
		case <-ctx.Done():
		}
		return echo(ctx, task)
	})
	h.Engine = open(t, local.Options{Dir: t.TempDir(), Workers: worker.Set{"w": w}})
	h.run = start(t, h.Engine, order(2, func(team *chargehand.Team) { team.Workers[0].MaxConcurrentTasks = 2 }))
	until(t, h.Engine, h.run, func(v *chargehand.View) bool {
		return len(v.Rows) == 2 && v.Rows[0].State == chargehand.SubtaskRunning && v.Rows[1].State == chargehand.SubtaskRunning
	})
	var err error
	if h.release, err = h.HoldWrites(t.Context()); err != nil {
		t.Fatal(err)
	}
	for left, id := range []string{"s1", "s0"} {
		close(let[id])
		for h.Owed() != 1-left || !h.Taken() {
			runtime.Gosched()
		}
	}
	return h
}

// complete waits for the run's end: its worker was called once for each subtask.
func (h *held) complete() {
	h.Helper()
	v := until(h.T, h.Engine, h.run, ended)
	if n := h.calls.Load(); v.State != chargehand.RunCompleted || n != 2 {
		h.Errorf("the run came out as %s after %d calls: %s", v.State, n, v.Why)
	}
}

// TestNobodyLooksAhead looks at the fleet while the machines have stepped on to where both slots are
// free: that is not durable, and in the end it comes to nothing.
func TestNobodyLooksAhead(t *testing.T) {
	h := hold(t)
	seen := make(chan []chargehand.WorkerStatus, 1)
	h.Look(func(fleet []chargehand.WorkerStatus) { seen <- fleet })
	if err := h.release(1); err != nil {
		t.Fatal(err)
	}
	if fleet := <-seen; len(fleet) != 1 || fleet[0].Active != 2 {
		t.Errorf("the fleet is shown as %+v", fleet)
	}
	h.complete()
}

// TestTurnsAreLostTogether fails a write after the machines have stepped on: what both turns took is
// taken again, and who asked for something meanwhile is told.
func TestTurnsAreLostTogether(t *testing.T) {
	h := hold(t)
	told := h.Pause(h.run)
	for !h.Taken() {
		runtime.Gosched()
	}
	if err := h.release(1); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-told:
		if chargehand.CodeOf(err) != chargehand.CodeUnavailable {
			t.Errorf("what was lost was acknowledged with %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("who asked is not answered")
	}
	h.complete()
	if err := h.Replay(t.Context(), h.run); err != nil {
		t.Error(err)
	}
}
