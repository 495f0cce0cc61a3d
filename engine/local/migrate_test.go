package local_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/audit"
	"github.com/chargehand/chargehand/worker"
)

// journals are those that earlier programs wrote, one folder a format: journal.db, and views.json,
// what that program showed of each run, by title. They are kept for good.
func journals(t *testing.T) []string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join("testdata", "journals", "v*"))
	if err != nil || len(dirs) == 0 {
		t.Fatal("no journals of earlier programs", err)
	}
	return dirs
}

// TestJournalsOfEarlierFormatsFold opens a copy of each: every run is what it was, the records are
// under a tree, and what was under way comes to its end.
func TestJournalsOfEarlierFormatsFold(t *testing.T) {
	for _, from := range journals(t) {
		t.Run(filepath.Base(from), func(t *testing.T) {
			dir := copyOf(t, from)
			b, err := os.ReadFile(filepath.Join(dir, "views.json"))
			if err != nil {
				t.Fatal(err)
			}
			var want map[string]*chargehand.View
			if err := json.Unmarshal(b, &want); err != nil || len(want) < 3 {
				t.Fatalf("%d views (%v)", len(want), err)
			}
			r, err := local.LookAt(t.Context(), dir)
			switch {
			case err == nil:
				err = r.Close()
			case earlier(t, from) && chargehand.CodeOf(err) == chargehand.CodeFormat:
				err = nil
			}
			if err != nil || (r == nil) != earlier(t, from) {
				t.Errorf("it can be looked at before it is brought up to date, or never: %v", err)
			}
			workers := worker.Set{"judge": cast["judge"]}
			for _, id := range []string{"writer", "doubter", "sleeper", "rival", "clumsy"} {
				workers[id] = texts
			}
			opt := local.Options{Dir: dir, Hold: true, Workers: workers}
			e, err := local.Open(t.Context(), opt)
			if err != nil {
				t.Fatal(err)
			}
			for title, want := range want {
				got, err := e.Run(t.Context(), want.RunID)
				if err != nil {
					t.Fatal(err)
				}
				if diff := gocmp.Diff(asJSON(t, want), asJSON(t, got)); diff != "" {
					t.Errorf("%s is shown otherwise:\n%s", title, diff)
				}
				if err := e.Replay(t.Context(), want.RunID); err != nil {
					t.Errorf("%s: %v", title, err)
				}
			}
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			if r := verify(t, dir, local.AuditOptions{}); r.Verdict != audit.Intact || r.Runs < len(want) {
				t.Errorf("the report: %s", say(r))
			}
			opt.Hold = false
			goOn(t, open(t, opt), want)
		})
	}
}

// earlier reports whether a journal has another schema than this program's. It is named by its own.
func earlier(t *testing.T, dir string) bool {
	t.Helper()
	schema, err := filepath.Glob(filepath.Join("schema", "*.sql"))
	if err != nil || len(schema) == 0 {
		t.Fatal("no schema", err)
	}
	return !strings.HasPrefix(filepath.Base(dir), fmt.Sprintf("v%d", len(schema)))
}

// texts is a worker that answers as those in the journals are expected to.
var texts = worker.Func(func(_ context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	return chargehand.WorkerResult{Output: []byte(`{"text":"` + task.TaskID + `"}`)}, nil
})

// goOn wants every run to come to its end. The time to decide on what waits is long over.
func goOn(t *testing.T, e *local.Engine, runs map[string]*chargehand.View) {
	t.Helper()
	want := map[string]chargehand.RunState{
		"waiting": chargehand.RunFailed, "debated": chargehand.RunFailed, "cancelled": chargehand.RunCancelled,
	}
	for title, was := range runs {
		if was.State == chargehand.RunPaused {
			if err := e.Control(t.Context(), was.RunID, chargehand.Control{Verb: chargehand.Resume, By: "olu"}); err != nil {
				t.Error(err)
			}
		}
		v := until(t, e, was.RunID, ended)
		if v.State != cmp.Or(want[title], chargehand.RunCompleted) {
			t.Errorf("%s came out as %s: %s", title, v.State, v.Why)
		}
		if _, err := e.Result(t.Context(), was.RunID); err != nil {
			t.Errorf("%s: %v", title, err)
		}
	}
}

func asJSON(t *testing.T, v *chargehand.View) map[string]any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestNewerJournalIsRefused opens one whose schema this program does not know; it stays as it is.
func TestNewerJournalIsRefused(t *testing.T) {
	dir := t.TempDir()
	used(t, local.Options{Dir: dir})
	if err := local.ForgeFile(t.Context(), dir, `insert into goose_db_version (version_id, is_applied) values (99, 1)`); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(dir, "journal.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := local.Open(t.Context(), local.Options{Dir: dir}); chargehand.CodeOf(err) != chargehand.CodeFormat {
		t.Errorf("a newer journal got %v", err)
	}
	if _, err := local.Audit(t.Context(), dir, local.AuditOptions{}); chargehand.CodeOf(err) != chargehand.CodeFormat {
		t.Errorf("verifying it got %v", err)
	}
	after, err := os.ReadFile(filepath.Join(dir, "journal.db"))
	if err != nil || string(before) != string(after) {
		t.Errorf("it was changed (%v)", err)
	}
}
