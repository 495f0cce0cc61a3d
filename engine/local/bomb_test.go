package local_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/gate"
	"github.com/chargehand/chargehand/worker"
)

// recursive is a contract whose two forms hold each other: comparing an answer with it costs twice as
// much with each level.
const recursive = `{"$ref":"#/$defs/n","$defs":{"n":{"anyOf":[
	{"type":"object","required":["kind"],"properties":{"kind":{"const":"leaf"},"child":{"$ref":"#/$defs/n"}}},
	{"type":"object","required":["kind"],"properties":{"kind":{"const":"node"},"child":{"$ref":"#/$defs/n"}}}]}}}`

// TestCostlyOutputGoesToAPerson: an answer of 700 bytes that would take the gate days goes to a person
// at the first attempt, and a run beside it completes.
func TestCostlyOutputGoesToAPerson(t *testing.T) {
	bomb := strings.Repeat(`{"kind":"node","child":`, 30) + `{"kind":"end"}` + strings.Repeat("}", 30)
	w := worker.Func(func(_ context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		if task.ExpectedOutputContract == "c" {
			return chargehand.WorkerResult{Output: []byte(bomb)}, nil
		}
		return chargehand.WorkerResult{Output: []byte(`{}`)}, nil
	})
	e := open(t, local.Options{Dir: t.TempDir(), Workers: worker.Set{"w": w}})
	costly := start(t, e, order(1, func(team *chargehand.Team) {
		team.Contracts = []chargehand.Contract{{Name: "c", Schema: json.RawMessage(recursive)}}
		team.Planner.Template.Subtasks[0].OutputContract = "c"
	}))
	plain := start(t, e, order(1, nil))
	if v := until(t, e, plain, ended); v.State != chargehand.RunCompleted {
		t.Errorf("the run beside it is %s", v.State)
	}
	v := until(t, e, costly, needsHuman)
	all := v.Rows[0].Attempts
	if v.State.Final() || len(all) != 1 || all[0].Verdict.Recommendation != chargehand.HumanReview {
		t.Fatalf("the run is %s after %+v", v.State, all)
	}
	if f := all[0].Verdict.Issues; len(f) != 1 || f[0].Layer != chargehand.LayerSchema || f[0].Rule != "budget" || !strings.Contains(v.Reviews[0].Description, "schema layer gave up") {
		t.Errorf("the findings are %+v, the person is asked because %q", f, v.Reviews[0].Description)
	}
}

// slow is a contract whose rules take the gate seconds, and an output for it. No layer gives up.
func slow(t *testing.T) (chargehand.Contract, []byte) {
	t.Helper()
	c := chargehand.Contract{Name: "c"}
	for i := range 5 {
		c.Rules = append(c.Rules, chargehand.Rule{
			ID: fmt.Sprintf("r%d", i), CEL: `output.n.all(x, output.a == output.b)`, Message: "They differ.", Severity: chargehand.SeverityError,
		})
	}
	sevens := func(n int) []int { return slices.Repeat([]int{7}, n) }
	output, err := json.Marshal(map[string][]int{"n": sevens(380), "a": sevens(5_000), "b": sevens(5_000)})
	if err != nil {
		t.Fatal(err)
	}
	return c, output
}

// TestGateStopsWithItsRun: the gate does not go on with the output of a run that was cancelled, nor with
// any when the engine closes; the output is checked again then.
func TestGateStopsWithItsRun(t *testing.T) {
	contract, output := slow(t)
	g, problems := gate.Compile(&chargehand.Team{Contracts: []chargehand.Contract{contract}})
	if problems != nil {
		t.Fatal(problems)
	}
	begun := time.Now()
	if v := g.Check(gate.Submission{Contract: "c", Result: chargehand.WorkerResult{Output: output}}); v.Recommendation != chargehand.Accept {
		t.Fatalf("%s: %+v", v.Recommendation, v.Issues)
	}
	whole := time.Since(begun)
	answered := make(chan struct{}, 9)
	w := worker.Func(func(context.Context, chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		answered <- struct{}{}
		return chargehand.WorkerResult{Output: output}, nil
	})
	dir := t.TempDir()
	e, err := local.Open(t.Context(), local.Options{Dir: dir, Workers: worker.Set{"w": w}})
	if err != nil {
		t.Fatal(err)
	}
	o := order(1, func(team *chargehand.Team) {
		team.Contracts = []chargehand.Contract{contract}
		team.Planner.Template.Subtasks[0].OutputContract = "c"
		team.Workers[0].AverageLatencyMS = 60_000
	})
	cancelled := start(t, e, o)
	<-answered
	if err := e.Control(t.Context(), cancelled, chargehand.Control{Verb: chargehand.Cancel, By: "olu", Reason: "changed my mind"}); err != nil {
		t.Error(err)
	}
	until(t, e, cancelled, ended)
	f := afterwards(t, e, cancelled)
	if _, stopped := f.(chargehand.AttemptStopped); !stopped {
		t.Errorf("the gate went on with the output of the cancelled run: %T", f)
	}
	closed := start(t, e, o)
	<-answered
	begun = time.Now()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(begun); took > min(whole/2, 4*time.Second) { // an engine waits five seconds, and leaves work behind then
		t.Errorf("the engine closes in %s; the gate takes %s", took, whole)
	}
	again := open(t, local.Options{Dir: dir, Workers: worker.Set{"w": w}})
	if v := until(t, again, closed, ended); v.State != chargehand.RunCompleted {
		t.Errorf("the run is %s", v.State)
	}
}

// afterwards is the first record of a run after its end.
func afterwards(t *testing.T, e *local.Engine, run string) chargehand.Fact {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		over := false
		for r, err := range e.Records(t.Context(), run, 0, false) {
			if err != nil {
				t.Fatal(err)
			}
			if over {
				return r.Fact
			}
			_, over = r.Fact.(chargehand.RunEnded)
		}
		<-tick.C
	}
}
