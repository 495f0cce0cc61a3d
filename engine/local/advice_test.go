package local_test

import (
	"context"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// advised is an engine, and an order whose planner notes what it is shown.
func advised(t *testing.T) (e *local.Engine, o chargehand.Order, seen *worker.PlanRequest) {
	t.Helper()
	seen = &worker.PlanRequest{}
	plan := worker.Planner(func(_ context.Context, r worker.PlanRequest) (chargehand.Plan, chargehand.Usage, error) {
		*seen = r
		s := chargehand.Subtask{ID: "read", Goal: "do", Capability: "c"}
		return chargehand.Plan{Subtasks: []chargehand.Subtask{s}}, chargehand.Usage{}, nil
	})
	e = open(t, local.Options{Dir: t.TempDir(), Workers: worker.Set{"w": echo}, Planners: map[string]worker.Planner{"split": plan}})
	o = order(0, func(team *chargehand.Team) { team.Planner = chargehand.Planner{Func: "split", Advice: true} })
	o.Objective.Goal = "Review the lease of the shop in Bremen."
	o.Objective.Documents = []chargehand.Document{{Name: "a.txt", MediaType: "text/plain", Text: "The rent is due monthly."}}
	o.Tenant = "north"
	return e, o, seen
}

// finished runs an order, and answers the run's records of advice.
func finished(t *testing.T, e *local.Engine, o chargehand.Order) (run string, facts []chargehand.PlanAdvised) {
	t.Helper()
	run = start(t, e, o)
	if v := until(t, e, run, func(v *chargehand.View) bool { return v.State.Final() }); v.State != chargehand.RunCompleted {
		t.Fatalf("the run is %s: %s", v.State, v.Why)
	}
	for r, err := range e.Records(t.Context(), run, 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := r.Fact.(chargehand.PlanAdvised); ok {
			facts = append(facts, f)
		}
	}
	return run, facts
}

// A planner is shown the plan of the earlier run that was about the same, and the journal says whose
// it was (SPEC.md ·25).
func TestAdvice(t *testing.T) {
	e, o, seen := advised(t)
	first, facts := finished(t, e, o)
	if seen.Advice != nil || len(facts) > 0 {
		t.Fatalf("there is no history, and the planner is shown %+v", seen.Advice)
	}
	o.Objective.Goal = "review THE lease, of the shop in Bremen"
	o.Objective.Documents[0].Text = "The rent is due weekly!!"
	second, facts := finished(t, e, o)
	a, p := seen.Advice, seen.Example
	if a == nil || a.Run != first || a.Confidence != 1 || a.Outcome != chargehand.RunCompleted || len(p.Subtasks) != 1 || p.Subtasks[0].ID != "read" {
		t.Fatalf("the planner is shown %+v", a)
	}
	if len(facts) != 1 || facts[0].Advice.Run != first || facts[0].Advice.Summary != "read (c)" || facts[0].Iteration != 1 {
		t.Fatalf("the journal says %+v", facts)
	}
	if _, facts = finished(t, e, o); len(facts) != 1 || facts[0].Advice.Run != second {
		t.Errorf("of two runs alike the newer is shown, not %+v", facts)
	}
}

// What is not alike enough is not shown, nor is what belongs to others, and nothing is shown unasked.
func TestNoAdvice(t *testing.T) {
	for name, change := range map[string]func(*chargehand.Order){
		"the documents are others, at 0.8": func(o *chargehand.Order) { o.Objective.Documents[0].MediaType = "text/markdown" },
		"another goal":                     func(o *chargehand.Order) { o.Objective.Goal = "Review the lease of the boat in Kiel." },
		"another tenant":                   func(o *chargehand.Order) { o.Tenant = "south" },
		"no tenant":                        func(o *chargehand.Order) { o.Tenant = "" },
		"another team":                     func(o *chargehand.Order) { o.Team.Name = "other" },
		"not asked for":                    func(o *chargehand.Order) { o.Team.Planner.Advice = false },
	} {
		t.Run(name, func(t *testing.T) {
			e, o, seen := advised(t)
			finished(t, e, o)
			change(&o)
			if _, facts := finished(t, e, o); seen.Advice != nil || len(facts) > 0 {
				t.Errorf("the planner is shown %+v", seen.Advice)
			}
		})
	}
}

// A team that takes high risks is not advised.
func TestAdviceIsRefusedAtHighRisk(t *testing.T) {
	e, o, _ := advised(t)
	o.Team.Workers[0].MaxRiskLevel = chargehand.RiskHigh
	if _, err := e.Start(t.Context(), o); chargehand.CodeOf(err) != chargehand.CodeInvalid {
		t.Errorf("err = %v", err)
	}
}

// A run that ended with gaps counts half, however alike.
func TestAdviceOfRunsWithGaps(t *testing.T) {
	e, o, seen := advised(t)
	o.Team.Policy.FailureRatio = new(float64)
	*o.Team.Policy.FailureRatio = 1
	o.Objective.Plan = &chargehand.Plan{Subtasks: []chargehand.Subtask{
		{ID: "a", Goal: "do", Capability: "c"}, {ID: "b", Goal: "do", Capability: "c", ToolGrants: []string{"none"}},
	}}
	run := start(t, e, o)
	if v := until(t, e, run, func(v *chargehand.View) bool { return v.State.Final() }); v.State != chargehand.RunPartial {
		t.Fatalf("the run is %s", v.State)
	}
	o.Objective.Plan = nil
	if finished(t, e, o); seen.Advice != nil {
		t.Errorf("the planner is shown %+v", seen.Advice)
	}
}
