package contractreview

import (
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/gate"
)

// demoCheck has a worker of the demo do a subtask, and the gate look at it.
func demoCheck(t *testing.T, subtask, by string, attempt int) (chargehand.WorkerResult, chargehand.Verdict) {
	t.Helper()
	d := Demo()
	g := compiled(t, d.Team)
	for _, s := range d.Team.Planner.Template.Subtasks {
		if s.ID != subtask {
			continue
		}
		task := taskOf(s, inputOf(Sample()))
		task.Attempt, task.AssignedWorker = attempt, by
		r, err := d.Workers[by].Do(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		return r, g.Check(gate.Submission{Contract: s.OutputContract, Task: task, Result: r})
	}
	t.Fatalf("there is no subtask %s", subtask)
	return chargehand.WorkerResult{}, chargehand.Verdict{}
}

func TestTheLieIsCaughtTwice(t *testing.T) {
	var last string
	for attempt := 1; attempt <= 3; attempt++ {
		r, v := demoCheck(t, "s3", "liability-reader", attempt)
		if v.Recommendation != chargehand.Reject {
			t.Fatalf("attempt %d: %s", attempt, v.Recommendation)
		}
		if string(r.Output) == last {
			t.Errorf("attempt %d says the same as the one before", attempt)
		}
		last = string(r.Output)
		f := v.Issues[0]
		for _, x := range v.Issues {
			t.Logf("attempt %d: %s %s %s | %s | quote %q | source %+v", attempt, x.Layer, x.Rule, x.Path, x.Message, x.Quote, x.Source)
		}
		if f.Source == nil {
			t.Fatalf("attempt %d: the finding has no source", attempt)
		}
		if all := f.Message + f.Quote; !strings.Contains(all, "EUR 5,000,000") || !strings.Contains(f.Message+f.Source.Quote, "EUR 500,000") {
			t.Errorf("attempt %d: the finding does not name both amounts: %+v", attempt, f)
		}
		if len(v.Issues) != 1 {
			t.Errorf("attempt %d: there is more to find than the lie: %v", attempt, v.Issues[1:])
		}
	}
}

func TestHonestDemoWorkersAreAccepted(t *testing.T) {
	for subtask, by := range map[string]string{
		"s1": "clause-reader", "s2": "clause-reader", "s4": "dp-worker-b", "s5": "clause-reader", "s6": "second-reader-economy",
	} {
		_, v := demoCheck(t, subtask, by, 1)
		accepted(t, subtask, v)
	}
}

func TestDemoTeamIsSound(t *testing.T) {
	d := Demo()
	compiled(t, d.Team)
	if n := len(d.Team.Planner.Template.Subtasks); n != 6 {
		t.Errorf("%d subtasks", n)
	}
	for _, w := range d.Team.Workers {
		if d.Workers[w.WorkerID] == nil {
			t.Errorf("there is no function behind %s", w.WorkerID)
		}
	}
}

func TestPlainReportHasTheLie(t *testing.T) {
	text, err := PlainReport(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, "shall not exceed EUR 5,000,000") || strings.Contains(text, "EUR 500,000") {
		t.Errorf("the report does not have the lie:\n%s", text)
	}
	if strings.Contains(text, "Audit Rights") {
		t.Error("the report has what its worker never answered")
	}
}
