package enginetest

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/worker"
)

func completes(t *testing.T, open Open) {
	e := open(t, worker.Set{"ann": says(honest)}, nil)
	o := order(team(reader("ann")))
	o.Team.Planner.Template.Subtasks = append(o.Team.Planner.Template.Subtasks, subtask("s2", "s1"), subtask("s3", "s1"))
	v, r := finish(t, e, start(t, e, o))
	wantState(t, v, chargehand.RunCompleted, chargehand.StopComplete)
	if len(r.Items) != 1 || len(r.Gaps) != 0 || len(r.Conflicts) != 0 || len(r.Provenance) != 3 {
		t.Fatalf("got %d items, gaps %v, conflicts %v, provenance %v", len(r.Items), r.Gaps, r.Conflicts, r.Provenance)
	}
	if it := r.Items[0]; it.Worker != "ann" || it.Verdict != "accepted" || !strings.Contains(string(it.Fields), "EUR 500") {
		t.Errorf("item %s by %s is %s", it.Fields, it.Worker, it.Verdict)
	}
	body, err := e.Blob(background(t), r.Provenance[0].OutputRef)
	if err != nil || !strings.Contains(string(body), "EUR 500") {
		t.Errorf("the output cited is %q (%v)", body, err)
	}
	again, err := e.Run(background(t), v.RunID)
	if err != nil || again.Seq != v.Seq || again.ResultHash != r.ResultHash {
		t.Errorf("the view by Run differs from the one by Records: %+v (%v)", again, err)
	}
}

func corrects(t *testing.T, open Open) {
	var feedback atomic.Value
	e := open(t, worker.Set{"ann": worker.Func(func(ctx context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		if task.Attempt == 1 {
			return chargehand.WorkerResult{Output: []byte(`{"items":[{"key":7}]}`)}, nil
		}
		feedback.Store(task.Feedback)
		return says(honest)(ctx, task)
	})}, nil)
	v, _ := finish(t, e, start(t, e, order(team(reader("ann")))))
	wantState(t, v, chargehand.RunCompleted, chargehand.StopComplete)
	a := v.Rows[0].Attempts
	if len(a) != 2 || a[0].Cause != chargehand.CauseSchema || a[0].Verdict.SchemaPass {
		t.Fatalf("the attempts are %+v", a)
	}
	if got, _ := feedback.Load().(string); !strings.Contains(got, "/items/0/key") {
		t.Errorf("the correction %q does not name the pointer", got)
	}
}

func reassigns(t *testing.T, open Open) {
	slow := worker.Func(func(ctx context.Context, _ chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		<-ctx.Done()
		return chargehand.WorkerResult{}, ctx.Err()
	})
	e := open(t, worker.Set{"slow": slow, "ann": says(honest)}, nil)
	o := order(team(reader("slow"), reader("ann")))
	o.Team.Workers[0].AverageLatencyMS, o.Team.Workers[1].AverageLatencyMS = 10, 10
	o.Team.Planner.Template.Subtasks[0].TimeoutMS = 300
	o.Team.Routes = []chargehand.Route{{Capability: "read", Strategy: chargehand.RouteStatic, Workers: []string{"slow", "ann"}}}
	v, _ := finish(t, e, start(t, e, o))
	wantState(t, v, chargehand.RunCompleted, chargehand.StopComplete)
	a := v.Rows[0].Attempts
	if len(a) != 2 || a[0].Cause != chargehand.CauseDeadline || a[1].Worker != "ann" {
		t.Fatalf("the attempts are %+v", a)
	}
}

func stopsAtBudget(t *testing.T, open Open) {
	e := open(t, worker.Set{"ann": says(honest)}, nil)
	o := order(team(reader("ann")))
	o.Team.Workers[0].CostPerCallEstimateUSD = chargehand.USD / 10
	o.Budget.USD = chargehand.USD / 4
	low := subtask("s1")
	low.Priority = -1
	o.Team.Planner.Template.Subtasks = []chargehand.Subtask{low, subtask("s2"), subtask("s3")}
	v, r := finish(t, e, start(t, e, o))
	wantState(t, v, chargehand.RunPartial, chargehand.StopBudgetExhausted)
	if len(r.Gaps) != 1 || r.Gaps[0].Subtask != "s1" || r.Gaps[0].State != chargehand.SubtaskOverBudget {
		t.Errorf("the gaps are %+v, want the subtask of the lowest priority", r.Gaps)
	}
	if r.Cost.USD != chargehand.USD/5 {
		t.Errorf("two calls at $0.10 cost $%s", r.Cost.USD)
	}
}

func keepsCapacity(t *testing.T, open Open) {
	var now, most atomic.Int64
	count := worker.Func(func(ctx context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		select {
		case <-time.After(2 * time.Millisecond):
		case <-ctx.Done():
		}
		return says(honest)(ctx, task)
	})
	e := open(t, worker.Set{"ann": count}, nil)
	o := order(team(reader("ann")))
	o.Team.Workers[0].MaxConcurrentTasks = 3
	o.Team.Planner.Template.Subtasks = []chargehand.Subtask{subtask("s1"), subtask("s2"), subtask("s3"), subtask("s4")}
	var runs []string
	for range 10 {
		runs = append(runs, start(t, e, o))
	}
	for _, run := range runs {
		v, _ := finish(t, e, run)
		wantState(t, v, chargehand.RunCompleted, chargehand.StopComplete)
	}
	if most.Load() != 3 {
		t.Errorf("at most %d tasks ran at once on a worker that takes 3", most.Load())
	}
}

func plansByFunction(t *testing.T, open Open) {
	var asked atomic.Int64
	plan := func(_ context.Context, r worker.PlanRequest) (chargehand.Plan, chargehand.Usage, error) {
		use := chargehand.Usage{USD: 1000}
		if asked.Add(1) == 1 {
			return chargehand.Plan{Subtasks: []chargehand.Subtask{subtask("a", "nobody")}}, use, nil
		}
		if r.Last == nil || len(r.Last.Subtasks) != 1 || r.Last.Subtasks[0].Deps[0] != "nobody" {
			t.Errorf("the invalid plan comes back as %+v", r.Last)
		}
		if len(r.Errors) == 0 || r.Objective.Documents[0].Text != document {
			t.Errorf("the planner was asked again with errors %q and document %q", r.Errors, r.Objective.Documents[0].Text)
		}
		return chargehand.Plan{Subtasks: []chargehand.Subtask{subtask("a")}}, use, nil
	}
	e := open(t, worker.Set{"ann": says(honest)}, map[string]worker.Planner{"split": plan})
	o := order(team(reader("ann")))
	o.Team.Planner = chargehand.Planner{Func: "split"}
	v, r := finish(t, e, start(t, e, o))
	wantState(t, v, chargehand.RunCompleted, chargehand.StopComplete)
	if r.Cost.ByPhase[chargehand.PhasePlanning] != 2000 {
		t.Errorf("planning cost %v, want two calls at $0.001", r.Cost.ByPhase)
	}
}
