package supervise

import (
	"math"
	"slices"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/route"
)

// An attempt is one execution of a task by one worker.
type attempt struct {
	candidates []chargehand.Candidate // asked of the fleet
	strategy   chargehand.Strategy
	tier       int

	number   int
	worker   string
	instance string
	epoch    int64 // zero until it has started
	deadline time.Time
	armed    int64 // seq of the record that set the deadline; zero: it is not watched
	started  time.Time
	feedback string

	input    string // hash of what the worker was given
	output   string
	size     int // bytes of the output
	verdict  chargehand.Verdict
	ref      string // of the whole verdict
	own      *float64
	score    float64 // what decided
	judgings int     // how often the reviewer was asked
	judging  bool    // the reviewer is being asked
}

// granted starts an attempt on the worker that the fleet gave, or gives it back. A lease that is
// held already is only told of again.
func (m *Machine) granted(now time.Time, in Granted, out *Output) {
	k := m.board.tasks[in.Subtask]
	w := m.team.Worker(in.Worker)
	switch {
	case k != nil && k.holds(in.Epoch):
		return
	case k == nil || k.state != chargehand.SubtaskQueued || k.number != in.Attempt || m.run.state != chargehand.RunRunning:
		out.give(in.Epoch, chargehand.OutcomeUnused)
		return
	case w == nil || !k.asksFor(w):
		out.give(in.Epoch, chargehand.OutcomeUnused) // meant for an ask that has been replaced
		out.Fleet = append(out.Fleet, m.askFor(k))
		return
	}
	reserve := amount{route.Cost(w, k.spec), k.spec.Budget.Tokens}
	if !m.ledger.fits(forAttempt(k.ref()), reserve) {
		out.give(in.Epoch, chargehand.OutcomeUnused)
		m.overBudget(now, k, out)
		return
	}
	m.record(now, chargehand.AttemptStarted{
		AttemptRef: k.ref(), Worker: w.WorkerID, Instance: instance(in), Version: w.VersionOrDefault(), Epoch: in.Epoch,
		DeadlineAt: now.Add(route.Timeout(w, k.spec)), Reserved: reserve.usd, ReservedTokens: reserve.tokens,
		Routing: m.routing(k, w), Load: in.Load, Feedback: k.correction,
	}, out)
	out.begin(m.launch(k))
}

// holds reports whether the epoch is that of a lease the task has.
func (k *task) holds(epoch int64) bool {
	return k.state == chargehand.SubtaskRunning && k.attempt.epoch == epoch || k.stillStopping(epoch) != nil
}

func (k *task) asksFor(w *chargehand.WorkerSpec) bool {
	return slices.ContainsFunc(k.attempt.candidates, func(c chargehand.Candidate) bool { return c.Worker == w.WorkerID })
}

func instance(in Granted) string {
	if in.Instance == in.Worker {
		return ""
	}
	return in.Instance
}

// routing says how the worker was chosen (SPEC.md ·6). The candidates are those of SubtasksQueued.
func (m *Machine) routing(k *task, w *chargehand.WorkerSpec) chargehand.RoutingRecord {
	r := chargehand.RoutingRecord{
		RoutingID: m.id + "/" + k.spec.ID + "/" + itoa(k.number), RunID: m.id, TaskID: k.spec.ID, Route: w.WorkerID,
		RoutingStrategy: k.attempt.strategy, Confidence: 1, PolicyVersion: m.team.Policy.ID(),
		Rationale: "the first of those with room that has the capability " + k.spec.Capability,
	}
	for _, c := range k.attempt.candidates {
		if c.Worker == w.WorkerID {
			r.FallbackUsed = c.Rank > 0
		}
	}
	if k.attempt.strategy == chargehand.RouteStatic {
		r.Rationale = "declared for the capability " + k.spec.Capability
	}
	return r
}

// launch is the effect that runs the task's attempt.
func (m *Machine) launch(k *task) Launch {
	w := m.team.Worker(k.attempt.worker)
	return Launch{
		Epoch: k.attempt.epoch, Instance: k.attempt.instance, Partial: w.FailurePolicy.AllowPartialResult,
		Once:  !repeatable(k, w),
		Facts: m.run.objective.Facts,
		Task: chargehand.WorkerTask{
			TaskID: k.spec.ID, RunID: m.id, Attempt: k.number, AssignedWorker: w.WorkerID,
			IdempotencyKey: m.id + "/" + k.spec.ID + "/" + itoa(k.number),
			Objective:      m.run.objective.Goal, Goal: k.spec.Goal, Input: m.input(k), InputRefs: m.inputs(k),
			AllowedTools: k.spec.ToolGrants, ExpectedOutputContract: k.spec.OutputContract,
			RequiredAspects: k.spec.RequiredAspects,
			TimeoutMS:       k.attempt.deadline.Sub(k.attempt.started).Milliseconds(), DeadlineAt: k.attempt.deadline,
			Budget: k.spec.Budget, Feedback: k.attempt.feedback, Role: k.spec.Role,
		},
	}
}

