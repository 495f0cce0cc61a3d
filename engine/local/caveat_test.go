package local_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// TestLastStepSeesTheGaps: what is missing stands first in what the last step reads, whatever kind of worker it is; the
// aggregate of a team without one says nothing of it. The result names the gap once, either way.
func TestLastStepSeesTheGaps(t *testing.T) {
	for name, last := range map[string]*chargehand.Synthesis{"with a last step": {Capability: "s"}, "without": nil} {
		t.Run(name, func(t *testing.T) {
			given := make(chan string, 1)
			e := open(t, local.Options{Workers: worker.Set{
				"w": worker.Func(func(context.Context, chargehand.WorkerTask) (chargehand.WorkerResult, error) {
					return chargehand.WorkerResult{Output: []byte(`"found"`)}, nil
				}),
				"last": worker.Func(func(_ context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
					given <- task.InputRefs[0].Text
					return chargehand.WorkerResult{Output: []byte(`"done"`)}, nil
				}),
			}})
			run := start(t, e, order(2, func(team *chargehand.Team) {
				all := 1.0
				team.Policy.FailureRatio, team.Synthesis = &all, last
				team.Workers = append(team.Workers, chargehand.WorkerSpec{WorkerID: "last", Capabilities: []string{"s"}})
				s := team.Planner.Template.Subtasks
				s[1].Required, s[1].RiskLevel = false, chargehand.RiskMedium // nobody may do it
			}))
			until(t, e, run, ended)
			res, err := e.Result(t.Context(), run)
			if err != nil || len(res.Gaps) != 1 {
				t.Fatalf("%v: %+v", err, res)
			}
			text, err := e.Blob(t.Context(), facts[chargehand.Aggregated](t, e, run)[0].Ref)
			if err != nil {
				t.Fatal(err)
			}
			if last == nil {
				if bytes.Contains(text, []byte(`"gaps"`)) || bytes.Contains(text, []byte(`"lowConfidence"`)) {
					t.Errorf("the aggregate is %s", text)
				}
				return
			}
			var told struct {
				Gaps struct{ First []chargehand.Gap }
			}
			if err := json.Unmarshal(text, &told); err != nil || !bytes.HasPrefix(text, []byte(`{"gaps":{"count":1,"first":[`)) || told.Gaps.First[0] != res.Gaps[0] {
				t.Errorf("%v: the aggregate is %s", err, text)
			}
			if got := <-given; got != string(text) {
				t.Errorf("the last step is given %s", got)
			}
		})
	}
}
