package law

import (
	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/supervise"
)

// money is a run's ledger, added up from the records (SPEC.md ·90).
type money struct {
	ceiling amount
	settled amount
	held    map[holding]amount
	total   amount // of held
	excess  amount // billed above what was reserved
	check   amount // of what is set aside for the synthesis, that of its check
	unnamed amount // billed above what was reserved by the record before, of what there is a ceiling of
}

// An amount is millionths of a dollar and tokens.
type amount struct{ usd, tokens int64 }

// A holding is what money is set aside for.
type holding struct {
	what string // plan, synthesis, attempt or judge
	chargehand.AttemptRef
}

func newMoney() money { return money{held: map[holding]amount{}} }

func (m *money) hold(h holding, a amount) {
	m.release(h)
	m.held[h] = a
	m.total.usd += a.usd
	m.total.tokens += a.tokens
}

func (m *money) release(h holding) amount {
	a := m.held[h]
	delete(m.held, h)
	m.total.usd -= a.usd
	m.total.tokens -= a.tokens
	return a
}

// settle books a bill against what was set aside for it.
func (m *money) settle(h holding, u chargehand.Usage) {
	a := m.release(h)
	usd, tokens := int64(u.USD), u.InputTokens+u.OutputTokens
	m.settled.usd += usd
	m.settled.tokens += tokens
	over := amount{max(0, usd-a.usd), max(0, tokens-a.tokens)}
	m.excess.usd += over.usd
	m.excess.tokens += over.tokens
	if m.ceiling.usd > 0 {
		m.unnamed.usd = over.usd
	}
	if m.ceiling.tokens > 0 {
		m.unnamed.tokens = over.tokens
	}
}

// lose counts all that was set aside for a call that a process took with it.
func (m *money) lose(h holding, lost chargehand.Usage) {
	if lost != (chargehand.Usage{}) {
		m.settle(h, lost)
	}
}

// above is how far settled and reserved together are above the ceiling.
func (m *money) above() amount {
	var over amount
	if m.ceiling.usd > 0 {
		over.usd = max(0, m.settled.usd+m.total.usd-m.ceiling.usd)
	}
	if m.ceiling.tokens > 0 {
		over.tokens = max(0, m.settled.tokens+m.total.tokens-m.ceiling.tokens)
	}
	return over
}

// spend follows the money of a record, and judges it.
func (r *run) spend(l *Law, f chargehand.Fact) {
	r.named(l, f)
	if !r.book(f) && !r.reserve(f) {
		return
	}
	l.looked(Ledger)
	over := r.money.above()
	if over.usd > r.money.excess.usd || over.tokens > r.money.excess.tokens {
		l.fails(Ledger, r.id, "settled and reserved are %+v above the ceiling, of which %+v was overbilled", over, r.money.excess)
	}
	if sends(f) && over != (amount{}) {
		l.fails(Ledger, r.id, "settled and reserved are %+v above the ceiling, and more is sent", over)
	}
}

// named judges that a bill above its reservation is followed by a record that says by how much, and
// that no other is.
func (r *run) named(l *Law, f chargehand.Fact) {
	o, names := f.(chargehand.Overbilled)
	got := amount{int64(o.Billed - o.Reserved), o.BilledTokens - o.ReservedTokens}
	if r.money.unnamed != got {
		l.fails(Ledger, r.id, "%+v was billed above its reservation, and %+v is named (%t)", r.money.unnamed, got, names)
	}
	r.money.unnamed = amount{}
}

// Covers judges that a call which was told that it may go on, and has not ended since, is covered by
// what is durable.
func (l *Law) Covers(run string, in supervise.TopUp) {
	l.looked(Ledger)
	h := holding{"plan", chargehand.AttemptRef{}}
	if in.For != chargehand.HeldForPlan {
		h = holding{string(in.For), in.AttemptRef}
	}
	held, open := l.runs[run].money.held[h]
	if !open {
		return
	}
	if usd, tokens := int64(in.Total.USD), in.Total.Tokens(); usd > held.usd || tokens > held.tokens {
		l.fails(Ledger, run, "%+v was told that %+v is covered, and %+v is held", h, amount{usd, tokens}, held)
	}
}