// input is the subtask's own input, or the objective's where it has none.
func (m *Machine) input(k *task) []byte {
	if len(k.spec.Input) > 0 {
		return k.spec.Input
	}
	return m.run.objective.Input
}

// inputs are the objective's documents and the accepted outputs the task may see: those it depends
// on, and for the synthesis the aggregate.
func (m *Machine) inputs(k *task) []chargehand.InputRef {
	var refs []chargehand.InputRef
	for _, d := range m.run.objective.Documents {
		refs = append(refs, chargehand.InputRef{Hash: d.Hash, Name: d.Name, MediaType: d.MediaType, Size: d.Size})
	}
	if k.synthesis {
		return append(refs, chargehand.InputRef{
			Hash: m.closing.aggregate, Name: "aggregate", From: "aggregate",
			MediaType: "application/json",
		})
	}
	for _, id := range k.spec.Deps {
		dep := m.board.tasks[id]
		refs = append(refs, chargehand.InputRef{Hash: dep.attempt.output, Name: id, From: id, MediaType: "application/json"})
	}
	return refs
}

func (m *Machine) applyAttempt(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.AttemptStarted:
		k := m.board.tasks[f.Subtask]
		a := &k.attempt
		a.number, a.worker, a.instance, a.epoch, a.deadline = f.Attempt, f.Worker, f.Instance, f.Epoch, f.DeadlineAt
		a.started, a.feedback, a.armed = m.last, f.Feedback, m.seq
		m.board.move(k, chargehand.SubtaskRunning)
		m.timers.add(timer{at: f.DeadlineAt, attempt: f.AttemptRef, seq: m.seq})
	case chargehand.AttemptResumed:
		k := m.board.tasks[f.Subtask]
		k.attempt.deadline, k.attempt.started, k.attempt.armed = f.DeadlineAt, m.last, m.seq
		m.timers.add(timer{at: f.DeadlineAt, attempt: f.AttemptRef, seq: m.seq})
	case chargehand.OutputChecked:
		k := m.board.tasks[f.Subtask]
		a := &k.attempt
		a.input, a.output, a.size, a.verdict, a.ref, a.own = f.InputHash, f.Output, f.Size, f.Verdict, f.VerdictRef, f.Confidence
		m.board.move(k, chargehand.SubtaskValidating)
	case chargehand.AttemptFailed:
		k := m.board.tasks[f.Subtask]
		if f.Stopping {
			k.stopping = append(k.stopping, k.attempt)
			m.board.stopping++
		}
		m.board.move(k, chargehand.SubtaskValidating)
	case chargehand.AttemptStopped:
		m.board.letGo(f.Subtask, f.Epoch)
	case chargehand.LateResult:
		m.board.letGo(f.Subtask, f.Epoch)
	case chargehand.Recovered:
		for _, k := range m.board.order {
			if k.state == chargehand.SubtaskRunning {
				k.attempt.armed = 0 // until it is pursued again
			}
		}
	}
}

// letGo takes a stopping attempt off its task's list.
func (b *board) letGo(subtask string, epoch int64) {
	k := b.tasks[subtask]
	for i := range k.stopping {
		if k.stopping[i].epoch == epoch {
			k.stopping = slices.Delete(k.stopping, i, i+1)
			b.stopping--
			return
		}
	}
}

// stillStopping is the attempt that has not confirmed its stop; nil if there is none of that epoch.
func (k *task) stillStopping(epoch int64) *attempt {
	for i := range k.stopping {
		if k.stopping[i].epoch == epoch {
			return &k.stopping[i]
		}
	}
	return nil
}

// current is the task whose running attempt the reference names; nil for a straggler's, whose
// answer may not act on a successor.
func (m *Machine) current(ref chargehand.AttemptRef, epoch int64) *task {
	k := m.board.tasks[ref.Subtask]
	if k == nil || k.state != chargehand.SubtaskRunning || k.number != ref.Attempt || k.attempt.epoch != epoch {
		return nil
	}
	return k
}

