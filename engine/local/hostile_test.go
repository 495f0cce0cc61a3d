package local_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/cli"
	"github.com/chargehand/chargehand/worker"
)

// A hostileAnswer is what one worker says, and whether a run may use it.
type hostileAnswer struct {
	name string
	body []byte
	fine bool
}

// hostileAnswers are documents that every reader must take, documents that none may, and naughty
// strings as outputs: a sample, every n-th of each.
func hostileAnswers(t *testing.T, n int) []hostileAnswer {
	t.Helper()
	root := os.Getenv("CHARGEHAND_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data")
	}
	var out []hostileAnswer
	for _, class := range []string{"y", "n"} {
		files, err := filepath.Glob(filepath.Join(root, "json-parsing-suite", "test_parsing", class+"_*.json"))
		if err != nil || len(files) == 0 {
			t.Skip("the public data sets are not there")
		}
		for i := 0; i < len(files); i += n {
			body, err := os.ReadFile(files[i])
			if err != nil {
				t.Fatal(err)
			}
			fine := class == "y" && !strings.Contains(files[i], "duplicated_key")
			out = append(out, hostileAnswer{filepath.Base(files[i]), body, fine})
		}
	}
	var naughty []string
	body, err := os.ReadFile(filepath.Join(root, "naughty-strings", "blns.json"))
	if err == nil {
		err = json.Unmarshal(body, &naughty)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(naughty); i += n {
		body, err := json.Marshal(map[string]string{"says": naughty[i], naughty[i]: "x"})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, hostileAnswer{fmt.Sprintf("naughty %d", i), body, true})
	}
	return out
}

// hostileTeam has one worker for each answer, of each kind in turn, and one subtask for each worker.
func hostileTeam(t *testing.T, answers []hostileAnswer) (chargehand.Team, worker.Set) {
	dir := t.TempDir()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var i int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &i); err != nil {
			t.Error(err)
		}
		_, _ = w.Write(answers[i].body)
	}))
	t.Cleanup(service.Close)
	never := false
	team := chargehand.Team{Name: "hostile", Policy: chargehand.Policy{RunConcurrency: 8}}
	set := worker.Set{}
	plan := &chargehand.Plan{}
	for i, a := range answers {
		id := fmt.Sprintf("w%d", i)
		w := chargehand.WorkerSpec{WorkerID: id, Capabilities: []string{id}, AverageLatencyMS: 20_000, FailurePolicy: chargehand.FailurePolicy{Retryable: &never, MaxAttempts: 1, AllowPartialResult: true}}
		switch i % 3 {
		case 0:
			set[id] = worker.Func(func(context.Context, chargehand.WorkerTask) (chargehand.WorkerResult, error) {
				words := string(a.body)
				return chargehand.WorkerResult{Output: a.body, Summary: words, Blockers: []string{words}, EvidenceRefs: []string{words}}, nil
			})
		case 1:
			file := filepath.Join(dir, id)
			if err := os.WriteFile(file, a.body, 0o600); err != nil {
				t.Fatal(err)
			}
			w.Kind, w.Exec = chargehand.KindExec, &chargehand.ExecKind{Command: []string{"cat", file}}
		case 2:
			w.Kind, w.HTTP = chargehand.KindHTTP, &chargehand.HTTPKind{URL: fmt.Sprintf("%s/%d", service.URL, i)}
		}
		team.Workers = append(team.Workers, w)
		plan.Subtasks = append(plan.Subtasks, chargehand.Subtask{ID: id, Goal: "say", Capability: id, Required: true})
	}
	team.Planner.Template = plan
	return team, set
}

