package local_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// TestAttemptsKeepTheirStderr: however an attempt ended, the end of what its program wrote to stderr can be read by the hash in
// the view, without characters that steer a terminal.
func TestAttemptsKeepTheirStderr(t *testing.T) {
	answers := func(output, stderr string, err error) worker.Func {
		return func(context.Context, chargehand.WorkerTask) (chargehand.WorkerResult, error) {
			return chargehand.WorkerResult{Output: []byte(output), Stderr: stderr}, err
		}
	}
	stops := worker.Func(func(ctx context.Context, _ chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		<-ctx.Done()
		return chargehand.WorkerResult{Stderr: "waited"}, context.Cause(ctx)
	})
	long := strings.Repeat("x", 20<<10)
	for name, c := range map[string]struct {
		worker worker.Worker
		want   string
	}{
		"accepted": {answers(`{"n": 1}`, "a note\n", nil), "a note\n"},
		"garbage":  {answers("", "out of paper", &worker.Error{Kind: worker.Garbage, Message: "no result", Raw: []byte("{")}), "out of paper"},
		"crashed":  {answers("", "a\nb\x1b[31m\u202e", errors.New("out of reach")), "a\nb·[31m·"},
		"stopped":  {stops, "waited"},
		"too much": {answers("", long, errors.New("out of reach")), long[:16<<10]},
		"silent":   {answers("", "", errors.New("out of reach")), ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := open(t, local.Options{Workers: worker.Set{"w": c.worker}})
			run := start(t, e, order(1, func(team *chargehand.Team) {
				team.Policy.Attempts, team.Workers[0].AverageLatencyMS = 1, 100
				team.Planner.Template.Subtasks[0].TimeoutMS = 1000
			}))
			hash := ""
			until(t, e, run, func(v *chargehand.View) bool {
				if len(v.Rows) == 0 || len(v.Rows[0].Attempts) == 0 {
					return false
				}
				hash = v.Rows[0].Attempts[0].Stderr
				return hash != "" || c.want == "" && (ended(v) || needsHuman(v))
			})
			if c.want == "" {
				if hash != "" {
					t.Errorf("%s is kept", hash)
				}
				return
			}
			if text, err := e.Blob(t.Context(), hash); err != nil || string(text) != c.want {
				t.Errorf("stderr is %q (%v)", text, err)
			}
		})
	}
}
