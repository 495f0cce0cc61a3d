package local_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// facts are those of a type on a run's records.
func facts[T chargehand.Fact](t *testing.T, e *local.Engine, run string) []T {
	t.Helper()
	var list []T
	for r, err := range e.Records(t.Context(), run, 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := r.Fact.(T); ok {
			list = append(list, f)
		}
	}
	return list
}

func usd(m chargehand.Micros) chargehand.Usage { return chargehand.Usage{USD: m} }

// TestCover: a worker that needs more than its envelope asks for it, is covered on record before it
// is told so, and is told no where the budget does not reach. It then leaves its subtask out for
// want of money, and is billed what it had consumed.
func TestCover(t *testing.T) {
	var e *local.Engine
	var denied error
	grows := worker.Func(func(ctx context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		line := worker.LineOf(ctx)
		for total := chargehand.Micros(10_000); ; total += 20_000 {
			if denied = line.Cover(ctx, usd(total)); denied != nil {
				return chargehand.WorkerResult{Usage: usd(total - 20_000)}, fmt.Errorf("next call: %w", denied)
			}
			raised := facts[chargehand.ReservationRaised](t, e, task.RunID)
			if n := len(raised); total > 10_000 && (n == 0 || raised[n-1].Reserved != total) {
				t.Errorf("told that $%s is covered, and on record is %+v", total, raised)
				return chargehand.WorkerResult{Output: []byte(`1`), Usage: usd(total)}, nil
			}
		}
	})
	e = open(t, local.Options{Workers: worker.Set{"w": grows}})
	o := order(1, func(team *chargehand.Team) {
		team.Workers[0].Free, team.Workers[0].CostPerCallEstimateUSD = false, 10_000
	})
	o.Budget.USD = 100_000
	run := start(t, e, o)
	v := until(t, e, run, ended)
	if v.Rows[0].State != chargehand.SubtaskOverBudget || v.Spent != 90_000 {
		t.Errorf("the subtask is %s, $%s are spent", v.Rows[0].State, v.Spent)
	}
	if denied == nil || !errors.Is(denied, worker.ErrUncovered) || !strings.Contains(denied.Error(), "leaves $0.01") {
		t.Errorf("denied with %v", denied)
	}
	if no := facts[chargehand.ReservationDenied](t, e, run); len(no) != 1 || no[0].Wanted != 110_000 {
		t.Errorf("on record is denied %+v", no)
	}
	if n := len(facts[chargehand.ReservationRaised](t, e, run)); n != 4 {
		t.Errorf("%d raises are on record, want 4", n)
	}
}

// TestCoverAsksNobody: where there is no ceiling, and within the envelope, nothing needs to be asked.
func TestCoverAsksNobody(t *testing.T) {
	free := worker.Func(func(ctx context.Context, _ chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		return chargehand.WorkerResult{Output: []byte(`1`)}, worker.LineOf(ctx).Cover(ctx, chargehand.Usage{USD: 50 * chargehand.USD, InputTokens: 1 << 40})
	})
	e := open(t, local.Options{Workers: worker.Set{"w": free}})
	run := start(t, e, order(1, nil))
	if v := until(t, e, run, ended); v.State != chargehand.RunCompleted {
		t.Errorf("the run is %s: %s", v.State, v.Why)
	}
	if list := facts[chargehand.ReservationRaised](t, e, run); len(list) > 0 {
		t.Errorf("on record is %+v", list)
	}
}

// TestCoverOfPlannerAndReviewer: they ask like workers do.
func TestCoverOfPlannerAndReviewer(t *testing.T) {
	plans := worker.Planner(func(ctx context.Context, _ worker.PlanRequest) (chargehand.Plan, chargehand.Usage, error) {
		return *order(1, nil).Team.Planner.Template, usd(30_000), worker.LineOf(ctx).Cover(ctx, usd(30_000))
	})
	judges := worker.Func(func(ctx context.Context, _ chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		return chargehand.WorkerResult{Usage: usd(5_000), Output: []byte(`{"recommendation":"ACCEPT","confidence":9}`)}, worker.LineOf(ctx).Cover(ctx, usd(5_000))
	})
	e := open(t, local.Options{Workers: worker.Set{"w": echo, "j": judges}, Planners: map[string]worker.Planner{"p": plans}})
	o := order(1, func(team *chargehand.Team) {
		team.Planner = chargehand.Planner{Func: "p", EstimateUSD: 10_000}
		team.Workers = append(team.Workers, chargehand.WorkerSpec{WorkerID: "j", Capabilities: []string{"judge"}, Free: true})
		team.Policy.Reviewer = "j"
	})
	o.Budget.USD = 100_000
	run := start(t, e, o)
	v := until(t, e, run, ended)
	var got []chargehand.Holder
	for _, f := range facts[chargehand.ReservationRaised](t, e, run) {
		got = append(got, f.For)
	}
	if want := []chargehand.Holder{chargehand.HeldForPlan, chargehand.HeldForJudge}; !slices.Equal(got, want) || v.State != chargehand.RunCompleted {
		t.Errorf("raised for %v, want %v; the run is %s: %s", got, want, v.State, v.Why)
	}
	if list := facts[chargehand.Overbilled](t, e, run); len(list) > 0 {
		t.Errorf("named as overbilled: %+v", list)
	}
	if v.Phases[chargehand.PhaseChecking] != 5_000 || v.Phases[chargehand.PhasePlanning] != 30_000 {
		t.Errorf("by phase: %v", v.Phases)
	}
}

