package local_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// TestMoneyOfParallelRuns: fifty runs at once, under ceilings in money and tokens that they reach,
// with retries, top-ups, reviewers, a last step and an engine that is closed and opened again, against
// workers that charge at random and now and then twice what was reserved. After every record what is
// settled and reserved stays within the ceiling, but for bills that are named with their figures
// (SPEC.md ·90).
func TestMoneyOfParallelRuns(t *testing.T) {
	runs := 50
	dir := t.TempDir()
	shop := &shop{reopened: make(chan struct{})}
	opt := local.Options{Dir: dir, Workers: worker.Set{"w": shop.worker(), "v": shop.worker(), "j": shop.reviewer()}}
	e, err := local.Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]string, runs)
	var group sync.WaitGroup
	for i := range runs {
		group.Go(func() {
			o := moneyOrder(i)
			if i == 0 {
				o.Objective.Goal = "wait"
			}
			id, err := e.Start(t.Context(), o)
			if ids[i] = id; err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	until(t, e, ids[0], func(v *chargehand.View) bool { return len(v.Rows) > 0 && v.Rows[0].State == chargehand.SubtaskRunning })
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	close(shop.reopened)
	e = open(t, opt)
	var seen counts
	for _, id := range ids {
		v := until(t, e, id, ended)
		b := book{held: map[string]chargehand.Usage{}}
		for r, err := range e.Records(t.Context(), id, 0, false) {
			if err == nil {
				err = b.enter(r.Fact)
			}
			if err != nil {
				t.Fatalf("run %s, record %d: %v", id, r.Seq, err)
			}
			seen.note(r.Fact)
		}
		if b.settled.USD != v.Spent || b.settled.Tokens() != v.Tokens {
			t.Errorf("run %s: people are shown $%s and %d tokens, the book says %+v", id, v.Spent, v.Tokens, b.settled)
		}
	}
	if seen.raised == 0 || seen.denied == 0 || seen.overbilled == 0 || seen.lost == 0 || seen.short == 0 || seen.retried == 0 || seen.judged == 0 {
		t.Errorf("not everything happened: %+v", seen)
	}
	t.Logf("%+v", seen)
}

// moneyOrder is a run of six subtasks, a reviewer and a last step, with the ceiling of its kind.
func moneyOrder(i int) chargehand.Order {
	o := order(6, func(team *chargehand.Team) {
		team.Workers = []chargehand.WorkerSpec{
			{WorkerID: "w", Capabilities: []string{"c"}, Tier: 1, CostPerCallEstimateUSD: 10_000, MaxConcurrentTasks: 40, AverageLatencyMS: 5_000},
			{WorkerID: "v", Capabilities: []string{"c", "s"}, Tier: 3, CostPerCallEstimateUSD: 4_000, MaxConcurrentTasks: 40, AverageLatencyMS: 5_000},
			{WorkerID: "j", Capabilities: []string{"judge"}, CostPerCallEstimateUSD: 1_000},
		}
		team.Contracts = []chargehand.Contract{{Name: "n", Schema: []byte(`{"type":"number"}`)}}
		team.Policy.Unpriced = &chargehand.Unpriced{Allow: true, MaxTokens: 50}
		team.Policy.Reviewer, team.Policy.WhenOnlyWaits = "j", chargehand.ReturnPartial
		team.Synthesis = &chargehand.Synthesis{Capability: "s"}
		for k := range team.Planner.Template.Subtasks {
			s := &team.Planner.Template.Subtasks[k]
			s.Required, s.OutputContract = false, "n"
			s.Criticality = []chargehand.Criticality{chargehand.Critical, chargehand.Standard, chargehand.Simple}[k%3]
		}
	})
	switch i % 3 {
	case 0:
		o.Budget = chargehand.Budget{USD: 60_000}
	case 1:
		o.Budget = chargehand.Budget{Tokens: 2_500}
	default:
		o.Budget = chargehand.Budget{USD: 90_000, Tokens: 4_000}
	}
	return o
}

// A shop is workers that do and charge as dice say, which follow from the attempt alone. Those of one
// run are at work when the engine is closed.
type shop struct{ reopened chan struct{} }

func (*shop) dice(t *chargehand.WorkerTask, what string) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, what, t.RunID, t.TaskID, t.Attempt, t.IdempotencyKey)
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

func (s *shop) worker() worker.Func {
	return func(ctx context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		if t.Objective == "wait" {
			select {
			case <-s.reopened:
			case <-ctx.Done():
				return chargehand.WorkerResult{}, ctx.Err()
			}
		}
		d := s.dice(&t, "work")
		bill, err := spend(ctx, d)
		out := []byte(`1`)
		if d.IntN(5) == 0 && t.TaskID != "_synthesis" {
			out = []byte(`"one"`) // what the contract does not take
		}
		return chargehand.WorkerResult{Output: out, Usage: bill}, err
	}
}

func (s *shop) reviewer() worker.Func {
	return func(ctx context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		bill, err := spend(ctx, s.dice(&t, "judge"))
		return chargehand.WorkerResult{Output: []byte(`{"recommendation":"ACCEPT","confidence":9}`), Usage: bill}, err
	}
}

// spend makes a few calls, each covered before, and answers the bill: now and then twice of all that
// was covered.
func spend(ctx context.Context, d *rand.Rand) (bill chargehand.Usage, err error) {
	for range 1 + d.IntN(3) {
		next := chargehand.Usage{USD: chargehand.Micros(d.IntN(6_000)), InputTokens: int64(d.IntN(200)), OutputTokens: int64(d.IntN(50))}
		if err := worker.LineOf(ctx).Cover(ctx, bill.Plus(next)); err != nil {
			return bill, err
		}
		bill = bill.Plus(next)
	}
	if d.IntN(6) == 0 {
		bill = bill.Plus(bill)
	}
	return bill, nil
}

// A book is a run's money, added up from its records.
type book struct {
	ceiling chargehand.Budget
	settled chargehand.Usage
	held    map[string]chargehand.Usage
	check   chargehand.Usage
	over    chargehand.Usage // named
	unnamed chargehand.Usage // by the record before
}

// enter takes a record in, and says what is wrong with the sums then.
func (b *book) enter(f chargehand.Fact) error {
	if o, ok := f.(chargehand.Overbilled); ok {
		b.over.USD += o.Billed - o.Reserved
		b.over.InputTokens += o.BilledTokens - o.ReservedTokens
		if got := amountOf(o.Billed-o.Reserved, o.BilledTokens-o.ReservedTokens); got != b.unnamed {
			return fmt.Errorf("named is %+v, billed above was %+v", got, b.unnamed)
		}
		b.unnamed = chargehand.Usage{}
		return nil
	}
	if b.unnamed != (chargehand.Usage{}) {
		return fmt.Errorf("%+v was billed above its reservation, and is not named", b.unnamed)
	}
	if use, phase := chargehand.Spending(f, func(string) bool { return false }); phase != "" {
		b.settle(f, use)
	}
	b.reserve(f)
	usd, tokens := b.settled.USD, b.settled.Tokens()
	for _, h := range b.held {
		usd, tokens = usd+h.USD, tokens+h.Tokens()
	}
	usd, tokens = usd-b.over.USD-b.unnamed.USD, tokens-b.over.InputTokens-b.unnamed.InputTokens
	if b.ceiling.USD > 0 && usd > b.ceiling.USD || b.ceiling.Tokens > 0 && tokens > b.ceiling.Tokens {
		return fmt.Errorf("%T: settled and reserved are $%s and %d tokens, the ceiling is %+v", f, usd, tokens, b.ceiling)
	}
	return nil
}

func amountOf(usd chargehand.Micros, tokens int64) chargehand.Usage {
	return chargehand.Usage{USD: usd, InputTokens: tokens}
}

func (b *book) settle(f chargehand.Fact, use chargehand.Usage) {
	key := heldBy(f)
	h := b.held[key]
	delete(b.held, key)
	b.settled = b.settled.Plus(use)
	if b.ceiling.USD > 0 {
		b.unnamed.USD = max(0, use.USD-h.USD)
	}
	if b.ceiling.Tokens > 0 {
		b.unnamed.InputTokens = max(0, use.Tokens()-h.Tokens())
	}
}

// heldBy names the reservation that a record settles.
func heldBy(f chargehand.Fact) string {
	switch f := f.(type) {
	case chargehand.AttemptResumed:
		return fmt.Sprint("attempt", f.AttemptRef)
	case chargehand.OutputChecked:
		return fmt.Sprint("attempt", f.AttemptRef)
	case chargehand.AttemptFailed:
		if f.Stopping {
			return ""
		}
		return fmt.Sprint("attempt", f.AttemptRef)
	case chargehand.AttemptStopped:
		return fmt.Sprint("attempt", f.AttemptRef)
	case chargehand.JudgeAsked:
		return fmt.Sprint("judge", f.AttemptRef)
	case chargehand.Judged:
		return fmt.Sprint("judge", f.AttemptRef)
	case chargehand.JudgeFailed:
		return fmt.Sprint("judge", f.AttemptRef)
	}
	return "plan"
}

func (b *book) reserve(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.RunStarted:
		b.ceiling = f.Budget
	case chargehand.PlanAdopted:
		b.held["synthesis"], b.check = amountOf(f.Reserve, f.ReserveTokens), amountOf(f.Check, f.CheckTokens)
	case chargehand.SubtasksQueued:
		for _, a := range f.Attempts {
			if _, set := b.held["synthesis"]; set && a.Subtask == "_synthesis" {
				b.held["synthesis"] = b.check
			}
			b.held[fmt.Sprint("attempt", a)] = amountOf(f.Reserved, f.Tokens)
		}
	case chargehand.AttemptStarted:
		b.held[fmt.Sprint("attempt", f.AttemptRef)] = amountOf(f.Reserved, f.ReservedTokens)
	case chargehand.AttemptResumed:
		if f.Lost != (chargehand.Usage{}) {
			b.held[fmt.Sprint("attempt", f.AttemptRef)] = amountOf(f.Reserved, f.ReservedTokens)
		}
	case chargehand.JudgeAsked:
		if f.Subtask == "_synthesis" {
			delete(b.held, "synthesis")
		}
		b.held[fmt.Sprint("judge", f.AttemptRef)] = amountOf(f.Reserved, f.Tokens)
	case chargehand.ReservationRaised:
		b.held[fmt.Sprint(f.For, f.AttemptRef)] = amountOf(f.Reserved, f.Tokens)
	case chargehand.SubtaskEnded:
		if f.Subtask == "_synthesis" {
			delete(b.held, "synthesis")
		}
		delete(b.held, fmt.Sprint("attempt", chargehand.AttemptRef{Subtask: f.Subtask, Attempt: f.Attempt}))
	}
}

