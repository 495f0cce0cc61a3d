package local_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
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
