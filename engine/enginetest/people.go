package enginetest

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/worker"
)

// parked starts a run whose worker lies, and returns it with the review it waits for.
func parked(t *testing.T, e chargehand.Engine, change func(o *chargehand.Order)) (string, chargehand.Review) {
	t.Helper()
	o := order(team(reader("liar")))
	o.Team.Planner.Template.Subtasks[0].Required = true
	if change != nil {
		change(&o)
	}
	run := start(t, e, o)
	v := until(t, e, run, needsHuman)
	return run, v.Reviews[0]
}

func answer(r chargehand.Review, yes bool) chargehand.Decision {
	return chargehand.Decision{ReviewID: r.ID, Approved: yes, Approver: "ana", ContentHash: r.ContentHash, Nonce: r.Nonce}
}

func asksPerson(t *testing.T, open Open) {
	e := open(t, worker.Set{"liar": says(lying)}, nil)
	run, r := parked(t, e, nil)
	if len(r.Evidence) == 0 || r.OutputRef == "" || r.Auto != chargehand.AutoReject {
		t.Fatalf("the review is %+v", r)
	}
	listed, err := e.Reviews(background(t))
	if err != nil || len(listed) != 1 || listed[0].ID != r.ID {
		t.Fatalf("the reviews are %+v (%v)", listed, err)
	}
	d, err := e.Decide(background(t), answer(r, true))
	if err != nil || d.ByPolicy || d.Timestamp.IsZero() {
		t.Fatalf("decide: %+v, %v", d, err)
	}
	v, res := finish(t, e, run)
	wantState(t, v, chargehand.RunCompleted, chargehand.StopComplete)
	if v.Rows[0].State != chargehand.SubtaskAcceptedByHuman || v.Rows[0].DecidedBy != "ana" || len(res.Decisions) != 1 {
		t.Errorf("the subtask is %s by %q with decisions %v", v.Rows[0].State, v.Rows[0].DecidedBy, res.Decisions)
	}

	run, r = parked(t, e, nil)
	if _, err := e.Decide(background(t), answer(r, false)); err != nil {
		t.Fatal(err)
	}
	v, res = finish(t, e, run)
	wantState(t, v, chargehand.RunFailed, chargehand.StopPolicyBoundary)
	if len(res.Items) != 0 {
		t.Errorf("a failed run handed over %d items", len(res.Items))
	}
}

func policyDecides(t *testing.T, open Open) {
	e := open(t, worker.Set{"liar": says(lying)}, nil)
	run, r := parked(t, e, func(o *chargehand.Order) { o.Team.Policy.ReviewTimeout = chargehand.Duration(50 * time.Millisecond) })
	v, _ := finish(t, e, run)
	wantState(t, v, chargehand.RunFailed, chargehand.StopPolicyBoundary)
	if d := v.Reviews[0].Decision; !d.ByPolicy || d.Approver != r.Policy {
		t.Errorf("the decision is %+v, want one by the policy", d)
	}
	_, err := e.Decide(background(t), answer(r, true))
	wantCode(t, err, chargehand.CodeEnded)
}

func refusesDecisions(t *testing.T, open Open) {
	e := open(t, worker.Set{"liar": says(lying)}, nil)
	_, r := parked(t, e, func(o *chargehand.Order) {
		o.Team.Planner.Template.Subtasks = append(o.Team.Planner.Template.Subtasks, subtask("s2"))
		o.Team.Policy.WhenOnlyWaits = chargehand.WaitForPeople
	})
	for name, c := range map[string]struct {
		change func(d *chargehand.Decision)
		want   chargehand.Code
	}{
		"other content": {func(d *chargehand.Decision) { d.ContentHash = chargehand.Hash(nil) }, chargehand.CodeStale},
		"no nonce":      {func(d *chargehand.Decision) { d.Nonce = "" }, chargehand.CodeNonce},
		"nobody":        {func(d *chargehand.Decision) { d.Approver = "" }, chargehand.CodeNotAllowed},
		"no review":     {func(d *chargehand.Decision) { d.ReviewID = "rev_none" }, chargehand.CodeNotFound},
	} {
		d := answer(r, true)
		c.change(&d)
		if _, err := e.Decide(background(t), d); chargehand.CodeOf(err) != c.want {
			t.Errorf("%s: got %v, want code %s", name, err, c.want)
		}
	}
	if _, err := e.Decide(background(t), answer(r, true)); err != nil {
		t.Fatal(err)
	}
	_, err := e.Decide(background(t), answer(r, false))
	wantCode(t, err, chargehand.CodeDecided)
}

