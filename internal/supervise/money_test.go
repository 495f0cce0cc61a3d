package supervise

import (
	"github.com/chargehand/chargehand"
)

// money follows what is reserved and settled, and checks that both together stay below the
// ceiling, except by what was billed above a reservation, and that such a bill is named at once
// (SPEC.md ·90).
func (w *law) money(t fataler, f chargehand.Fact) {
	w.named(t, f)
	if use, phase := chargehand.Spending(f, func(string) bool { return false }); phase != "" {
		w.settle(t, f, use)
	}
	w.reserve(f)
	settled, held := w.sums()
	all := amount{settled.usd + held.usd - w.excess.usd, settled.tokens + held.tokens - w.excess.tokens}
	if w.above(all) {
		t.Fatalf("%T: settled %+v and held %+v, of which %+v above reservations, are over the ceiling %+v", f, w.settled, w.held, w.excess, w.ceiling)
	}
	if sends(f) && w.over && !onlyRead(f) {
		t.Fatalf("%T: more is sent after a bill above its reservation", f)
	}
	if sends(f) && w.above(amount{settled.usd + held.usd, settled.tokens + held.tokens}) {
		t.Fatalf("%T: more is sent while settled %+v and held %+v are over the ceiling %+v", f, w.settled, w.held, w.ceiling)
	}
}

func (w *law) above(a amount) bool {
	c := w.ceiling
	return c.USD > 0 && a.usd > c.USD || c.Tokens > 0 && a.tokens > c.Tokens
}

// sends reports whether a record leads to a call, or lets one go on.
func sends(f chargehand.Fact) bool {
	switch f.(type) {
	case chargehand.PlanAsked, chargehand.SubtasksQueued, chargehand.AttemptStarted, chargehand.AttemptResumed,
		chargehand.JudgeAsked, chargehand.ReservationRaised:
		return true
	}
	return false
}

// onlyRead reports whether a plan is read, and nothing is paid for it.
func onlyRead(f chargehand.Fact) bool {
	p, ok := f.(chargehand.PlanAsked)
	return ok && p.Ref != ""
}

// ownBudget is the budget of the subtask that an attempt's bill counts against (SPEC.md ·95).
func (w *law) ownBudget(f chargehand.Fact) (string, chargehand.Budget) {
	id := ""
	switch f := f.(type) {
	case chargehand.AttemptResumed:
		id = f.Subtask
	case chargehand.OutputChecked:
		id = f.Subtask
	case chargehand.AttemptFailed:
		id = f.Subtask
	case chargehand.AttemptStopped:
		id = f.Subtask
	case chargehand.LateResult:
		id = f.Subtask
	}
	return id, w.tasks[id].Budget
}

// kept checks that what a subtask's attempts were billed, and what is held for them, is within its own
// budget, but for bills above a reservation.
func (w *law) kept(t fataler, f chargehand.Fact, use chargehand.Usage, over amount) {
	id, own := w.ownBudget(f)
	if own == (chargehand.Budget{}) {
		return
	}
	s := w.spent[id]
	s.usd, s.tokens = s.usd+use.USD-over.usd, s.tokens+use.Tokens()-over.tokens
	w.spent[id] = s
	if own.USD > 0 && s.usd > own.USD || own.Tokens > 0 && s.tokens > own.Tokens {
		t.Fatalf("%T: the attempts of %s cost %+v within their reservations, its budget is %+v", f, id, s, own)
	}
}

// named checks that a bill above its reservation is followed by a record that says so, and that
// none says so without.
func (w *law) named(t fataler, f chargehand.Fact) {
	o, names := f.(chargehand.Overbilled)
	w.over = w.over || names && !o.Own
	if names && o.Own != (o.Billed == 0 || w.ceiling.USD == 0) && o.Own != (o.BilledTokens == 0 || w.ceiling.Tokens == 0) {
		t.Fatalf("%+v: the run's ceiling is %+v", o, w.ceiling)
	}
	got := amount{o.Billed - o.Reserved, o.BilledTokens - o.ReservedTokens}
	if names != (w.unnamed != (amount{})) || names && got != w.unnamed {
		t.Fatalf("%T: %+v was billed above its reservation, and %+v is named", f, w.unnamed, got)
	}
	w.unnamed = amount{}
}

