package contractreview

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/gate"
	"github.com/chargehand/chargehand/worker"
)

func compiled(t testing.TB, team chargehand.Team) *gate.Gate {
	t.Helper()
	g, problems := gate.Compile(&team)
	for _, p := range slices.Concat(team.Check(), problems) {
		t.Errorf("team %s: %s", team.Name, p)
	}
	if t.Failed() {
		t.FailNow()
	}
	return g
}

func document(name, text string) chargehand.InputRef {
	return chargehand.InputRef{Name: name, Text: text, Hash: chargehand.Hash([]byte(text)), Size: int64(len(text))}
}

func taskOf(s chargehand.Subtask, refs ...chargehand.InputRef) chargehand.WorkerTask {
	return chargehand.WorkerTask{
		TaskID: s.ID, RunID: "run_1", Attempt: 1, Goal: s.Goal, InputRefs: refs, RequiredAspects: s.RequiredAspects,
		ExpectedOutputContract: s.OutputContract,
	}
}

// A bench runs a team's workers and puts what they say through the gate.
type bench struct {
	team    chargehand.Team
	gate    *gate.Gate
	workers worker.Set
}

func newBench(t testing.TB) *bench {
	team := Team()
	return &bench{team, compiled(t, team), Workers()}
}

// able is the first worker of the team that has a capability.
func (b *bench) able(capability string) string {
	for _, w := range b.team.Workers {
		if w.Can(capability) {
			return w.WorkerID
		}
	}
	return ""
}

func (b *bench) do(t testing.TB, s chargehand.Subtask, refs ...chargehand.InputRef) (json.RawMessage, chargehand.Verdict) {
	t.Helper()
	task := taskOf(s, refs...)
	task.AssignedWorker = b.able(s.Capability)
	res, err := b.workers[task.AssignedWorker].Do(t.Context(), task)
	if err != nil {
		t.Fatalf("%s: %v", s.ID, err)
	}
	return res.Output, b.gate.Check(gate.Submission{Contract: s.OutputContract, Task: task, Result: res})
}

// review runs the whole plan and the synthesis, and fails the test for whatever the gate does not
// accept.
func (b *bench) review(t testing.TB, docs ...chargehand.InputRef) report {
	t.Helper()
	var agg aggregation
	for _, s := range b.team.Planner.Template.Subtasks {
		out, v := b.do(t, s, docs...)
		accepted(t, s.ID, v)
		agg.add(t, b.gate, s, b.able(s.Capability), out)
	}
	syn := b.team.Synthesis
	last := chargehand.Subtask{ID: "_synthesis", Goal: syn.Goal, Capability: syn.Capability, OutputContract: syn.OutputContract}
	out, v := b.do(t, last, append(docs, agg.ref(t))...)
	accepted(t, "report", v)
	var r report
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func accepted(t testing.TB, what string, v chargehand.Verdict) {
	t.Helper()
	if v.Recommendation != chargehand.Accept || v.Score < chargehand.LowBelow {
		t.Errorf("%s: %s, score %v: %s", what, v.Recommendation, v.Score, v.Reasoning)
	}
	for _, f := range v.Issues[:min(len(v.Issues), 5)] {
		t.Logf("%s: %s %s %s at %s: %s %q", what, f.Severity, f.Layer, f.Rule, f.Path, f.Message, f.Quote)
	}
}

// An aggregation is the form in which an engine hands accepted outputs to a synthesis: of readings
// that agree the first, of those that do not all.
type aggregation struct {
	Items   []chargehand.Item `json:"items"`
	Outputs []any             `json:"outputs"`

	values map[string]string // of the first reading, by category
}

func (a *aggregation) add(t testing.TB, g *gate.Gate, s chargehand.Subtask, by string, out json.RawMessage) {
	t.Helper()
	items, err := g.Items(s.OutputContract, out)
	if err != nil {
		t.Fatal(err)
	}
	if len(items) == 0 {
		a.Outputs = append(a.Outputs, map[string]any{"subtask": s.ID, "worker": by, "output": out})
	}
	if a.values == nil {
		a.values = map[string]string{}
	}
	first := map[string]bool{}
	for _, it := range items {
		entry := chargehand.Item{Fields: it.Raw, Subtask: s.ID, Attempt: 1, Worker: by, Verdict: "accepted"}
		switch v, ok := a.values[it.Key]; {
		case !ok || first[it.Key]:
			first[it.Key], a.values[it.Key] = true, it.Value
			a.Items = append(a.Items, entry)
		case v == it.Value:
			a.each(it.Key, func(x *chargehand.Item) { x.ConfirmedBy = []string{by} })
		default:
			a.Items = append(a.Items, entry)
			a.each(it.Key, func(x *chargehand.Item) { x.Verdict = "conflict" })
		}
	}
}

func (a *aggregation) each(key string, do func(*chargehand.Item)) {
	for i := range a.Items {
		if strings.Contains(string(a.Items[i].Fields), `"category":"`+key+`"`) {
			do(&a.Items[i])
		}
	}
}

func (a *aggregation) ref(t testing.TB) chargehand.InputRef {
	t.Helper()
	b, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	ref := document("aggregate", string(b))
	ref.From = "aggregate"
	return ref
}

func sample(t testing.TB) chargehand.InputRef {
	t.Helper()
	b, err := os.ReadFile("sample/nordwind-msa.md")
	if err != nil {
		t.Fatal(err)
	}
	return document("nordwind-msa.md", string(b))
}

// texts are files that may be missing on a machine; the test is then skipped.
func texts(t testing.TB, pattern string) []chargehand.InputRef {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Skipf("there is nothing at %s", pattern)
	}
	var docs []chargehand.InputRef
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, document(filepath.Base(f), string(b)))
	}
	return docs
}

