package mcp

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/tool"
	"github.com/chargehand/chargehand/worker"
)

// toolWorker is a worker of kind mcp on the honest server.
func toolWorker(t *testing.T, name string, policy chargehand.ToolPolicy) worker.Worker {
	t.Helper()
	spec := command("honest", nil)
	spec.Tools = map[string]chargehand.ToolPolicy{name: policy}
	team := &chargehand.Team{Tools: []chargehand.ToolServer{*spec}}
	p := NewPool(Options{Grace: 50 * time.Millisecond, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	t.Cleanup(func() { p.Close() })
	b, err := p.Belt(team, "", tool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := Worker(b, &chargehand.WorkerSpec{WorkerID: "w", Kind: chargehand.KindMCP, MCP: &chargehand.MCPKind{Tool: "s." + name}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestAToolAsAWorker(t *testing.T) {
	reads := chargehand.ToolPolicy{Effect: chargehand.EffectRead}
	task := chargehand.WorkerTask{RunID: "r", TaskID: "t", Attempt: 1, Input: json.RawMessage(`{"text":"hello"}`)}
	r, err := toolWorker(t, "echo", reads).Do(t.Context(), task)
	if err != nil || r.Status != chargehand.StatusSucceeded || string(r.Output) != `{"text":"hello"}` || r.Usage.ToolCalls != 1 || r.Tools.Pins[0].Tool != "s.echo" {
		t.Errorf("result %+v, %v", r, err)
	}
	task.Input = nil
	r, err = toolWorker(t, "key", reads).Do(t.Context(), task)
	if err != nil || !strings.HasPrefix(string(r.Output), `"r/t/sha256:`) {
		t.Errorf("a text as output: %s, %v", r.Output, err)
	}
	r, err = toolWorker(t, "fail", reads).Do(t.Context(), task)
	if err != nil || r.Status != chargehand.StatusFailed || r.Blockers[0] != "no such file" {
		t.Errorf("a tool that fails: %+v, %v", r, err)
	}
	task.Input = json.RawMessage(`{"text":1}`)
	if _, err = toolWorker(t, "echo", reads).Do(t.Context(), task); worker.KindOf(err) != worker.Refused || !begunNothing(err) {
		t.Errorf("arguments that do not fit: %v", err)
	}
}

func TestAToolThatWritesAndIsLost(t *testing.T) {
	task := chargehand.WorkerTask{RunID: "r", TaskID: "t", Attempt: 1, Effect: chargehand.EffectWrite}
	_, err := toolWorker(t, "die", chargehand.ToolPolicy{}).Do(t.Context(), task)
	if worker.KindOf(err) != worker.Crash || begunNothing(err) || !strings.Contains(err.Error(), "not known whether s.die took effect") {
		t.Errorf("error %v", err)
	}
	task.Effect = ""
	_, err = toolWorker(t, "die", chargehand.ToolPolicy{}).Do(t.Context(), task)
	if worker.KindOf(err) != worker.Refused || !begunNothing(err) || !strings.Contains(err.Error(), "only read") {
		t.Errorf("a write in a subtask that reads: %v", err)
	}
}

func begunNothing(err error) bool {
	e, ok := err.(*worker.Error)
	return ok && e.NotBegun
}
