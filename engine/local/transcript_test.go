package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// TestFailedAttemptsKeepTheirTranscript: what a worker says it did can be read however its attempt ended, by the hash on the
// record of the end; what is no JSON is not kept.
func TestFailedAttemptsKeepTheirTranscript(t *testing.T) {
	const did = `{"turns":[{"text":"I looked"}]}`
	crashes := errors.New("out of reach")
	fails := func(transcript string) worker.Func {
		return func(context.Context, chargehand.WorkerTask) (chargehand.WorkerResult, error) {
			return chargehand.WorkerResult{Transcript: json.RawMessage(transcript)}, crashes
		}
	}
	late := worker.Func(func(ctx context.Context, _ chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		<-ctx.Done()
		return chargehand.WorkerResult{Transcript: json.RawMessage(did)}, context.Cause(ctx)
	})
	broke := worker.Func(func(ctx context.Context, _ chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		line := worker.LineOf(ctx)
		err := errors.Join(line.Cover(ctx, usd(1)), line.Cover(ctx, usd(10*chargehand.USD)))
		return chargehand.WorkerResult{Transcript: json.RawMessage(did), Usage: usd(1)}, err
	})
	crashed := func(t *testing.T, e *local.Engine, run string) string {
		return facts[chargehand.AttemptFailed](t, e, run)[0].Transcript
	}
	for name, c := range map[string]struct {
		worker worker.Worker
		kept   func(*testing.T, *local.Engine, string) string
		want   string
	}{
		"crashed":   {fails(did), crashed, did},
		"uncovered": {broke, crashed, did},
		"stopped": {late, func(t *testing.T, e *local.Engine, run string) string {
			until(t, e, run, func(*chargehand.View) bool { return len(facts[chargehand.AttemptStopped](t, e, run)) > 0 })
			return facts[chargehand.AttemptStopped](t, e, run)[0].Transcript
		}, did},
		"no JSON":  {fails(`I looked`), crashed, ""},
		"too much": {fails(`"` + string(slices.Repeat([]byte("x"), 9<<20)) + `"`), crashed, ""},
		"silent":   {fails(""), crashed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := open(t, local.Options{Workers: worker.Set{"w": c.worker}})
			o := order(1, func(team *chargehand.Team) {
				team.Policy.Attempts, team.Workers[0].AverageLatencyMS = 1, 100
				team.Planner.Template.Subtasks[0].TimeoutMS = 1000
			})
			o.Budget.USD = chargehand.USD
			run := start(t, e, o)
			until(t, e, run, func(v *chargehand.View) bool { return ended(v) || needsHuman(v) })
			hash := c.kept(t, e, run)
			if c.want == "" {
				if hash != "" {
					t.Errorf("%s is kept", hash)
				}
				return
			}
			if text, err := e.Blob(t.Context(), hash); err != nil || string(text) != c.want {
				t.Errorf("the transcript is %q (%v)", text, err)
			}
		})
	}
}
