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
	epoch    int64         // zero until it has started
	limit    time.Duration // from started to the deadline, pauses left out
	deadline time.Time     // zero while its run stands still
	left     time.Duration // until the deadline, of an attempt whose run stands still
	armed    int64         // seq of the record that set the deadline; zero: it is not watched
	adrift   bool          // it died with the engine while the run was paused, and waits for its worker
	feedback string

	input    string // hash of what the worker was given
	output   string
	size     int // bytes of the output
	verdict  chargehand.Verdict
	ref      string   // of the whole verdict
	lacks    []string // what the output is known not to cover
	own      *float64
	gate     float64 // the gate's score
	score    float64 // what decided
	judgings int     // how often the reviewer was asked
	judging  bool    // the reviewer is being asked

	stances []chargehand.Stance // what the output says, where that is compared

	changed []chargehand.ToolChange // tools it could not use as they were granted
	denied  bool                    // more than was reserved for it
	wanted  amount                  // what it was denied, where another attempt may be given as much
}

// granted starts an attempt on the worker that the fleet gave, or gives it back. A lease that is
// held already is only told of again.
func (m *Machine) granted(now time.Time, in Granted, out *Output) {
	k := m.board.tasks[in.Subtask]
	w := m.team.Worker(in.Worker)
	switch {
	case k != nil && k.holds(in.Epoch):
		return
	case k != nil && k.adrift() && k.asksFor(w) && k.number == in.Attempt && m.run.state == chargehand.RunRunning:
		m.pursue(now, k, in, out)
		return
	case k == nil || k.state != chargehand.SubtaskQueued || k.number != in.Attempt || m.run.state != chargehand.RunRunning:
		out.give(in.Epoch, chargehand.OutcomeUnused)
		return
	case w == nil || !k.asksFor(w):
		out.give(in.Epoch, chargehand.OutcomeUnused) // meant for an ask that has been replaced
		out.Fleet = append(out.Fleet, m.askFor(k))
		return
	}
	reserve := m.needs(k, w, instance(in))
	if !m.bears(k, w) || !m.ledger.fits(forAttempt(k.ref()), reserve) {
		out.give(in.Epoch, chargehand.OutcomeUnused)
		m.overBudget(now, k, m.shortOf(k, reserve), out)
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
	return k.state == chargehand.SubtaskRunning && !k.attempt.adrift && k.attempt.epoch == epoch ||
		slices.ContainsFunc(k.stopping, func(a attempt) bool { return a.epoch == epoch })
}

// adrift reports whether the task's attempt waits for its worker after a restart.
func (k *task) adrift() bool { return k.state == chargehand.SubtaskRunning && k.attempt.adrift }

// asksFor reports whether the worker is one of those asked for.
func (k *task) asksFor(w *chargehand.WorkerSpec) bool {
	return slices.ContainsFunc(k.asked(), func(c chargehand.Candidate) bool { return w != nil && c.Worker == w.WorkerID })
}

// asked are the workers asked for. An attempt that has begun stays with the one that has its key.
func (k *task) asked() []chargehand.Candidate {
	if !k.adrift() {
		return k.attempt.candidates
	}
	i := slices.IndexFunc(k.attempt.candidates, func(c chargehand.Candidate) bool { return c.Worker == k.attempt.worker })
	return k.attempt.candidates[i : i+1]
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
		RoutingID: routingID(m.id, k.ref()), RunID: m.id, TaskID: k.spec.ID, Route: w.WorkerID,
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

func routingID(run string, r chargehand.AttemptRef) string {
	return run + "/" + r.Subtask + "/" + itoa(r.Attempt)
}

// launch is the effect that runs the task's attempt.
func (m *Machine) launch(k *task) Launch {
	w := m.team.Worker(k.attempt.worker)
	return Launch{
		Epoch: k.attempt.epoch, Instance: k.attempt.instance, Partial: w.FailurePolicy.AllowPartialResult,
		Once: !repeatable(k, w), Effect: effectOf(k),
		Facts: m.run.objective.Facts, Envelope: m.envelope(forAttempt(k.ref()), k), Stances: m.compares(k),
		Task: chargehand.WorkerTask{
			TaskID: k.spec.ID, RunID: m.id, Attempt: k.number, AssignedWorker: w.WorkerID,
			IdempotencyKey: routingID(m.id, k.ref()),
			Objective:      m.run.objective.Goal, Goal: k.spec.Goal, Input: m.input(k), InputRefs: m.inputs(k),
			AllowedTools: allowed(k.spec, w), MaxToolCalls: mostCalls(k.spec, w), ToolDigests: m.tools.of(pinned(k.spec, w)),
			DoneActions: slices.Clone(k.actions), Effect: effectOf(k),
			ExpectedOutputContract: k.spec.OutputContract, RequiredAspects: k.spec.RequiredAspects,
			TimeoutMS: k.attempt.limit.Milliseconds(), DeadlineAt: k.attempt.deadline,
			Budget: m.allowance(k), Feedback: k.attempt.feedback, LastOutput: k.lastOutput(), Role: k.spec.Role,
		},
	}
}

// lastOutput is what the attempt's worker made before and is to revise (SPEC.md ·2); nil for another worker.
func (k *task) lastOutput() *chargehand.InputRef {
	if k.revise.output == "" || k.revise.worker != k.attempt.worker {
		return nil
	}
	return &chargehand.InputRef{Hash: k.revise.output, Name: "last output", From: k.spec.ID, MediaType: "application/json"}
}

func effectOf(k *task) chargehand.Effect {
	if k.spec.Effect.Reads() {
		return ""
	}
	return k.spec.Effect
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
	return append(refs, k.argument()...)
}

func (m *Machine) applyAttempt(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.AttemptStarted:
		k := m.board.tasks[f.Subtask]
		a := &k.attempt
		a.number, a.worker, a.instance, a.epoch, a.feedback = f.Attempt, f.Worker, f.Instance, f.Epoch, f.Feedback
		m.board.move(k, chargehand.SubtaskRunning)
		m.watch(k, f.DeadlineAt)
	case chargehand.AttemptResumed:
		k := m.board.tasks[f.Subtask]
		a := &k.attempt
		if a.adrift {
			a.epoch, a.instance, a.adrift = f.Epoch, f.Instance, false
		}
		m.watch(k, f.DeadlineAt)
	case chargehand.OutputChecked:
		k := m.board.tasks[f.Subtask]
		a := &k.attempt
		a.input, a.output, a.size, a.verdict, a.ref, a.own = f.InputHash, f.Output, f.Size, f.Verdict, f.VerdictRef, f.Confidence
		a.gate, a.stances, a.lacks = f.Verdict.Score, f.Stances, lacking(f)
		m.board.move(k, chargehand.SubtaskValidating)
	case chargehand.OutputSupplied:
		a := &m.board.tasks[f.Subtask].attempt
		a.output, a.size, a.verdict, a.ref, a.stances = f.Output, f.Size, f.Verdict, f.VerdictRef, f.Stances
		a.gate, a.lacks = f.Verdict.Score, lacking(chargehand.OutputChecked{Verdict: f.Verdict})
	case chargehand.AttemptFailed:
		k := m.board.tasks[f.Subtask]
		if f.Stopping {
			k.stopping = append(k.stopping, k.attempt)
			m.board.stopping++
		}
		m.board.move(k, chargehand.SubtaskValidating)
	case chargehand.AttemptStopped:
		m.board.letGo(f.AttemptRef, f.Epoch)
	case chargehand.LateResult:
		m.board.letGo(f.AttemptRef, f.Epoch)
	case chargehand.Recovered:
		for _, k := range m.board.order {
			if k.state == chargehand.SubtaskRunning {
				k.attempt.armed, k.attempt.left = 0, 0 // until it is pursued again, with all of its time
				k.attempt.adrift = k.attempt.adrift || m.run.adrift
			}
		}
	}
}

// lacking is what an output is known not to cover, a sentence each: what its worker says is missing, and
// the required aspects that the gate did not find (SPEC.md ·63, ·78).
func lacking(f chargehand.OutputChecked) []string {
	lacks := slices.Clone(f.Blockers)
	for _, aspect := range f.Verdict.Missing {
		lacks = append(lacks, "nothing is said about "+aspect)
	}
	if len(lacks) == 0 && f.Status == chargehand.StatusPartial {
		lacks = append(lacks, "the worker says that its output is partial")
	}
	return lacks
}

// letGo takes a stopping attempt off its task's list.
func (b *board) letGo(ref chargehand.AttemptRef, epoch int64) {
	k := b.tasks[ref.Subtask]
	for i := range k.stopping {
		if k.stopping[i].number == ref.Attempt && k.stopping[i].epoch == epoch {
			k.stopping = slices.Delete(k.stopping, i, i+1)
			b.stopping--
			return
		}
	}
}

// stillStopping is the attempt of that number and epoch if it has not confirmed its stop, else nil.
func (k *task) stillStopping(number int, epoch int64) *attempt {
	for i := range k.stopping {
		//rule:stopping-number off=k.stopping[i].epoch == epoch
		if k.stopping[i].number == number && k.stopping[i].epoch == epoch {
			return &k.stopping[i]
		}
	}
	return nil
}

// current is the task whose running attempt the reference names; nil for a straggler's, whose
// answer may not act on a successor.
func (m *Machine) current(ref chargehand.AttemptRef, epoch int64) *task {
	k := m.board.tasks[ref.Subtask]
	//guard:fencing off=k == nil || k.state != chargehand.SubtaskRunning || k.attempt.adrift
	//rule:epoch off=k == nil || k.state != chargehand.SubtaskRunning || k.attempt.adrift || k.number != ref.Attempt
	if k == nil || k.state != chargehand.SubtaskRunning || k.attempt.adrift || k.number != ref.Attempt || k.attempt.epoch != epoch {
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
			Usage: in.Usage, Why: "its attempt had ended", Transcript: in.Transcript, Stderr: in.Stderr,
		}, in.Tools, out)
		return
	}
	if !known(in.Verdict.Recommendation) {
		m.crashed(now, Crashed{
			AttemptRef: in.AttemptRef, Epoch: in.Epoch, Cause: chargehand.CauseCrash, Usage: in.Usage,
			Message: "an output came without the gate's findings", Transcript: in.Transcript, Stderr: in.Stderr,
		}, out)
		return
	}
	//rule:lease-returned
	out.give(in.Epoch, chargehand.OutcomeFine)
	m.noteTools(now, in.AttemptRef, in.Tools, out)
	m.record(now, chargehand.OutputChecked{
		AttemptRef: in.AttemptRef, Epoch: in.Epoch, Status: in.Status, Output: in.Output, InputHash: in.InputHash,
		Size: in.Size, Summary: clip(in.Summary, maxSummary), Verdict: brief(in.Verdict), VerdictRef: in.VerdictRef,
		Confidence: share(in.Confidence), Usage: charge(in.Usage, m.silence(k, &k.attempt)),
		Evidence: clipAll(in.Evidence, maxEvidence, maxToken), Blockers: clipAll(in.Blockers, maxBlockers, maxQuote),
		Transcript: in.Transcript, Stderr: in.Stderr, Stances: m.stances(k, &in),
	}, out)
	m.weigh(now, k, in.Status, out)
}

