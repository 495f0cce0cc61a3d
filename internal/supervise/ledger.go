package supervise

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/chargehand/chargehand"
)

// ledger is the run's money (SPEC.md ·90). Every call is reserved before it is sent and settled
// when its usage is known.
//
//	settled + reserved <= ceiling, except by what a worker bills above its reservation; nothing is
//	sent after such a bill
type ledger struct {
	ceiling  chargehand.Budget
	settled  amount
	reserved amount
	held     map[string]amount            // by what it is held for; reserved is their sum
	phases   map[string]chargehand.Micros // settled, by phase
	estimate chargehand.Micros            // of the plans adopted
	check    amount                       // of what is set aside for the synthesis, that of its check
	over     string                       // the first bill above its reservation, in words; empty: there is none
	overbill chargehand.Overbill          // of all such bills
	low      bool                         // BudgetLow is recorded
	alerted  bool                         // spending past one and a half times the estimate is recorded
}

// An amount is money and tokens.
type amount struct {
	usd    chargehand.Micros
	tokens int64
}

const (
	overPlan      = 1.5  // times the estimate, at which an operator is told (SPEC.md ·95)
	checkingShare = 0.15 // of what the workers cost, above which an operator is told (SPEC.md ·66)

	overPlanAlert = "cost_over_plan"
	checkingAlert = "checking_over_share"
)

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

