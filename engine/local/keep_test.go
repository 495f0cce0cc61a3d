package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

var keep = flag.String("keep", "", "keep a journal of this program under testdata/journals, by this name")

// TestKeepJournal writes what TestJournalsOfEarlierFormatsFold reads from then on: runs in every
// state that a journal must carry over. It is run once for each format that is released.
func TestKeepJournal(t *testing.T) {
	if *keep == "" {
		t.Skip("only where -keep names the journal")
	}
	dir := filepath.Join("testdata", "journals", *keep)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	e, err := local.Open(t.Context(), local.Options{Dir: dir, Workers: cast})
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]string{}
	for title, play := range plays {
		kept[title] = play(t, e)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	views := map[string]*chargehand.View{}
	for title, run := range kept {
		views[title] = lookAt(t, dir, run)
	}
	b, err := json.MarshalIndent(views, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "views.json"), b, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"engine.log", "journal.lock", "blobs"} {
		if err := os.Remove(filepath.Join(dir, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
}

func lookAt(t *testing.T, dir, run string) *chargehand.View {
	t.Helper()
	r, err := local.LookAt(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	v, err := r.Run(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// cast are the workers of the journals. Those of a later program answer at once.
var cast = worker.Set{
	"writer":  texts,
	"doubter": doubtful,
	"sleeper": worker.Func(func(ctx context.Context, _ chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		<-ctx.Done()
		return chargehand.WorkerResult{}, ctx.Err()
	}),
	"rival": worker.Func(func(context.Context, chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		return chargehand.WorkerResult{Output: []byte(`{"text":"otherwise"}`)}, nil
	}),
	"clumsy": worker.Func(func(_ context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		if task.Attempt == 1 {
			return chargehand.WorkerResult{Usage: chargehand.Usage{InputTokens: 7, USD: 100}}, errors.New("it slipped")
		}
		return chargehand.WorkerResult{Output: []byte(`{"text":"done"}`), Usage: chargehand.Usage{InputTokens: 7, OutputTokens: 3, USD: 200}}, nil
	}),
	"judge": worker.Func(func(context.Context, chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		return chargehand.WorkerResult{Output: []byte(`{"recommendation":"ACCEPT","confidence":9,"reasoning":"it is so"}`)}, nil
	}),
}

// by is an order for a chain of n subtasks that a worker of the cast does.
func by(id string, n int, change func(*chargehand.Team)) chargehand.Order {
	return chain(n, func(team *chargehand.Team) {
		w := &team.Workers[0]
		team.Name, w.WorkerID, w.MaxConcurrentTasks = id, id, 8
		team.Policy.ReviewTimeout = chargehand.Duration(5 * time.Second)
		if change != nil {
			change(team)
		}
	})
}

func also(team *chargehand.Team, id, capability string) {
	team.Workers = append(team.Workers, chargehand.WorkerSpec{WorkerID: id, Capabilities: []string{capability}, AverageLatencyMS: 5000})
}

// plays begin a run each, and follow it to the state that is kept.
var plays = map[string]func(*testing.T, *local.Engine) string{
	"ended":    func(t *testing.T, e *local.Engine) string { return reach(t, e, by("writer", 2, nil), ended) },
	"underway": func(t *testing.T, e *local.Engine) string { return reach(t, e, by("sleeper", 1, nil), begun) },
	"waiting":  func(t *testing.T, e *local.Engine) string { return reach(t, e, by("doubter", 1, nil), needsHuman) },
	"judged": func(t *testing.T, e *local.Engine) string {
		return reach(t, e, by("writer", 2, func(team *chargehand.Team) {
			also(team, "judge", "judge")
			team.Policy.Reviewer = "judge"
		}), ended)
	},
	"retried": func(t *testing.T, e *local.Engine) string {
		return reach(t, e, by("clumsy", 2, func(team *chargehand.Team) { team.Budget.USD = chargehand.USD }), ended)
	},
	"debated": func(t *testing.T, e *local.Engine) string {
		return reach(t, e, by("writer", 1, func(team *chargehand.Team) {
			also(team, "rival", "c")
			team.Policy.Debate.Always = true
			team.Routes = []chargehand.Route{{Capability: "c", Strategy: chargehand.RouteStatic, Workers: []string{"doubter", "rival"}}}
			also(team, "doubter", "c")
		}), needsHuman)
	},
	"paused": func(t *testing.T, e *local.Engine) string {
		run := reach(t, e, by("sleeper", 2, nil), begun)
		if err := e.Control(t.Context(), run, chargehand.Control{Verb: chargehand.Pause, By: "olu", Reason: "lunch"}); err != nil {
			t.Fatal(err)
		}
		return run
	},
	"forked": func(t *testing.T, e *local.Engine) string {
		run := reach(t, e, by("writer", 3, nil), ended)
		fork, err := e.Fork(t.Context(), run, chargehand.Fork{Seq: 8, By: "olu"})
		if err != nil {
			t.Fatal(err)
		}
		until(t, e, fork, ended)
		return fork
	},
	"cancelled": func(t *testing.T, e *local.Engine) string {
		run := reach(t, e, by("sleeper", 2, nil), begun)
		if err := e.Control(t.Context(), run, chargehand.Control{Verb: chargehand.Cancel, By: "olu", Reason: "enough"}); err != nil {
			t.Fatal(err)
		}
		until(t, e, run, ended)
		return run
	},
}

func reach(t *testing.T, e *local.Engine, o chargehand.Order, ok func(*chargehand.View) bool) string {
	t.Helper()
	run := start(t, e, o)
	until(t, e, run, ok)
	return run
}

func begun(v *chargehand.View) bool {
	return len(v.Rows) > 0 && v.Rows[0].State == chargehand.SubtaskRunning
}
