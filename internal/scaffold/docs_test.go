package scaffold_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/config"
	"github.com/chargehand/chargehand/internal/gate"
)

// edit replaces text in a file, which must hold it.
func edit(t *testing.T, file, from, to string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), from) {
		t.Fatalf("%s does not hold %q", file, from)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(b), from, to, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The lies that docs/first-team.md suggests are refused for the reason it gives.
func TestDocumentedLies(t *testing.T) {
	needAwk(t)
	for _, c := range []struct{ name, file, from, to, rule string }{
		{"amount", "extract.awk", `# if (aspect ==`, `if (aspect ==`, "amount"},
		{"start", "extract.awk", `", \"start\": " start`, `", \"start\": " start + 1`, "quote"},
		{"quote", "extract.awk", `quote(line)`, `quote(substr(line, 1, 70))`, "quote"},
		{"absent", "extract.awk", `if (aspect in about && `, `if (0 && `, "search"},
		{"figure", "summarise.awk", `quote(text)`, `quote(text " The fee is EUR 42.")`, "amount"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := scaffolded(t)
			team := load(t, dir)
			g, _ := gate.Compile(team)
			edit(t, filepath.Join(dir, "workers", c.file), c.from, c.to)
			v := g.Check(submission(t, dir, team, strings.TrimSuffix(c.file, ".awk")))
			if v.Recommendation == chargehand.Accept || len(v.Issues) == 0 || v.Issues[0].Rule != c.rule {
				t.Errorf("got %s %+v, want a finding of %s", v.Recommendation, v.Issues, c.rule)
			}
		})
	}
}

// submission is what a worker makes of the first team's document.
func submission(t *testing.T, dir string, team *chargehand.Team, script string) gate.Submission {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "input.txt"))
	if err != nil {
		t.Fatal(err)
	}
	s := gate.Submission{Contract: "findings", Task: task(string(text), "liability cap")}
	id := "extractor"
	if script == "summarise" {
		out := `{"findings": [{"key": "liability cap", "present": true, "answer": "EUR 500,000"}]}`
		s.Contract, id, s.Task.RequiredAspects = "summary", "summariser", nil
		s.Task.InputRefs = append(s.Task.InputRefs, chargehand.InputRef{Hash: chargehand.Hash([]byte(out)), Name: "risk", From: "risk", Size: int64(len(out)), Text: out})
	}
	s.Result = do(t, dir, team.Worker(id).Exec.Command, s.Task)
	return s
}

func TestHonestSummaryIsAccepted(t *testing.T) {
	needAwk(t)
	dir := scaffolded(t)
	team := load(t, dir)
	g, _ := gate.Compile(team)
	if v := g.Check(submission(t, dir, team, "summarise")); v.Recommendation != chargehand.Accept {
		t.Errorf("got %s %+v", v.Recommendation, v.Issues)
	}
}

// docs/first-team.md shows what is really said of a wrong file.
func TestDocumentedProblems(t *testing.T) {
	doc, err := os.ReadFile("../../docs/first-team.md")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(scaffolded(t), "team.yaml")
	edit(t, file, "capabilities: [extract]", "capabilites: [extract]")
	edit(t, file, "outputContract: findings", "outputContract: finding")
	edit(t, file, "deps: [dates, risk]", "deps: [dates, risks]")
	_, err = config.Load(file)
	if err == nil {
		t.Fatal("no problem")
	}
	if got := strings.ReplaceAll(err.Error(), file, "team.yaml"); !strings.Contains(string(doc), got) {
		t.Errorf("the page does not show:\n%s", got)
	}
}
