package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/chargehand/chargehand"
)

const (
	mostMemory = 400 << 20 // bytes that an engine may have in memory whatever workers answer (RELIABILITY.md row 18a)
	mostData   = 1 << 30   // bytes that the system gives it, so that a defect harms nothing else
)

// A bomb is a contract and a worker's answer that together would cost far more than either looks like.
type bomb struct {
	name     string
	contract map[string]any
	answer   string
	because  string // why its output is not accepted; empty: it is
}

// bombs are one of each kind; internal/gate has more.
func bombs() []bomb {
	schema := func(text string) map[string]any { return map[string]any{"schema": json.RawMessage(text)} }
	rule := func(cel string) map[string]any {
		return map[string]any{"rules": []map[string]any{{"id": "r", "cel": cel, "message": "No.", "severity": "warning"}}}
	}
	several := func(n int, what string) string {
		return "[" + strings.Repeat(what+",", n-1) + what + "]"
	}
	doubled := []string{`"d40":{"minProperties":0}`}
	for i := range 40 {
		doubled = append(doubled, fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1))
	}
	var figures strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&figures, "%d months. ", 10_000+i)
	}
	return []bomb{
		{
			"choice", schema(`{"$ref":"#/$defs/n","$defs":{"n":{"anyOf":[
			{"type":"object","required":["kind"],"properties":{"kind":{"const":"a"},"child":{"$ref":"#/$defs/n"}}},
			{"type":"object","required":["kind"],"properties":{"kind":{"const":"b"},"child":{"$ref":"#/$defs/n"}}}]}}}`),
			strings.Repeat(`{"kind":"b","child":`, 30) + `{"kind":"c"}` + strings.Repeat("}", 30), "schema layer gave up",
		},
		{"doubled", schema(`{"$ref":"#/$defs/d0","$defs":{` + strings.Join(doubled, ",") + `}}`), `{}`, "schema layer gave up"},
		{"deep", schema(`{"type":"object"}`), strings.Repeat(`{"a":[`, 100_000) + strings.Repeat(`]}`, 100_000), "more than 100 deep"},
		{
			"lists", schema(`{"not":{"$ref":"#/$defs/n"},"$defs":{"n":{"type":"array","items":{"$ref":"#/$defs/n"},"contains":{"$ref":"#/$defs/n"}}}}`),
			strings.Repeat("[", 60) + "1" + strings.Repeat("]", 60), "schema layer gave up",
		},
		{"unique", schema(`{"uniqueItems":true,"allOf":` + several(60, `{"uniqueItems":true}`) + `}`), several(50_000, "[[[]],[]]"), "schema layer gave up"},
		{"pattern", schema(`{"pattern":"(x{1,400})(y|z){2,400}$"}`), `"` + strings.Repeat("x", 400_000) + `"`, "schema layer gave up"},
		{"expression", rule(`output.all(a, output.all(b, output.all(c, output.all(d, a + b + c + d >= 0.0))))`), several(300, "7"), "rules layer gave up"},
		{"growth", rule(`output.map(x, output).map(x, output.map(y, x)).size() > 0`), several(2_000, "7"), "rules layer gave up"},
		{"figures", map[string]any{"grounded": []string{"/s"}}, `{"s":"` + strings.ReplaceAll(figures.String(), "months", "days") + `"}`, "Output says 10000 days"},
		{"names", map[string]any{"grounded": []string{"/s"}}, `{"s":"` + strings.Repeat("Qqqqqq Zzzzzz met. ", 40_000) + `"}`, "names"},
		{"spelling", nil, `"` + strings.Repeat(`A\u0338\ufb01\u202e`, 150_000) + `"`, ""},
	}
}

// minefield writes a team with a subtask for each bomb, and returns its file.
func minefield(t *testing.T, dir string) string {
	t.Helper()
	var contracts, workers, subtasks []map[string]any
	for _, b := range bombs() {
		write(t, filepath.Join(dir, b.name+".json"), b.answer)
		if b.contract != nil {
			b.contract["name"] = b.name
			contracts = append(contracts, b.contract)
		}
		workers = append(workers, map[string]any{
			"workerId": b.name, "capabilities": []string{b.name}, "averageLatencyMs": 60_000, "free": true,
			"kind": "exec", "exec": map[string]any{"isolation": "none", "command": []string{"sh", "-c", "cat >/dev/null; cat " + b.name + ".json"}},
		})
		s := map[string]any{"id": b.name, "goal": "answer", "capability": b.name}
		if b.contract != nil {
			s["outputContract"] = b.name
		}
		subtasks = append(subtasks, s)
	}
	body, err := json.Marshal(map[string]any{
		"name": "mines", "contracts": contracts, "workers": workers, "planner": map[string]any{"template": map[string]any{"subtasks": subtasks}},
	})
	if err != nil {
		t.Fatal(err)
	}
	team := filepath.Join(dir, "mines.yaml")
	write(t, team, string(body)) // JSON is YAML
	return team
}

// TestCostlyAnswers has the workers of a served run answer with everything that would cost the gate hours
// or all memory. The process survives within mostMemory, a run beside it completes, and the process ends
// when it is asked to.
func TestCostlyAnswers(t *testing.T) {
	dir := t.TempDir()
	data, team, plain := filepath.Join(dir, "data"), minefield(t, dir), filepath.Join(dir, "plain.yaml")
	write(t, plain, `
name: plain
workers: [{workerId: w, capabilities: [c], free: true, kind: exec, exec: {isolation: none, command: [sh, -c, "cat >/dev/null; echo '{}'"]}}]
planner: {template: {subtasks: [{id: a, goal: answer, capability: c}]}}
`)
	var doc strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&doc, "%d months. ", 10_000+i)
	}
	write(t, filepath.Join(dir, "doc.txt"), doc.String())
	t.Chdir(dir)
	server := run(t, data, "serve", "--listen", "127.0.0.1:0", "--team", plain)
	if err := unix.Prlimit(server.cmd.Process.Pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: mostData, Max: mostData}, nil); err != nil {
		t.Fatal(err)
	}
	until(t, "the server is there", func() bool { return exists(filepath.Join(data, "chargehand.sock")) })
	mines := run(t, data, "run", team, "doc.txt", "--goal", "answer", "-o", "name")
	run(t, data, "run", plain, "--goal", "answer").want(t, 0, "exit 0")
	mines.want(t, 3)
	got := run(t, data, "runs", "get", strings.TrimSpace(mines.out.String()), "-o", "json")
	got.want(t, 0)
	var v chargehand.View
	if err := json.Unmarshal([]byte(got.out.String()), &v); err != nil || len(v.Rows) != len(bombs()) {
		t.Fatalf("%v: %.500s", err, got.out.String())
	}
	for i, b := range bombs() {
		if r := v.Rows[i]; r.State.Accepted() != (b.because == "") || !strings.Contains(r.Why, b.because) {
			t.Errorf("%s is %s: %.200q", b.name, r.State, r.Why)
		}
	}
	most := residentPeak(t, server.cmd.Process.Pid)
	count(t, "MiB resident at most", most>>20)
	if most > mostMemory {
		t.Errorf("%d MiB resident", most>>20)
	}
	server.signal(t, syscall.SIGTERM)
	server.want(t, 0)
}

// residentPeak is the most memory that a process has had, in bytes.
func residentPeak(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	var kib int
	_, line, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(line, &kib); err != nil {
		t.Fatal(err)
	}
	return kib << 10
}
