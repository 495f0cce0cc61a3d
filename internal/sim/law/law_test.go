package law_test

import (
	"slices"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/fleet"
	"github.com/chargehand/chargehand/internal/sim/law"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/internal/turn"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// A history is what a law is shown. Sequence numbers and times are filled in, unless one is bad.
type history struct {
	law    *law.Law
	breach *law.Breach
	seq    map[string]int64
	now    time.Time
}

var ref = chargehand.AttemptRef{Subtask: "s", Attempt: 1}

func team() *chargehand.Team {
	return &chargehand.Team{
		Name: "t", Workers: []chargehand.WorkerSpec{
			{WorkerID: "w", Capabilities: []string{"x"}}, {WorkerID: "sure", Capabilities: []string{"x"}, Idempotent: true},
		},
	}
}

func newHistory() *history {
	h := &history{law: law.New(), seq: map[string]int64{}, now: noon}
	h.law.Run("r", team())
	return h
}

// turn shows a turn. Facts of the fleet find their own stream.
func (h *history) turn(events []turn.Event, effects []turn.Effect, facts ...chargehand.Fact) {
	t := law.Turn{Events: events, Rows: map[string]turn.Row{}}
	t.Effects = effects
	for _, f := range facts {
		run := "r"
		switch f.(type) {
		case chargehand.WorkersRegistered, chargehand.LeaseGranted, chargehand.LeaseFreed, chargehand.InstanceSpawned, chargehand.InstanceRetired:
			run = chargehand.FleetStream
		}
		h.seq[run]++
		t.Records = append(t.Records, chargehand.Record{Run: run, Seq: h.seq[run], At: h.now, Fact: f})
	}
	h.take(t)
}

func (h *history) take(t law.Turn) {
	if b := h.law.Took(t); b != nil && h.breach == nil {
		h.breach = b
	}
}

func (h *history) facts(facts ...chargehand.Fact) { h.turn(nil, nil, facts...) }

// begin starts a run of one subtask, and registers its worker.
func (h *history) begin(s chargehand.Subtask, b chargehand.Budget) {
	s.ID = "s"
	h.facts(
		chargehand.WorkersRegistered{Workers: []chargehand.FleetWorker{{Worker: "w", Slots: 1, Min: 1, Max: 1}}},
		chargehand.RunStarted{Budget: b}, chargehand.PlanAsked{Iteration: 1}, chargehand.PlanAdopted{Version: 1},
		chargehand.SubtasksPlanned{Subtasks: []chargehand.Subtask{s, {ID: "d", Deps: []string{"s"}}}},
	)
}

func queued(id string, n int, usd chargehand.Micros) chargehand.SubtasksQueued {
	return chargehand.SubtasksQueued{Attempts: []chargehand.AttemptRef{{Subtask: id, Attempt: n}}, Reserved: usd}
}

func lease(epoch int64, id string, n int) chargehand.LeaseGranted {
	return chargehand.LeaseGranted{Epoch: epoch, Run: "r", AttemptRef: chargehand.AttemptRef{Subtask: id, Attempt: n}, Worker: "w", Instance: "w"}
}

func started(epoch int64, n int) chargehand.AttemptStarted {
	return chargehand.AttemptStarted{
		AttemptRef: chargehand.AttemptRef{Subtask: "s", Attempt: n}, Worker: "w", Epoch: epoch, DeadlineAt: noon.Add(time.Minute),
	}
}

// running has the subtask's first attempt run.
func (h *history) running(s chargehand.Subtask) {
	h.begin(s, chargehand.Budget{})
	h.turn(nil, []turn.Effect{launch(1)}, queued("s", 1, 0), lease(1, "s", 1), started(1, 1))
}

func launch(epoch int64) turn.Effect {
	return turn.Effect{Run: "r", Do: supervise.Launch{Epoch: epoch, Task: chargehand.WorkerTask{TaskID: "s", Attempt: 1, AssignedWorker: "w"}}}
}

var accepts = chargehand.Verdict{SchemaPass: true, Recommendation: chargehand.Accept, Score: 0.8}

// finished is the report of the first attempt, and the record of it.
func finished(v chargehand.Verdict) (turn.Event, chargehand.OutputChecked) {
	in := supervise.Finished{AttemptRef: ref, Epoch: 1, Output: "o", Verdict: v}
	return turn.Event{Run: "r", Input: in}, chargehand.OutputChecked{AttemptRef: ref, Epoch: 1, Output: "o", Verdict: v}
}

// checked has the first attempt finish with a verdict.
func (h *history) checked(v chargehand.Verdict) {
	h.running(chargehand.Subtask{})
	e, f := finished(v)
	h.turn([]turn.Event{e}, nil, f, chargehand.LeaseFreed{Epoch: 1, Outcome: chargehand.OutcomeFine})
}

var opened = chargehand.DebateOpened{AttemptRef: ref, Rounds: 1}

// debated has a debate begin about the first attempt.
func (h *history) debated() {
	h.running(chargehand.Subtask{Debate: true})
	e, f := finished(accepts)
	h.turn([]turn.Event{e}, nil, f, chargehand.LeaseFreed{Epoch: 1, Outcome: chargehand.OutcomeFine})
	h.facts(opened)
}

func ended(s chargehand.SubtaskState, score float64) chargehand.SubtaskEnded {
	f := chargehand.SubtaskEnded{Subtask: "s", Attempt: 1, State: s, Score: score}
	if s == chargehand.SubtaskAcceptedByHuman {
		f.Against = "unclear"
	}
	return f
}

var review = chargehand.Review{
	ID: "rev", RunID: "r", TaskID: "s", Attempt: 1, ContentHash: "o", OutputRef: "o", Nonce: "n", Deadline: noon.Add(time.Hour),
	Auto: chargehand.AutoReject,
}

func decision(by string) chargehand.Decision {
	return chargehand.Decision{ReviewID: "rev", Approved: true, Approver: by, ContentHash: "o", Nonce: "n"}
}

func says(d chargehand.Decision) []turn.Event {
	return []turn.Event{{Run: "r", Input: supervise.Decide{
		ReviewID: d.ReviewID, Approved: d.Approved, Approver: d.Approver, ContentHash: d.ContentHash, Nonce: d.Nonce,
	}}}
}

// bad are histories that each break one invariant.
var bad = []struct {
	name string
	want law.Invariant
	show func(h *history)
}{
	{"an output refused by the gate is accepted", law.Verdict, func(h *history) {
		h.checked(chargehand.Verdict{SchemaPass: true, Recommendation: chargehand.Reject, Score: 1})
		h.facts(ended(chargehand.SubtaskAccepted, 1))
	}},
	{"a score above the gate's", law.Verdict, func(h *history) { h.checked(accepts); h.facts(ended(chargehand.SubtaskAccepted, 1)) }},
	{"a debate that nobody wants", law.Debates, func(h *history) { h.checked(accepts); h.facts(opened) }},
	{"a worker that argues against itself", law.Debates, func(h *history) {
		h.debated()
		h.facts(chargehand.PositionTaken{AttemptRef: ref, Round: 1, Acceptable: true, Score: 0.8})
	}},
	{"a debate won by what no check accepts", law.Debates, func(h *history) {
		h.debated()
		h.facts(chargehand.DebateSettled{AttemptRef: ref, By: chargehand.AdjudicateByRules})
	}},
	{"an output accepted while it is debated", law.Debates, func(h *history) { h.debated(); h.facts(ended(chargehand.SubtaskAccepted, 0.8)) }},
	{"a plan that a run advised which is not alike", law.Principal, func(h *history) {
		h.facts(chargehand.RunStarted{}, chargehand.PlanAsked{Iteration: 1}, chargehand.PlanAdvised{Advice: chargehand.Advice{Run: "old", Confidence: 0.8}}, chargehand.PlanAdopted{Version: 1})
	}},
	{"a plan after another run's that writes, and nobody saw it", law.Principal, func(h *history) {
		advised := team()
		advised.Planner.Advice = true
		h.law.Run("r", advised)
		h.facts(chargehand.RunStarted{}, chargehand.PlanAsked{Iteration: 1}, chargehand.PlanAdvised{Advice: chargehand.Advice{Run: "old", Confidence: 0.9}},
			chargehand.PlanAdopted{Version: 1, Subtasks: 1}, chargehand.SubtasksPlanned{Subtasks: []chargehand.Subtask{{ID: "s", Capability: "x", Effect: chargehand.EffectWrite}}})
	}},
	{"tools of an attempt that does not run", law.Principal, func(h *history) {
		h.checked(accepts)
		h.facts(chargehand.ToolsUsed{AttemptRef: ref, Changed: []chargehand.ToolChange{{Tool: "files.read", Pinned: "d1", Now: "d2"}}})
	}},
	{"a question about tools that had not changed", law.Review, func(h *history) {
		h.checked(accepts)
		h.facts(chargehand.ReviewOpened{Review: chargehand.Review{ID: "rev", Nonce: "n", TaskID: ref.Subtask, Attempt: ref.Attempt, Subject: chargehand.SubjectTools}})
	}},
	{"an acceptance without an output", law.Verdict, func(h *history) {
		h.running(chargehand.Subtask{})
		h.facts(ended(chargehand.SubtaskAccepted, 1))
	}},
	{"a dependant goes before what it depends on", law.Verdict, func(h *history) { h.running(chargehand.Subtask{}); h.facts(queued("d", 1, 0)) }},
	{"a result without what is accepted", law.Verdict, func(h *history) {
		h.checked(accepts)
		h.facts(ended(chargehand.SubtaskAccepted, 0.8), chargehand.ResultAsked{State: chargehand.RunPartial})
	}},
	{"accepted twice", law.Accept, func(h *history) {
		h.checked(accepts)
		h.facts(ended(chargehand.SubtaskAccepted, 0.8), ended(chargehand.SubtaskAccepted, 0.8))
	}},
	{"an incomplete output without a word", law.Shortfall, func(h *history) {
		v := accepts
		v.Missing = []string{"fee"}
		h.checked(v)
		h.facts(ended(chargehand.SubtaskAccepted, 0.8))
	}},
	{"a complete run with an incomplete output", law.Shortfall, func(h *history) {
		v := accepts
		v.Missing = []string{"fee"}
		h.checked(v)
		f := ended(chargehand.SubtaskAccepted, 0.8)
		f.Lacks = []string{"fee"}
		h.facts(f, chargehand.SubtaskEnded{Subtask: "d", State: chargehand.SubtaskSkipped}, chargehand.ResultAsked{State: chargehand.RunCompleted})
	}},
	{"the end without a result", law.Accept, func(h *history) { h.running(chargehand.Subtask{}); h.facts(chargehand.RunEnded{}) }},
	{"two leases on one slot", law.Capacity, func(h *history) { h.running(chargehand.Subtask{}); h.facts(lease(2, "d", 1)) }},
	{"a slot is free while its worker is at work", law.Capacity, func(h *history) {
		h.running(chargehand.Subtask{})
		h.facts(chargehand.LeaseFreed{Epoch: 1})
	}},
	{"a lease of an instance that is not there", law.Capacity, func(h *history) {
		h.begin(chargehand.Subtask{}, chargehand.Budget{})
		l := lease(1, "s", 1)
		l.Instance = "w#2"
		h.facts(queued("s", 1, 0), l)
	}},
	{"one static instance too many", law.Capacity, func(h *history) {
		h.begin(chargehand.Subtask{}, chargehand.Budget{})
		h.facts(chargehand.InstanceSpawned{Worker: "w", Instance: "w#2"})
	}},
	{"a tenant with its share goes first", law.Share, unfair},
	{"more is reserved than there is", law.Ledger, func(h *history) {
		h.begin(chargehand.Subtask{}, chargehand.Budget{USD: 10})
		h.facts(queued("s", 1, 11))
	}},
	{"more is sent after a bill that was too high", law.Ledger, func(h *history) {
		h.begin(chargehand.Subtask{}, chargehand.Budget{USD: 10})
		h.facts(queued("s", 1, 5), lease(1, "s", 1), started(1, 1))
		e, f := finished(accepts)
		f.Usage.USD = 20
		h.turn([]turn.Event{e}, nil, f, chargehand.LeaseFreed{Epoch: 1}, ended(chargehand.SubtaskAccepted, 0.8), queued("d", 1, 0))
	}},
	{"a bill above its reservation is not named", law.Ledger, func(h *history) {
		h.begin(chargehand.Subtask{}, chargehand.Budget{USD: 10})
		h.facts(queued("s", 1, 5), lease(1, "s", 1), started(1, 1))
		e, f := finished(accepts)
		f.Usage.USD = 6
		h.turn([]turn.Event{e}, nil, f, chargehand.LeaseFreed{Epoch: 1}, ended(chargehand.SubtaskAccepted, 0.8))
	}},
	{"a call goes on with more than there is", law.Ledger, func(h *history) {
		h.begin(chargehand.Subtask{}, chargehand.Budget{USD: 10})
		h.facts(queued("s", 1, 5), lease(1, "s", 1), started(1, 1), chargehand.ReservationRaised{For: chargehand.HeldForAttempt, AttemptRef: ref, Reserved: 11})
	}},
	{"a call is told that it is covered, and is not", law.Ledger, func(h *history) {
		h.begin(chargehand.Subtask{}, chargehand.Budget{USD: 10})
		h.facts(queued("s", 1, 5), lease(1, "s", 1), started(1, 1))
		h.law.Covers("r", supervise.TopUp{For: chargehand.HeldForAttempt, AttemptRef: ref, Total: chargehand.Usage{USD: 6}})
		h.take(law.Turn{})
	}},
	{"an envelope is begun again for money that is not there", law.Ledger, func(h *history) {
		h.begin(chargehand.Subtask{}, chargehand.Budget{USD: 9})
		h.facts(queued("s", 1, 5), lease(1, "s", 1), started(1, 1), chargehand.AttemptResumed{AttemptRef: ref, Epoch: 1, Lost: chargehand.Usage{USD: 5}, Reserved: 5})
	}},
	{"a review is forgotten at the end", law.Review, func(h *history) {
		h.checked(accepts)
		h.facts(chargehand.ReviewOpened{Review: review}, chargehand.ResultAsked{State: chargehand.RunFailed}, chargehand.RunEnded{})
		h.take(law.Turn{Turn: turn.Turn{Touched: []string{"r"}}, Rows: map[string]turn.Row{}})
	}},
	{"a review that nothing wakes", law.Review, func(h *history) {
		h.checked(accepts)
		h.facts(chargehand.ReviewOpened{Review: review})
		row := turn.Row{Summary: chargehand.RunSummary{NeedsHuman: 1}, Wake: noon.Add(2 * time.Hour)}
		h.take(law.Turn{Turn: turn.Turn{Touched: []string{"r"}}, Rows: map[string]turn.Row{"r": row}})
	}},
	{"work goes on while a person is asked", law.Review, func(h *history) {
		h.checked(accepts)
		h.facts(chargehand.ReviewOpened{Review: review}, queued("s", 2, 0))
	}},
	{"too many failures, and the run goes on", law.Threshold, func(h *history) {
		h.begin(chargehand.Subtask{}, chargehand.Budget{})
		h.facts(ended(chargehand.SubtaskFailed, 0), chargehand.SubtaskEnded{Subtask: "d", State: chargehand.SubtaskFailed})
		h.take(law.Turn{Turn: turn.Turn{Touched: []string{"r"}}, Rows: map[string]turn.Row{"r": {Active: true}}})
	}},
	{"the run stops at too few failures", law.Threshold, func(h *history) {
		h.begin(chargehand.Subtask{}, chargehand.Budget{})
		h.facts(ended(chargehand.SubtaskFailed, 0), chargehand.RunStopping{Stop: chargehand.StopTooManyFailures})
	}},
	{"a decision that nobody made", law.Principal, func(h *history) {
		h.checked(accepts)
		h.facts(chargehand.ReviewOpened{Review: review})
		h.turn(says(decision("bo")), nil, chargehand.ReviewDecided{Decision: decision("ana")})
	}},
	{"a decision about something else", law.Principal, func(h *history) {
		h.checked(accepts)
		d := decision("ana")
		d.ContentHash = "other"
		h.turn(says(d), nil, chargehand.ReviewOpened{Review: review}, chargehand.ReviewDecided{Decision: d})
	}},
	{"a nonce that serves twice", law.Principal, func(h *history) {
		h.checked(accepts)
		other := review
		other.ID = "rev2"
		h.facts(chargehand.ReviewOpened{Review: review}, chargehand.ReviewOpened{Review: other})
	}},
	{"accepted by a person whom nobody asked", law.Principal, func(h *history) {
		h.checked(accepts)
		h.facts(ended(chargehand.SubtaskAcceptedByHuman, 0.8))
	}},
	{"cancelled by somebody who did not", law.Principal, func(h *history) {
		h.begin(chargehand.Subtask{}, chargehand.Budget{})
		h.facts(chargehand.RunStopping{Stop: chargehand.StopCancelled, By: "op"})
	}},
	{"an output that its worker did not give", law.Fencing, func(h *history) {
		h.running(chargehand.Subtask{})
		e, f := finished(accepts)
		f.Output = "evil"
		h.turn([]turn.Event{e}, nil, f, chargehand.LeaseFreed{Epoch: 1})
	}},
	{"an answer under another epoch", law.Fencing, func(h *history) {
		h.running(chargehand.Subtask{})
		h.facts(chargehand.AttemptFailed{AttemptRef: ref, Epoch: 9})
	}},
	{"two attempts of a subtask at once", law.Fencing, func(h *history) {
		h.running(chargehand.Subtask{})
		h.facts(queued("s", 2, 0), started(2, 2))
	}},
	{"a launch without a record", law.Effects, func(h *history) {
		h.begin(chargehand.Subtask{}, chargehand.Budget{})
		h.turn(nil, []turn.Effect{launch(1)})
	}},
	{"a launch that is begun twice", law.Effects, func(h *history) { h.running(chargehand.Subtask{}); h.turn(nil, []turn.Effect{launch(1)}) }},
	{"a plan nobody asked for", law.Effects, func(h *history) {
		h.begin(chargehand.Subtask{}, chargehand.Budget{})
		h.turn(nil, []turn.Effect{{Run: "r", Do: supervise.MakePlan{Iteration: 2}}})
	}},
	{"an instance nobody asked for", law.Effects, func(h *history) { h.turn(nil, []turn.Effect{{Fleet: fleet.Spawn{Worker: "w", Instance: "w+1"}}}) }},
	{"a write in doubt is tried again", law.Retry, func(h *history) {
		h.running(chargehand.Subtask{Effect: chargehand.EffectWrite})
		h.turn([]turn.Event{{Run: "r", Input: supervise.Crashed{AttemptRef: ref, Epoch: 1}}}, nil,
			chargehand.AttemptFailed{AttemptRef: ref, Epoch: 1, Cause: chargehand.CauseCrash}, chargehand.LeaseFreed{Epoch: 1},
			queued("s", 2, 0), lease(2, "s", 2), started(2, 2))
	}},
	{"a write is pursued again", law.Retry, func(h *history) {
		h.running(chargehand.Subtask{Effect: chargehand.EffectWrite})
		h.law.Died()
		h.facts(chargehand.Recovered{Boot: 2}, chargehand.AttemptResumed{AttemptRef: ref, Epoch: 1})
	}},
	{"an attempt is pursued again in a paused run", law.Effects, func(h *history) {
		h.adrift()
		h.facts(chargehand.AttemptResumed{AttemptRef: ref, Epoch: 2})
	}},
	{"an attempt is pursued again under a lease it gave back", law.Fencing, func(h *history) {
		h.adrift()
		h.turn(operator(chargehand.Resume), nil, chargehand.PauseEnded{By: "ana"}, chargehand.AttemptResumed{AttemptRef: ref, Epoch: 1})
	}},
	{"an attempt is begun though a restart found its run paused", law.Effects, func(h *history) {
		h.adrift()
		h.turn(nil, []turn.Effect{launch(1)})
	}},
	{"a fourth attempt", law.Attempts, func(h *history) {
		h.begin(chargehand.Subtask{}, chargehand.Budget{})
		h.facts(queued("s", 4, 0), started(1, 4))
	}},
	{"a lease without an attempt", law.Conservation, func(h *history) {
		h.begin(chargehand.Subtask{}, chargehand.Budget{})
		h.facts(queued("s", 1, 0), lease(1, "s", 1))
	}},
	{"an attempt without a lease", law.Conservation, func(h *history) {
		h.begin(chargehand.Subtask{}, chargehand.Budget{})
		h.facts(queued("s", 1, 0), started(1, 1))
	}},
	{"stopped before its deadline", law.Early, func(h *history) {
		h.running(chargehand.Subtask{})
		h.facts(chargehand.AttemptFailed{AttemptRef: ref, Epoch: 1, Cause: chargehand.CauseDeadline, Stopping: true})
	}},
	{"decided by the policy before the deadline", law.Early, func(h *history) {
		h.checked(accepts)
		d := decision("default@1")
		d.ByPolicy, d.Approved = true, false
		h.facts(chargehand.ReviewOpened{Review: review}, chargehand.ReviewDecided{Decision: d})
	}},
	{"an attempt falls due while its run is paused", law.Standstill, func(h *history) {
		h.pausedAt(noon.Add(30 * time.Second))
		h.now = noon.Add(time.Hour)
		h.facts(chargehand.AttemptFailed{AttemptRef: ref, Epoch: 1, Cause: chargehand.CauseDeadline, Stopping: true})
	}},
	{"an attempt has less time after a pause", law.Early, func(h *history) {
		h.pausedAt(noon.Add(30 * time.Second))
		h.now = noon.Add(time.Hour)
		h.turn(operator(chargehand.Resume), nil, chargehand.PauseEnded{By: "ana"})
		h.now = noon.Add(time.Hour + 29*time.Second)
		h.facts(chargehand.AttemptFailed{AttemptRef: ref, Epoch: 1, Cause: chargehand.CauseDeadline, Stopping: true})
	}},
	{"a worker is told of less time after a pause", law.Standstill, func(h *history) {
		h.pausedAt(noon.Add(30 * time.Second))
		h.now = noon.Add(time.Hour)
		h.turn(operator(chargehand.Resume), []turn.Effect{{Run: "r", Do: supervise.Reschedule{AttemptRef: ref, Epoch: 1, DeadlineAt: noon.Add(time.Hour)}}}, chargehand.PauseEnded{By: "ana"})
	}},
	{"the deadline ends a paused run", law.Standstill, func(h *history) {
		h.facts(chargehand.RunStarted{DeadlineAt: noon.Add(time.Minute)})
		h.turn(operator(chargehand.Pause), nil, chargehand.PauseBegan{By: "ana", Still: true})
		h.now = noon.Add(time.Minute)
		h.facts(chargehand.PauseEnded{}, chargehand.RunStopping{Stop: chargehand.StopDeadlineReached})
	}},
	{"a paused run is woken for its deadline", law.Standstill, func(h *history) {
		h.facts(chargehand.RunStarted{DeadlineAt: noon.Add(time.Minute)})
		h.seq["r"]++
		h.take(law.Turn{
			Events: operator(chargehand.Pause), Rows: map[string]turn.Row{"r": {Wake: noon.Add(time.Minute)}},
			Turn: turn.Turn{Touched: []string{"r"}, Records: []chargehand.Record{{Run: "r", Seq: h.seq["r"], At: noon, Fact: chargehand.PauseBegan{By: "ana", Still: true}}}},
		})
	}},
	{"an attempt is forgotten after a pause", law.Standstill, func(h *history) {
		h.pausedAt(noon.Add(30 * time.Second))
		h.now = noon.Add(time.Hour)
		h.seq["r"]++
		h.take(law.Turn{
			Events: operator(chargehand.Resume), Rows: map[string]turn.Row{"r": {Active: true}},
			Turn: turn.Turn{Touched: []string{"r"}, Records: []chargehand.Record{{Run: "r", Seq: h.seq["r"], At: h.now, Fact: chargehand.PauseEnded{By: "ana"}}}},
		})
	}},
	{"a number is missing", law.Gapless, func(h *history) {
		h.begin(chargehand.Subtask{}, chargehand.Budget{})
		h.seq["r"]++
		h.facts(chargehand.PauseBegan{})
	}},
	{"time goes back", law.Monotonic, func(h *history) {
		h.begin(chargehand.Subtask{}, chargehand.Budget{})
		h.now = noon.Add(-time.Second)
		h.facts(chargehand.PlanAsked{Iteration: 2})
	}},
	{"an acknowledged decision is gone", law.Kept, func(h *history) {
		h.begin(chargehand.Subtask{}, chargehand.Budget{})
		h.breach = h.law.Acknowledged("r", decision("ana"))
	}},
}

// operator is an operator's word.
func operator(verb chargehand.Verb) []turn.Event {
	return []turn.Event{{Run: "r", Input: supervise.Operate{Control: chargehand.Control{Verb: verb, By: "ana"}}}}
}

// pausedAt has a run paused with an attempt under way.
func (h *history) pausedAt(at time.Time) {
	h.running(chargehand.Subtask{})
	h.now = at
	h.turn(operator(chargehand.Pause), nil, chargehand.PauseBegan{By: "ana", Still: true})
}

// adrift has a process die while its run is paused with an attempt under way.
func (h *history) adrift() {
	h.running(chargehand.Subtask{})
	h.turn(operator(chargehand.Pause), nil, chargehand.PauseBegan{By: "ana"})
	h.law.Died()
	h.facts(chargehand.Recovered{Boot: 2}, chargehand.LeaseFreed{Epoch: 1})
}

// unfair has a tenant take the second of two slots while another waits.
func unfair(h *history) {
	h.law.Run("q", team())
	h.law.Run("r2", team())
	cs := []chargehand.Candidate{{Worker: "w"}}
	records := []chargehand.Record{}
	add := func(run string, f chargehand.Fact) {
		h.seq[run]++
		records = append(records, chargehand.Record{Run: run, Seq: h.seq[run], At: noon, Fact: f})
	}
	take := func() {
		h.take(law.Turn{Turn: turn.Turn{Records: records}})
		records = nil
	}
	add("fleet", chargehand.WorkersRegistered{Workers: []chargehand.FleetWorker{{Worker: "w", Slots: 2, Min: 1, Max: 1}}})
	for _, run := range []string{"r", "q"} {
		add(run, chargehand.RunStarted{Tenant: map[string]string{"r": "north", "q": "south"}[run]})
		add(run, chargehand.PlanAsked{Iteration: 1})
		add(run, chargehand.SubtasksPlanned{Subtasks: []chargehand.Subtask{{ID: "s"}, {ID: "t"}}})
		for _, id := range []string{"s", "t"} {
			add(run, chargehand.SubtasksQueued{Attempts: []chargehand.AttemptRef{{Subtask: id, Attempt: 1}}, Candidates: cs})
		}
	}
	take()
	for i, id := range []string{"s", "t"} {
		at := chargehand.AttemptRef{Subtask: id, Attempt: 1}
		add("fleet", chargehand.LeaseGranted{Epoch: int64(i + 1), Run: "r", AttemptRef: at, Worker: "w", Instance: "w", Tenant: "north"})
		add("r", chargehand.AttemptStarted{AttemptRef: at, Worker: "w", Epoch: int64(i + 1)})
		take()
	}
}

// Every invariant can fail.
func TestBadHistoriesAreNoticed(t *testing.T) {
	var failed []law.Invariant
	for _, tt := range bad {
		t.Run(tt.name, func(t *testing.T) {
			h := newHistory()
			tt.show(h)
			if h.breach == nil || h.breach.Invariant != tt.want {
				t.Fatalf("want %s to fail, got %v", tt.want, h.breach)
			}
			failed = append(failed, tt.want)
		})
	}
	elsewhere := []law.Invariant{law.Replay, law.Ends} // judged by whoever has the machines
	for _, i := range law.All {
		if !slices.Contains(failed, i) && !slices.Contains(elsewhere, i) {
			t.Errorf("no history breaks %s", i)
		}
	}
}

// A history in which all is well is not complained of.
func TestAGoodHistory(t *testing.T) {
	h := newHistory()
	h.checked(accepts)
	h.facts(ended(chargehand.SubtaskAccepted, 0.8))
	h.facts(chargehand.SubtaskEnded{Subtask: "d", State: chargehand.SubtaskSkipped}, chargehand.AggregateAsked{Round: 1})
	h.turn(nil, []turn.Effect{{Run: "r", Do: supervise.Aggregate{Round: 1, Accepted: []supervise.Accepted{
		{Subtask: "s", Attempt: 1, Worker: "w", Output: "o"},
	}}}})
	h.facts(chargehand.Aggregated{Ref: "a"}, chargehand.ResultAsked{State: chargehand.RunPartial}, chargehand.RunEnded{})
	if h.breach != nil {
		t.Error(h.breach)
	}
	if h.law.Open("r") {
		t.Error("the run has ended")
	}
	if got := (&law.Breach{Invariant: law.Ends, Run: "r", What: "it hangs"}).Error(); got != "every-run-ends: run r: it hangs" {
		t.Errorf("a breach reads %q", got)
	}
}
