package supervise

import (
	"testing"
	"time"

	"github.com/chargehand/chargehand"
)

// A result says of every decision what it was about and who made it, also where that is the one who
// started the run and the subject is no output.
func TestResultSaysWhoDecidedWhat(t *testing.T) {
	team := &chargehand.Team{
		Name: "t", Workers: []chargehand.WorkerSpec{{WorkerID: "a", Capabilities: []string{"read"}}},
		Planner: chargehand.Planner{Func: "p"}, Policy: chargehand.Policy{ApprovePlan: true},
	}
	m := New("run", team)
	now := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	m.Step(now, Start{Order: chargehand.Order{Objective: chargehand.Objective{Goal: "g"}, StartedBy: "ana"}, Seed: "s"})
	plan := chargehand.Plan{Subtasks: []chargehand.Subtask{{ID: "s1", Goal: "g", Capability: "read"}}}
	m.Step(now, Planned{Iteration: 1, Plan: plan, Source: "func", Ref: "sha256:p"})
	r := m.desk.order[0]
	m.Step(now, Decide{ReviewID: r.ID, Approved: true, Approver: "ana", ContentHash: r.ContentHash, Nonce: r.Nonce})
	d := m.Result().Decisions
	if len(d) != 1 || d[0].Subject != chargehand.SubjectPlan || !d[0].ByRequester || d[0].Who() != "ana, who started the run" {
		t.Errorf("the result says %+v", d)
	}
}
