package local_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// What an attempt's tools did is on record however the attempt ended: it crashed, its money was denied, or
// it was stopped (SPEC.md ·54).
func TestEndedAttemptsKeepTheirToolReport(t *testing.T) {
	report := &chargehand.ToolReport{
		Pins:   []chargehand.ToolPin{{Tool: "files.write", Digest: "d1"}},
		Denied: []chargehand.ToolDenial{{Tool: "files.pay", Cause: chargehand.DeniedGrant, Why: "there is no grant"}},
		Done:   []string{"a1"},
	}
	for name, end := range map[string]func(context.Context) (chargehand.Usage, error){
		"crashed": func(context.Context) (chargehand.Usage, error) { return chargehand.Usage{}, errors.New("out of reach") },
		"uncovered": func(ctx context.Context) (chargehand.Usage, error) {
			line := worker.LineOf(ctx)
			return usd(1), errors.Join(line.Cover(ctx, usd(1)), line.Cover(ctx, usd(10*chargehand.USD)))
		},
		"stopped": func(ctx context.Context) (chargehand.Usage, error) {
			<-ctx.Done()
			return chargehand.Usage{}, context.Cause(ctx)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := worker.Func(func(ctx context.Context, _ chargehand.WorkerTask) (chargehand.WorkerResult, error) {
				u, err := end(ctx)
				return chargehand.WorkerResult{Tools: report, Usage: u}, err
			})
			e := open(t, local.Options{Workers: worker.Set{"w": w}})
			o := order(1, func(team *chargehand.Team) {
				team.Policy.Attempts, team.Workers[0].AverageLatencyMS = 1, 100
				team.Planner.Template.Subtasks[0].TimeoutMS = 1000
			})
			o.Budget.USD = chargehand.USD
			run := start(t, e, o)
			until(t, e, run, func(v *chargehand.View) bool {
				return ended(v) || needsHuman(v) && (name != "stopped" || len(facts[chargehand.AttemptStopped](t, e, run)) > 0)
			})
			var got chargehand.ToolReport
			for _, f := range facts[chargehand.ToolsUsed](t, e, run) {
				got.Pins, got.Denied, got.Done = append(got.Pins, f.Pins...), append(got.Denied, f.Denied...), append(got.Done, f.Done...)
			}
			if d := cmp.Diff(report, &got); d != "" {
				t.Errorf("on record is something else (-said +recorded):\n%s", d)
			}
		})
	}
}
