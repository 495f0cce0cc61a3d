package local

import (
	"context"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/worker"
)

const (
	planTimeout  = 5 * time.Minute // of a planner function
	judgeTimeout = 2 * time.Minute // of a reviewer
)

// plan makes the run's plan: the objective's own, the team's template, or what its function says.
func (j job) plan(ctx context.Context, e supervise.MakePlan) {
	in := supervise.Planned{Iteration: e.Iteration}
	o, err := j.objective(ctx)
	switch {
	case err != nil:
		in.Err = plain(err.Error())
	case e.Iteration == 1 && o.Plan != nil:
		in.Plan, in.Source = *o.Plan, "objective"
	case e.Iteration == 1 && j.team.Planner.Template != nil:
		in.Plan, in.Source = *j.team.Planner.Template, "template"
	case j.team.Planner.Func != "":
		in = j.callPlanner(ctx, e, o)
	case e.Iteration == 1:
		in.Err = "the team has no planner and the objective brings no plan"
	}
	if j.hands.ctx.Err() == nil {
		j.report(in)
	}
}

func (j job) callPlanner(ctx context.Context, e supervise.MakePlan, o chargehand.Objective) supervise.Planned {
	ctx, cancel := context.WithTimeout(ctx, planTimeout)
	defer cancel()
	in := supervise.Planned{Iteration: e.Iteration, Source: "func"}
	err := j.fillDocuments(ctx, &o)
	if err == nil {
		in.Plan, in.Usage, err = j.planners[j.team.Planner.Func].Plan(ctx, worker.PlanRequest{
			Objective: o, Team: j.team,
			Iteration: e.Iteration, Errors: e.Errors, Failed: e.Failed,
		})
	}
	if err != nil {
		in.Plan, in.Err = chargehand.Plan{}, "the planner failed: "+plain(err.Error())
	}
	return in
}

// objective is what the run was asked, as recorded.
func (j job) objective(ctx context.Context) (chargehand.Objective, error) {
	var o chargehand.Objective
	err := j.store.stream(ctx, j.run, 0, func(r chargehand.Record) bool {
		if f, ok := r.Fact.(chargehand.RunStarted); ok {
			o = f.Objective
		}
		return false
	})
	if err != nil || o.PlanRef == "" {
		return o, err
	}
	o.Plan, err = readPlan(ctx, j.store, o.PlanRef)
	return o, err
}

func (j job) fillDocuments(ctx context.Context, o *chargehand.Objective) error {
	docs := append([]chargehand.Document(nil), o.Documents...)
	for i := range docs {
		body, err := j.store.content(ctx, docs[i].Hash)
		if err != nil {
			return err
		}
		docs[i].Text = string(body)
	}
	o.Documents = docs
	return nil
}

// judge asks the reviewer.
func (j job) judge(ctx context.Context, e supervise.Judge) {
	ctx, cancel := context.WithTimeout(ctx, judgeTimeout)
	defer cancel()
	in := supervise.JudgeAnswered{AttemptRef: e.AttemptRef, Times: e.Times}
	body, err := j.store.content(ctx, e.Output)
	if err == nil {
		in.Verdict, in.Usage, err = worker.AsReviewer(j.kit().workers[e.Reviewer]).Review(ctx, chargehand.ReviewerTask{
			TaskID: e.Subtask, Goal: e.Goal, Attempts: e.Attempt, WorkerOutput: string(body), Criteria: e.Criteria,
		})
	}
	in.Verdict.Validator = e.Reviewer
	if w := j.team.Worker(e.Reviewer); w != nil {
		in.Verdict.ValidatorVersion = w.VersionOrDefault()
	}
	if err != nil {
		in.Verdict, in.Err = chargehand.Verdict{}, plain(err.Error())
	}
	if j.hands.ctx.Err() == nil {
		j.report(in)
	}
}
