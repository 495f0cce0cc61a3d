package local_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// echo is a worker that answers at once.
var echo = worker.Func(func(_ context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	return chargehand.WorkerResult{Output: []byte(`{"task":"` + t.TaskID + `"}`)}, nil
})

// doubtful is a worker whose output a person has to look at.
var doubtful = worker.Func(func(context.Context, chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	low := 0.3
	return chargehand.WorkerResult{Output: []byte(`{"sure":false}`), Confidence: &low}, nil
})

// order is one for a team with a single worker called w.
func order(subtasks int, change func(*chargehand.Team)) chargehand.Order {
	t := chargehand.Team{Name: "t", Workers: []chargehand.WorkerSpec{{WorkerID: "w", Capabilities: []string{"c"}, Free: true, AverageLatencyMS: 5000}}}
	p := &chargehand.Plan{}
	for i := range subtasks {
		p.Subtasks = append(p.Subtasks, chargehand.Subtask{ID: fmt.Sprintf("s%d", i), Goal: "do", Capability: "c", Required: true})
	}
	t.Planner.Template = p
	if change != nil {
		change(&t)
	}
	return chargehand.Order{Team: t, Objective: chargehand.Objective{Goal: "do it"}, StartedBy: "sam"}
}

func start(t *testing.T, e *local.Engine, o chargehand.Order) string {
	t.Helper()
	run, err := e.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// until follows a run until ok is true of its view.
func until(t *testing.T, e *local.Engine, run string, ok func(*chargehand.View) bool) *chargehand.View {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var v chargehand.View
	for r, err := range e.Records(ctx, run, 0, true) {
		if err != nil {
			t.Fatal(err)
		}
		if v.Apply(r); ok(&v) {
			return &v
		}
	}
	t.Fatalf("run %s stands at %s", run, v.State)
	return nil
}

func ended(v *chargehand.View) bool      { return v.State.Final() }
func needsHuman(v *chargehand.View) bool { return v.NeedsHuman > 0 }

//guard:one-owner
func TestSecondOwnerIsTurnedAway(t *testing.T) {
	dir := t.TempDir()
	open(t, local.Options{Dir: dir})
	_, err := local.Open(t.Context(), local.Options{Dir: dir})
	if chargehand.CodeOf(err) != chargehand.CodeLocked {
		t.Fatalf("a second owner got %v", err)
	}
}

func TestUnusableFolders(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := local.Open(t.Context(), local.Options{Dir: file}); chargehand.CodeOf(err) != chargehand.CodeUnavailable {
		t.Errorf("a file as folder: %v", err)
	}
	rotten := t.TempDir()
	if err := os.WriteFile(filepath.Join(rotten, "journal.db"), []byte("this is no database, and longer than a header"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := local.Open(t.Context(), local.Options{Dir: rotten}); chargehand.CodeOf(err) != chargehand.CodeAudit {
		t.Errorf("a file that is no journal: %v", err)
	}
}

func TestParkedRunLeavesMemoryAndSurvivesRestart(t *testing.T) {
	dir := t.TempDir()
	opt := local.Options{Dir: dir, Workers: worker.Set{"w": doubtful}}
	e, err := local.Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	run := start(t, e, order(1, nil))
	r := until(t, e, run, needsHuman).Reviews[0]
	if n, err := e.InMemory(t.Context()); n != 0 || err != nil {
		t.Errorf("%d runs are in memory while one waits for a person (%v)", n, err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = open(t, opt)
	if _, err := e.Decide(t.Context(), chargehand.Decision{
		ReviewID: r.ID, Approved: true, Approver: "ana",
		ContentHash: r.ContentHash, Nonce: r.Nonce,
	}); err != nil {
		t.Fatal(err)
	}
	if v := until(t, e, run, ended); v.State != chargehand.RunCompleted {
		t.Errorf("the run came out as %s: %s", v.State, v.Why)
	}
}

// A line is what a log says first.
type line chan struct{}

func (l line) Write(b []byte) (int, error) {
	select {
	case l <- struct{}{}:
	default:
	}
	return len(b), nil
}

//guard:durable-answer
func TestFailedWriteLosesNothing(t *testing.T) {
	release := make(chan struct{})
	hold := worker.Func(func(ctx context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return echo(ctx, task)
	})
	failed := make(line, 1)
	e := open(t, local.Options{Dir: t.TempDir(), Workers: worker.Set{"w": hold}, Log: slog.New(slog.NewTextHandler(failed, nil))})
	run := start(t, e, order(2, nil))
	until(t, e, run, func(v *chargehand.View) bool { return len(v.Rows) > 0 && v.Rows[0].State == chargehand.SubtaskRunning })
	if err := e.BreakWrites(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	close(release)
	select {
	case <-failed: // to write what the worker reported
	case <-time.After(10 * time.Second):
		t.Fatal("nothing failed")
	}
	err := e.Control(t.Context(), run, chargehand.Control{Verb: chargehand.Pause, By: "olu"})
	if chargehand.CodeOf(err) != chargehand.CodeUnavailable {
		t.Errorf("what could not be written was acknowledged with %v", err)
	}
	if err := e.BreakWrites(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	v := until(t, e, run, ended)
	if v.State != chargehand.RunCompleted {
		t.Fatalf("the run came out as %s: %s", v.State, v.Why)
	}
	for _, row := range v.Rows {
		if len(row.Attempts) != 1 {
			t.Errorf("%s took %d attempts: what its worker reported during the failure was lost", row.ID, len(row.Attempts))
		}
	}
}

//guard:tenant-quota
func TestTenantsQuotaHolds(t *testing.T) {
	e := open(t, local.Options{
		Dir: t.TempDir(), Workers: worker.Set{"w": doubtful},
		Tenants: map[string]chargehand.Budget{"acme": {USD: chargehand.USD}},
	})
	o := order(1, nil)
	o.Tenant = "acme"
	if _, err := e.Start(t.Context(), o); chargehand.CodeOf(err) != chargehand.CodeNotAllowed {
		t.Errorf("a run without a budget got %v", err)
	}
	o.Budget.USD = chargehand.USD * 6 / 10
	start(t, e, o)
	if _, err := e.Start(t.Context(), o); chargehand.CodeOf(err) != chargehand.CodeNotAllowed {
		t.Errorf("a second run over the quota got %v", err)
	}
}

// TestManyWorkers has more of them than one record holds, all of them candidates.
func TestManyWorkers(t *testing.T) {
	set := worker.Set{"w": echo}
	o := order(2, func(team *chargehand.Team) {
		for i := range 1_000 {
			w := team.Workers[0]
			w.WorkerID = fmt.Sprintf("worker-with-a-name-that-says-what-it-does-%d", i)
			set[w.WorkerID] = echo
			team.Workers = append(team.Workers, w)
		}
	})
	e := open(t, local.Options{Dir: t.TempDir(), Workers: set})
	if v := until(t, e, start(t, e, o), ended); v.State != chargehand.RunCompleted {
		t.Errorf("the run came out as %s: %s", v.State, v.Why)
	}
}

func TestNothingIsLeftRunning(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	e, err := local.Open(t.Context(), local.Options{Workers: worker.Set{"w": echo}})
	if err != nil {
		t.Fatal(err)
	}
	until(t, e, start(t, e, order(5, nil)), ended)
	dir := e.Dir()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the temporary folder is still there: %v", err)
	}
}

// TestPoolHoldsItsLimits runs 50 runs of ten subtasks over ten workers of five slots, each call
// taking 20 ms of virtual time: no worker is ever given more than five, and what waits is served
// so that the slowest twentieth of the runs ends within the time the whole work takes.
func TestPoolHoldsItsLimits(t *testing.T) {
	const runs, workers, slots, each, call = 50, 10, 5, 10, 20 * time.Millisecond
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		set := worker.Set{}
		var over atomic.Bool
		o := order(each, func(team *chargehand.Team) {
			team.Workers, team.Policy.RunConcurrency, team.Policy.Queue = nil, each, chargehand.QueueOldest
			for i := range workers {
				id := fmt.Sprintf("w%d", i)
				var busy atomic.Int64
				set[id] = worker.Func(func(ctx context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
					if busy.Add(1) > slots {
						over.Store(true)
					}
					defer busy.Add(-1)
					time.Sleep(call)
					return echo(ctx, task)
				})
				team.Workers = append(team.Workers, chargehand.WorkerSpec{
					WorkerID: id, Capabilities: []string{"c"},
					MaxConcurrentTasks: slots, AverageLatencyMS: 60_000,
				})
			}
		})
		e, err := local.Open(t.Context(), local.Options{Dir: dir, Workers: set})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		took := make([]time.Duration, runs)
		done := make(chan struct{})
		for i := range runs {
			go func() {
				defer func() { done <- struct{}{} }()
				v := until(t, e, start(t, e, o), ended)
				took[i] = time.Since(began)
				if v.State != chargehand.RunCompleted {
					t.Errorf("a run came out as %s: %s", v.State, v.Why)
				}
			}()
		}
		for range runs {
			<-done
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		slices.Sort(took)
		bound := runs * each * call / (workers * slots)
		if p95 := took[runs*95/100]; over.Load() || p95 > bound+call {
			t.Errorf("more than %d at once on a worker: %v; p95 of a run %s, want at most %s", slots, over.Load(), p95, bound+call)
		}
	})
}

// TestLoserOfTheJournalStops has another process take the journal over in spite of the lock: the
// engine notices at its next write, acknowledges nothing, and stops.
func TestLoserOfTheJournalStops(t *testing.T) {
	e, err := local.Open(t.Context(), local.Options{Dir: t.TempDir(), Workers: worker.Set{"w": doubtful}})
	if err != nil {
		t.Fatal(err)
	}
	run := start(t, e, order(1, nil))
	until(t, e, run, needsHuman)
	followed := make(chan error, 1)
	go func() {
		var last error
		for _, err := range e.Records(t.Context(), run, 0, true) {
			last = err
		}
		followed <- last
	}()
	if err := e.Forge(t.Context(), `update meta set value = '99' where key = 'boot'`); err != nil {
		t.Fatal(err)
	}
	if err := e.Control(t.Context(), run, chargehand.Control{Verb: chargehand.Pause, By: "olu"}); err == nil {
		t.Error("a write to a journal that another process has was acknowledged")
	}
	select {
	case <-e.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("the engine goes on")
	}
	if err := <-followed; chargehand.CodeOf(err) != chargehand.CodeUnavailable {
		t.Errorf("a follower is told %v", err)
	}
	if err := e.Close(); err == nil {
		t.Error("the engine does not say why it stopped")
	}
}
