package local_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// TestNothingBeginsBeforeItIsDurable resumes a paused run when nothing can be written: its work is
// not begun, whoever follows the run hears nothing of it, and it can be resumed afterwards as if
// nobody had tried.
//
//guard:effects-after-commit
func TestNothingBeginsBeforeItIsDurable(t *testing.T) {
	planned := make(chan struct{})
	plan := worker.Planner(func(ctx context.Context, _ worker.PlanRequest) (chargehand.Plan, chargehand.Usage, error) {
		select {
		case <-planned:
		case <-ctx.Done():
		}
		return chargehand.Plan{Subtasks: []chargehand.Subtask{{ID: "s0", Goal: "do", Capability: "c"}}}, chargehand.Usage{}, nil
	})
	var begun atomic.Int64
	count := worker.Func(func(ctx context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		begun.Add(1)
		return echo(ctx, task)
	})
	e := open(t, local.Options{Dir: t.TempDir(), Workers: worker.Set{"w": count}, Planners: map[string]worker.Planner{"p": plan}})
	run := start(t, e, order(0, func(team *chargehand.Team) { team.Planner = chargehand.Planner{Func: "p"} }))
	control := func(v chargehand.Verb) error {
		return e.Control(t.Context(), run, chargehand.Control{Verb: v, By: "olu"})
	}
	if err := control(chargehand.Pause); err != nil {
		t.Fatal(err)
	}
	close(planned)
	until(t, e, run, func(v *chargehand.View) bool { return len(v.Rows) > 0 })
	heard := make(chan []string)
	go func() { heard <- told(t, e, run, true) }()

	if err := e.BreakWrites(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if err := control(chargehand.Resume); chargehand.CodeOf(err) != chargehand.CodeUnavailable {
		t.Errorf("what could not be written was acknowledged with %v", err)
	}
	if err := e.BreakWrites(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if err := control(chargehand.Resume); err != nil {
		t.Fatalf("the run is not as it was before: %v", err)
	}
	if v := until(t, e, run, ended); v.State != chargehand.RunCompleted {
		t.Errorf("the run came out as %s: %s", v.State, v.Why)
	}
	if n := begun.Load(); n != 1 {
		t.Errorf("its work was begun %d times", n)
	}
	if got, want := <-heard, told(t, e, run, false); !slices.Equal(got, want) {
		t.Errorf("a follower heard\n%s\nand the journal holds\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// told are a run's records as lines.
func told(t *testing.T, e *local.Engine, run string, follow bool) (out []string) {
	for r, err := range e.Records(t.Context(), run, 0, follow) {
		if err != nil {
			t.Error(err)
			break
		}
		line, err := json.Marshal(r)
		if err != nil {
			t.Error(err)
		}
		out = append(out, string(line))
	}
	return out
}

// TestInputThatDoesNotFit gives a worker an input that it does not accept: it is not called.
func TestInputThatDoesNotFit(t *testing.T) {
	var begun atomic.Int64
	count := worker.Func(func(ctx context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		begun.Add(1)
		return echo(ctx, task)
	})
	e := open(t, local.Options{Dir: t.TempDir(), Workers: worker.Set{"w": count}})
	o := order(1, func(team *chargehand.Team) {
		team.Workers[0].AcceptedInputSchema = json.RawMessage(`{"type":"object","required":["clause"]}`)
		team.Workers[0].FailurePolicy.MaxAttempts = 1
	})
	o.Objective.Input = json.RawMessage(`{"claws":7}`)
	v := until(t, e, start(t, e, o), needsHuman)
	if why := v.Rows[0].Attempts[0].Message; begun.Load() != 0 || !strings.Contains(why, "does not accept the input") {
		t.Errorf("it was called %d times: %s", begun.Load(), why)
	}
}

// TestDamagedContentIsNotRead changes one byte of a document where it is stored.
//
//guard:content-verified
func TestDamagedContentIsNotRead(t *testing.T) {
	dir := t.TempDir()
	e, err := local.Open(t.Context(), local.Options{Dir: dir, Workers: worker.Set{"w": echo}})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("The fee is due. ", 20_000) // too much for the database
	o := order(1, nil)
	o.Objective.Documents = []chargehand.Document{{Name: "contract", Text: text}}
	until(t, e, start(t, e, o), ended)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	hash := chargehand.Hash([]byte(text))
	hex := strings.TrimPrefix(hash, "sha256:")
	file := filepath.Join(dir, "blobs", hex[:2], hex)
	if err := os.WriteFile(file, []byte("the"+text[3:]), 0o600); err != nil {
		t.Fatal(err)
	}
	e = open(t, local.Options{Dir: dir, Workers: worker.Set{"w": echo}})
	if body, err := e.Blob(t.Context(), hash); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("%d bytes were read, and the error is %v", len(body), err)
	}
}

// TestRecordsWithoutLeaves takes the last records out of a journal, and leaves their hashes: that is
// damage, and no rollback that a person could accept.
func TestRecordsWithoutLeaves(t *testing.T) {
	dir := t.TempDir()
	used(t, local.Options{Dir: dir})
	if err := local.ForgeFile(t.Context(), dir, `delete from segment where id = (select max(id) from segment)`); err != nil {
		t.Fatal(err)
	}
	_, err := local.Open(t.Context(), local.Options{Dir: dir, AcceptRollback: true})
	if chargehand.CodeOf(err) != chargehand.CodeAudit || !strings.Contains(err.Error(), "records of the journal are missing") {
		t.Errorf("it was opened with %v", err)
	}
}
