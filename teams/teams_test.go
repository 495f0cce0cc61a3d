package teams_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/teams"
	"github.com/chargehand/chargehand/teams/contractreview"
	"github.com/chargehand/chargehand/worker"
)

func engine(t *testing.T, workers worker.Set) *local.Engine {
	t.Helper()
	e, err := local.Open(t.Context(), local.Options{Dir: t.TempDir(), Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// finish follows a run to its end and answers each review by way of decide.
func finish(t *testing.T, e *local.Engine, run string, decide func(chargehand.Review) chargehand.Decision) *chargehand.Result {
	t.Helper()
	for r, err := range e.Records(t.Context(), run, 0, true) {
		if err != nil {
			t.Fatal(err)
		}
		opened, ok := r.Fact.(chargehand.ReviewOpened)
		if !ok {
			continue
		}
		d := decide(opened.Review)
		d.ReviewID, d.Nonce, d.ContentHash = opened.Review.ID, opened.Review.Nonce, opened.Review.ContentHash
		if _, err := e.Decide(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	res, err := e.Result(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func nobody(t *testing.T) func(chargehand.Review) chargehand.Decision {
	return func(r chargehand.Review) chargehand.Decision {
		t.Errorf("a person is asked about %s: %s", r.TaskID, r.Description)
		return chargehand.Decision{}
	}
}

func TestFind(t *testing.T) {
	for _, name := range teams.Names() {
		r, ok := teams.Find(name)
		if !ok || r.Team.Name != name || len(r.Workers) == 0 || r.Objective == nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if _, ok := teams.Find("nobody"); ok {
		t.Error("there is a team called nobody")
	}
}

func TestContractReviewRuns(t *testing.T) {
	gpl, err := os.ReadFile("/usr/share/common-licenses/GPL-3")
	if err != nil {
		t.Logf("without the GPL: %v", err)
	}
	docs := []chargehand.Document{contractreview.Sample(), {Name: "GPL-3", Text: string(gpl)}}
	ready := teams.ContractReview()
	e := engine(t, ready.Workers)
	for _, doc := range docs {
		t.Run(doc.Name, func(t *testing.T) {
			if doc.Text == "" {
				t.Skip("the text is not there")
			}
			run, err := e.Start(t.Context(), chargehand.Order{Team: ready.Team, Objective: ready.Objective([]chargehand.Document{doc}), StartedBy: "sam"})
			if err != nil {
				t.Fatal(err)
			}
			res := finish(t, e, run, nobody(t))
			if res.Status != chargehand.RunCompleted || len(res.Gaps) > 0 {
				t.Errorf("%s, gaps %v", res.Status, res.Gaps)
			}
			var out struct{ Report struct{ Text string } }
			if err := json.Unmarshal(res.Output, &out); err != nil || !strings.Contains(out.Report.Text, "confirmed by lexical-reader") {
				t.Errorf("the report: %v\n%s", err, out.Report.Text)
			}
			t.Logf("%d items, conflicts %v, cost %s", len(res.Items), res.Conflicts, res.Cost.USD)
		})
	}
}

// story runs the demo and says how it ended.
func story(t *testing.T, decide func(chargehand.Review) chargehand.Decision) (*local.Engine, string, *chargehand.Result) {
	t.Helper()
	d := contractreview.Demo()
	for i := range d.Team.Planner.Template.Subtasks {
		s := &d.Team.Planner.Template.Subtasks[i]
		s.TimeoutMS = max(1000, s.TimeoutMS/4) // the one who never answers is not waited for as long
	}
	e := engine(t, d.Workers)
	run, err := e.Start(t.Context(), chargehand.Order{Team: d.Team, Objective: d.Objective, StartedBy: "sam"})
	if err != nil {
		t.Fatal(err)
	}
	return e, run, finish(t, e, run, decide)
}

func TestDemoRejected(t *testing.T) {
	_, _, res := story(t, func(r chargehand.Review) chargehand.Decision {
		if r.TaskID != "s3" {
			t.Errorf("a review of %s", r.TaskID)
		}
		return chargehand.Decision{Approver: "ana", Comment: "the amount is wrong"}
	})
	if res.Status != chargehand.RunFailed {
		t.Errorf("status %s", res.Status)
	}
}

func TestDemoApproved(t *testing.T) {
	e, run, res := story(t, func(r chargehand.Review) chargehand.Decision {
		return chargehand.Decision{Approved: true, Approver: "ana", Comment: "seen"}
	})
	if res.Status != chargehand.RunCompleted {
		t.Errorf("status %s, gaps %v", res.Status, res.Gaps)
	}
	v, err := e.Run(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range v.Rows {
		var by []string
		for _, a := range row.Attempts {
			by = append(by, a.Worker)
		}
		t.Logf("%s %s %s %v", row.ID, row.Label, row.State, by)
		want := map[string][]string{
			"s3": {"liability-reader", "liability-reader"}, "s4": {"dp-worker-a", "dp-worker-b"}, "s6": {"second-reader-economy"},
		}[row.ID]
		if want != nil && !slices.Equal(by, want) {
			t.Errorf("%s was done by %v, want %v", row.ID, by, want)
		}
	}
	if !v.LowBudget || v.Spent > v.Budget {
		t.Errorf("spent %s of %s, low budget %v", v.Spent, v.Budget, v.LowBudget)
	}
	t.Logf("spent %s", v.Spent)
}
