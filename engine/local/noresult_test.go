package local_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// TestSoundGarbageIsNoOutput has a worker answer with JSON that is no result of its task, under a
// contract that any JSON fits: it is rejected for what is wrong with it, and mended.
func TestSoundGarbageIsNoOutput(t *testing.T) {
	twice := worker.Func(func(_ context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		if task.Attempt == 1 {
			return chargehand.WorkerResult{}, &worker.Error{Kind: worker.Garbage, Message: "it is for another task", Raw: []byte(`{"output":1}`)}
		}
		return chargehand.WorkerResult{Output: []byte(`{}`)}, nil
	})
	e := open(t, local.Options{Dir: t.TempDir(), Workers: worker.Set{"w": twice}})
	v := until(t, e, start(t, e, order(1, nil)), ended)
	all := v.Rows[0].Attempts
	if len(all) != 2 || v.State != chargehand.RunCompleted || all[0].Verdict.Recommendation != chargehand.Reject || all[0].Verdict.SchemaPass {
		t.Fatalf("the run came out as %s after %+v", v.State, all)
	}
	if f := all[0].Verdict.Issues; len(f) != 1 || !strings.Contains(f[0].Message, "It is for another task") {
		t.Errorf("the findings are %+v", f)
	}
}