func controls(t *testing.T, open Open) {
	e := open(t, worker.Set{"liar": says(lying)}, nil)
	run, _ := parked(t, e, func(o *chargehand.Order) { o.Deadline = chargehand.Duration(20 * time.Minute) })
	ctx := background(t)
	if err := e.Control(ctx, run, chargehand.Control{Verb: chargehand.Pause, By: "olu", Reason: "lunch"}); err != nil {
		t.Fatal(err)
	}
	wantCode(t, e.Control(ctx, run, chargehand.Control{Verb: chargehand.Pause, By: "olu"}), chargehand.CodeNotAllowed)
	v, err := e.Run(ctx, run)
	if err != nil || v.State != chargehand.RunPaused || v.PausedBy != "olu" {
		t.Fatalf("the run is %s by %q (%v)", v.State, v.PausedBy, err)
	}
	left := v.Left.Std()
	if !v.DeadlineAt.IsZero() || left <= 0 || left > 20*time.Minute || !v.Reviews[0].Due().Equal(v.Reviews[0].Deadline) {
		t.Errorf("a paused run shows the deadline %s, %s left, and its review %s", v.DeadlineAt, left, v.Reviews[0].Due())
	}
	listed, err := e.Runs(ctx, chargehand.Filter{})
	if err != nil || len(listed) != 1 || listed[0] != v.RunSummary {
		t.Errorf("listed as %+v (%v), shown as %+v", listed, err, v.RunSummary)
	}
	if err := e.Control(ctx, run, chargehand.Control{Verb: chargehand.Resume, By: "olu"}); err != nil {
		t.Fatal(err)
	}
	wantCode(t, e.Control(ctx, run, chargehand.Control{Verb: chargehand.Cancel, By: "olu"}), chargehand.CodeNotAllowed)
	if err := e.Control(ctx, run, chargehand.Control{Verb: chargehand.Cancel, By: "olu", Reason: "not needed"}); err != nil {
		t.Fatal(err)
	}
	v, r := finish(t, e, run)
	wantState(t, v, chargehand.RunCancelled, chargehand.StopCancelled)
	if v.NeedsHuman != 0 || len(r.Gaps) == 0 {
		t.Errorf("a cancelled run still needs %d decisions and names gaps %v", v.NeedsHuman, r.Gaps)
	}
	wantCode(t, e.Control(ctx, run, chargehand.Control{Verb: chargehand.Pause, By: "olu"}), chargehand.CodeEnded)
}

func approvesPlan(t *testing.T, open Open) {
	plan := func(_ context.Context, r worker.PlanRequest) (chargehand.Plan, chargehand.Usage, error) {
		p := chargehand.Plan{Subtasks: []chargehand.Subtask{subtask("a")}}
		if len(r.Errors) > 0 {
			if r.Last == nil || len(r.Last.Subtasks) != 1 || r.Last.Subtasks[0].ID != "a" {
				t.Errorf("the plan that was sent back comes back as %+v", r.Last)
			}
			p.Subtasks = append(p.Subtasks, subtask("b"))
		}
		return p, chargehand.Usage{}, nil
	}
	e := open(t, worker.Set{"ann": says(honest)}, map[string]worker.Planner{"split": plan})
	o := order(team(reader("ann")))
	o.Team.Planner, o.Team.Policy.ApprovePlan = chargehand.Planner{Func: "split"}, true
	run := start(t, e, o)
	first := until(t, e, run, needsHuman).Reviews[0]
	if len(first.Evidence) > 0 || first.Subject != chargehand.SubjectPlan || len(until(t, e, run, needsHuman).Rows) > 0 {
		t.Fatalf("the review is %+v", first)
	}
	back := answer(first, false)
	back.SendBack, back.Comment = true, "in two parts"
	if d, err := e.Decide(background(t), back); err != nil || !d.SendBack || d.Outcome() != "sent back" {
		t.Fatalf("send back: %+v, %v", d, err)
	}
	second := until(t, e, run, func(v *chargehand.View) bool { return len(v.Reviews) == 2 }).Reviews[1]
	content, err := e.Blob(background(t), second.OutputRef)
	var proposed chargehand.Plan
	if err != nil || json.Unmarshal(content, &proposed) != nil || len(proposed.Subtasks) != 2 {
		t.Fatalf("the plan to approve is %s (%v)", content, err)
	}
	edited := answer(second, true)
	edited.Plan = &chargehand.Plan{Subtasks: []chargehand.Subtask{subtask("c", "nobody")}}
	_, err = e.Decide(background(t), edited)
	wantCode(t, err, chargehand.CodeInvalid)
	edited.Plan.Subtasks = []chargehand.Subtask{subtask("c")}
	if d, err := e.Decide(background(t), edited); err != nil || d.EditRef == "" || d.Plan != nil {
		t.Fatalf("approve with changes: %+v, %v", d, err)
	}
	v, _ := finish(t, e, run)
	wantState(t, v, chargehand.RunCompleted, chargehand.StopComplete)
	if len(v.Rows) != 1 || v.Rows[0].ID != "c" {
		t.Errorf("the run followed %+v", v.Rows)
	}
}

func sendsBack(t *testing.T, open Open) {
	w := func(t chargehand.WorkerTask) finding {
		if t.Feedback == "sent back by ana: read it" {
			return honest(t)
		}
		return lying(t)
	}
	e := open(t, worker.Set{"liar": says(w)}, nil)
	run, r := parked(t, e, func(o *chargehand.Order) { o.Team.Policy.Attempts = 5 })
	back := answer(r, false)
	back.SendBack = true
	_, err := e.Decide(background(t), back)
	wantCode(t, err, chargehand.CodeNotAllowed)
	back.Comment = "read it"
	if _, err := e.Decide(background(t), back); err != nil {
		t.Fatal(err)
	}
	v, _ := finish(t, e, run)
	wantState(t, v, chargehand.RunCompleted, chargehand.StopComplete)
	if v.Rows[0].State != chargehand.SubtaskAccepted {
		t.Errorf("the subtask is %s", v.Rows[0].State)
	}
}
