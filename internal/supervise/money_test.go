package supervise

import (
	"github.com/chargehand/chargehand"
)

// money follows what is reserved and settled, and checks that both together stay below the
// ceiling, except by what was billed above a reservation (SPEC.md ·90).
func (w *law) money(t fataler, f chargehand.Fact) {
	w.reserve(f)
	if use, phase := chargehand.Spending(f, func(string) bool { return false }); phase != "" {
		if use.USD < 0 || use.InputTokens < 0 || use.OutputTokens < 0 {
			t.Fatalf("%T gives money back: %+v", f, use)
		}
		h := w.free(f)
		w.settled.usd += use.USD
		w.settled.tokens += use.Tokens()
		w.excess.usd += max(0, use.USD-h.usd)
		w.excess.tokens += max(0, use.Tokens()-h.tokens)
	}
	settled, held := w.sums()
	all := amount{settled.usd + held.usd - w.excess.usd, settled.tokens + held.tokens - w.excess.tokens}
	if c := w.ceiling; c.USD > 0 && all.usd > c.USD || c.Tokens > 0 && all.tokens > c.Tokens {
		t.Fatalf("%T: settled %+v and held %+v, of which %+v above reservations, are over the ceiling %+v", f, w.settled, w.held, w.excess, c)
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
	case chargehand.PlanAdopted:
		w.overhead.usd += f.Reserve
	case chargehand.SubtasksQueued:
		for _, a := range f.Attempts {
			if a.Subtask == synthesisID {
				w.overhead = amount{}
			}
			w.held[forAttempt(a)] = amount{f.Reserved, f.Tokens}
		}
	case chargehand.AttemptStarted:
		w.held[forAttempt(f.AttemptRef)] = amount{f.Reserved, f.ReservedTokens}
	case chargehand.JudgeAsked:
		w.held[forJudge(f.AttemptRef)] = amount{usd: f.Reserved}
	case chargehand.SubtaskEnded:
		for r := range w.held { // a queued attempt that never started
			if a := (chargehand.AttemptRef{Subtask: f.Subtask, Attempt: w.latest(f.Subtask)}); r == forAttempt(a) && !w.begun(a) {
				delete(w.held, r)
			}
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
	case chargehand.Judged:
		key = forJudge(f.AttemptRef)
	case chargehand.JudgeFailed:
		key = forJudge(f.AttemptRef)
	}
	h := w.held[key]
	delete(w.held, key)
	return h
}
