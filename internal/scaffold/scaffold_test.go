package scaffold_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/config"
	"github.com/chargehand/chargehand/internal/gate"
	"github.com/chargehand/chargehand/internal/scaffold"
	"github.com/chargehand/chargehand/worker"
)

// scaffolded is a fresh first team in a folder of its own.
func scaffolded(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "my", "team")
	names, err := scaffold.Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"README.md", "input.txt", "team.schema.json", "team.yaml", "workers/extract.awk", "workers/json.awk", "workers/summarise.awk"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Fatalf("files (-want +got):\n%s", diff)
	}
	return dir
}

func load(t *testing.T, dir string) *chargehand.Team {
	t.Helper()
	team, err := config.Load(filepath.Join(dir, "team.yaml"), func(t *chargehand.Team) []chargehand.Problem {
		_, problems := gate.Compile(t)
		return problems
	})
	if err != nil {
		t.Fatal(err)
	}
	return team
}

func needAwk(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("awk"); err != nil {
		t.Skip("there is no awk")
	}
}

// run supervises the team over its document until it ends or waits for a person.
func run(t *testing.T, dir string) *chargehand.Result {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "input.txt"))
	if err != nil {
		t.Fatal(err)
	}
	team := load(t, dir)
	team.Policy.WhenOnlyWaits = chargehand.ReturnPartial
	e, err := local.Open(t.Context(), local.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	id, err := e.Start(t.Context(), chargehand.Order{Team: *team, Objective: chargehand.Objective{
		Goal: "Read the agreement.", Documents: []chargehand.Document{{Name: "input.txt", Text: string(text)}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for range e.Records(t.Context(), id, 0, true) {
	}
	r, err := e.Result(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFirstTeamRuns(t *testing.T) {
	needAwk(t)
	r := run(t, scaffolded(t))
	if r.Status != chargehand.RunCompleted || len(r.Gaps) > 0 || len(r.Items) != 4 {
		t.Errorf("got %s, gaps %v, %d items", r.Status, r.Gaps, len(r.Items))
	}
}

// The lie that the README suggests does not come through.
func TestLieIsCaught(t *testing.T) {
	needAwk(t)
	dir := scaffolded(t)
	file := filepath.Join(dir, "workers", "extract.awk")
	honest, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lying := strings.Replace(string(honest), "# if (aspect ==", "if (aspect ==", 1)
	if lying == string(honest) {
		t.Fatal("there is no line to uncomment")
	}
	if err := os.WriteFile(file, []byte(lying), 0o644); err != nil {
		t.Fatal(err)
	}
	r := run(t, dir)
	if r.Status == chargehand.RunCompleted || len(r.Gaps) == 0 {
		t.Errorf("got %s with gaps %v", r.Status, r.Gaps)
	}
	for _, it := range r.Items {
		if strings.Contains(string(it.Fields), "5,000,000") {
			t.Errorf("the lie is in the result: %s", it.Fields)
		}
	}
}

var hostile = []string{
	"plain", "", `"`, `\`, `\"`, `\\"`, `{"a": ["b", {}]}`, "a\nb\r\nc\td", "\x01\x1f\b\f", "é ü ß", "日本語", "😀👩‍🔬", "\u202eabc\u2066", "<script>&amp;</script>",
	"\u2028\u2029", `\u0041 \n`, "$(reboot) `id` %s %d %n", strings.Repeat(`"\`, 500), "liability EUR 1 \"x\"", "\ufeffbom", "a\u0000b",
}

// What comes out of the workers' JSON reader is what went in, whatever it is.
func TestWorkersReadAnyText(t *testing.T) {
	needAwk(t)
	dir := scaffolded(t)
	echo := filepath.Join(dir, "workers", "echo.awk")
	if err := os.WriteFile(echo, []byte(`END { parse(stdin, "", t); print "[" quote(t["inputRefs.1.text"]) "," quote(t["requiredAspects.2"]) "]" }`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, text := range append(naughty(t), hostile...) {
		if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
			continue // awk's strings end at a NUL; a quote after one is refused by the gate
		}
		got := do(t, dir, []string{"awk", "-f", "workers/json.awk", "-f", "workers/echo.awk"}, task(text, "first", text))
		var back []string
		if err := json.Unmarshal(got.Output, &back); err != nil || len(back) != 2 || back[0] != text || back[1] != text {
			t.Errorf("%q came back as %s (%v)", text, got.Output, err)
		}
	}
}

// naughty are the strings of a public list that break readers.
func naughty(t *testing.T) []string {
	t.Helper()
	folder := os.Getenv("CHARGEHAND_DATA")
	if folder == "" {
		folder = "../../../shared/data"
	}
	b, err := os.ReadFile(filepath.Join(folder, "naughty-strings", "blns.json"))
	if err != nil {
		t.Log("naughty-strings is not there: only the built-in strings are tried")
		return nil
	}
	var list []string
	if err := json.Unmarshal(b, &list); err != nil {
		t.Fatal(err)
	}
	return []string{strings.Join(list, "\n"), strings.Join(list, `"`)}
}

// Quotes and offsets hold in documents full of what makes byte counting hard.
func TestQuotesHoldInHostileText(t *testing.T) {
	needAwk(t)
	dir := scaffolded(t)
	team := load(t, dir)
	g, problems := gate.Compile(team)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, text := range hostile {
		if strings.Contains(text, "\x00") {
			continue
		}
		doc := text + "\r\n" + "é " + strings.ReplaceAll(text[:min(len(text), 100)], "\n", " ") + " liability of EUR 500,000 😀\n" + text
		tk := task(doc, "liability cap", "notice period")
		r := do(t, dir, team.Worker("extractor").Exec.Command, tk)
		v := g.Check(gate.Submission{Contract: "findings", Task: tk, Result: r})
		if v.Recommendation != chargehand.Accept {
			t.Errorf("%q: %s %v\n%s", doc, v.Recommendation, v.Issues, r.Output)
		}
	}
}

func task(text string, aspects ...string) chargehand.WorkerTask {
	return chargehand.WorkerTask{
		TaskID: "a", RunID: "r", Attempt: 1, Goal: `Find "it".`, RequiredAspects: aspects, TimeoutMS: 5000,
		InputRefs: []chargehand.InputRef{{Hash: chargehand.Hash([]byte(text)), Name: "in", Size: int64(len(text)), Text: text}},
	}
}

// do runs a command as the engine would.
func do(t *testing.T, dir string, command []string, tk chargehand.WorkerTask) chargehand.WorkerResult {
	t.Helper()
	w, err := worker.FromSpec(&chargehand.WorkerSpec{
		WorkerID: "w", Kind: chargehand.KindExec,
		Exec: &chargehand.ExecKind{Command: command, Dir: dir, Env: map[string]string{"LC_ALL": "C"}},
	}, dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Do(t.Context(), tk)
	if err != nil {
		t.Fatalf("%v\n%q", err, tk.InputRefs[0].Text)
	}
	return r
}

func TestWriteOnlyWhereNothingIs(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, err := scaffold.Write(dir)
	if want := "cannot make a team in " + dir + ": it holds files already: a, b, c, d, e and 2 more"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 7 {
		t.Errorf("%d entries after a refusal", len(entries))
	}
	if _, err := scaffold.Write(filepath.Join(dir, "a")); err == nil || !strings.Contains(err.Error(), "it is a file") {
		t.Errorf("into a file: %v", err)
	}
}

func TestWriteBesideGit(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := scaffold.Write(dir); err != nil {
		t.Error(err)
	}
}

// What cannot be written whole is not written at all. Here the folder's path is so long that some
// of the files do not fit behind it.
func TestNothingHalfMade(t *testing.T) {
	const longestPath = 4096 // bytes, with the NUL at its end
	parent := t.TempDir()
	dir := parent
	for left := longestPath - len("/workers/json.awk") - 1 - len(dir); left > 1; left = longestPath - len("/workers/json.awk") - 1 - len(dir) {
		dir = filepath.Join(dir, strings.Repeat("d", min(left-1, 200)))
	}
	if _, err := scaffold.Write(dir); err == nil {
		t.Skip("paths may be longer here")
	}
	if entries, _ := os.ReadDir(parent); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
}