// A counts counts what ought to happen.
type counts struct{ raised, denied, overbilled, lost, short, retried, judged int }

func (n *counts) note(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.ReservationRaised:
		n.raised++
	case chargehand.ReservationDenied:
		n.denied++
	case chargehand.Overbilled:
		n.overbilled++
	case chargehand.AttemptResumed:
		if f.Lost != (chargehand.Usage{}) {
			n.lost++
		}
	case chargehand.JudgeAsked:
		if f.Lost != (chargehand.Usage{}) {
			n.lost++
		}
		n.judged++
	case chargehand.RetryPlanned:
		n.retried++
	case chargehand.SubtaskEnded:
		if f.State == chargehand.SubtaskOverBudget {
			n.short++
		}
	}
}

// A planner that is a Go function is not called under a ceiling before it is known what that may cost.
func TestUnpricedPlannerIsRefused(t *testing.T) {
	called := false
	plan := worker.Planner(func(context.Context, worker.PlanRequest) (chargehand.Plan, chargehand.Usage, error) {
		called = true
		return chargehand.Plan{Subtasks: []chargehand.Subtask{{ID: "a", Goal: "do", Capability: "c"}}}, chargehand.Usage{USD: 9 * chargehand.USD}, nil
	})
	e := open(t, local.Options{Dir: t.TempDir(), Workers: worker.Set{"w": echo}, Planners: map[string]worker.Planner{"split": plan}})
	o := order(0, func(team *chargehand.Team) {
		team.Planner = chargehand.Planner{Func: "split"}
		for i := range team.Workers {
			team.Workers[i].Free = true
		}
	})
	o.Budget.USD = chargehand.USD
	if _, err := e.Start(t.Context(), o); chargehand.CodeOf(err) != chargehand.CodeInvalid || called {
		t.Errorf("err = %v, and it was called: %t", err, called)
	}
	o.Objective.Plan = &chargehand.Plan{Subtasks: []chargehand.Subtask{{ID: "a", Goal: "do", Capability: "c"}}}
	if _, err := e.Start(t.Context(), o); err != nil || called {
		t.Errorf("the order brings its plan: %v", err)
	}
}

// What a worker without a price may cost follows from the plan that the order brings, not from the team's own.
func TestOrdersPlanBoundsUnpricedWorkers(t *testing.T) {
	e := open(t, local.Options{Dir: t.TempDir(), Workers: worker.Set{"w": echo}})
	for _, c := range []struct {
		name         string
		team, orders chargehand.Budget
		refused      bool
	}{
		{"the order's plan bounds it", chargehand.Budget{}, chargehand.Budget{USD: chargehand.USD / 2}, false},
		{"only the team's does", chargehand.Budget{USD: chargehand.USD / 2}, chargehand.Budget{}, true},
	} {
		plan := func(b chargehand.Budget) *chargehand.Plan {
			return &chargehand.Plan{Subtasks: []chargehand.Subtask{{ID: "a", Goal: "do", Capability: "c", Budget: b}}}
		}
		o := order(0, func(team *chargehand.Team) { team.Planner.Template, team.Workers[0].Free = plan(c.team), false })
		o.Budget.USD, o.Objective.Plan = chargehand.USD, plan(c.orders)
		_, err := e.Start(t.Context(), o)
		if refused := err != nil && chargehand.CodeOf(err) == chargehand.CodeInvalid; refused != c.refused {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
