package local_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// quoting is a worker whose only item quotes words of its last input.
func quoting(words string, confidence float64) worker.Func {
	return func(_ context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		from := t.InputRefs[0]
		for _, r := range t.InputRefs {
			if strings.Contains(r.Text, words) {
				from = r
			}
		}
		start := strings.Index(from.Text, words)
		body, err := json.Marshal(map[string]any{"items": []any{map[string]any{
			"key": "rent", "present": true, "quote": words, "answer": words, "document": from.Hash, "start": start, "end": start + len(words),
		}}})
		return chargehand.WorkerResult{Output: body, Confidence: &confidence}, err
	}
}

// A position of a debate is nothing that an output may rest on: what quotes the other worker's words
// quotes no source (SPEC.md ·67, ·69).
func TestPositionsAreNoSources(t *testing.T) {
	e := open(t, local.Options{Dir: t.TempDir(), Workers: worker.Set{"a": quoting("due monthly", 0.3), "b": quoting("present", 1)}})
	o := order(1, func(team *chargehand.Team) {
		team.Workers = nil
		for _, id := range []string{"a", "b"} {
			team.Workers = append(team.Workers, chargehand.WorkerSpec{WorkerID: id, Capabilities: []string{"c"}, AverageLatencyMS: 5000})
		}
		team.Contracts = []chargehand.Contract{{Name: "list", Schema: json.RawMessage(`{"type":"object"}`), Items: &chargehand.ItemRule{Path: "/items"}}}
		team.Routes = []chargehand.Route{{Capability: "c", Strategy: chargehand.RouteStatic, Workers: []string{"a", "b"}}}
		team.Policy.Debate.Always = true
		team.Planner.Template.Subtasks[0].OutputContract = "list"
	})
	o.Objective.Documents = []chargehand.Document{{Name: "lease", Text: "The rent is due monthly."}}
	v := until(t, e, start(t, e, o), func(v *chargehand.View) bool { return v.NeedsHuman > 0 || v.State.Final() })
	var said []string
	for _, a := range v.Rows[0].Attempts {
		said = append(said, fmt.Sprint(a.Worker, " ", a.Verdict.Recommendation))
	}
	if got := strings.Join(said, ", "); got != "a ACCEPT, b REJECT, b REJECT" || v.NeedsHuman == 0 || v.Rows[0].Debate == nil {
		t.Errorf("%s, and the run is %s with %d questions", got, v.State, v.NeedsHuman)
	}
}

// What was accepted is nothing to rest on either, where it is shown because an output contradicts it:
// what quotes it quotes no source. The answer that does comes to nothing, and the first output stands,
// for the checks accept it (SPEC.md ·67, ·69).
func TestDissentIsNoSource(t *testing.T) {
	answers := map[string]worker.Func{"a/s0": quoting("due monthly", 1), "a/s1": quoting("The rent is due", 1), "b/s1": quoting("present", 1)}
	do := worker.Func(func(ctx context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		if t.AssignedWorker == "b" { // it quotes what was accepted, not what it answers
			t.InputRefs = slices.DeleteFunc(slices.Clone(t.InputRefs), func(r chargehand.InputRef) bool { return r.Name == "position" || r.Name == "findings" })
		}
		return answers[t.AssignedWorker+"/"+t.TaskID](ctx, t)
	})
	e := open(t, local.Options{Dir: t.TempDir(), Workers: worker.Set{"a": do, "b": do}})
	o := order(2, func(team *chargehand.Team) {
		team.Workers = nil
		for _, id := range []string{"a", "b"} {
			team.Workers = append(team.Workers, chargehand.WorkerSpec{WorkerID: id, Capabilities: []string{"c"}, AverageLatencyMS: 5000})
		}
		team.Contracts = []chargehand.Contract{{Name: "list", Schema: json.RawMessage(`{"type":"object"}`), Items: &chargehand.ItemRule{Path: "/items"}}}
		team.Routes = []chargehand.Route{{Capability: "c", Strategy: chargehand.RouteStatic, Workers: []string{"a", "b"}}}
		team.Policy.Debate.Always, team.Policy.RunConcurrency = true, 1
		for i := range team.Planner.Template.Subtasks {
			team.Planner.Template.Subtasks[i].OutputContract = "list"
		}
	})
	o.Objective.Documents = []chargehand.Document{{Name: "lease", Text: "The rent is due monthly."}}
	v := until(t, e, start(t, e, o), func(v *chargehand.View) bool { return v.NeedsHuman > 0 || v.State.Final() })
	var said []string
	for _, a := range v.Rows[1].Attempts {
		said = append(said, fmt.Sprint(a.Worker, " ", a.Verdict.Recommendation))
	}
	if got := strings.Join(said, ", "); got != "a ACCEPT, b REJECT, b REJECT" {
		t.Errorf("the attempts are %s", got)
	}
	if d := v.Rows[1].Debate; v.State != chargehand.RunCompleted || v.Rows[1].Used != 1 || d == nil || d.Cause != chargehand.CauseConflict || d.By != "" {
		t.Errorf("the run is %s with attempt %d, after %+v", v.State, v.Rows[1].Used, d)
	}
}

// What an output says is on record where it may be compared, also of one that a person may accept; in
// a run without debates nobody asks.
func TestStancesOnRecord(t *testing.T) {
	for _, debates := range []bool{true, false} {
		e := open(t, local.Options{Dir: t.TempDir(), Workers: worker.Set{"w": quoting("due monthly", 1)}})
		o := order(1, func(team *chargehand.Team) {
			team.Contracts = []chargehand.Contract{{
				Name: "list", Schema: json.RawMessage(`{"type":"object"}`), Items: &chargehand.ItemRule{Path: "/items"},
				Rules: []chargehand.Rule{{ID: "look", CEL: "false", Message: "A person should see it.", Severity: chargehand.SeverityReview}},
			}}
			team.Policy.Debate.Always = debates
			team.Planner.Template.Subtasks[0].OutputContract = "list"
		})
		o.Objective.Documents = []chargehand.Document{{Name: "lease", Text: "The rent is due monthly."}}
		run := start(t, e, o)
		until(t, e, run, func(v *chargehand.View) bool { return v.NeedsHuman > 0 })
		for _, r := range records(t, e, run) {
			f, ok := r.Fact.(chargehand.OutputChecked)
			if ok && (f.Verdict.Recommendation != chargehand.HumanReview || (len(f.Stances) == 1 && f.Stances[0].Key == "rent") != debates) {
				t.Errorf("debates %t: the gate says %s, the output %v", debates, f.Verdict.Recommendation, f.Stances)
			}
		}
	}
}
