package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/exit"
)

// call runs a command of the shipped program and returns its code and what it wrote to stdout.
func call(t *testing.T, args ...string) (exit.Code, string) {
	t.Helper()
	return callWith(t, Standard(), args...)
}

func callWith(t *testing.T, parts Parts, args ...string) (exit.Code, string) {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	code := Main(IO{In: null, Out: out, Err: out}, parts, args)
	b, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	return exit.Code(code), string(b)
}

// TestEvidenceOfTheDemo takes the demo's run, in which a worker lies, another stalls and a person
// decides, through everything that an auditor does.
func TestEvidenceOfTheDemo(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	a := &app{Parts: Standard()}
	dir, run, err := a.quietDemo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Escalations, Complete, ByPeople int
		Percent                         float64
		List                            []struct{ Subtask, Output, Failure, Reviewer, Decision string }
	}
	code, out := call(t, "audit", "coverage", "--data", dir, "--fail-under", "100", "-o", "json")
	if err := json.Unmarshal([]byte(out), &c); err != nil || code != exit.OK {
		t.Fatalf("exit %d, %v: %s", code, err, out)
	}
	if c.Escalations != 1 || c.ByPeople != 1 || c.Percent != 100 {
		t.Fatalf("coverage: %+v", c)
	}
	e := c.List[0]
	if !strings.Contains(e.Failure, "500,000") || e.Reviewer != demoPerson || !strings.HasPrefix(e.Decision, "rejected") || !strings.HasPrefix(e.Output, "sha256:") {
		t.Errorf("the escalation: %+v", e)
	}
	pack := filepath.Join(t.TempDir(), "pack.zip")
	if code, out := call(t, "audit", "export", run, "--data", dir, "--out", pack); code != exit.OK {
		t.Fatalf("exit %d: %s", code, out)
	}
	key := filepath.Join(dir, "key.pub")
	if code, out := call(t, "audit", "verify", pack, "--key", key); code != exit.OK || !strings.Contains(out, "INTACT") {
		t.Errorf("exit %d: %s", code, out)
	}
	public, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	if err := python(t, pack, string(public)); err != nil {
		t.Errorf("the script does not verify it: %v", err)
	}
	b, err := os.ReadFile(pack)
	if err != nil {
		t.Fatal(err)
	}
	if b = bytes.Replace(b, []byte("artifacts/"), []byte("artifactS/"), 1); os.WriteFile(pack, b, 0o600) != nil {
		t.Fatal("cannot write")
	}
	if code, out := call(t, "audit", "verify", pack, "--key", key); code != exit.Audit || !strings.Contains(out, "ALTERED") {
		t.Errorf("exit %d: %s", code, out)
	}
	if python(t, pack, string(public)) == nil {
		t.Error("the script verifies an altered pack")
	}
}

func python(t *testing.T, pack, key string) error {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}
	out, err := exec.Command("python3", filepath.Join("..", "..", "docs", "verify-pack.py"), pack, key).CombinedOutput()
	t.Logf("%s", out)
	return err
}

func TestSpan(t *testing.T) {
	for text, ok := range map[string]bool{"30d": true, "12h": true, "90m": true, "d": false, "-1d": false, "0h": false, "x": false, "": false} {
		if _, err := span(text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// lacking is an archive with an escalation about a subtask that nobody described.
type lacking struct{ Archive }

func (lacking) Close() error { return nil }

func (lacking) Runs(context.Context, chargehand.Filter) ([]chargehand.RunSummary, error) {
	return []chargehand.RunSummary{{RunID: "run_1", StartedAt: time.Now()}, {RunID: "run_0", StartedAt: time.Now().Add(-48 * time.Hour)}}, nil
}

func (lacking) Records(_ context.Context, run string, _ int64, _ bool) iter.Seq2[chargehand.Record, error] {
	return func(yield func(chargehand.Record, error) bool) {
		review := chargehand.Review{ID: "rev_1", TaskID: "s9", Subject: chargehand.SubjectOutput, Description: "why", OutputRef: "sha256:x"}
		_ = yield(chargehand.Record{Run: run, Seq: 1, Fact: chargehand.ReviewOpened{Review: review}}, nil) &&
			yield(chargehand.Record{Run: run, Seq: 2, Fact: chargehand.ReviewDecided{Decision: chargehand.Decision{ReviewID: "rev_1", Approver: "ana"}}}, nil)
	}
}

func TestCoverageUnderItsTarget(t *testing.T) {
	parts := Standard()
	parts.Archive = func(context.Context, string) (Archive, error) { return lacking{}, nil }
	for _, tt := range []struct {
		args []string
		code exit.Code
		want string
	}{
		{nil, exit.OK, "2 escalations in 2 runs"},
		{[]string{"--fail-under", "1"}, exit.Target, "0.0 % of the decided escalations are complete"},
		{[]string{"--since", "1d"}, exit.OK, "1 escalation in 1 run: 0 of 1 decided"},
		{[]string{"--fail-under", "0"}, exit.OK, "subtask"},
	} {
		code, out := callWith(t, parts, append([]string{"audit", "coverage"}, tt.args...)...)
		if code != tt.code || !strings.Contains(out, tt.want) {
			t.Errorf("%v: exit %d, want %d: %s", tt.args, code, tt.code, out)
		}
	}
}
