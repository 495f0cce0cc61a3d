package supervise

import (
	"slices"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/route"
)

// A trouble is why an attempt is not accepted.
type trouble struct {
	cause      chargehand.Cause
	why        string // one sentence
	correction string // what the next attempt is told
	notBegun   bool   // certainly nothing was done
	revise     bool   // the output is to be mended, not made again from nothing
	final      bool   // to ask the same worker again changes nothing
}

// A remedy is what the recovery table answers.
type remedy string

// The remedies.
const (
	retrySame   remedy = "retry"       // the same worker, with the correction
	reassign    remedy = "reassign"    // another worker
	askPerson   remedy = "needs_human" // a review
	leaveOut    remedy = "degraded"    // a gap, counted as failure
	reassignAny remedy = "try again"   // another worker if there is one, else the same
)

// A row of the recovery table: what to do the first time a cause befalls a task on one worker,
// what to do when it befalls again, and what to do when no other worker is left to reassign to.
type row struct {
	cause          chargehand.Cause
	first, again   remedy
	nobody         remedy
	countsAttempts bool // the last attempt's failure goes to a person, whatever the cause (SPEC.md ·77)
}

// recovery is the decision table of SPEC.md §4.6.
var recovery = []row{
	{chargehand.CauseDeadline, reassign, reassign, leaveOut, true},
	{chargehand.CauseSchema, retrySame, reassign, askPerson, true},
	{chargehand.CauseQuality, retrySame, askPerson, askPerson, true},
	{chargehand.CauseCrash, reassignAny, reassignAny, retrySame, true},
	{chargehand.CauseWorkerError, reassignAny, reassignAny, retrySame, true},
	{chargehand.CauseBudget, reassignAny, reassignAny, retrySame, true},
	{chargehand.CauseNoProgress, reassign, askPerson, askPerson, true},
	{chargehand.CauseBlocked, askPerson, askPerson, askPerson, false},
	{chargehand.CausePartial, askPerson, askPerson, askPerson, false},
	{chargehand.CauseAskedPerson, askPerson, askPerson, askPerson, false},
	{chargehand.CauseLowConfidence, askPerson, askPerson, askPerson, false},
	{chargehand.CauseReviewerError, askPerson, askPerson, askPerson, false},
	{chargehand.CauseUnknown, askPerson, askPerson, askPerson, false},
}

// A situation is all that the table looks at.
type situation struct {
	cause     chargehand.Cause
	before    int  // attempts that ended for the same cause on the same worker
	left      int  // attempts left
	others    bool // another worker could take it
	retryable bool // it may help to ask the worker again, and its policy lets it
}

// decide is the recovery table: the remedy for a situation. It is total.
func (s situation) decide() remedy {
	r := recovery[slices.IndexFunc(recovery, func(r row) bool { return r.cause == s.cause })]
	do := r.first
	if s.before > 0 {
		do = r.again
	}
	if do == retrySame && !s.retryable {
		do = r.again
	}
	switch {
	//rule:attempts-counted
	case s.left == 0 && r.countsAttempts:
		return askPerson
	case do == reassignAny:
		do = reassign
	}
	if do == reassign && !s.others {
		do = r.nobody
	}
	if do == retrySame && !s.retryable {
		return askPerson
	}
	return do
}

