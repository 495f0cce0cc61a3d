package supervise

import (
	"fmt"
	"testing"

	"github.com/chargehand/chargehand"
)

// BenchmarkRun drives whole runs: what a subtask costs must not depend on how many there are. The
// kinds differ in what they keep waiting: nothing, the reviewer, or people.
func BenchmarkRun(b *testing.B) {
	for _, kind := range []string{"plain", "judged", "reviewed", "chained"} {
		for _, n := range []int{100, 1_000, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", kind, n), func(b *testing.B) {
				team, plan := crowd(kind, n)
				for b.Loop() {
					drive(b, kind, team, plan)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/subtask")
			})
		}
	}
}

// crowd is a team and a plan of n subtasks.
func crowd(kind string, n int) (*chargehand.Team, chargehand.Plan) {
	ratio := 1.0
	team := &chargehand.Team{
		Name: "test", Workers: []chargehand.WorkerSpec{{WorkerID: "a", Capabilities: []string{"x"}, CostPerCallEstimateUSD: 100}},
		Policy: chargehand.Policy{FailureRatio: &ratio, RunConcurrency: 20, WhenOnlyWaits: chargehand.WaitForPeople},
	}
	if kind == "judged" {
		team.Policy.Reviewer = "a"
	}
	var plan chargehand.Plan
	for i := range n {
		s := chargehand.Subtask{ID: fmt.Sprintf("s%d", i), Goal: "do", Capability: "x"}
		if kind == "chained" && i > 0 {
			s.Deps = []string{fmt.Sprintf("s%d", (i-1)/2)}
		}
		plan.Subtasks = append(plan.Subtasks, s)
	}
	return team, plan
}

// drive takes a run from its start to its end. Verdicts and decisions come last of all, so that as
// many as can be are waited for at once; Idle is asked after every step, as engines do.
func drive(t testing.TB, kind string, team *chargehand.Team, plan chargehand.Plan) {
	m := New("run", team)
	d := driver{t: t, m: m, reviews: kind == "reviewed"}
	d.step(Start{Order: chargehand.Order{Budget: chargehand.Budget{USD: 1_000 * chargehand.USD}}})
	d.step(Planned{Iteration: 1, Plan: plan})
	for len(d.todo) > 0 {
		in := d.todo[0]
		d.todo = d.todo[1:]
		d.step(in)
		if len(d.todo) == 0 {
			d.todo, d.last = d.last, nil
		}
	}
	if m.run.state != chargehand.RunCompleted {
		t.Fatalf("the run is %s", m.run.state)
	}
}

type driver struct {
	t          testing.TB
	m          *Machine
	todo, last []Input
	epoch      int64
	reviews    bool
}

func (d *driver) step(in Input) {
	out := d.m.Step(epoch0, in)
	d.m.Idle()
	for _, m := range out.Fleet {
		if a, ok := m.(Ask); ok {
			d.epoch++
			d.todo = append(d.todo, Granted{AttemptRef: a.AttemptRef, Worker: "a", Epoch: d.epoch})
		}
	}
	for _, r := range out.Records {
		if f, ok := r.Fact.(chargehand.ReviewOpened); ok {
			d.last = append(d.last, Decide{ReviewID: f.Review.ID, Approved: true, Approver: "ana", ContentHash: f.Review.ContentHash, Nonce: f.Review.Nonce})
		}
	}
	for _, e := range out.Effects {
		d.effect(e)
	}
}

func (d *driver) effect(e Effect) {
	good := chargehand.Verdict{SchemaPass: true, Score: 1, Recommendation: chargehand.Accept, Confidence: 9}
	switch e := e.(type) {
	case Launch:
		if d.reviews && d.epoch%2 == 0 {
			good.Recommendation = chargehand.HumanReview
		}
		d.todo = append(d.todo, Finished{AttemptRef: launched(e), Epoch: e.Epoch, Status: chargehand.StatusSucceeded, Output: "out", Size: 1, Verdict: good})
	case Judge:
		d.last = append(d.last, JudgeAnswered{AttemptRef: e.AttemptRef, Times: e.Times, Verdict: good})
	case Aggregate:
		d.todo = append(d.todo, WorkAggregated{Round: e.Round, Ref: "aggregate"})
	case WriteResult:
		d.todo = append(d.todo, ResultWritten{Result: "result"})
	}
}
