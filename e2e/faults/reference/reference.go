// Package reference is the run that the suite of faults kills, starves and damages. It holds
// whatever a crash can fall into: a planner, subtasks that wait for each other, an output that is
// sent back, a reviewer, a question to a person, content in a file of its own, a write with an
// idempotency key and one without, and a synthesis.
package reference

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/e2e/faults/crashpoint"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// The two subtasks that change the world.
const (
	Keyed = "book"  // by a worker that does the work of a key once
	Plain = "print" // by one that does it each time it is asked
)

// HoldEnv names the environment variable that holds the call of one subtask until Release.
const HoldEnv = "CHARGEHAND_HOLD"

const large = 300 << 10 // bytes of an output that becomes a file

// Anchor is the folder for checkpoints outside the data folder: it belongs to the world.
func (w World) Anchor() string { return filepath.Join(w.Dir, "anchor") }

// Options are those of an engine over a data folder, with workers that act on a world.
func Options(dir string, w World) local.Options {
	return local.Options{
		Dir:      dir,
		Anchor:   w.Anchor(),
		Planners: map[string]worker.Planner{"planner": w.plan},
		Workers: worker.Set{
			"reader": w.worker(read), "author": w.worker(write), "judge": w.worker(judge),
			"bookkeeper": w.worker(func(t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
				return done(t.TaskID, 0), w.book(t.IdempotencyKey)
			}),
			"printer": w.worker(func(t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
				return done(t.TaskID, 0), w.print()
			}),
		},
	}
}

// Order is the run. Started twice, it is the same run.
func Order() chargehand.Order {
	spec := func(id, capability string, slots int) chargehand.WorkerSpec {
		return chargehand.WorkerSpec{
			WorkerID: id, Capabilities: []string{capability}, MaxConcurrentTasks: slots,
			AverageLatencyMS: 300_000, CostPerCallEstimateUSD: chargehand.USD / 100,
		}
	}
	books := spec("bookkeeper", "book", 1)
	books.Idempotent = true
	t := chargehand.Team{
		Name: "reference", Planner: chargehand.Planner{Func: "planner", EstimateUSD: chargehand.USD / 1000}, Synthesis: &chargehand.Synthesis{Capability: "write"},
		Workers: []chargehand.WorkerSpec{
			spec("reader", "read", 3), spec("author", "write", 1), books, spec("printer", "print", 1), spec("judge", "judge", 4),
		},
		Contracts: []chargehand.Contract{{
			Name: "finding", Criteria: []string{"says what was done"},
			Schema: json.RawMessage(`{"type":"object","required":["done"],"properties":{"done":{"type":"string"}}}`),
		}},
		Policy: chargehand.Policy{Reviewer: "judge", RunConcurrency: 4, WhenOnlyWaits: chargehand.WaitForPeople},
		Budget: chargehand.Budget{USD: 100 * chargehand.USD},
	}
	return chargehand.Order{
		Team: t, Key: "the-run", StartedBy: "sam",
		Objective: chargehand.Objective{
			Goal:      "Read everything, book it and print it.",
			Documents: []chargehand.Document{{Name: "notes.txt", Text: "The fee is EUR 500 per month."}},
		},
	}
}

// plan is the team's planner.
func (w World) plan(context.Context, worker.PlanRequest) (chargehand.Plan, chargehand.Usage, error) {
	if err := w.begin("planner", 1); err != nil {
		return chargehand.Plan{}, chargehand.Usage{}, err
	}
	read := func(id string, deps ...string) chargehand.Subtask {
		return chargehand.Subtask{ID: id, Goal: "Read " + id + ".", Capability: "read", OutputContract: "finding", Required: true, Deps: deps}
	}
	act := func(id string, deps ...string) chargehand.Subtask {
		return chargehand.Subtask{ID: id, Goal: "Do it.", Capability: id, OutputContract: "finding", Effect: chargehand.EffectWrite, Deps: deps}
	}
	return chargehand.Plan{Rationale: "as always", ComplexityScore: 0.6, Subtasks: []chargehand.Subtask{
		read("sent-back"), read("plain"), read("doubtful"), read("large", "plain"), read("after", "sent-back", "doubtful"),
		act(Keyed, "plain"), act(Plain, "plain"), read("last", "after", "large", Keyed),
	}}, chargehand.Usage{USD: chargehand.USD / 1000}, nil
}

// worker is do, with its beginning in the diary and a point to crash at on either side.
func (w World) worker(do func(chargehand.WorkerTask) (chargehand.WorkerResult, error)) worker.Func {
	return func(ctx context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		who := t.TaskID
		if strings.HasPrefix(t.IdempotencyKey, "review-") {
			who = "judge of " + who
		}
		if err := w.begin(who, t.Attempt); err != nil {
			return chargehand.WorkerResult{}, err
		}
		if os.Getenv(HoldEnv) == who {
			w.hold(ctx)
		}
		crashpoint.Point("worker: before its work")
		r, err := do(t)
		crashpoint.Point("worker: after its work")
		return r, err
	}
}

// begin notes that a call begins.
func (w World) begin(who string, attempt int) error { return w.Note("begin %s %d", who, attempt) }

func done(what string, padding int) chargehand.WorkerResult {
	out := fmt.Sprintf(`{"done":%q,"padding":%q}`, what, strings.Repeat("x", padding))
	return chargehand.WorkerResult{Output: []byte(out), Usage: chargehand.Usage{USD: chargehand.USD / 200}}
}

// read is the worker that makes trouble of every kind a run should bear.
func read(t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	switch t.TaskID {
	case "sent-back":
		if t.Feedback == "" {
			return chargehand.WorkerResult{Output: []byte(`{"dnoe":"a slip"}`)}, nil
		}
	case "large":
		return done(t.TaskID, large), nil
	case "doubtful":
		r, low := done(t.TaskID, 0), 0.4
		r.Confidence = &low
		return r, nil
	}
	var from []string
	for _, in := range t.InputRefs {
		from = append(from, in.Name+" "+in.Hash)
	}
	return done(t.TaskID+" from "+strings.Join(from, ", "), 0), nil
}

// judge finds everything in order.
func judge(chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	return chargehand.WorkerResult{Output: []byte(`{"recommendation":"ACCEPT","confidence":9}`)}, nil
}

// write is the synthesis: which subtasks were put together, and the hash of all they say.
func write(t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	var aggregate struct {
		Outputs []struct {
			Subtask string          `json:"subtask"`
			Output  json.RawMessage `json:"output"`
		} `json:"outputs"`
	}
	for _, in := range t.InputRefs {
		if in.From == "aggregate" {
			if err := json.Unmarshal([]byte(in.Text), &aggregate); err != nil {
				return chargehand.WorkerResult{}, err
			}
		}
	}
	said := ""
	for _, o := range aggregate.Outputs {
		said += o.Subtask + " says " + chargehand.Hash(o.Output) + "; "
	}
	return done(said, 0), nil
}