// recover does what the table says about a task whose attempt was not accepted.
func (m *Machine) recover(now time.Time, k *task, t trouble, out *Output) {
	if m.run.abort != nil {
		return // the run is ending the task already
	}
	if t.correction == "" {
		t.correction = k.correction // of the attempt that came to nothing
	}
	if m.contest(now, k, t, out) {
		return
	}
	w := m.team.Worker(k.attempt.worker)
	//guard:unknown-outcome
	if t.hidesOutcome() && !k.spec.Effect.Reads() {
		t.cause, t.why = chargehand.CauseUnknown, t.why+notKnown
	}
	avoid := k.tried()
	s := situation{
		cause: t.cause, before: k.suffered(t.cause), left: m.attemptsLeft(k, w),
		others:    len(k.allowed(m.choose(k.spec, m.question(k, avoid))).Eligible) > 0,
		retryable: !t.final && (w == nil || w.FailurePolicy.CanRetry()),
	}
	do := s.decide()
	if k.debate.stage == arguing && (do == askPerson || do == leaveOut) {
		m.breakOff(now, k, "it is debated, and the answer came to nothing: "+t.why, out)
		return
	}
	switch do {
	case retrySame:
		f := chargehand.RetryPlanned{
			AttemptRef: k.nextRef(), Cause: t.cause, Prefer: k.attempt.worker,
			Avoid: k.avoidAgain(t.cause), Correction: clip(t.correction, maxText),
		}
		if t.revise && k.attempt.size > 0 {
			f.Revise = k.attempt.output
		}
		m.record(now, f, out)
	case reassign:
		m.record(now, chargehand.RetryPlanned{
			AttemptRef: k.nextRef(), Cause: t.cause, Reassign: true, Avoid: avoid,
			Prefer: fallback(w), Correction: clip(t.correction, maxText),
		}, out)
	case leaveOut:
		m.end(now, k, chargehand.SubtaskEnded{
			Attempt: k.number, State: chargehand.SubtaskDegraded, Cause: t.cause,
			Label: "worker-error", Why: t.why + "; no other worker may do it",
		}, out)
	default:
		m.reviewOutput(now, k, t, out)
	}
}

// notKnown ends a sentence about a write that was begun and not seen to end.
const notKnown = "; whether it took effect is not known"

// hidesOutcome reports whether the attempt may have taken effect although nothing came of it. A
// write is not tried again then, not even by a worker that does the work of one key once: a later
// attempt has another key (SPEC.md ·160).
func (t trouble) hidesOutcome() bool {
	return t.cause == chargehand.CauseDeadline || (t.cause == chargehand.CauseCrash || t.cause == chargehand.CauseBudget) && !t.notBegun
}

// avoidAgain are the workers that stay left out of a retry by the same worker. After a crash
// anyone may help.
func (k *task) avoidAgain(c chargehand.Cause) []string {
	switch c {
	case chargehand.CauseCrash, chargehand.CauseWorkerError, chargehand.CauseBudget:
		return nil
	}
	return k.avoid
}

func (m *Machine) question(k *task, avoid []string) route.Question {
	return route.Question{Tier: m.tier(k), Avoid: avoid}
}

func fallback(w *chargehand.WorkerSpec) string {
	if w == nil {
		return ""
	}
	return w.FailurePolicy.FallbackWorker
}

func (k *task) nextRef() chargehand.AttemptRef {
	return chargehand.AttemptRef{Subtask: k.spec.ID, Attempt: k.number + 1}
}

// tried are the workers that have had an attempt, the present one included.
func (k *task) tried() []string {
	var ids []string
	for _, p := range k.past {
		if !slices.Contains(ids, p.worker) {
			ids = append(ids, p.worker)
		}
	}
	if !slices.Contains(ids, k.attempt.worker) {
		ids = append(ids, k.attempt.worker)
	}
	return ids
}

// suffered is how many attempts of the present worker ended for the cause before.
func (k *task) suffered(c chargehand.Cause) int {
	n := 0
	for _, p := range k.past {
		if p.cause == c && p.worker == k.attempt.worker {
			n++
		}
	}
	return n
}

// attemptsLeft is how often the task may still be tried; the worker's policy may lower it.
func (m *Machine) attemptsLeft(k *task, w *chargehand.WorkerSpec) int {
	most := m.team.Policy.MaxAttempts()
	if w != nil && w.FailurePolicy.MaxAttempts > 0 {
		most = min(most, w.FailurePolicy.MaxAttempts)
	}
	//guard:attempts-limit off=return max(1, most-k.number)
	return max(0, most-k.number)
}
