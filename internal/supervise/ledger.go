package supervise

import (
	"maps"
	"math"
	"time"

	"github.com/chargehand/chargehand"
)

// ledger is the run's money (SPEC.md ·90). Every call is reserved before it is sent and settled
// when its usage is known.
//
//	settled + reserved <= ceiling, except by what a worker bills above its reservation
type ledger struct {
	ceiling  chargehand.Budget
	settled  amount
	reserved amount
	held     map[string]amount            // by what it is held for; reserved is their sum
	phases   map[string]chargehand.Micros // settled, by phase
	estimate chargehand.Micros            // of the plans adopted
	low      bool                         // BudgetLow is recorded
	alerted  bool                         // spending past one and a half times the estimate is recorded
}

// An amount is money and tokens.
type amount struct {
	usd    chargehand.Micros
	tokens int64
}

const overPlan = 1.5 // times the estimate, at which an operator is told (SPEC.md ·95)

// forSynthesis is the key of what is set aside for the run's last step.
const forSynthesis = "synthesis"

// forPlan is the key of what a call of the planner may cost.
const forPlan = "plan"

func forAttempt(r chargehand.AttemptRef) string { return key("attempt", r) }
func forJudge(r chargehand.AttemptRef) string   { return key("judge", r) }

func key(what string, r chargehand.AttemptRef) string {
	return what + "/" + r.Subtask + "/" + itoa(r.Attempt)
}

func (l *ledger) hold(key string, a amount) {
	l.release(key)
	l.held[key] = a
	l.reserved.usd += a.usd
	l.reserved.tokens += a.tokens
}

func (l *ledger) release(key string) {
	a := l.held[key]
	delete(l.held, key)
	l.reserved.usd -= a.usd
	l.reserved.tokens -= a.tokens
}

// fits reports whether the amount can be reserved now, besides what is held under key.
func (l *ledger) fits(key string, a amount) bool {
	h := l.held[key]
	usd := l.settled.usd + l.reserved.usd - h.usd + a.usd
	tokens := l.settled.tokens + l.reserved.tokens - h.tokens + a.tokens
	return (l.ceiling.USD == 0 || usd <= l.ceiling.USD) && (l.ceiling.Tokens == 0 || tokens <= l.ceiling.Tokens)
}

// left is what can still be reserved; nil means there is no limit.
func (l *ledger) left() *chargehand.Micros {
	if l.ceiling.USD == 0 {
		return nil
	}
	m := max(0, l.ceiling.USD-l.settled.usd-l.reserved.usd)
	return &m
}

// spawnUpTo is the estimate below which a dynamic worker may be brought up: half of what remains
// (SPEC.md ·93).
func (l *ledger) spawnUpTo() chargehand.Micros {
	left := l.left()
	if left == nil {
		return chargehand.Micros(1) << 62
	}
	return left.Times(chargehand.SpawnShare)
}

// nearCeiling reports whether four fifths of the tighter ceiling are settled (SPEC.md ·91).
func (l *ledger) nearCeiling() bool {
	return l.ceiling.USD > 0 && l.settled.usd >= l.ceiling.USD.Times(chargehand.LowBudgetShare) ||
		l.ceiling.Tokens > 0 && float64(l.settled.tokens) >= float64(l.ceiling.Tokens)*chargehand.LowBudgetShare
}