// finished takes an output in, with what the gate found of it.
func (m *Machine) finished(now time.Time, in Finished, out *Output) {
	k := m.current(in.AttemptRef, in.Epoch)
	if k == nil {
		m.late(now, chargehand.LateResult{
			AttemptRef: in.AttemptRef, Epoch: in.Epoch, Output: in.Output,
			Usage: in.Usage, Why: "its attempt had ended",
		}, out)
		return
	}
	if !known(in.Verdict.Recommendation) {
		m.crashed(now, Crashed{
			AttemptRef: in.AttemptRef, Epoch: in.Epoch, Cause: chargehand.CauseCrash, Usage: in.Usage,
			Message: "an output came without the gate's findings",
		}, out)
		return
	}
	out.give(in.Epoch, chargehand.OutcomeFine)
	m.record(now, chargehand.OutputChecked{
		AttemptRef: in.AttemptRef, Epoch: in.Epoch, Status: in.Status, Output: in.Output, InputHash: in.InputHash,
		Size: in.Size, Summary: clip(in.Summary, maxSummary), Verdict: brief(in.Verdict), VerdictRef: in.VerdictRef,
		Confidence: share(in.Confidence), Usage: bill(in.Usage, m.priceOf(k.attempt.worker)),
		Evidence: clipAll(in.Evidence, maxEvidence, maxToken), Blockers: clipAll(in.Blockers, maxBlockers, maxQuote),
	}, out)
	m.weigh(now, k, in.Status, in.Blockers, out)
}

// share is a number from 0 to 1 as a worker gave it; nil for what is none.
func share(f *float64) *float64 {
	if f == nil || math.IsNaN(*f) || *f < 0 || *f > 1 {
		return nil
	}
	return f
}

func (m *Machine) priceOf(worker string) chargehand.Micros {
	if w := m.team.Worker(worker); w != nil {
		return w.CostPerCallEstimateUSD
	}
	return 0
}

// crashed takes in that an attempt ended without an output.
func (m *Machine) crashed(now time.Time, in Crashed, out *Output) {
	k := m.current(in.AttemptRef, in.Epoch)
	if k == nil {
		m.stopped(now, in.AttemptRef, in.Epoch, in.Usage, out)
		return
	}
	if in.Cause != chargehand.CauseWorkerError {
		in.Cause = chargehand.CauseCrash
	}
	out.give(in.Epoch, outcome(in.Cause))
	m.record(now, chargehand.AttemptFailed{
		AttemptRef: in.AttemptRef, Epoch: in.Epoch, Cause: in.Cause,
		Message: clip(in.Message, maxText), Usage: bill(in.Usage, m.priceOf(k.attempt.worker)),
	}, out)
	m.recover(now, k, trouble{cause: in.Cause, why: clip(in.Message, maxText), notBegun: in.NotBegun}, out)
}

func outcome(c chargehand.Cause) chargehand.Outcome {
	if c == chargehand.CauseCrash {
		return chargehand.OutcomeFailed
	}
	return chargehand.OutcomeFine
}

// overrun ends an attempt at its deadline (SPEC.md ·71, ·86). Its worker keeps the slot until it
// confirms the stop; the task does not wait for that.
func (m *Machine) overrun(now time.Time, k *task, out *Output) {
	limit := k.attempt.deadline.Sub(k.attempt.started)
	why := k.attempt.worker + " took longer than " + limit.String()
	m.stop(now, k, chargehand.CauseDeadline, why, out)
	m.recover(now, k, trouble{cause: chargehand.CauseDeadline, why: why}, out)
}

func (m *Machine) stop(now time.Time, k *task, c chargehand.Cause, why string, out *Output) {
	ref, epoch := k.ref(), k.attempt.epoch
	m.record(now, chargehand.AttemptFailed{AttemptRef: ref, Epoch: epoch, Cause: c, Message: why, Stopping: true}, out)
	out.begin(Stop{ref, epoch})
}

// stopped takes in that a worker has let go of an attempt that had ended.
func (m *Machine) stopped(now time.Time, ref chargehand.AttemptRef, epoch int64, u chargehand.Usage, out *Output) {
	k := m.board.tasks[ref.Subtask]
	if k == nil {
		return
	}
	a := k.stillStopping(epoch)
	if a == nil || a.number != ref.Attempt {
		if m.current(ref, epoch) != nil {
			m.crashed(now, Crashed{
				AttemptRef: ref, Epoch: epoch, Cause: chargehand.CauseCrash,
				Message: "the worker stopped without an answer", Usage: u,
			}, out)
		}
		return
	}
	usage := bill(u, m.priceOf(a.worker))
	m.record(now, chargehand.AttemptStopped{AttemptRef: ref, Epoch: epoch, Usage: usage}, out)
	out.give(epoch, chargehand.OutcomeLate)
}

// late keeps a result that nobody waits for any more.
func (m *Machine) late(now time.Time, f chargehand.LateResult, out *Output) {
	k := m.board.tasks[f.Subtask]
	if k == nil {
		return
	}
	a := k.stillStopping(f.Epoch)
	if a != nil {
		f.Attempt, f.Usage = a.number, bill(f.Usage, m.priceOf(a.worker))
		out.give(f.Epoch, chargehand.OutcomeLate)
	} else {
		f.Usage = chargehand.Usage{} // a second copy: its attempt is settled
	}
	m.record(now, f, out)
}
