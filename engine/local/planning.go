package local

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/worker"
)

const (
	planTimeout  = 5 * time.Minute // of a planner function
	judgeTimeout = 2 * time.Minute // of a reviewer

	maxWrote = 64 << 10 // of what a planner wrote that is no plan
	maxShown = 1 << 20  // of accepted outputs that a planner is shown
)

// plan makes the run's plan: the objective's own, the team's template, or what its function says.
func (j job) plan(ctx context.Context, e supervise.MakePlan) {
	in := supervise.Planned{Iteration: e.Iteration, NotBegun: true} // unless the planner is called
	if e.Ref != "" {
		j.approvedPlan(ctx, e, in)
		return
	}
	o, err := j.objective(ctx)
	var wrote string
	switch {
	case err != nil:
		in.Err = plain(err.Error())
	case e.Iteration == 1 && o.Plan != nil:
		in.Plan, in.Source = *o.Plan, "objective"
	case e.Iteration == 1 && j.team.Planner.Template != nil:
		in.Plan, in.Source = *j.team.Planner.Template, "template"
	case j.kit().planner != nil:
		in, wrote = j.callPlanner(ctx, e, o)
	case e.Iteration == 1:
		in.Err = "the team has no planner and the objective has no plan"
	}
	var blobs []blob
	switch {
	case in.Err == "" && (supervise.AsksFirst(j.team, &in) || supervise.MayReturn(j.team, &in)):
		b, err := j.keepPlan(in.Plan)
		if err != nil {
			in.Plan, in.Err = chargehand.Plan{}, plain(err.Error())
		} else {
			in.Ref, blobs = b.hash, []blob{b}
		}
	case wrote != "":
		b, err := j.keep([]byte(wrote))
		if err != nil {
			break // it hears of its errors, at least
		}
		in.Wrote, blobs = b.hash, []blob{b}
	}
	if j.hands.ctx.Err() == nil {
		j.report(in, blobs...)
	}
}

// approvedPlan reads the plan that a person approved, once it can be read.
func (j job) approvedPlan(ctx context.Context, e supervise.MakePlan, in supervise.Planned) {
	p, err := readPlan(ctx, j.store, e.Ref)
	if err != nil {
		j.retry(ctx, e, err)
		return
	}
	in.Plan, in.Source, in.Ref = *p, e.Source, e.Ref
	j.report(in)
}

// keepPlan is a plan as content.
func (j job) keepPlan(p chargehand.Plan) (blob, error) {
	body, err := json.Marshal(p)
	if err != nil {
		return blob{}, err
	}
	return j.keep(body)
}

// callPlanner asks the planner. Where what it wrote is no plan, that is returned too.
func (j job) callPlanner(ctx context.Context, e supervise.MakePlan, o chargehand.Objective) (in supervise.Planned, wrote string) {
	ctx, cancel := context.WithTimeout(ctx, planTimeout)
	defer cancel()
	in = supervise.Planned{Iteration: e.Iteration, Source: "func"}
	if j.team.Planner.LLM != nil {
		in.Source = "llm"
	}
	var example *chargehand.Plan
	if j.team.Planner.Advice && e.Iteration == 1 && len(e.Errors) == 0 {
		var err error
		if in.Advice, example, err = j.advice(ctx, &o); err != nil {
			j.log.Error("a plan is made without advice", "run", j.run, "error", err)
			in.Advice, example = nil, nil
		}
	}
	ask := worker.PlanRequest{
		Team: j.team, Iteration: e.Iteration, Errors: e.Errors, Failed: e.Failed, Left: e.Left, Advice: in.Advice, Example: example,
	}
	err := j.fillDocuments(ctx, &o)
	if err == nil {
		err = j.fillDraft(ctx, e.Draft, &ask)
	}
	if err == nil {
		ask.Earlier, err = j.earlier(ctx, e.Earlier)
	}
	ask.Objective = o
	up := supervise.TopUp{For: chargehand.HeldForPlan, Times: e.Iteration}
	ctx = worker.WithLine(ctx, &wire{job: j, covered: e.Envelope, up: up})
	if err == nil {
		j.await(func() {
			in.Plan, in.Usage, err = j.kit().planner.Plan(ctx, ask)
		})
	}
	j.tell("planner", err)
	if err != nil {
		in.Plan, in.Err = chargehand.Plan{}, "the planner failed: "+plain(err.Error())
		in.NotBegun = notBegun(err)
		if g, ok := errors.AsType[*worker.Error](err); ok && g.Kind == worker.Garbage {
			wrote = strings.ToValidUTF8(string(g.Raw[:min(len(g.Raw), maxWrote)]), "\uFFFD")
		}
	}
	return in, wrote
}

// fillDraft shows the planner its last plan, which was refused or sent back (SPEC.md ·21).
func (j job) fillDraft(ctx context.Context, d chargehand.Draft, ask *worker.PlanRequest) (err error) {
	switch {
	case d.Ref == "":
	case d.Text:
		ask.LastText, err = j.store.text(ctx, d.Ref)
	default:
		ask.Last, err = readPlan(ctx, j.store, d.Ref)
	}
	return err
}

// earlier reports the outcome of the earlier plans, with the accepted outputs as far as they are small enough
// (SPEC.md ·23).
func (j job) earlier(ctx context.Context, list []supervise.Earlier) ([]worker.Earlier, error) {
	var out []worker.Earlier
	left := maxShown
	for _, e := range list {
		w := worker.Earlier{
			Subtask: e.Subtask, State: e.State, Cause: e.Cause, Why: e.Why, Lacks: e.Lacks, OutputRef: e.Output, Bytes: e.Size,
		}
		if e.Output != "" && e.Size <= left {
			text, err := j.store.text(ctx, e.Output)
			if err != nil {
				return nil, err
			}
			w.Output, left = json.RawMessage(text), left-len(text)
		}
		out = append(out, w)
	}
	return out, nil
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
		text, err := j.store.text(ctx, docs[i].Hash)
		if err != nil {
			return err
		}
		docs[i].Text = text
	}
	o.Documents = docs
	return nil
}

// judge asks the reviewer.
func (j job) judge(ctx context.Context, e supervise.Judge) {
	ctx, cancel := context.WithTimeout(ctx, judgeTimeout)
	defer cancel()
	in := supervise.JudgeAnswered{AttemptRef: e.AttemptRef, Times: e.Times}
	up := supervise.TopUp{For: chargehand.HeldForJudge, AttemptRef: e.AttemptRef, Times: e.Times}
	ctx = worker.WithLine(ctx, &wire{job: j, covered: e.Envelope, up: up})
	asked := chargehand.ReviewerTask{TaskID: e.Subtask, Goal: e.Goal, Attempts: e.Attempt, Criteria: e.Criteria}
	var err error
	if len(e.Positions) > 0 {
		asked.Positions, err = j.positions(ctx, e.Positions)
	} else {
		asked.WorkerOutput, err = j.store.text(ctx, e.Output)
	}
	if err == nil {
		j.await(func() {
			in.Verdict, in.Usage, err = worker.AsReviewer(j.kit().workers[e.Reviewer]).Review(ctx, asked)
		})
	}
	in.Verdict.Validator = e.Reviewer
	if w := j.team.Worker(e.Reviewer); w != nil {
		in.Verdict.ValidatorVersion = w.VersionOrDefault()
	}
	j.tell(e.Reviewer, err)
	if err != nil {
		in.Verdict, in.Err, in.NotBegun = chargehand.Verdict{}, plain(err.Error()), notBegun(err)
	}
	if j.hands.ctx.Err() == nil {
		j.report(in)
	}
}