// sends reports whether a record leads to a call.
func sends(f chargehand.Fact) bool {
	switch f := f.(type) {
	case chargehand.PlanAsked:
		return f.Ref == "" // else it is only read
	case chargehand.SubtasksQueued, chargehand.AttemptStarted, chargehand.AttemptResumed, chargehand.JudgeAsked, chargehand.ReservationRaised:
		return true
	}
	return false
}

// reserve sets money aside as a record says, and reports whether it says anything of it.
func (r *run) reserve(f chargehand.Fact) bool {
	m := &r.money
	switch f := f.(type) {
	case chargehand.RunStarted:
		m.ceiling = amount{int64(f.Budget.USD), f.Budget.Tokens}
	case chargehand.PlanAsked:
		m.lose(holding{what: "plan"}, f.Lost)
		m.hold(holding{what: "plan"}, amount{int64(f.Reserved), f.Tokens})
	case chargehand.SubtasksQueued:
		for _, a := range f.Attempts {
			if r.tasks[a.Subtask].synthesis && m.release(holding{what: "synthesis"}) != (amount{}) {
				m.hold(holding{what: "synthesis"}, m.check)
			}
			m.hold(holding{"attempt", a}, amount{int64(f.Reserved), f.Tokens})
		}
	case chargehand.AttemptStarted:
		m.hold(holding{"attempt", f.AttemptRef}, amount{int64(f.Reserved), f.ReservedTokens})
	case chargehand.AttemptResumed:
		if f.Lost != (chargehand.Usage{}) {
			m.lose(holding{"attempt", f.AttemptRef}, f.Lost)
			m.hold(holding{"attempt", f.AttemptRef}, amount{int64(f.Reserved), f.ReservedTokens})
		}
	case chargehand.ReservationRaised:
		h := holding{string(f.For), f.AttemptRef}
		if _, open := m.held[h]; !open && f.For != chargehand.HeldForPlan {
			return false
		}
		m.hold(h, amount{int64(f.Reserved), f.Tokens})
	case chargehand.JudgeAsked:
		if r.tasks[f.Subtask].synthesis {
			m.release(holding{what: "synthesis"})
		}
		m.lose(holding{"judge", f.AttemptRef}, f.Lost)
		m.hold(holding{"judge", f.AttemptRef}, amount{int64(f.Reserved), f.Tokens})
	case chargehand.DebateSettled:
		r.releaseQueued(f.Subtask)
	case chargehand.SubtaskEnded:
		if r.tasks[f.Subtask].synthesis {
			m.release(holding{what: "synthesis"})
		}
		r.releaseQueued(f.Subtask)
	default:
		return false
	}
	return true
}

// releaseQueued frees what is held for an attempt that never started.
func (r *run) releaseQueued(subtask string) {
	if k := r.tasks[subtask]; k.waiting {
		r.money.release(holding{"attempt", chargehand.AttemptRef{Subtask: subtask, Attempt: k.number + 1}})
	}
}

// book settles what a record says was consumed, and reports whether it says anything of it.
func (r *run) book(f chargehand.Fact) bool {
	m := &r.money
	switch f := f.(type) {
	case chargehand.PlanRefused:
		m.settle(holding{what: "plan"}, f.Usage)
	case chargehand.PlanProposed:
		m.settle(holding{what: "plan"}, f.Usage)
	case chargehand.PlanAdopted:
		m.settle(holding{what: "plan"}, f.Usage)
		if f.Reserve > 0 || f.ReserveTokens > 0 {
			m.hold(holding{what: "synthesis"}, amount{int64(f.Reserve), f.ReserveTokens})
			m.check = amount{int64(f.Check), f.CheckTokens}
		}
	case chargehand.OutputChecked:
		m.settle(holding{"attempt", f.AttemptRef}, f.Usage)
	case chargehand.AttemptFailed:
		if !f.Stopping {
			m.settle(holding{"attempt", f.AttemptRef}, f.Usage)
		}
	case chargehand.AttemptStopped:
		m.settle(holding{"attempt", f.AttemptRef}, f.Usage)
	case chargehand.LateResult:
		if a := r.at(f.AttemptRef); a != nil && a.stopping && a.epoch == f.Epoch {
			m.settle(holding{"attempt", f.AttemptRef}, f.Usage)
		}
	case chargehand.Judged:
		m.settle(holding{"judge", f.AttemptRef}, f.Usage)
	case chargehand.JudgeFailed:
		m.settle(holding{"judge", f.AttemptRef}, f.Usage)
	default:
		return false
	}
	return true
}