// fits reports whether the amount can be reserved now, besides what is held under key. After a bill
// above its reservation nothing can: what is reserved no longer bounds what is billed.
func (l *ledger) fits(key string, a amount) bool {
	//guard:overbill-stop
	if l.over != "" {
		return false
	}
	h := l.held[key]
	usd := l.settled.usd + l.reserved.usd - h.usd + a.usd
	tokens := l.settled.tokens + l.reserved.tokens - h.tokens + a.tokens
	//guard:ceiling off=return true
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

// offered pays for a dynamic instance, if its estimate is below half of what remains (SPEC.md ·93). It
// counts as spent at once: nothing is left to settle, whatever becomes of the instance.
func (m *Machine) offered(now time.Time, in Offered, out *Output) {
	k, l := m.board.tasks[in.Subtask], &m.ledger
	pays := k != nil && k.waitsForWorker() && k.number == in.Attempt && m.run.state == chargehand.RunRunning && m.run.abort == nil &&
		in.EstimateUSD < l.spawnUpTo() && l.fits("", amount{usd: in.EstimateUSD})
	if pays {
		m.record(now, chargehand.SpawnCharged{AttemptRef: in.AttemptRef, Worker: in.Worker, USD: in.EstimateUSD}, out)
	}
	out.Fleet = append(out.Fleet, Fund{in.AttemptRef, in.Key, pays})
}

// nearCeiling reports whether four fifths of the tighter ceiling are settled (SPEC.md ·91).
func (l *ledger) nearCeiling() bool {
	return l.ceiling.USD > 0 && l.settled.usd >= l.ceiling.USD.Times(chargehand.LowBudgetShare) ||
		l.ceiling.Tokens > 0 && float64(l.settled.tokens) >= float64(l.ceiling.Tokens)*chargehand.LowBudgetShare
}

// settle moves money as a fact says.
func (m *Machine) settle(f chargehand.Fact) {
	l := &m.ledger
	if b, ok := m.billed(f); ok {
		l.release(b.key)
	}
	switch f := f.(type) {
	case chargehand.PlanAsked:
		l.hold(forPlan, amount{f.Reserved, f.Tokens})
	case chargehand.PlanAdopted:
		l.estimate += f.Estimate
		if f.Reserve > 0 || f.ReserveTokens > 0 {
			l.hold(forSynthesis, amount{f.Reserve, f.ReserveTokens})
			l.check = amount{f.Check, f.CheckTokens}
		}
	case chargehand.SubtasksQueued:
		for _, a := range f.Attempts {
			m.useSynthesis(a)
			l.hold(forAttempt(a), amount{f.Reserved, f.Tokens})
		}
	case chargehand.AttemptStarted:
		l.hold(forAttempt(f.AttemptRef), amount{f.Reserved, f.ReservedTokens})
	case chargehand.AttemptResumed:
		if f.Lost != (chargehand.Usage{}) {
			l.hold(forAttempt(f.AttemptRef), amount{f.Reserved, f.ReservedTokens})
		}
	case chargehand.ReservationRaised:
		//rule:top-up-held
		l.hold(holding(f.For, f.AttemptRef), amount{f.Reserved, f.Tokens})
	case chargehand.SubtaskEnded:
		m.releaseQueued(f.Subtask)
		m.releaseSynthesis(f.Subtask)
	case chargehand.DebateSettled:
		m.releaseQueued(f.Subtask)
	case chargehand.Forked:
		m.releaseAttempts()
	case chargehand.JudgeAsked:
		m.releaseSynthesis(f.Subtask)
		l.hold(forJudge(f.AttemptRef), amount{f.Reserved, f.Tokens})
	case chargehand.Overbilled:
		l.overbill.Calls++
		l.overbill.USD += f.Billed - f.Reserved
		l.overbill.Tokens += f.BilledTokens - f.ReservedTokens
		if l.over == "" && !f.Own {
			l.over = overbilledWords(f)
		}
	}
	m.spend(f)
	if use, phase := chargehand.Spending(f, m.isSynthesis); phase != "" {
		l.settled.usd += use.USD
		l.settled.tokens += use.Tokens()
		l.phases[phase] += use.USD
	}
}

// spend counts what an attempt consumed against its subtask's own budget, which is for all attempts
// (SPEC.md ·95).
func (m *Machine) spend(f chargehand.Fact) {
	var ref chargehand.AttemptRef
	switch f := f.(type) {
	case chargehand.AttemptResumed:
		ref = f.AttemptRef
	default:
		b, ok := m.billed(f)
		if !ok || b.holder != chargehand.HeldForAttempt {
			return
		}
		ref = b.ref
	}
	//guard:subtask-budget
	if k := m.board.tasks[ref.Subtask]; k != nil {
		use, _ := chargehand.Spending(f, m.isSynthesis)
		k.spent.usd += use.USD
		k.spent.tokens += use.Tokens()
	}
}

// overbilledWords names a bill and what was reserved for it.
func overbilledWords(f chargehand.Overbilled) string {
	who, work := f.Worker, f.Subtask
	switch {
	case f.For == chargehand.HeldForPlan:
		who, work = "the planner", "a plan"
	case f.For == chargehand.HeldForJudge:
		work = "the check of " + work
	}
	if who == "" { // of a record that does not name it
		who = "the worker"
	}
	billed, reserved := "$"+f.Billed.String(), "$"+f.Reserved.String()
	if f.Billed == 0 {
		billed, reserved = itoa(int(f.BilledTokens))+" tokens", itoa(int(f.ReservedTokens))+" tokens"
	}
	return clip(who+" billed "+billed+" for "+work+", and "+reserved+" was reserved", maxClause)
}

// A bill is the end of what was reserved for a call.
type bill struct {
	key    string
	holder chargehand.Holder
	ref    chargehand.AttemptRef
}

// billed is the reservation that a fact settles, if it settles one.
func (m *Machine) billed(f chargehand.Fact) (bill, bool) {
	attempt := func(r chargehand.AttemptRef) bill { return bill{forAttempt(r), chargehand.HeldForAttempt, r} }
	switch f := f.(type) {
	case chargehand.PlanRefused, chargehand.PlanProposed, chargehand.PlanAdopted:
		return bill{key: forPlan, holder: chargehand.HeldForPlan}, true
	case chargehand.OutputChecked:
		return attempt(f.AttemptRef), true
	case chargehand.AttemptFailed:
		return attempt(f.AttemptRef), !f.Stopping
	case chargehand.AttemptStopped:
		return attempt(f.AttemptRef), true
	case chargehand.LateResult:
		return attempt(f.AttemptRef), m.board.tasks[f.Subtask].stillStopping(f.Attempt, f.Epoch) != nil
	case chargehand.Judged:
		return bill{forJudge(f.AttemptRef), chargehand.HeldForJudge, f.AttemptRef}, true
	case chargehand.JudgeFailed:
		return bill{forJudge(f.AttemptRef), chargehand.HeldForJudge, f.AttemptRef}, true
	}
	return bill{}, false
}

// overbilled is what has to be named beside a fact: that it settles more than was reserved, of
// what the run or the subtask has a ceiling of. Nil where it does not.
func (m *Machine) overbilled(f chargehand.Fact) *chargehand.Overbilled {
	b, ok := m.billed(f)
	if !ok {
		return nil
	}
	l := &m.ledger
	held := l.held[b.key]
	use, _ := chargehand.Spending(f, m.isSynthesis)
	over := chargehand.Overbilled{For: b.holder, AttemptRef: b.ref, Worker: m.biller(b), Own: true}
	own := m.ownBudget(b)
	if (l.ceiling.USD > 0 || own.USD > 0) && use.USD > held.usd {
		over.Reserved, over.Billed, over.Own = held.usd, use.USD, l.ceiling.USD == 0
	}
	if (l.ceiling.Tokens > 0 || own.Tokens > 0) && use.Tokens() > held.tokens {
		over.ReservedTokens, over.BilledTokens = held.tokens, use.Tokens()
		over.Own = over.Own && l.ceiling.Tokens == 0
	}
	if over.Billed == 0 && over.BilledTokens == 0 {
		return nil
	}
	return &over
}

// ownBudget is the budget of the subtask that a bill is for: it bounds attempts only.
func (m *Machine) ownBudget(b bill) chargehand.Budget {
	if k := m.board.tasks[b.ref.Subtask]; k != nil && b.holder == chargehand.HeldForAttempt {
		return k.spec.Budget
	}
	return chargehand.Budget{}
}

// biller is the worker that a bill comes from; empty for a planner.
func (m *Machine) biller(b bill) string {
	k := m.board.tasks[b.ref.Subtask]
	switch {
	case b.holder == chargehand.HeldForJudge:
		return m.team.Policy.Judge()
	case b.holder != chargehand.HeldForAttempt || k == nil:
		return ""
	case k.number == b.ref.Attempt:
		return k.attempt.worker
	}
	i := slices.IndexFunc(k.stopping, func(a attempt) bool { return a.number == b.ref.Attempt })
	if i < 0 {
		return ""
	}
	return k.stopping[i].worker
}

func (m *Machine) isSynthesis(subtask string) bool { return m.board.tasks[subtask].synthesis }

// cost is what the run has consumed so far.
func (m *Machine) cost() chargehand.Cost {
	l := &m.ledger
	c := chargehand.Cost{USD: l.settled.usd, Tokens: l.settled.tokens, ByPhase: maps.Clone(l.phases)}
	if o := l.overbill; o.Calls > 0 {
		c.Overbilled = &o
	}
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

// releaseAttempts frees what is held for attempts, whatever has become of them.
func (m *Machine) releaseAttempts() {
	for _, k := range m.board.order {
		m.ledger.release(forAttempt(k.ref()))
		for _, a := range k.stopping {
			m.ledger.release(forAttempt(chargehand.AttemptRef{Subtask: k.spec.ID, Attempt: a.number}))
		}
	}
}

// useSynthesis turns what is set aside for the last step into the reservation of its attempt: that
// of the check stays.
func (m *Machine) useSynthesis(a chargehand.AttemptRef) {
	l := &m.ledger
	if !m.isSynthesis(a.Subtask) {
		return
	}
	if _, held := l.held[forSynthesis]; held && l.check != (amount{}) {
		l.hold(forSynthesis, l.check)
		return
	}
	l.release(forSynthesis)
}

// releaseSynthesis frees what is set aside for the last step's check.
func (m *Machine) releaseSynthesis(subtask string) {
	if m.isSynthesis(subtask) {
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
			What: overPlanAlert,
			Why:  "spent $" + l.settled.usd.String() + " of an estimate of $" + l.estimate.String(),
		}, out)
	}
}

