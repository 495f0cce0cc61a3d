package agent_test

import (
	"bytes"
	"encoding/json"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/agent"
	"github.com/chargehand/chargehand/internal/config"
	"github.com/chargehand/chargehand/worker"
)

var block = regexp.MustCompile("(?s)\n```([a-z ]+?)(?: file=[^\n]*)?\n(.*?)\n```\n")

// manual is the code blocks of docs/agents.md by what stands after their marks.
func manual(t *testing.T) map[string]string {
	t.Helper()
	b, err := os.ReadFile("../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, m := range block.FindAllStringSubmatch(string(b), -1) {
		all[m[1]] = m[2]
	}
	return all
}

// The manual's team runs, and comes to what the manual says, where models answer what it shows.
func TestDocsTeam(t *testing.T) {
	doc := manual(t)
	tm, err := config.Parse("team.yaml", []byte(doc["yaml team"]))
	if err != nil {
		t.Fatal(err)
	}
	got, problems := agent.New(agent.Options{}).Complete(tm)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if problems := got.Check(); len(problems) > 0 {
		t.Error(problems)
	}
	if got.Workers[0].AverageLatencyMS != 0 || got.Workers[1].CostPerCallEstimateUSD == 0 {
		t.Errorf("%+v", got.Workers)
	}
	large, medium, small := "openai/large", "openai/medium", "openai/small"
	if got.Workers[0].Model != medium || got.Workers[1].Model != small || got.Planner.LLM.Model != large {
		t.Errorf("%+v", got.Workers)
	}
	res, _ := supervise(t, cast{large: says(doc["json plan"]), medium: says(doc["json answer"], doc["json report"]), small: says(doc["json verdict"])}, *tm)
	if res.Status != chargehand.RunCompleted || len(res.Items) != 2 {
		t.Fatalf("%s (%s): %+v", res.Status, res.StopReason, res.Gaps)
	}
	var out struct{ Statements []struct{ Text string } }
	if err := json.Unmarshal(res.Output, &out); err != nil || len(out.Statements) != 2 {
		t.Errorf("%s, %v", res.Output, err)
	}
	if len(res.MissingEvidence) != 1 || !strings.Contains(res.MissingEvidence[0].Text, "deposit") {
		t.Errorf("%+v", res.MissingEvidence)
	}
	if _, err := worker.DecodeVerdict([]byte(doc["json verdict"])); err != nil {
		t.Error(err)
	}
}

// The manual's tools belong to a team that is right.
func TestDocsTools(t *testing.T) {
	source := manual(t)["yaml tools"] + "\nname: t\nplanner: {template: {subtasks: [{id: a, goal: g, capability: look-up}]}}\n"
	tm, err := config.Parse("team.yaml", []byte(source))
	if err != nil || len(tm.Workers[0].ToolGrants) != 1 || tm.Workers[0].LLM.MaxTools != 5 {
		t.Fatalf("%+v, %v", tm, err)
	}
}

// The manual's program compiles, is formatted, and does what it says.
func TestDocsGo(t *testing.T) {
	program, err := exec.LookPath("go")
	if err != nil || testing.Short() {
		t.Skip("compiles with the go command")
	}
	source := []byte(manual(t)["go"] + "\n")
	if formatted, err := format.Source(source); err != nil || !bytes.Equal(formatted, source) {
		t.Errorf("not formatted (%v), want:\n%s", err, formatted)
	}
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, source, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "run", file)
	cmd.Dir = ".."
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "chargehand.RunEnded") {
		t.Errorf("%v\n%s", err, out)
	}
}