// TestCoverWaitsForTheDisk: while nothing can be written nobody is told that a call is covered.
func TestCoverWaitsForTheDisk(t *testing.T) {
	asks, told := make(chan struct{}), make(chan error, 1)
	w := worker.Func(func(ctx context.Context, _ chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		<-asks
		told <- worker.LineOf(ctx).Cover(ctx, usd(20_000))
		return chargehand.WorkerResult{Output: []byte(`1`), Usage: usd(20_000)}, nil
	})
	failed := make(line, 1)
	e := open(t, local.Options{Workers: worker.Set{"w": w}, Log: slog.New(slog.NewTextHandler(failed, nil))})
	o := order(1, func(team *chargehand.Team) {
		team.Workers[0].Free, team.Workers[0].CostPerCallEstimateUSD = false, 10_000
	})
	o.Budget.USD = 100_000
	run := start(t, e, o)
	until(t, e, run, func(v *chargehand.View) bool { return len(v.Rows) > 0 && v.Rows[0].State == chargehand.SubtaskRunning })
	if err := e.BreakWrites(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	close(asks)
	for range 2 { // it asks again
		select {
		case err := <-told:
			t.Fatalf("told %v, and nothing can be written", err)
		case <-failed:
		case <-time.After(30 * time.Second):
			t.Fatal("nothing failed")
		}
	}
	if err := e.BreakWrites(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if err := <-told; err != nil {
		t.Errorf("once the disk takes writes: %v", err)
	}
	if v := until(t, e, run, ended); v.State != chargehand.RunCompleted {
		t.Errorf("the run is %s", v.State)
	}
	if list := facts[chargehand.ReservationRaised](t, e, run); len(list) != 1 {
		t.Errorf("on record is %+v", list)
	}
}

const leak = "sk-proj-abcdefghij0123456789KLMNOP"

// TestMonitorStops: a worker is stopped in the middle of what it writes, what it had said is kept and
// named by the record, and billed; the next attempt is told why.
func TestMonitorStops(t *testing.T) {
	stubborn := false
	for _, name := range []string{"minds", "goes on"} {
		stubborn = name == "goes on"
		t.Run(name, func(t *testing.T) {
			said := 0
			w := worker.Func(func(ctx context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
				if task.Feedback != "" {
					return chargehand.WorkerResult{Output: []byte(`"nothing to hide"`)}, nil
				}
				pieces := strings.SplitAfter(`"the key is `+leak+" and "+strings.Repeat("more ", 400)+`"`, " ")
				for _, p := range pieces {
					said++
					if err := worker.LineOf(ctx).Say(p); err != nil && !stubborn {
						return chargehand.WorkerResult{Usage: usd(7_000)}, err
					}
					if ctx.Err() != nil {
						return chargehand.WorkerResult{Usage: usd(7_000)}, context.Cause(ctx)
					}
				}
				return chargehand.WorkerResult{Output: []byte(strings.Join(pieces, "")), Usage: usd(7_000)}, nil
			})
			e := open(t, local.Options{Workers: worker.Set{"w": w}})
			run := start(t, e, order(1, func(team *chargehand.Team) {
				team.Contracts = []chargehand.Contract{{Name: "c", Detectors: chargehand.Detect(chargehand.DetectSecrets)}}
				team.Planner.Template.Subtasks[0].OutputContract = "c"
			}))
			v := until(t, e, run, ended)
			if said > 150 {
				t.Errorf("%d pieces were written", said)
			}
			if v.State != chargehand.RunCompleted || len(v.Rows[0].Attempts) != 2 {
				t.Fatalf("the run is %s after %d attempts", v.State, len(v.Rows[0].Attempts))
			}
			first := v.Rows[0].Attempts[0]
			if first.Verdict.Recommendation != chargehand.Reject || !strings.HasPrefix(first.Verdict.Issues[0].Message, "monitor: ") || first.Usage.USD != 7_000 {
				t.Errorf("the first attempt: %+v, $%s", first.Verdict, first.Usage.USD)
			}
			if text, err := e.Blob(t.Context(), first.Output); err != nil || !bytes.HasPrefix(text, []byte(`"the key is `+leak)) {
				t.Errorf("kept is %q (%v)", text, err)
			}
			if !strings.Contains(v.Rows[0].Attempts[1].Feedback, "monitor: ") {
				t.Errorf("the second is told %q", v.Rows[0].Attempts[1].Feedback)
			}
		})
	}
}

// TestMonitorAcceptsNothing: a text that passes the monitor is checked as a whole all the same; one
// that begins once more with another call is read from its beginning.
func TestMonitorAcceptsNothing(t *testing.T) {
	w := worker.Func(func(ctx context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		line := worker.LineOf(ctx)
		for _, piece := range []string{`{"ter`, `{"term": 5}`} {
			if err := errors.Join(line.Cover(ctx, usd(1)), line.Say(piece)); err != nil {
				return chargehand.WorkerResult{}, err
			}
		}
		return chargehand.WorkerResult{Output: []byte(`{"term": -5}`), Transcript: []byte(`[{"said":"no"}]`)}, nil
	})
	e := open(t, local.Options{Workers: worker.Set{"w": w}})
	run := start(t, e, order(1, func(team *chargehand.Team) {
		team.Contracts = []chargehand.Contract{{Name: "c", Schema: json.RawMessage(`{"properties":{"term":{"minimum":0}}}`)}}
		team.Planner.Template.Subtasks[0].OutputContract = "c"
	}))
	until(t, e, run, needsHuman)
	checked := facts[chargehand.OutputChecked](t, e, run)
	if len(checked) == 0 || checked[0].Verdict.SchemaPass || checked[0].Verdict.Issues[0].Rule == "monitor" {
		t.Fatalf("checked: %+v", checked)
	}
	if text, err := e.Blob(t.Context(), checked[0].Transcript); err != nil || string(text) != `[{"said":"no"}]` {
		t.Errorf("the transcript is %q (%v)", text, err)
	}
}

// TestTokens: what workers write is handed on as it comes, until the run's end, and is on no record.
// A follower that comes late, or is slow, is told how much it lost.
func TestTokens(t *testing.T) {
	speak, spoken := make(chan string), make(chan struct{})
	w := worker.Func(func(ctx context.Context, _ chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		for text := range speak {
			if err := worker.LineOf(ctx).Say(text); err != nil {
				return chargehand.WorkerResult{}, err
			}
			spoken <- struct{}{}
		}
		return chargehand.WorkerResult{Output: []byte(`"done"`)}, nil
	})
	e := open(t, local.Options{Workers: worker.Set{"w": w}})
	run := start(t, e, order(1, nil))
	say := func(text string) { speak <- text; <-spoken }
	say(`"early `)
	got, more := make(chan chargehand.Token), make(chan struct{})
	listening := make(chan struct{})
	go func() {
		defer close(got)
		close(listening)
		for tok, err := range e.Tokens(context.WithoutCancel(t.Context()), run) {
			if err != nil {
				t.Error(err)
			}
			got <- tok
			<-more
		}
	}()
	<-listening
	for e.Listeners(run) == 0 {
		runtime.Gosched()
	}
	say("late ")
	first := <-got
	want := chargehand.Token{Run: run, AttemptRef: chargehand.AttemptRef{Subtask: "s0", Attempt: 1}, Offset: 7, Text: "late ", Lost: 7, Provisional: true}
	if first != want {
		t.Errorf("first came %+v, want %+v", first, want)
	}
	piece := strings.Repeat("x", 5_000)
	const pieces = 100
	for range pieces {
		say(piece)
	}
	more <- struct{}{}
	say("the end")
	close(speak)
	heard, lost := int64(0), int64(0)
	for tok := range got {
		heard, lost = heard+int64(len(tok.Text)), lost+tok.Lost
		more <- struct{}{}
	}
	if all := int64(pieces*5_000 + len("the end")); heard+lost != all || lost == 0 {
		t.Errorf("%d bytes heard and %d lost of %d", heard, lost, all)
	}
	if v := until(t, e, run, ended); v.State != chargehand.RunCompleted {
		t.Errorf("the run is %s", v.State)
	}
	for range e.Tokens(t.Context(), run) {
		t.Error("an ended run says something")
	}
}
