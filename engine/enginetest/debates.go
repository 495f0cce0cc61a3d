package enginetest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/worker"
)

// unsure is a worker that says it may be wrong.
func unsure(say func(t chargehand.WorkerTask) finding) worker.Func {
	return func(_ context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		low := 0.4
		body, err := json.Marshal(map[string]any{"items": []finding{say(t)}})
		return chargehand.WorkerResult{Output: body, Confidence: &low}, err
	}
}

// wordy is true, and says more than honest.
func wordy(t chargehand.WorkerTask) finding {
	f := honest(t)
	f.Answer = f.Quote
	return f
}

// told notes the inputs of the latest attempt of a debate.
func told(refs *[]chargehand.InputRef, say func(t chargehand.WorkerTask) finding) worker.Func {
	inner := says(say)
	return func(ctx context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		*refs = slices.DeleteFunc(slices.Clone(t.InputRefs), func(r chargehand.InputRef) bool { return r.From != chargehand.FromDebate })
		return inner(ctx, t)
	}
}

// debating is an order that ann's work is debated in.
func debating(d chargehand.Debate) chargehand.Order {
	o := order(team(reader("ann"), reader("bob")))
	o.Team.Policy.Debate, o.Team.Planner.Template.Subtasks[0].Debate = d, true
	o.Team.Routes = []chargehand.Route{{Capability: "read", Strategy: chargehand.RouteStatic, Workers: []string{"ann", "bob"}}}
	return o
}

func debates(t *testing.T, open Open) {
	var shown []chargehand.InputRef
	e := open(t, worker.Set{"ann": unsure(honest), "bob": told(&shown, honest)}, nil)
	v, r := finish(t, e, start(t, e, debating(chargehand.Debate{})))
	wantState(t, v, chargehand.RunCompleted, chargehand.StopComplete)
	if len(shown) != 2 || !strings.Contains(shown[0].Text, `"EUR 500"`) || !strings.Contains(shown[1].Text, "recommendation") {
		t.Errorf("the second worker is shown %+v", shown)
	}
	if len(r.Items) != 1 || r.Items[0].Worker != "bob" || r.Items[0].Attempt != 2 || !slices.Equal(r.Items[0].ConfirmedBy, []string{"ann"}) {
		t.Errorf("the items are %+v", r.Items)
	}
	if d := v.Rows[0].Debate; d == nil || !d.Agree || d.By != "" || d.ConfirmedBy != "ann" || !slices.Equal(d.Positions, []int{1, 2}) {
		t.Errorf("the debate is %+v", d)
	}
}

func adjudicates(t *testing.T, open Open) {
	var seen chargehand.ReviewerTask
	judge := worker.ReviewerFunc(func(_ context.Context, t chargehand.ReviewerTask) (chargehand.Verdict, chargehand.Usage, error) {
		v := chargehand.Verdict{Recommendation: chargehand.Accept, Confidence: 9}
		if len(t.Positions) > 0 {
			seen, v.Choice = t, 2
		}
		return v, chargehand.Usage{}, nil
	})
	e := open(t, worker.Set{"ann": unsure(wordy), "bob": says(honest), "judge": judge}, nil)
	o := debating(chargehand.Debate{Adjudicate: chargehand.AdjudicateByJudge})
	o.Team.Workers = append(o.Team.Workers, chargehand.WorkerSpec{WorkerID: "judge", Capabilities: []string{"judge"}})
	o.Team.Policy.Reviewer = "judge"
	v, r := finish(t, e, start(t, e, o))
	wantState(t, v, chargehand.RunCompleted, chargehand.StopComplete)
	if len(seen.Positions) != 2 || !strings.Contains(seen.Positions[0].Output, "EUR 500 per month") || seen.WorkerOutput != "" {
		t.Errorf("the judge is shown %+v", seen)
	}
	if d := v.Rows[0].Debate; d.Agree || d.By != chargehand.AdjudicateByJudge || !slices.Equal(d.Differ, []string{"fee"}) {
		t.Errorf("the debate is %+v", d)
	}
	if len(r.Items) != 1 || r.Items[0].Worker != "bob" || len(r.Items[0].ConfirmedBy) > 0 {
		t.Errorf("the items are %+v", r.Items)
	}
	disagree(t, e)
}

// disagree leaves a debate to a person, who takes what leads.
func disagree(t *testing.T, e chargehand.Engine) {
	t.Helper()
	run := start(t, e, debating(chargehand.Debate{}))
	asked := until(t, e, run, needsHuman).Reviews[0]
	if asked.Cause != chargehand.CauseContested || len(asked.Positions) != 2 || asked.Positions[0].Worker != "bob" ||
		asked.OutputRef != asked.Positions[0].OutputRef || asked.Attempt != 2 || !strings.Contains(asked.Evidence[0].Message, "ann says otherwise") {
		t.Fatalf("a person is asked %+v", asked)
	}
	other, err := e.Blob(background(t), asked.Positions[1].OutputRef)
	if err != nil || !strings.Contains(string(other), "EUR 500 per month") {
		t.Errorf("the other position is %s (%v)", other, err)
	}
	if _, err := e.Decide(background(t), answer(asked, true)); err != nil {
		t.Fatal(err)
	}
	v, r := finish(t, e, run)
	if v.Rows[0].State != chargehand.SubtaskAcceptedByHuman || len(r.Items) != 1 || r.Items[0].Attempt != 2 {
		t.Errorf("the subtask is %s with %+v", v.Rows[0].State, r.Items)
	}
}

// conflicts has ann and bob say the same of the second subtask, and otherwise than ann said of the first.
func conflicts(t *testing.T, open Open) {
	var shown []chargehand.InputRef
	ann := func(t chargehand.WorkerTask) finding {
		if t.TaskID == "s1" {
			return honest(t)
		}
		return wordy(t)
	}
	e := open(t, worker.Set{"ann": says(ann), "bob": told(&shown, wordy)}, nil)
	o := debating(chargehand.Debate{})
	second := subtask("s2", "s1")
	second.Debate = true
	o.Team.Planner.Template.Subtasks = append(o.Team.Planner.Template.Subtasks, second)
	v, r := finish(t, e, start(t, e, o))
	wantState(t, v, chargehand.RunCompleted, chargehand.StopComplete)
	if len(shown) != 3 || !strings.Contains(shown[0].Text, "EUR 500 per month") || shown[2].Name != "dissent" || !strings.Contains(shown[2].Text, `"EUR 500"`) {
		t.Errorf("the second worker is shown %+v", shown)
	}
	if d := v.Rows[1].Debate; v.Rows[0].Debate != nil || d == nil || d.Cause != chargehand.CauseConflict || d.ConfirmedBy != "bob" || d.Why != "s1 says otherwise on fee" {
		t.Errorf("the debates are %+v and %+v", v.Rows[0].Debate, d)
	}
	var sides []string
	for _, c := range r.Conflicts {
		for _, v := range c.Values {
			sides = append(sides, v.Subtask+" "+strings.Join(append([]string{v.Worker}, v.ConfirmedBy...), "+"))
		}
	}
	if want := []string{"s1 ann", "s2 ann+bob"}; !slices.Equal(sides, want) || !strings.Contains(r.Conflicts[0].Why, "confirmed by bob") {
		t.Errorf("the conflicts are %+v, want sides %v", r.Conflicts, want)
	}
}