// alarmChecking records that the reviewer costs more than it should beside the workers.
func (m *Machine) alarmChecking(now time.Time, out *Output) {
	checking, work := m.ledger.phases[chargehand.PhaseChecking], m.ledger.phases[chargehand.PhaseWorkers]
	if work > 0 && checking > work.Times(checkingShare) {
		m.record(now, chargehand.Alerted{
			What: checkingAlert,
			Why:  "checking cost $" + checking.String() + ", the workers $" + work.String() + ": 15 % of that is the aim",
		}, out)
	}
}

// mostBilled is what one call can be billed at most, in millionths of a dollar and in tokens: the
// sums of a run's bills stay far from the end of their range.
const mostBilled = 1 << 44

// declared is what counts for a call of which nothing is reported: its declared price, or nothing
// where it certainly did not begin, since it was turned away or never sent.
func declared(price chargehand.Micros, notBegun bool) chargehand.Micros {
	if notBegun {
		return 0
	}
	return price
}

// charge is what a call cost: what the worker says, or the declared price where it says nothing. It
// gives nothing back.
func charge(u chargehand.Usage, price chargehand.Micros) chargehand.Usage {
	if u.USD <= 0 {
		u.USD = price
	}
	u.USD = min(u.USD, mostBilled)
	u.InputTokens, u.OutputTokens = min(max(u.InputTokens, 0), mostBilled), min(max(u.OutputTokens, 0), mostBilled)
	return u
}
