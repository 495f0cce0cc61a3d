package local_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

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

// waiting is a worker that turns a call away once, asks for a minute, and answers then.
func waiting(tries *atomic.Int64) worker.Worker {
	return worker.Retry(worker.Func(func(ctx context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		if tries.Add(1) == 1 {
			return chargehand.WorkerResult{}, &worker.Error{Kind: worker.Transient, Message: "busy", RetryAfter: time.Minute, NotBegun: true}
		}
		return echo(ctx, task)
	}), worker.Limits{})
}

// TestPausedRunStandsStill pauses a run for an hour while one worker is at it, and another waits to try a
// call again. Nothing of it expires meanwhile, and afterwards all have the time that they had left.
func TestPausedRunStandsStill(t *testing.T) {
	dir := t.TempDir() // it is taken away outside the bubble
	synctest.Test(t, func(t *testing.T) {
		var tries atomic.Int64
		type look struct{ at, left time.Duration }
		looks := make(chan look, 3)
		began := time.Now()
		slow := worker.Func(func(ctx context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
			for range cap(looks) {
				end, ok := ctx.Deadline()
				if !ok || ctx.Err() != nil {
					t.Errorf("a deadline: %t, and it has ended: %v", ok, ctx.Err())
				}
				looks <- look{time.Since(began).Round(time.Second), time.Until(end).Round(time.Second)}
				time.Sleep(time.Minute)
			}
			return echo(ctx, task)
		})
		o := order(3, func(team *chargehand.Team) {
			team.Workers[0].MaxConcurrentTasks = 1
			for _, id := range []string{"retried", "hangs"} {
				w := team.Workers[0]
				w.WorkerID, w.Capabilities = id, []string{id}
				team.Workers = append(team.Workers, w)
			}
			plan := team.Planner.Template
			plan.Subtasks[0].TimeoutMS = 200_000
			plan.Subtasks[1].Capability, plan.Subtasks[1].TimeoutMS = "retried", 70_000
			plan.Subtasks[2].Capability, plan.Subtasks[2].TimeoutMS, plan.Subtasks[2].Required = "hangs", 90_000, false
			team.Deadline = chargehand.Duration(10 * time.Minute)
		})
		e, err := local.Open(t.Context(), local.Options{Dir: dir, Workers: worker.Set{"w": slow, "retried": waiting(&tries), "hangs": cast["sleeper"]}})
		if err != nil {
			t.Fatal(err)
		}
		run := start(t, e, o)
		control := func(v chargehand.Verb) *chargehand.View {
			if err := e.Control(t.Context(), run, chargehand.Control{Verb: v, By: "olu"}); err != nil {
				t.Fatal(err)
			}
			view, err := e.Run(t.Context(), run)
			if err != nil {
				t.Fatal(err)
			}
			return view
		}
		time.Sleep(30 * time.Second)
		v := control(chargehand.Pause)
		a := v.Rows[2].Attempts[0]
		if !v.DeadlineAt.IsZero() || v.Left.Std().Round(time.Second) != 570*time.Second || !a.DeadlineAt.IsZero() || a.Left.Std().Round(time.Second) != time.Minute ||
			a.Taken(time.Now()).Round(time.Second) != 30*time.Second || a.Allowed() != 90*time.Second {
			t.Errorf("a paused run shows the deadline %s, %s left; its attempt %s, %s left of %s", v.DeadlineAt, v.Left, a.DeadlineAt, a.Left, a.Allowed())
		}
		time.Sleep(time.Hour)
		if tries.Load() != 2 {
			t.Errorf("the call was tried %d times", tries.Load())
		}
		v = control(chargehand.Resume)
		if left := time.Until(v.DeadlineAt).Round(time.Second); left != 570*time.Second || v.Left != 0 {
			t.Errorf("the run has %s left until its deadline", left)
		}
		if a := v.Rows[2].Attempts[0]; a.EndedAt.IsZero() && time.Until(a.DeadlineAt).Round(time.Second) != time.Minute {
			t.Errorf("its attempt has until %s", a.DeadlineAt)
		}
		resumed := time.Now()
		time.Sleep(5 * time.Minute)
		v = until(t, e, run, ended)
		for i, row := range v.Rows[:2] {
			if row.State != chargehand.SubtaskAccepted || len(row.Attempts) != 1 {
				t.Errorf("subtask %d came out as %s after %d attempts: %s", i, row.State, len(row.Attempts), row.Why)
			}
		}
		hung := v.Rows[2].Attempts[0]
		if took := hung.EndedAt.Sub(resumed).Round(time.Second); took != time.Minute || hung.Cause != chargehand.CauseDeadline || !strings.Contains(hung.Message, "1m30s") {
			t.Errorf("the attempt that hung ended %s after the run went on: %s %s", took, hung.Cause, hung.Message)
		}
		for _, want := range []look{{0, 200 * time.Second}, {60 * time.Second, 170 * time.Second}, {120 * time.Second, 170 * time.Second}} {
			if got := <-looks; got != want {
				t.Errorf("at %s the worker has %s left, want %+v", got.at, got.left, want)
			}
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
