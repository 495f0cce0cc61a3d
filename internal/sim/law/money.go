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
	over    bool   // a bill above its reservation was named, under a ceiling of the run
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
func (r *run) settle(l *Law, h holding, u chargehand.Usage) {
	m, own := &r.money, chargehand.Budget{}
	if k := r.tasks[h.Subtask]; k != nil && h.what == "attempt" {
		own = k.Budget
	}
	a := m.release(h)
	usd, tokens := int64(u.USD), u.InputTokens+u.OutputTokens
	m.settled.usd += usd
	m.settled.tokens += tokens
	over := amount{max(0, usd-a.usd), max(0, tokens-a.tokens)}
	m.excess.usd += over.usd
	m.excess.tokens += over.tokens
	if m.ceiling.usd > 0 || own.USD > 0 {
		m.unnamed.usd = over.usd
	}
	if m.ceiling.tokens > 0 || own.Tokens > 0 {
		m.unnamed.tokens = over.tokens
	}
	if own == (chargehand.Budget{}) {
		return
	}
	k := r.tasks[h.Subtask]
	k.spent.usd, k.spent.tokens = k.spent.usd+usd-over.usd, k.spent.tokens+tokens-over.tokens
	if l.looked(Ledger); own.USD > 0 && k.spent.usd > int64(own.USD) || own.Tokens > 0 && k.spent.tokens > own.Tokens {
		l.fails(Ledger, r.id, "all attempts of %s cost %+v within their reservations, its budget is %+v", h.Subtask, k.spent, own)
	}
}

// lose counts all that was set aside for a call that a process took with it.
func (r *run) lose(l *Law, h holding, lost chargehand.Usage) {
	if lost != (chargehand.Usage{}) {
		r.settle(l, h, lost)
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
	if !r.book(l, f) && !r.reserve(l, f) {
		return
	}
	l.looked(Ledger)
	over := r.money.above()
	if over.usd > r.money.excess.usd || over.tokens > r.money.excess.tokens {
		l.fails(Ledger, r.id, "settled and reserved are %+v above the ceiling, of which %+v was overbilled", over, r.money.excess)
	}
	if sends(f) && r.money.over {
		l.fails(Ledger, r.id, "%T: more is sent after a bill above its reservation", f)
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
	if names && o.Own != ((o.Billed == 0 || r.money.ceiling.usd == 0) && (o.BilledTokens == 0 || r.money.ceiling.tokens == 0)) {
		l.fails(Ledger, r.id, "%+v is named, under a ceiling of %+v", o, r.money.ceiling)
	}
	r.money.over = r.money.over || names && !o.Own
}

// charged judges what a dynamic instance is paid: less than half of what remains (SPEC.md ·93).
func (r *run) charged(l *Law, usd int64) {
	m := &r.money
	l.looked(Ledger)
	if left := m.ceiling.usd - m.settled.usd - m.total.usd; m.ceiling.usd > 0 && 2*usd >= left {
		l.fails(Ledger, r.id, "a dynamic instance is paid %d of the %d that remain", usd, left)
	}
	m.settled.usd += usd
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
	case chargehand.SpawnCharged, chargehand.SubtasksQueued, chargehand.AttemptStarted, chargehand.AttemptResumed, chargehand.JudgeAsked, chargehand.ReservationRaised:
		return true
	}
	return false
}

// reserve sets money aside as a record says, and reports whether it says anything of it.
func (r *run) reserve(l *Law, f chargehand.Fact) bool {
	m := &r.money
	switch f := f.(type) {
	case chargehand.RunStarted:
		m.ceiling = amount{int64(f.Budget.USD), f.Budget.Tokens}
	case chargehand.PlanAsked:
		r.lose(l, holding{what: "plan"}, f.Lost)
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
			r.lose(l, holding{"attempt", f.AttemptRef}, f.Lost)
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
		r.lose(l, holding{"judge", f.AttemptRef}, f.Lost)
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
func (r *run) book(l *Law, f chargehand.Fact) bool {
	m := &r.money
	switch f := f.(type) {
	case chargehand.SpawnCharged:
		r.charged(l, int64(f.USD))
	case chargehand.PlanRefused:
		r.settle(l, holding{what: "plan"}, f.Usage)
	case chargehand.PlanProposed:
		r.settle(l, holding{what: "plan"}, f.Usage)
	case chargehand.PlanAdopted:
		r.settle(l, holding{what: "plan"}, f.Usage)
		if f.Reserve > 0 || f.ReserveTokens > 0 {
			m.hold(holding{what: "synthesis"}, amount{int64(f.Reserve), f.ReserveTokens})
			m.check = amount{int64(f.Check), f.CheckTokens}
		}
	case chargehand.OutputChecked:
		r.settle(l, holding{"attempt", f.AttemptRef}, f.Usage)
	case chargehand.AttemptFailed:
		if !f.Stopping {
			r.settle(l, holding{"attempt", f.AttemptRef}, f.Usage)
		}
	case chargehand.AttemptStopped:
		r.settle(l, holding{"attempt", f.AttemptRef}, f.Usage)
	case chargehand.LateResult:
		if a := r.at(f.AttemptRef); a != nil && a.stopping && a.epoch == f.Epoch {
			r.settle(l, holding{"attempt", f.AttemptRef}, f.Usage)
		}
	case chargehand.Judged:
		r.settle(l, holding{"judge", f.AttemptRef}, f.Usage)
	case chargehand.JudgeFailed:
		r.settle(l, holding{"judge", f.AttemptRef}, f.Usage)
	default:
		return false
	}
	return true
}