// share is a number from 0 to 1 as a worker gave it; nil for what is none.
func share(f *float64) *float64 {
	if f == nil || math.IsNaN(*f) || *f < 0 || *f > 1 {
		return nil
	}
	return f
}

func (m *Machine) priceOf(worker, instance string) chargehand.Micros {
	if w := m.team.Worker(worker); w != nil {
		return m.price(w, instance)
	}
	return 0
}

// silence is what an attempt costs whose worker does not say: its price, and no more than is reserved.
func (m *Machine) silence(k *task, a *attempt) chargehand.Micros {
	held, ok := m.ledger.held[forAttempt(chargehand.AttemptRef{Subtask: k.spec.ID, Attempt: a.number})]
	price := m.priceOf(a.worker, a.instance)
	if !ok {
		return price
	}
	return min(price, held.usd)
}

// crashed takes in that an attempt ended without an output.
func (m *Machine) crashed(now time.Time, in Crashed, out *Output) {
	k := m.current(in.AttemptRef, in.Epoch)
	if k == nil {
		m.stopped(now, in.letGo(), out)
		return
	}
	price := declared(m.silence(k, &k.attempt), in.NotBegun)
	switch {
	case in.Cause == chargehand.CauseBudget && k.attempt.denied:
		price = 0 // it stopped before the call, and says what it had consumed
	case in.Cause != chargehand.CauseWorkerError:
		in.Cause = chargehand.CauseCrash
	}
	out.give(in.Epoch, outcome(in.Cause))
	m.noteTools(now, in.AttemptRef, in.Tools, out)
	m.record(now, chargehand.AttemptFailed{
		AttemptRef: in.AttemptRef, Epoch: in.Epoch, Cause: in.Cause,
		Message: clip(in.Message, maxText), Usage: charge(in.Usage, price),
		Transcript: in.Transcript, Stderr: in.Stderr,
	}, out)
	m.recover(now, k, trouble{
		cause: in.Cause, why: clip(in.Message, maxText), notBegun: in.NotBegun,
		final: in.Final && in.Cause == chargehand.CauseWorkerError,
	}, out)
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
	why := k.attempt.worker + " took longer than " + k.attempt.limit.String()
	if w := m.team.Worker(k.attempt.worker); k.spec.TimeoutMS == 0 && w != nil && w.Latency() == 0 {
		why += ", and neither timeoutMs nor averageLatencyMs says how long it may take"
	}
	m.stop(now, k, chargehand.CauseDeadline, why, out)
	m.recover(now, k, trouble{cause: chargehand.CauseDeadline, why: why}, out)
}

