package local_test

import (
	"context"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// TestRevisionSeesTheLastOutput: a worker whose output breaks a rule is handed that output again, with its
// text (SPEC.md ·2).
func TestRevisionSeesTheLastOutput(t *testing.T) {
	var last []string
	w := worker.Func(func(_ context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		if task.LastOutput == nil {
			last = append(last, "")
			return chargehand.WorkerResult{Output: []byte(`{"n":1}`)}, nil
		}
		last = append(last, task.LastOutput.Text)
		return chargehand.WorkerResult{Output: []byte(`{"n":2}`)}, nil
	})
	team := chargehand.Team{
		Name: "t", Workers: []chargehand.WorkerSpec{{WorkerID: "w", Capabilities: []string{"do"}, AverageLatencyMS: 60_000}},
		Contracts: []chargehand.Contract{{Name: "c", Rules: []chargehand.Rule{{ID: "two", CEL: "output.n > 1", Message: "n is too small"}}}},
	}
	team.Planner.Template = &chargehand.Plan{Subtasks: []chargehand.Subtask{{ID: "s1", Goal: "do", Capability: "do", OutputContract: "c"}}}
	e := open(t, local.Options{Dir: t.TempDir(), Workers: worker.Set{"w": w}})
	run := start(t, e, chargehand.Order{Team: team, Objective: chargehand.Objective{Goal: "do"}})
	res, err := chargehand.Wait(t.Context(), e, run)
	if err != nil || res.Status != chargehand.RunCompleted || len(last) != 2 || last[0] != "" || last[1] != `{"n":1}` {
		t.Errorf("the worker was shown %q, the run is %+v (%v)", last, res, err)
	}
}
