package supervise

import (
	"time"

	"github.com/chargehand/chargehand"
)

// holding is the ledger's key of what is held for a call.
func holding(h chargehand.Holder, r chargehand.AttemptRef) string {
	switch h {
	case chargehand.HeldForJudge:
		return forJudge(r)
	case chargehand.HeldForPlan:
		return forPlan
	}
	return forAttempt(r)
}

// envelope is what a call may consume before it asks for more. A subtask's own budget bounds its
// attempts, whatever the run may spend; k is nil for calls of judge and planner.
func (m *Machine) envelope(key string, k *task) Envelope {
	l := &m.ledger
	held := l.held[key]
	return Envelope{
		USD: held.usd, Tokens: held.tokens,
		AnyUSD:    l.ceiling.USD == 0 && (k == nil || k.spec.Budget.USD == 0),
		AnyTokens: l.ceiling.Tokens == 0 && (k == nil || k.spec.Budget.Tokens == 0),
	}
}

// allowance is what a worker is told that its attempt may consume (SPEC.md ·2): what is left of the
// subtask's own budget, and where it has none and the run has a ceiling, what is reserved for the attempt.
func (m *Machine) allowance(k *task) chargehand.Budget {
	held, left := m.ledger.held[forAttempt(k.ref())], m.ownLeft(k)
	b := chargehand.Budget{USD: min(k.spec.Budget.USD, left.usd), Tokens: min(k.spec.Budget.Tokens, left.tokens)}
	if b.USD == 0 && m.ledger.ceiling.USD > 0 {
		b.USD = held.usd
	}
	if b.Tokens == 0 && m.ledger.ceiling.Tokens > 0 {
		b.Tokens = held.tokens
	}
	return b
}

// topUp raises what is reserved for a call under way, or denies it: at once, for whoever waits for
// money holds what others wait for (SPEC.md ·90).
func (m *Machine) topUp(now time.Time, in TopUp, out *Output) {
	k, why := m.caller(in)
	if why != "" {
		out.Refusal = m.uncovered(why)
		return
	}
	key := holding(in.For, in.AttemptRef)
	held := m.ledger.held[key]
	want := amount{max(held.usd, in.Total.USD), max(held.tokens, tokensOf(in.Total))}
	if want == held {
		return
	}
	if why = m.denial(key, want, k); why != "" {
		m.record(now, chargehand.ReservationDenied{For: in.For, AttemptRef: in.AttemptRef, Wanted: want.usd, Tokens: want.tokens, Why: why}, out)
		//rule:top-up-denied
		out.Refusal = m.uncovered(why)
		return
	}
	m.record(now, chargehand.ReservationRaised{For: in.For, AttemptRef: in.AttemptRef, Reserved: want.usd, Tokens: want.tokens}, out)
}

// tokensOf is a usage's tokens, held within what one call can be billed.
func tokensOf(u chargehand.Usage) int64 {
	return min(max(0, u.InputTokens), 2*mostBilled) + min(max(0, u.OutputTokens), 2*mostBilled)
}

// caller is the task whose attempt asks, nil for a judge or planner; or why the call is not, or no
// longer, one that may go on.
func (m *Machine) caller(in TopUp) (*task, string) {
	const over = "the call is no longer under way"
	if m.run.abort != nil {
		return nil, "the run does not go on: " + m.run.abort.why
	}
	switch in.For {
	case chargehand.HeldForAttempt:
		if k := m.current(in.AttemptRef, in.Epoch); k != nil {
			return k, ""
		}
	case chargehand.HeldForJudge:
		if m.board.tasks[in.Subtask].judgedNow(in.Attempt, in.Times) {
			return nil, ""
		}
	case chargehand.HeldForPlan:
		if m.planning.asked && m.planning.iteration == in.Times {
			return nil, ""
		}
	}
	return nil, over
}

// judgedNow reports whether the reviewer is being asked about an attempt of the task.
func (k *task) judgedNow(attempt, times int) bool {
	return k != nil && k.attempt.judging && k.number == attempt && k.attempt.judgings == times
}

// denial is why so much cannot be held under a key; empty if it can.
func (m *Machine) denial(key string, want amount, k *task) string {
	l := &m.ledger
	switch {
	case want.usd > mostBilled || want.tokens > mostBilled:
		return "no call can cost so much"
	case l.over == "" && k != nil && m.ownBound(want, k):
		return m.ownShortage(k, want)
	//rule:top-up-ceiling
	case !l.fits(key, want):
		h := l.held[key]
		return l.shortage(amount{want.usd - h.usd, want.tokens - h.tokens})
	}
	return ""
}

func (m *Machine) uncovered(why string) *chargehand.Error {
	return &chargehand.Error{Code: chargehand.CodeNotAllowed, What: "the call is not covered", Why: why}
}

// applyDenied notes what an attempt would have needed. The next one of its task begins with so
// much, unless its own budget is the bound: it would come no further.
func (m *Machine) applyDenied(f chargehand.ReservationDenied) {
	k := m.board.tasks[f.Subtask]
	if f.For != chargehand.HeldForAttempt || k == nil {
		return
	}
	k.attempt.denied = true
	want := amount{f.Wanted, f.Tokens}
	if m.ownBound(want, k) {
		return
	}
	k.attempt.wanted = want
}

// ownBound reports whether so much is more than the subtask's own budget leaves the attempt.
func (m *Machine) ownBound(want amount, k *task) bool {
	b, left := k.spec.Budget, m.ownLeft(k)
	return b.USD > 0 && want.usd > left.usd || b.Tokens > 0 && want.tokens > left.tokens || want.usd > mostBilled || want.tokens > mostBilled
}
