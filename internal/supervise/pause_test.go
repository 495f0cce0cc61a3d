package supervise

import (
	"testing"
	"time"

	"github.com/chargehand/chargehand"
)

// TestPauseOfAnEarlierFormat: in a run that began before pauses stopped the time, deadlines hold through
// them, those that are still to come included.
func TestPauseOfAnEarlierFormat(t *testing.T) {
	team := chargehand.Team{Name: "t", Workers: []chargehand.WorkerSpec{{WorkerID: "w", Capabilities: []string{"c"}}}}
	ref, end := chargehand.AttemptRef{Subtask: "s", Attempt: 1}, epoch0.Add(10*time.Minute)
	var records []chargehand.Record
	for _, f := range []chargehand.Fact{
		chargehand.RunStarted{Format: 1, DeadlineAt: end},
		chargehand.PlanAsked{Iteration: 1},
		chargehand.PlanAdopted{Version: 1, Iteration: 1, Subtasks: 1},
		chargehand.SubtasksPlanned{Version: 1, Subtasks: []chargehand.Subtask{{ID: "s", Goal: "do", Capability: "c"}}},
		chargehand.SubtasksQueued{Attempts: []chargehand.AttemptRef{ref}, Candidates: []chargehand.Candidate{{Worker: "w"}}},
		chargehand.AttemptStarted{AttemptRef: ref, Worker: "w", Epoch: 1, DeadlineAt: epoch0.Add(time.Minute)},
		chargehand.PauseBegan{By: "ana"},
	} {
		records = append(records, chargehand.Record{Run: "run", Seq: int64(len(records) + 1), At: epoch0, Fact: f})
	}
	m := Restore("run", &team, throughJournal(t, records))
	if s := m.Summary(); !m.Wake().Equal(epoch0.Add(time.Minute)) || !s.DeadlineAt.Equal(end) || s.Left != 0 {
		t.Errorf("paused, it wakes at %s, and has until %s, %s left", moment(m.Wake()), moment(s.DeadlineAt), s.Left)
	}
	operate := func(d time.Duration, verb chargehand.Verb) Output {
		return m.Step(epoch0.Add(d), Operate{chargehand.Control{Verb: verb, By: "ana"}})
	}
	for i, verb := range []chargehand.Verb{chargehand.Resume, chargehand.Pause, chargehand.Resume} {
		if out := operate(time.Duration(i)*10*time.Second, verb); len(out.Effects) != 0 || !out.Wake.Equal(epoch0.Add(time.Minute)) {
			t.Errorf("%s begins %v, and wakes it at %s", verb, out.Effects, moment(out.Wake))
		}
	}
	if s := m.Summary(); !s.DeadlineAt.Equal(end) {
		t.Errorf("gone on, it has until %s", moment(s.DeadlineAt))
	}
}