func (w *law) settle(t fataler, f chargehand.Fact, use chargehand.Usage) {
	if use.USD < 0 || use.InputTokens < 0 || use.OutputTokens < 0 {
		t.Fatalf("%T gives money back: %+v", f, use)
	}
	h := w.free(f)
	over := amount{max(0, use.USD-h.usd), max(0, use.Tokens()-h.tokens)}
	w.settled.usd += use.USD
	w.settled.tokens += use.Tokens()
	w.excess.usd += over.usd
	w.excess.tokens += over.tokens
	w.kept(t, f, use, over)
	_, own := w.ownBudget(f)
	if w.ceiling.USD > 0 || own.USD > 0 {
		w.unnamed.usd = over.usd
	}
	if w.ceiling.Tokens > 0 || own.Tokens > 0 {
		w.unnamed.tokens = over.tokens
	}
}

// sums are what is settled and what is held.
func (w *law) sums() (settled, held amount) {
	held = w.overhead
	for _, h := range w.held {
		held.usd += h.usd
		held.tokens += h.tokens
	}
	return w.settled, held
}

func (w *law) reserve(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.PlanAsked:
		w.held[forPlan] = amount{f.Reserved, f.Tokens}
	case chargehand.PlanAdopted:
		w.overhead.usd += f.Reserve
		w.overhead.tokens += f.ReserveTokens
		if f.Reserve > 0 || f.ReserveTokens > 0 {
			w.check = amount{f.Check, f.CheckTokens}
		}
	case chargehand.SubtasksQueued:
		for _, a := range f.Attempts {
			if a.Subtask == synthesisID && w.overhead != (amount{}) {
				w.overhead = w.check
			}
			w.held[forAttempt(a)] = amount{f.Reserved, f.Tokens}
		}
	case chargehand.AttemptStarted:
		w.held[forAttempt(f.AttemptRef)] = amount{f.Reserved, f.ReservedTokens}
	case chargehand.AttemptResumed:
		if f.Lost != (chargehand.Usage{}) {
			w.held[forAttempt(f.AttemptRef)] = amount{f.Reserved, f.ReservedTokens}
		}
	case chargehand.ReservationRaised:
		w.held[holding(f.For, f.AttemptRef)] = amount{f.Reserved, f.Tokens}
	case chargehand.JudgeAsked:
		if f.Subtask == synthesisID {
			w.overhead = amount{}
		}
		w.held[forJudge(f.AttemptRef)] = amount{f.Reserved, f.Tokens}
	case chargehand.DebateSettled:
		w.unqueue(f.Subtask)
	case chargehand.SubtaskEnded:
		if f.Subtask == synthesisID {
			w.overhead = amount{}
		}
		w.unqueue(f.Subtask)
	}
}

// unqueue frees what is held for a queued attempt that never started.
func (w *law) unqueue(subtask string) {
	for r := range w.held {
		if a := (chargehand.AttemptRef{Subtask: subtask, Attempt: w.latest(subtask)}); r == forAttempt(a) && !w.begun(a) {
			delete(w.held, r)
		}
	}
}

func (w *law) latest(id string) int {
	for n := 20; n > 0; n-- {
		if _, ok := w.held[forAttempt(chargehand.AttemptRef{Subtask: id, Attempt: n})]; ok {
			return n
		}
	}
	return 0
}

func (w *law) begun(r chargehand.AttemptRef) bool {
	_, runs := w.running[r]
	_, stops := w.stopping[r]
	return runs || stops
}

// free is what a settled call held, which is held no longer.
func (w *law) free(f chargehand.Fact) amount {
	key := ""
	switch f := f.(type) {
	case chargehand.PlanAsked, chargehand.PlanRefused, chargehand.PlanProposed, chargehand.PlanAdopted:
		key = forPlan
	case chargehand.AttemptResumed:
		key = forAttempt(f.AttemptRef)
	case chargehand.OutputChecked:
		key = forAttempt(f.AttemptRef)
	case chargehand.AttemptFailed:
		if f.Stopping {
			return amount{}
		}
		key = forAttempt(f.AttemptRef)
	case chargehand.AttemptStopped:
		key = forAttempt(f.AttemptRef)
	case chargehand.LateResult:
		if !w.letGo {
			return amount{}
		}
		key = forAttempt(f.AttemptRef)
	case chargehand.JudgeAsked:
		key = forJudge(f.AttemptRef)
	case chargehand.Judged:
		key = forJudge(f.AttemptRef)
	case chargehand.JudgeFailed:
		key = forJudge(f.AttemptRef)
	}
	h := w.held[key]
	delete(w.held, key)
	return h
}