// TestHostileAnswers runs hostile answers of every kind of worker through an engine: what may be
// used is used as it is, nothing else is, and every surface stays sound.
func TestHostileAnswers(t *testing.T) {
	answers := hostileAnswers(t, 4)
	team, set := hostileTeam(t, answers)
	dir := t.TempDir()
	e, err := local.Open(t.Context(), local.Options{Dir: dir, Workers: set})
	if err != nil {
		t.Fatal(err)
	}
	run := start(t, e, chargehand.Order{Team: team, Objective: chargehand.Objective{Goal: "do it"}, StartedBy: "sam"})
	v := until(t, e, run, func(v *chargehand.View) bool { return settled(v) == len(answers) })
	used, refused := 0, 0
	res, err := e.Result(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	refs := map[string]string{}
	for _, p := range res.Provenance {
		refs[p.Subtask] = p.OutputRef
	}
	for i, a := range answers {
		ref, ok := refs[fmt.Sprintf("w%d", i)]
		if ok != a.fine {
			t.Errorf("%s: used %v, want %v", a.name, ok, a.fine)
		}
		if !ok {
			refused++
			continue
		}
		used++
		body, err := e.Blob(t.Context(), ref)
		if err != nil || !bytes.Equal(bytes.TrimSpace(body), bytes.TrimSpace(a.body)) {
			t.Errorf("%s: kept as %q (%v)", a.name, body, err)
		}
	}
	t.Logf("%d answers: %d used as they are, %d refused, %d reviews", len(answers), used, refused, v.NeedsHuman)
	recordsAreSound(t, e, run)
	if body, err := json.Marshal(res); err != nil || !json.Valid(body) {
		t.Errorf("result: %v", err)
	}
	if err := e.Replay(t.Context(), run); err != nil {
		t.Error(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if len(v.Reviews) == 0 {
		t.Fatal("nobody is asked about what was refused")
	}
	for _, args := range [][]string{{"runs", "get", run}, {"runs", "result", run}, {"runs", "list"}, {"review", "list"}, {"review", "show", v.Reviews[0].ID}} {
		printsSoundly(t, append(args, "--data", dir))
	}
}

// settled counts the subtasks that are accepted or wait for a person.
func settled(v *chargehand.View) int {
	n := 0
	for _, r := range v.Rows {
		if r.State.Final() || r.State == chargehand.SubtaskNeedsHuman {
			n++
		}
	}
	return n
}

// recordsAreSound reads a run's records as any other program would, and looks for characters that
// steer a terminal or hide in the words they hold.
func recordsAreSound(t *testing.T, e *local.Engine, run string) {
	t.Helper()
	n := 0
	for r, err := range e.Records(t.Context(), run, 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		body, err := json.Marshal(r)
		var back any
		if err != nil || json.Unmarshal(body, &back) != nil || !utf8.Valid(body) || len(body) > 16<<10 {
			t.Errorf("record %d of %d bytes: %v", r.Seq, len(body), err)
		}
		everyText(back, func(s string) {
			if i := strings.IndexFunc(s, unshowable); i >= 0 {
				t.Errorf("record %d holds %q", r.Seq, s)
			}
		})
	}
	if n < 10 {
		t.Errorf("%d records", n)
	}
}

func everyText(v any, visit func(string)) {
	switch v := v.(type) {
	case string:
		visit(v)
	case []any:
		for _, e := range v {
			everyText(e, visit)
		}
	case map[string]any:
		for k, e := range v {
			visit(k)
			everyText(e, visit)
		}
	}
}

// unshowable reports a character that steers or hides; the line breaks of a correction are neither.
func unshowable(r rune) bool { return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) }

// printsSoundly runs a command and looks at every byte it prints.
func printsSoundly(t *testing.T, args []string) {
	t.Helper()
	var files [2]*os.File
	for i := range files {
		f, err := os.CreateTemp(t.TempDir(), "out")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	in, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cli.Main(cli.IO{In: in, Out: files[0], Err: files[1]}, cli.Standard(), args)
	for _, f := range files {
		body, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if i := bytes.IndexFunc(body, unshowable); i >= 0 || !utf8.Valid(body) {
			t.Errorf("%v prints %q", args[:2], body[max(0, i-60):min(len(body), i+20)])
		}
		if f == files[0] && len(body) == 0 {
			other, _ := os.ReadFile(files[1].Name())
			t.Errorf("%v prints nothing: %s", args[:2], other)
		}
	}
}
