package config

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares text with a file of testdata, or rewrites that.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestWrongTeams(t *testing.T) {
	files := testdata(t, "wrong")
	if len(files) < 25 {
		t.Fatalf("only %d files", len(files))
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			team, err := Load(file)
			if team != nil || chargehand.CodeOf(err) != chargehand.CodeInvalid {
				t.Fatalf("got %v, %v", team, err)
			}
			golden(t, file+".golden", strings.ReplaceAll(err.Error(), "testdata/wrong/", "")+"\n")
			for _, p := range problems(err) {
				if p.File != file {
					t.Errorf("problem without its file: %+v", p)
				}
			}
		})
	}
}

// testdata are the teams in a folder.
func testdata(t testing.TB, folder string) []string {
	t.Helper()
	var files []string
	for _, ending := range []string{"yaml", "json"} {
		some, err := filepath.Glob("testdata/" + folder + "/*." + ending)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, some...)
	}
	return files
}

func problems(err error) []chargehand.Problem {
	e, _ := errors.AsType[*chargehand.Error](err)
	if e == nil {
		return nil
	}
	return e.Problems
}

func TestFullTeam(t *testing.T) {
	data, err := os.ReadFile("testdata/right/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	team, err := Parse("full.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	var unset []string
	zeros(reflect.ValueOf(*team), "$", &unset)
	if diff := cmp.Diff(deliberate, unset); diff != "" {
		t.Errorf("fields that the file does not set (-want +got):\n%s", diff)
	}
	asJSON, err := json.MarshalIndent(team, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/right/full.json", string(asJSON)+"\n")

	again, err := Parse("full.json", asJSON)
	if err != nil {
		t.Fatal(err)
	}
	if again.Digest() != team.Digest() {
		t.Errorf("the team changes on its way through JSON:\n%s", cmp.Diff(team, again))
	}
	crlf, err := Parse("full.yaml", []byte("\uFEFF"+strings.ReplaceAll(string(data), "\n", "\r\n")))
	if err != nil || crlf.Digest() != team.Digest() {
		t.Errorf("the team changes with line ends and a byte order mark: %v\n%s", err, cmp.Diff(team, crlf))
	}
}

// deliberate are the fields that full.yaml leaves out or sets to zero.
var deliberate = []string{
	"$.workers[0].free", "$.workers[0].supportsParallel", "$.workers[0].http", "$.workers[0].llm", "$.workers[0].mcp", "$.workers[0].a2a",
	"$.prices[0].unpriced", "$.prompts", "$.tools[0].url", "$.tools[0].headers", "$.tools[0].signIn", "$.planner.template.subtasks[0].deps",
	"$.planner.template.subtasks[0].debate", "$.planner.template.subtasks[0].requiresApproval",
	"$.planner.template.subtasks[0].replaces", // only of a plan made after failures
	"$.planner.func", "$.planner.llm", "$.planner.advice", "$.planner.replan", "$.planner.estimateUSD", "$.planner.free",
}

// zeros lists the fields below v without a value, of each struct type the first that comes.
func zeros(v reflect.Value, path string, out *[]string) {
	seen := map[reflect.Type]bool{}
	var walk func(v reflect.Value, path string)
	walk = func(v reflect.Value, path string) {
		switch {
		case v.Kind() == reflect.Pointer && !v.IsNil():
			walk(v.Elem(), path)
		case v.Kind() == reflect.Slice && v.Len() > 0:
			walk(v.Index(0), path+"[0]")
		case v.Kind() == reflect.Struct && !seen[v.Type()]:
			seen[v.Type()] = true
			for _, f := range reflect.VisibleFields(v.Type()) {
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				switch field := v.FieldByIndex(f.Index); {
				case f.Anonymous:
				case field.IsZero():
					*out = append(*out, path+"."+name)
				default:
					walk(field, path+"."+name)
				}
			}
		}
	}
	walk(v, path)
}

// TestNoReviewer: `reviewer: false` is said of the team, and is not the name of a worker.
func TestNoReviewer(t *testing.T) {
	const team = "name: t\nworkers:\n  - {workerId: w, capabilities: [c]}\npolicy: {reviewer: %s}\nplanner: {template: {subtasks: [{id: a, goal: Do it., capability: c}]}}\n"
	for text, want := range map[string]string{"false": chargehand.NoReviewer, "w": "w", `"false"`: chargehand.NoReviewer} {
		got, err := Parse("t.yaml", fmt.Appendf(nil, team, text))
		if err != nil || got.Policy.Reviewer != want || (got.Policy.Judge() == "") != (want == chargehand.NoReviewer) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	if _, err := Parse("t.yaml", fmt.Appendf(nil, team, "true")); err == nil || !strings.Contains(err.Error(), "$.policy.reviewer: must be text") {
		t.Errorf("true: %v", err)
	}
}

// TestDetectorForms: a detector is written by its name alone or with a severity, and a slip is told
// where it stands.
func TestDetectorForms(t *testing.T) {
	const team = "name: t\nworkers:\n  - {workerId: w, capabilities: [c]}\npolicy: {detectors: [injection, %s]}\nplanner: {template: {subtasks: [{id: a, goal: Do it., capability: c}]}}\n"
	got, err := Parse("t.yaml", fmt.Appendf(nil, team, "{detector: personal_data, severity: error}"))
	if err != nil {
		t.Fatal(err)
	}
	want := []chargehand.DetectorRule{{Detector: "injection"}, {Detector: "personal_data", Severity: "error"}}
	if !slices.Equal(got.Policy.Detectors, want) {
		t.Errorf("read as %+v", got.Policy.Detectors)
	}
	for text, want := range map[string]string{
		"7": "$.policy.detectors[1]: must be a detector", "[secrets]": "$.policy.detectors[1]: must be a detector",
		"{detektor: secrets}": "did you mean `detector`", "{detector: secrets, severity: eror}": "did you mean `error`", "personaldata": "did you mean `personal_data`",
	} {
		if _, err := Parse("t.yaml", fmt.Appendf(nil, team, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestPathsOfWorkers(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "team.yaml")
	write(t, file, `
name: paths
workers:
  - {workerId: a, capabilities: [x], kind: exec, exec: {command: [./run.sh, ./arg]}}
  - {workerId: b, capabilities: [x], kind: exec, exec: {command: [awk, -f, x.awk], dir: work}}
  - {workerId: c, capabilities: [x], kind: exec, exec: {command: [bin/run], dir: /}}
  - {workerId: d, capabilities: [x], kind: exec, exec: {command: [/bin/cat]}}
tools:
  - {name: e, command: [./serve.sh, ./arg]}
  - {name: f, command: [npx, server], dir: work}
  - {name: g, url: "https://tools.example/mcp"}
planner: {func: plan}
`)
	team, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	home := chargehand.Reach{Read: []string{dir}}
	want := []chargehand.ExecKind{
		{Command: []string{filepath.Join(dir, "run.sh"), "./arg"}, Dir: dir},
		{Command: []string{"awk", "-f", "x.awk"}, Dir: filepath.Join(dir, "work"), Reach: home},
		{Command: []string{filepath.Join(dir, "bin/run")}, Dir: "/", Reach: home},
		{Command: []string{"/bin/cat"}, Dir: dir},
	}
	var got []chargehand.ExecKind
	for _, w := range team.Workers {
		got = append(got, *w.Exec)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("exec settings (-want +got):\n%s", diff)
	}
	servers := []chargehand.ToolServer{
		{Name: "e", Command: []string{filepath.Join(dir, "serve.sh"), "./arg"}, Dir: dir},
		{Name: "f", Command: []string{"npx", "server"}, Dir: filepath.Join(dir, "work"), Reach: home},
		{Name: "g", URL: "https://tools.example/mcp"},
	}
	if diff := cmp.Diff(servers, team.Tools); diff != "" {
		t.Errorf("tool servers (-want +got):\n%s", diff)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.yaml")
	write(t, large, strings.Repeat("#", MaxBytes+1))
	for _, c := range []struct {
		path string
		code chargehand.Code
		want string
	}{
		{filepath.Join(dir, "tema.yaml"), chargehand.CodeNotFound, "there is no such file"},
		{"", chargehand.CodeNotFound, "there is no such file"},
		{dir, chargehand.CodeInvalid, "it is a folder"},
		{filepath.Join(large, "x"), chargehand.CodeUnavailable, "not a directory"},
		{large, chargehand.CodeInvalid, "the file is larger than 1048576 bytes"},
	} {
		_, err := Load(c.path)
		if chargehand.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.path) {
			t.Errorf("Load(%q) = %v, want %s, %q", c.path, err, c.code, c.want)
		}
		if e, _ := errors.AsType[*chargehand.Error](err); e.Next == "" && c.code != chargehand.CodeUnavailable {
			t.Errorf("Load(%q) does not say what to do", c.path)
		}
	}
}

// Checks beyond Team.Check, such as compiling CEL, get their places as well.
func TestChecksOfTheCaller(t *testing.T) {
	text := "name: letters\nworkers:\n  - {workerId: a, capabilities: [x]}\ncontracts:\n  - name: k\n    schema:\n      type: objekt\n    maxBytes: -1\nplanner: {func: f}\nbudgte: {}\n"
	_, err := Parse("team.yaml", []byte(text), func(t *chargehand.Team) []chargehand.Problem {
		return []chargehand.Problem{{Path: "$.contracts[0].schema.type", Message: "is no type"}, {Path: "$.contracts[0].maxBytes", Message: "told twice"}, {Path: "$.contracts[0].rules[3].cel", Message: "x"}}
	})
	want := "cannot use team.yaml as a team: 4 problems\n" +
		"  team.yaml:5:5: $.contracts[0].rules[3].cel: x\n" +
		"  team.yaml:7:13: $.contracts[0].schema.type: is no type\n" +
		"  team.yaml:8:15: $.contracts[0].maxBytes: must not be negative\n" +
		"  team.yaml:10:1: $.budgte: unknown field `budgte` (did you mean `budget`?)"
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPlan(t *testing.T) {
	team, err := Load("testdata/right/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := ParsePlan("plan.yaml", []byte("subtasks:\n  - {id: a, goal: Read., capability: read}\n"), team.CheckPlan)
	if err != nil || len(plan.Subtasks) != 1 || plan.Subtasks[0].Goal != "Read." {
		t.Fatalf("got %+v, %v", plan, err)
	}
	file := filepath.Join(t.TempDir(), "plan.yaml")
	write(t, file, "subtasks:\n  - {id: a, goal: Read., capability: raed}\n  - id: b\n    goals: Write.\n")
	_, err = LoadPlan(file, team.CheckPlan)
	want := "cannot use " + file + " as a plan: 3 problems\n" +
		"  " + file + ":2:38: $.subtasks[0].capability: no worker has the capability `raed` (did you mean `read`?)\n" +
		"  " + file + ":3:5: $.subtasks[1].capability: is missing: say what a worker must be able to do\n" +
		"  " + file + ":4:5: $.subtasks[1].goals: unknown field `goals` (did you mean `goal`?)"
	if err == nil || cmp.Diff(want, err.Error()) != "" {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, err.Error()))
	}
}

// TestZeroIsAPrice: a cost of 0 is declared, and one that is left out is not.
func TestZeroIsAPrice(t *testing.T) {
	team, err := Parse("team.yaml", []byte(`
name: t
workers:
  - {workerId: a, capabilities: [x], costPerCallEstimateUSD: 0}
  - {workerId: b, capabilities: [x], cost_per_call_estimate_usd: "0.00"}
  - {workerId: c, capabilities: [x]}
  - {workerId: d, capabilities: [x], costPerCallEstimateUSD: 0.10}
planner: {func: p, estimateUSD: 0}
`))
	if err != nil {
		t.Fatal(err)
	}
	if !team.Planner.Free {
		t.Error("the planner is not free")
	}
	for i, want := range []bool{true, true, false, false} {
		if got := team.Workers[i].Free; got != want {
			t.Errorf("%s is free: %t", team.Workers[i].WorkerID, got)
		}
	}
}