func cuad() string {
	root := os.Getenv("CHARGEHAND_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data")
	}
	return filepath.Join(root, "cuad", "contracts", "*")
}

func TestTeamIsSound(t *testing.T) {
	team := Team()
	compiled(t, team)
	if problems := team.CheckPlan(team.Planner.Template); len(problems) > 0 {
		t.Error(problems)
	}
	for _, w := range team.Workers {
		if Workers()[w.WorkerID] == nil {
			t.Errorf("there is no function behind %s", w.WorkerID)
		}
	}
}

func TestSampleIsAccepted(t *testing.T) {
	r := newBench(t).review(t, sample(t))
	if r.Level != high {
		t.Errorf("level %q", r.Level)
	}
}

func TestContractsAreAccepted(t *testing.T) {
	b := newBench(t)
	for _, doc := range texts(t, cuad()) {
		t.Run(doc.Name, func(t *testing.T) { b.review(t, doc) })
	}
}

func TestLicencesAreAccepted(t *testing.T) {
	b := newBench(t)
	for _, doc := range texts(t, "/usr/share/common-licenses/*") {
		t.Run(doc.Name, func(t *testing.T) { b.review(t, doc) })
	}
}

func TestSeveralDocumentsAreOneContract(t *testing.T) {
	annex := document("annex.txt", "ANNEX 9\n\nNeither party shall solicit the employees of the other party for one year.")
	r := newBench(t).review(t, sample(t), annex)
	for _, f := range r.Findings {
		if f.Category == "No-Solicit of Employees" && !f.Present {
			t.Error("the annex was not read")
		}
	}
	for _, e := range r.Evidence {
		if e.Category == "No-Solicit of Employees" && (e.Document != annex.Hash || e.Clause != "ANNEX 9") {
			t.Errorf("evidence %+v", e)
		}
	}
}

func TestRefusedTasks(t *testing.T) {
	unknown := taskOf(chargehand.Subtask{RequiredAspects: []string{"Tax"}}, sample(t))
	none := taskOf(chargehand.Subtask{})
	bytes := taskOf(chargehand.Subtask{}, document("scan.pdf", "\xff\xfe"))
	for name, w := range Workers() {
		for _, task := range []chargehand.WorkerTask{none, bytes} {
			if _, err := w.Do(t.Context(), task); worker.KindOf(err) != worker.Refused {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for _, name := range []string{"pattern-reader", "lexical-reader"} {
		if _, err := Workers()[name].Do(t.Context(), unknown); worker.KindOf(err) != worker.Refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Workers()["report-writer"].Do(t.Context(), taskOf(chargehand.Subtask{}, sample(t))); worker.KindOf(err) != worker.Refused {
		t.Errorf("a report without an aggregate: %v", err)
	}
}

func TestReaderStopsBetweenCategories(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, w := range Workers() {
		if _, err := w.Do(ctx, taskOf(chargehand.Subtask{}, sample(t))); err == nil {
			t.Errorf("%s goes on", name)
		}
	}
}
