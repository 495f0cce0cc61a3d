package supervise

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

// TestRecoveryTable prints the whole decision table of SPEC.md §4.6, so that a change of policy
// shows as a change of the file.
func TestRecoveryTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What becomes of an attempt that is not accepted (SPEC.md §4.6), for every situation.\n" +
		"# before: attempts that ended for the same cause on the same worker. left: attempts left.\n" +
		"# others: another worker could take it. once: the worker must not be asked again.\n\n")
	fmt.Fprintf(&b, "%-16s %-6s %-4s  %-11s %-11s %-11s %s\n", "cause", "before", "left", "others", "alone", "once,others", "once,alone")
	for _, r := range recovery {
		for before := range 2 {
			for left := range 3 {
				s := situation{cause: r.cause, before: before, left: left}
				fmt.Fprintf(&b, "%-16s %-6d %-4d  %-11s %-11s %-11s %s\n", r.cause, before, left,
					s.given(true, true), s.given(false, true), s.given(true, false), s.given(false, false))
			}
		}
	}
	golden(t, "testdata/recovery.golden", b.String())
}

func (s situation) given(others, retryable bool) remedy {
	s.others, s.retryable = others, retryable
	return s.decide()
}

// TestThreshold prints at which failure a run of n subtasks is given up (SPEC.md ·80). Subtasks
// that were rejected, skipped, left out for money, or accepted do not count.
//
//guard:failure-threshold
func TestThreshold(t *testing.T) {
	var b strings.Builder
	b.WriteString("# The failure that ends a run of n subtasks, by failure ratio (SPEC.md ·80).\n\n n  0.5  0.2  0\n")
	for n := 1; n <= 10; n++ {
		fmt.Fprintf(&b, "%2d  %-3d  %-3d  %d\n", n, survives(t, n, 0.5)+1, survives(t, n, 0.2)+1, survives(t, n, 0)+1)
	}
	golden(t, "testdata/threshold.golden", b.String())
}

// survives is how many failures a run of n subtasks bears.
func survives(t *testing.T, n int, ratio float64) int {
	team := chargehand.Team{
		Name: "test", Policy: chargehand.Policy{FailureRatio: &ratio, Attempts: 1, RunConcurrency: 20},
		Workers: []chargehand.WorkerSpec{{WorkerID: "a", Capabilities: []string{"x"}}},
	}
	var plan chargehand.Plan
	for i := range n {
		plan.Subtasks = append(plan.Subtasks, chargehand.Subtask{ID: fmt.Sprintf("s%d", i), Goal: "do", Capability: "x"})
	}
	m := New("run", &team)
	m.Step(epoch0, Start{})
	m.Step(epoch0, Planned{Iteration: 1, Plan: plan})
	for i := range n {
		r := chargehand.AttemptRef{Subtask: plan.Subtasks[i].ID, Attempt: 1}
		m.Step(epoch0, Granted{AttemptRef: r, Worker: "a", Epoch: int64(i + 1)})
		m.Step(epoch0, Crashed{AttemptRef: r, Epoch: int64(i + 1), Cause: chargehand.CauseCrash})
		review := m.desk.order[i]
		m.Step(epoch0, Decide{ReviewID: review.ID, Approver: "ana", ContentHash: review.ContentHash, Nonce: review.Nonce})
		if m.run.abort != nil {
			if m.run.abort.stop != chargehand.StopTooManyFailures {
				t.Fatalf("the run stops for %s", m.run.abort.stop)
			}
			return i
		}
	}
	return n
}
