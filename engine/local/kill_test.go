//go:build unix

package local_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// The test binary runs itself as a process to be killed: an engine over the folder in
// CHARGEHAND_TEST_KILL that kills itself when a certain record of its run is durable.
func TestMain(m *testing.M) {
	if dir := os.Getenv("CHARGEHAND_TEST_KILL"); dir != "" {
		if err := victim(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

const subtasks = 12

// victim drives one run to its end, unless it is killed before.
func victim(dir string) error {
	ctx := context.Background()
	e, err := local.Open(ctx, local.Options{Dir: dir, Workers: worker.Set{"counter": countCall(dir)}})
	if err != nil {
		return err
	}
	o := killOrder()
	if os.Getenv("CHARGEHAND_TEST_KILL_WRITE") != "" {
		o = writeOrder()
	}
	run, err := e.Start(ctx, o)
	if err != nil {
		return err
	}
	if at, err := strconv.ParseInt(os.Getenv("CHARGEHAND_TEST_KILL_FORK"), 10, 64); err == nil {
		if run, err = forkOnce(ctx, e, run, at); err != nil {
			return err
		}
	}
	for r, err := range e.Records(ctx, run, 0, true) {
		if err != nil {
			return err
		}
		if fmt.Sprint(r.Seq) == os.Getenv("CHARGEHAND_TEST_KILL_AT") {
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	}
	return e.Close()
}

// forkOnce waits for a run's end and is its fork at a record, the one there is or a new one.
func forkOnce(ctx context.Context, e *local.Engine, run string, at int64) (string, error) {
	if _, err := chargehand.Wait(ctx, e, run); err != nil {
		return "", err
	}
	runs, err := e.Runs(ctx, chargehand.Filter{})
	if err != nil || len(runs) == 2 {
		return runs[0].RunID, err
	}
	return e.Fork(ctx, run, chargehand.Fork{Seq: at})
}

// countCall is a worker that leaves a line in a file for every call.
func countCall(dir string) worker.Func {
	return func(_ context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		f, err := os.OpenFile(filepath.Join(dir, "calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return chargehand.WorkerResult{}, err
		}
		if _, err := fmt.Fprintln(f, t.IdempotencyKey); err != nil {
			return chargehand.WorkerResult{}, err
		}
		time.Sleep(2 * time.Millisecond) // a call takes time, so that a kill can fall into it
		return chargehand.WorkerResult{Output: []byte(`{"done":"` + t.TaskID + `"}`)}, f.Close()
	}
}

func killOrder() chargehand.Order {
	t := chargehand.Team{Name: "counters", Workers: []chargehand.WorkerSpec{{
		WorkerID: "counter", Capabilities: []string{"count"},
		AverageLatencyMS: 5000, MaxConcurrentTasks: 4,
	}}}
	p := &chargehand.Plan{}
	for i := range subtasks {
		s := chargehand.Subtask{ID: fmt.Sprintf("s%d", i+1), Goal: "count", Capability: "count"}
		if i >= 4 {
			s.Deps = []string{fmt.Sprintf("s%d", i-3)}
		}
		p.Subtasks = append(p.Subtasks, s)
	}
	t.Planner.Template = p
	return chargehand.Order{Team: t, Objective: chargehand.Objective{Goal: "count"}, Key: "the-run", StartedBy: "sam"}
}

// writeOrder is a run of one write, which must not be made twice by itself.
func writeOrder() chargehand.Order {
	o := killOrder()
	o.Team.Contracts = []chargehand.Contract{{Name: "done", Schema: []byte(`{"type":"object","required":["done"]}`)}}
	o.Team.Planner.Template = &chargehand.Plan{Subtasks: []chargehand.Subtask{{
		ID: "s1", Goal: "count", Capability: "count", Effect: chargehand.EffectWrite, OutputContract: "done",
	}}}
	return o
}

// TestKilledWriteIsSettled kills the process inside a write, and has a person say what became of it.
func TestKilledWriteIsSettled(t *testing.T) {
	for _, tt := range []struct {
		settled chargehand.Settlement
		output  string
		calls   int // after the restart
		refused chargehand.Code
		state   chargehand.RunState
	}{
		{chargehand.SettledHappened, `{"done":"s1"}`, 0, "", chargehand.RunCompleted},
		{chargehand.SettledHappened, `{"made":"s1"}`, 0, chargehand.CodeInvalid, ""},
		{chargehand.SettledHappened, ``, 0, chargehand.CodeInvalid, ""},
		{chargehand.SettledNot, ``, 1, "", chargehand.RunCompleted},
		{"", ``, 0, "", chargehand.RunFailed},
	} {
		t.Run(string(tt.settled)+tt.output, func(t *testing.T) {
			t.Parallel()
			dir, again := t.TempDir(), t.TempDir()
			if !kill(t, dir, 6, "CHARGEHAND_TEST_KILL_WRITE=yes") {
				t.Fatal("the process was not killed")
			}
			e := open(t, local.Options{Dir: dir, Workers: worker.Set{"counter": countCall(again)}})
			runs, err := e.Runs(t.Context(), chargehand.Filter{})
			if err != nil || len(runs) != 1 {
				t.Fatalf("runs: %v, %v", runs, err)
			}
			v := until(t, e, runs[0].RunID, func(v *chargehand.View) bool { return v.NeedsHuman == 1 })
			r := v.Reviews[0]
			if v.Rows[0].State != chargehand.SubtaskUnknown || r.Cause != chargehand.CauseUnknown {
				t.Fatalf("the subtask is %s, the review asks about %s", v.Rows[0].State, r.Cause)
			}
			_, err = e.Decide(t.Context(), chargehand.Decision{
				ReviewID: r.ID, Approver: "ana", ContentHash: r.ContentHash, Nonce: r.Nonce, Settled: tt.settled, Output: []byte(tt.output),
			})
			if (err != nil) != (tt.refused != "") || err != nil && chargehand.CodeOf(err) != tt.refused {
				t.Fatalf("decided with %v, want %q", err, tt.refused)
			}
			if err != nil {
				return
			}
			res, err := chargehand.Wait(t.Context(), e, v.RunID)
			if err != nil || res.Status != tt.state {
				t.Errorf("it came to %+v (%v)", res, err)
			}
			calls, _ := os.ReadFile(filepath.Join(again, "calls"))
			if n := strings.Count(string(calls), "\n"); n != tt.calls {
				t.Errorf("it was done %d times after the restart, want %d", n, tt.calls)
			}
			if tt.output != "" && (string(res.Output) != tt.output || len(res.LowConfidence) != 1 || res.LowConfidence[0].Override.By != "ana") {
				t.Errorf("the result has %s and says %+v", res.Output, res.LowConfidence)
			}
			if err := e.Replay(t.Context(), v.RunID); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestKilledRunResumes kills the process with SIGKILL once for every record of the run, and again
// after each restart, and wants the result of a run that was left alone.
func TestKilledRunResumes(t *testing.T) {
	want := undisturbed(t)
	for after := 1; after <= want.records; after += 3 {
		t.Run(fmt.Sprintf("after record %d", after), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			kills := 0
			for kill(t, dir, after+5*kills) {
				kills++
			}
			if kills == 0 {
				t.Error("the process was never killed")
			}
			got := read(t, dir)
			if got.hash != want.hash {
				t.Errorf("killed %d times the run came to result %s, left alone to %s", kills, got.hash, want.hash)
			}
			if got.finishedTwice != "" {
				t.Errorf("a finished call was made again: %s", got.finishedTwice)
			}
		})
	}
}

// TestKilledForkResumes kills the process again and again while it has a fork under way, and wants
// the parent's result of it.
func TestKilledForkResumes(t *testing.T) {
	want := undisturbed(t)
	for _, at := range []int{1, want.records / 2} {
		t.Run(fmt.Sprintf("at record %d", at), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			kills := 0
			for kill(t, dir, at+1+7*kills, fmt.Sprintf("CHARGEHAND_TEST_KILL_FORK=%d", at)) {
				kills++
			}
			if kills < 2 {
				t.Errorf("the process was killed %d times", kills)
			}
			e := open(t, local.Options{Dir: dir, Workers: worker.Set{"counter": countCall(t.TempDir())}})
			runs, err := e.Runs(t.Context(), chargehand.Filter{})
			if err != nil || len(runs) != 2 {
				t.Fatalf("runs: %v, %v", runs, err)
			}
			for _, r := range runs {
				if r.ResultHash != want.hash {
					t.Errorf("%s came to %s as %s, left alone to %s", r.RunID, r.State, r.ResultHash, want.hash)
				}
				if err := e.Replay(t.Context(), r.RunID); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// kill runs the victim, which kills itself at record n; it reports whether it came to that.
func kill(t *testing.T, dir string, n int, env ...string) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(append(os.Environ(), env...), "CHARGEHAND_TEST_KILL="+dir, fmt.Sprintf("CHARGEHAND_TEST_KILL_AT=%d", n))
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState.ExitCode() != -1 {
		t.Fatalf("the engine ended with %v: %s", err, out)
	}
	return err != nil
}

type outcome struct {
	hash          string
	records       int
	finishedTwice string
}

func undisturbed(t *testing.T) outcome {
	t.Helper()
	dir := t.TempDir()
	if kill(t, dir, 1<<30) {
		t.Fatal("killed a process that was to be left alone")
	}
	return read(t, dir)
}

// read is what the journal in a folder says of its only run.
func read(t *testing.T, dir string) outcome {
	t.Helper()
	e := open(t, local.Options{Dir: dir, Workers: worker.Set{"counter": countCall(t.TempDir())}})
	runs, err := e.Runs(t.Context(), chargehand.Filter{})
	if err != nil || len(runs) != 1 {
		t.Fatalf("runs: %v, %v", runs, err)
	}
	o := outcome{}
	finished := map[string]int{}
	for r, err := range e.Records(t.Context(), runs[0].RunID, 0, true) {
		if err != nil {
			t.Fatal(err)
		}
		o.records++
		switch f := r.Fact.(type) {
		case chargehand.OutputChecked:
			if finished[f.Subtask]++; finished[f.Subtask] > 1 {
				o.finishedTwice += " " + f.Subtask
			}
		case chargehand.RunEnded:
			o.hash = f.ResultHash
		}
	}
	calls, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(strings.Fields(string(calls))); n < subtasks {
		t.Errorf("%d calls were made for %d subtasks", n, subtasks)
	}
	return o
}