// settle moves money as a fact says.
func (m *Machine) settle(f chargehand.Fact) {
	l := &m.ledger
	switch f := f.(type) {
	case chargehand.PlanAsked:
		l.hold(forPlan, amount{usd: f.Reserved})
	case chargehand.PlanRefused:
		l.release(forPlan)
	case chargehand.PlanAdopted:
		l.release(forPlan)
		l.estimate += f.Estimate
		if f.Reserve > 0 {
			l.hold(forSynthesis, amount{usd: f.Reserve})
		}
	case chargehand.SubtasksQueued:
		for _, a := range f.Attempts {
			m.releaseSynthesis(a)
			l.hold(forAttempt(a), amount{f.Reserved, f.Tokens})
		}
	case chargehand.AttemptStarted:
		l.hold(forAttempt(f.AttemptRef), amount{f.Reserved, f.ReservedTokens})
	case chargehand.OutputChecked:
		l.release(forAttempt(f.AttemptRef))
	case chargehand.AttemptFailed:
		if !f.Stopping {
			l.release(forAttempt(f.AttemptRef))
		}
	case chargehand.AttemptStopped:
		l.release(forAttempt(f.AttemptRef))
	case chargehand.LateResult:
		if m.board.tasks[f.Subtask].stillStopping(f.Epoch) != nil {
			l.release(forAttempt(f.AttemptRef))
		}
	case chargehand.SubtaskEnded:
		m.releaseQueued(f.Subtask)
	case chargehand.JudgeAsked:
		l.hold(forJudge(f.AttemptRef), amount{usd: f.Reserved})
	case chargehand.Judged:
		l.release(forJudge(f.AttemptRef))
	case chargehand.JudgeFailed:
		l.release(forJudge(f.AttemptRef))
	}
	if use, phase := chargehand.Spending(f, m.isSynthesis); phase != "" {
		l.settled.usd += use.USD
		l.settled.tokens += use.Tokens()
		l.phases[phase] += use.USD
	}
}

func (m *Machine) isSynthesis(subtask string) bool { return m.board.tasks[subtask].synthesis }

// cost is what the run has consumed so far.
func (m *Machine) cost() chargehand.Cost {
	l := &m.ledger
	c := chargehand.Cost{USD: l.settled.usd, Tokens: l.settled.tokens, ByPhase: maps.Clone(l.phases)}
	if l.estimate > 0 {
		c.VsPlan = math.Round(100*float64(l.settled.usd)/float64(l.estimate)) / 100
	}
	return c
}

// releaseQueued frees what is held for an attempt that never started.
func (m *Machine) releaseQueued(subtask string) {
	if k := m.board.tasks[subtask]; k.state == chargehand.SubtaskQueued {
		m.ledger.release(forAttempt(k.ref()))
	}
}

func (m *Machine) releaseSynthesis(a chargehand.AttemptRef) {
	if k := m.board.tasks[a.Subtask]; k.synthesis {
		m.ledger.release(forSynthesis)
	}
}

// alarmMoney records what an operator should know of the money, once each, and moves what waits
// to the cheapest tier.
func (m *Machine) alarmMoney(now time.Time, out *Output) {
	l := &m.ledger
	if !l.low && l.nearCeiling() {
		m.record(now, chargehand.BudgetLow{
			Settled: l.settled.usd, Ceiling: l.ceiling.USD,
			Tokens: l.settled.tokens, TokensCeiling: l.ceiling.Tokens,
		}, out)
		m.lowerTier(now, out)
	}
	if !l.alerted && l.estimate > 0 && l.settled.usd > l.estimate.Times(overPlan) {
		m.record(now, chargehand.Alerted{
			What: "cost_over_plan",
			Why:  "spent $" + l.settled.usd.String() + " of an estimate of $" + l.estimate.String(),
		}, out)
	}
}

// mostBilled is what one call can be billed at most, in millionths of a dollar and in tokens: the
// sums of a run's bills stay far from the end of their range.
const mostBilled = 1 << 44

// bill is what a call cost: what the worker says, or its declared price where it says nothing. It
// gives nothing back.
func bill(u chargehand.Usage, price chargehand.Micros) chargehand.Usage {
	if u.USD <= 0 {
		u.USD = price
	}
	u.USD = min(u.USD, mostBilled)
	u.InputTokens, u.OutputTokens = min(max(u.InputTokens, 0), mostBilled), min(max(u.OutputTokens, 0), mostBilled)
	return u
}
