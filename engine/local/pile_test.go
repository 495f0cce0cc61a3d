package local_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// TestManyRunsAreTakenUpInTurns leaves more runs under way than one turn takes up: each of them is
// pursued and ends, under the lease it had, and one of the last is asked for before its turn.
func TestManyRunsAreTakenUpInTurns(t *testing.T) {
	const n = 150
	dir := t.TempDir()
	team := chargehand.Team{
		Name:    "many",
		Workers: []chargehand.WorkerSpec{{WorkerID: "w", Capabilities: []string{"do"}, MaxConcurrentTasks: n, AverageLatencyMS: 60_000}},
		Planner: chargehand.Planner{Template: &chargehand.Plan{Subtasks: []chargehand.Subtask{{ID: "s1", Goal: "do", Capability: "do"}}}},
	}
	started := make(chan struct{}, 2*n)
	hang := worker.Func(func(ctx context.Context, _ chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		started <- struct{}{}
		<-ctx.Done()
		return chargehand.WorkerResult{}, ctx.Err()
	})
	ctx := context.Background()
	e, err := local.Open(ctx, local.Options{Dir: dir, Workers: worker.Set{"w": hang}})
	if err != nil {
		t.Fatal(err)
	}
	var runs []string
	for i := range n {
		id, err := e.Start(ctx, chargehand.Order{Team: team, Objective: chargehand.Objective{Goal: fmt.Sprint(i)}})
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, id)
	}
	for range n {
		<-started
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}

	answer := worker.Func(func(context.Context, chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		return chargehand.WorkerResult{Output: []byte(`"done"`)}, nil
	})
	e, err = local.Open(ctx, local.Options{Dir: dir, Workers: worker.Set{"w": answer}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	last := slices.Max(runs)
	if err := e.Control(ctx, last, chargehand.Control{Verb: chargehand.Pause, By: "olu"}); err == nil {
		err = e.Control(ctx, last, chargehand.Control{Verb: chargehand.Resume, By: "olu"})
		if err != nil && chargehand.CodeOf(err) != chargehand.CodeEnded {
			t.Fatal(err)
		}
	}
	for _, id := range runs {
		res, err := chargehand.Wait(ctx, e, id)
		if err != nil || res.Status != chargehand.RunCompleted {
			t.Fatalf("%s: %+v, %v", id, res, err)
		}
	}
	workers, err := e.Fleet(ctx)
	if err != nil || len(workers) != 1 || workers[0].Active != 0 {
		t.Errorf("the fleet is %+v (%v), want no lease left", workers, err)
	}
}
