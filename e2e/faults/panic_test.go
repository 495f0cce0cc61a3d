package faults

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

const secret = "the patient's name"

// rude is a worker that panics past what catches it in worker.Func.
type rude struct{}

func (rude) Do(context.Context, chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	panic(secret)
}

func fine(_ context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	return chargehand.WorkerResult{Output: []byte(`{"done":"` + t.TaskID + `"}`)}, nil
}

// TestPanicsStayWithTheirStep has every kind of a user's code panic. The subtask it was for comes
// to a person in the end, all others are done, the process goes on, and the log tells operators
// where it was without a word of what was said.
func TestPanicsStayWithTheirStep(t *testing.T) {
	panics := worker.Func(func(context.Context, chargehand.WorkerTask) (chargehand.WorkerResult, error) { panic(secret) })
	for name, bad := range map[string]worker.Worker{"a function": panics, "a worker of one's own": rude{}} {
		t.Run(name, func(t *testing.T) {
			e, said := talking(t, worker.Set{"good": worker.Func(fine), "bad": bad}, nil)
			v := follow(t, e, twoWorkers(), func(v *chargehand.View) bool { return v.NeedsHuman == 1 && v.Accepted == 2 })
			for _, a := range v.Rows[1].Attempts {
				if a.Cause != chargehand.CauseCrash && a.Cause != chargehand.CauseWorkerError {
					t.Errorf("attempt %d ended for %s: %s", a.Attempt, a.Cause, a.Message)
				}
			}
			quiet(t, said)
			follow(t, e, good(), func(v *chargehand.View) bool { return v.State == chargehand.RunCompleted })
		})
	}
	t.Run("the planner", func(t *testing.T) {
		e, said := talking(t, worker.Set{"good": worker.Func(fine)}, func(context.Context, worker.PlanRequest) (chargehand.Plan, chargehand.Usage, error) { panic(secret) })
		o := good()
		o.Team.Planner = chargehand.Planner{Func: "planner"}
		follow(t, e, o, func(v *chargehand.View) bool { return v.NeedsHuman == 1 })
		quiet(t, said)
		follow(t, e, good(), func(v *chargehand.View) bool { return v.State == chargehand.RunCompleted })
	})
	t.Run("the reviewer", func(t *testing.T) {
		e, said := talking(t, worker.Set{"good": worker.Func(fine), "bad": rude{}}, nil)
		o := twoWorkers()
		o.Team.Planner.Template.Subtasks = o.Team.Planner.Template.Subtasks[:1]
		o.Team.Policy.Reviewer = "bad"
		follow(t, e, o, func(v *chargehand.View) bool { return v.NeedsHuman == 1 })
		quiet(t, said)
		follow(t, e, good(), func(v *chargehand.View) bool { return v.State == chargehand.RunCompleted })
	})
}

// talking is an engine and what it tells operators.
func talking(t *testing.T, workers worker.Set, p worker.Planner) (*local.Engine, *text) {
	t.Helper()
	said := &text{}
	e, err := local.Open(t.Context(), local.Options{
		Workers: workers, Planners: map[string]worker.Planner{"planner": p}, Log: slog.New(slog.NewJSONHandler(said, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e, said
}

// quiet wants a log that holds the stack of what broke off and not what it broke off with.
func quiet(t *testing.T, said *text) {
	t.Helper()
	if log := said.String(); strings.Contains(log, secret) || !strings.Contains(log, "panic_test.go") {
		t.Errorf("the log does not say where, or says with what: %s", log)
	}
}

// twoWorkers is an order of three subtasks, the second of which falls to the bad worker.
func twoWorkers() chargehand.Order {
	spec := func(id string) chargehand.WorkerSpec {
		return chargehand.WorkerSpec{WorkerID: id, Capabilities: []string{id}, AverageLatencyMS: 60_000}
	}
	o := good()
	o.Team.Workers = append(o.Team.Workers, spec("bad"))
	o.Team.Planner.Template.Subtasks = []chargehand.Subtask{
		{ID: "a", Goal: "do", Capability: "good"}, {ID: "b", Goal: "do", Capability: "bad"}, {ID: "c", Goal: "do", Capability: "good"},
	}
	return o
}

// good is an order of one subtask that nothing is wrong with.
func good() chargehand.Order {
	t := chargehand.Team{Name: "t", Workers: []chargehand.WorkerSpec{{WorkerID: "good", Capabilities: []string{"good"}, AverageLatencyMS: 60_000}}}
	t.Planner.Template = &chargehand.Plan{Subtasks: []chargehand.Subtask{{ID: "a", Goal: "do", Capability: "good"}}}
	return chargehand.Order{Team: t, Objective: chargehand.Objective{Goal: "do it"}, StartedBy: "sam"}
}

// follow starts a run and follows it until its view is as wanted.
func follow(t *testing.T, e chargehand.Engine, o chargehand.Order, ok func(*chargehand.View) bool) *chargehand.View {
	t.Helper()
	ctx := soon(t)
	run, err := e.Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	var v chargehand.View
	for r, err := range e.Records(ctx, run, 0, true) {
		if err != nil {
			t.Fatal(err)
		}
		if v.Apply(r); ok(&v) {
			return &v
		}
	}
	t.Fatalf("run %s stands at %s with %d accepted and %d reviews", run, v.State, v.Accepted, v.NeedsHuman)
	return nil
}