func (m *Machine) stop(now time.Time, k *task, c chargehand.Cause, why string, out *Output) {
	ref, epoch := k.ref(), k.attempt.epoch
	m.record(now, chargehand.AttemptFailed{AttemptRef: ref, Epoch: epoch, Cause: c, Message: why, Stopping: true}, out)
	//rule:slot-until-stopped off=out.begin(Stop{ref, epoch}); out.give(epoch, chargehand.OutcomeLate)
	out.begin(Stop{ref, epoch})
}

// letGo is what a crash says where only the worker's stop is waited for.
func (c Crashed) letGo() Stopped {
	return Stopped{AttemptRef: c.AttemptRef, Epoch: c.Epoch, Usage: c.Usage, NotBegun: c.NotBegun, Tools: c.Tools, Transcript: c.Transcript, Stderr: c.Stderr}
}

// stopped takes in that a worker has let go of an attempt that had ended.
func (m *Machine) stopped(now time.Time, in Stopped, out *Output) {
	k := m.board.tasks[in.Subtask]
	if k == nil {
		return
	}
	a := k.stillStopping(in.Attempt, in.Epoch)
	if a == nil {
		if m.current(in.AttemptRef, in.Epoch) != nil {
			m.crashed(now, Crashed{
				AttemptRef: in.AttemptRef, Epoch: in.Epoch, Cause: chargehand.CauseCrash,
				Message: "the worker stopped without an answer", Usage: in.Usage, NotBegun: in.NotBegun,
				Tools: in.Tools, Transcript: in.Transcript, Stderr: in.Stderr,
			}, out)
		}
		return
	}
	m.noteTools(now, in.AttemptRef, in.Tools, out)
	m.record(now, chargehand.AttemptStopped{
		AttemptRef: in.AttemptRef, Epoch: in.Epoch, Usage: charge(in.Usage, declared(m.silence(k, a), in.NotBegun)),
		Transcript: in.Transcript, Stderr: in.Stderr,
	}, out)
	out.give(in.Epoch, chargehand.OutcomeLate)
}

// late keeps a result that nobody waits for any more, and what its tools did.
func (m *Machine) late(now time.Time, f chargehand.LateResult, r *chargehand.ToolReport, out *Output) {
	k := m.board.tasks[f.Subtask]
	if k == nil {
		return
	}
	a := k.stillStopping(f.Attempt, f.Epoch)
	if a != nil {
		f.Usage = charge(f.Usage, m.silence(k, a))
		out.give(f.Epoch, chargehand.OutcomeLate)
		m.noteTools(now, f.AttemptRef, r, out)
	} else {
		f.Usage = chargehand.Usage{} // a second copy: its attempt is settled
	}
	m.record(now, f, out)
}
