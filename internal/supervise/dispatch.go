package supervise

import (
	"container/heap"
	"slices"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/route"
)

// dispatch queues ready tasks while the run has room: at most so many queued or running at once
// (SPEC.md ·50), the highest priority first, and only what the ledger can bear. A task it cannot
// bear waits for what is under way to be settled; when nothing is, it is left out (SPEC.md ·76).
func (m *Machine) dispatch(now time.Time, out *Output) {
	//guard:pause off=m.run.abort != nil || len(m.board.unjudged) > 0
	if m.run.state != chargehand.RunRunning || m.run.abort != nil || len(m.board.unjudged) > 0 {
		return
	}
	var b batch
	for m.board.open+len(b.tasks) < m.team.Policy.Concurrency() && len(m.board.ready) > 0 {
		k := m.board.ready[0]
		c := m.choice(k)
		if len(c.Eligible) == 0 {
			m.flush(now, &b, out)
			m.noWorker(now, k, c, out)
			continue
		}
		ask, fits := m.price(k, c, b.reserve())
		if !fits {
			m.flush(now, &b, out)
			if m.busy() {
				return
			}
			m.overBudget(now, k, out)
			continue
		}
		if !b.takes(ask) {
			m.flush(now, &b, out)
		}
		heap.Pop(&m.board.ready)
		b.ask, b.tasks = ask, append(b.tasks, k)
	}
	m.flush(now, &b, out)
}

// busy reports whether something is under way whose settling may free money.
func (m *Machine) busy() bool {
	l := &m.ledger
	set := l.held[forSynthesis]
	return m.board.open > 0 || l.reserved.usd > set.usd || l.reserved.tokens > set.tokens
}

// A batch is tasks that wait for the same workers; one record says so.
type batch struct {
	ask   ask
	tasks []*task
}

// An ask is what tasks of a batch have in common.
type ask struct {
	choice  route.Choice
	tier    int
	reserve amount
}

// reserve is what the batch's tasks will hold together.
func (b *batch) reserve() amount {
	n := len(b.tasks)
	return amount{b.ask.reserve.usd * chargehand.Micros(n), b.ask.reserve.tokens * int64(n)}
}

func (b *batch) takes(a ask) bool {
	return len(b.tasks) == 0 || len(b.tasks) < maxBatch && a.tier == b.ask.tier && a.reserve == b.ask.reserve &&
		a.choice.Strategy == b.ask.choice.Strategy && slices.Equal(a.choice.Eligible, b.ask.choice.Eligible)
}

const maxBatch = 100 // tasks in one record

func (m *Machine) flush(now time.Time, b *batch, out *Output) {
	if len(b.tasks) == 0 {
		return
	}
	f := chargehand.SubtasksQueued{
		Strategy: b.ask.choice.Strategy, Tier: b.ask.tier,
		Candidates: b.ask.choice.Eligible, Reserved: b.ask.reserve.usd, Tokens: b.ask.reserve.tokens,
	}
	for _, k := range b.tasks {
		f.Attempts = append(f.Attempts, chargehand.AttemptRef{Subtask: k.spec.ID, Attempt: k.nextNumber()})
	}
	m.record(now, f, out)
	for _, k := range b.tasks {
		out.Fleet = append(out.Fleet, m.askFor(k))
	}
	*b = batch{}
}

// nextNumber is the number of the attempt to be queued; a queued one that is queued anew keeps its.
func (k *task) nextNumber() int {
	if k.state == chargehand.SubtaskQueued {
		return k.number
	}
	return k.number + 1
}

func (m *Machine) askFor(k *task) Ask {
	return Ask{
		AttemptRef: k.ref(), Candidates: k.asked(), Strategy: k.attempt.strategy,
		Priority: k.spec.Priority, Timeout: time.Duration(k.spec.TimeoutMS) * time.Millisecond,
		SpawnUpTo: m.ledger.spawnUpTo(),
	}
}

// reask gives the fleet every ask again.
func (m *Machine) reask(out *Output) {
	if m.run.state != chargehand.RunRunning {
		return
	}
	for _, k := range m.board.order {
		if k.waitsForWorker() {
			out.Fleet = append(out.Fleet, m.askFor(k))
		}
	}
}

func (m *Machine) withdrawAll(out *Output) {
	for _, k := range m.board.order {
		if k.waitsForWorker() {
			out.Fleet = append(out.Fleet, Withdraw{k.ref()})
		}
	}
}

// waitsForWorker reports whether the fleet is asked for a worker.
func (k *task) waitsForWorker() bool { return k.state == chargehand.SubtaskQueued || k.adrift() }

// lowerTier queues anew, at the cheapest tier, the tasks that still wait for a worker; the
// critical ones and the synthesis keep theirs (SPEC.md ·91).
func (m *Machine) lowerTier(now time.Time, out *Output) {
	if m.run.state != chargehand.RunRunning {
		return
	}
	for _, k := range m.board.order {
		if k.state != chargehand.SubtaskQueued || k.attempt.tier == m.tier(k) {
			continue
		}
		if a, fits := m.price(k, m.choice(k), amount{}); fits {
			out.Fleet = append(out.Fleet, Withdraw{k.ref()})
			m.flush(now, &batch{a, []*task{k}}, out)
		}
	}
}

// tier is the one a task is served by now.
func (m *Machine) tier(k *task) int {
	switch {
	case k.synthesis:
		return 2
	case m.ledger.low && k.spec.Criticality != chargehand.Critical:
		return 3
	}
	return k.spec.Criticality.Tier()
}

// choice is which workers may take a task now.
func (m *Machine) choice(k *task) route.Choice {
	return k.allowed(m.choose(k.spec, route.Question{Tier: m.tier(k), Avoid: k.avoid, Prefer: k.prefer}))
}

func (m *Machine) choose(s *chargehand.Subtask, q route.Question) route.Choice {
	q.Subtask, q.Tenant = s, m.run.tenant
	if s.TimeoutMS > 0 || len(q.Avoid) > 0 || q.Prefer != "" {
		return m.selected(q)
	}
	memo := kind{
		s.Capability, s.TaskType, s.OutputContract, s.Assignee, strings.Join(s.ToolGrants, "\n"),
		s.RiskLevel, s.Budget.USD, q.Tier,
	}
	c, ok := m.choices[memo]
	if !ok {
		c = m.selected(q)
		if m.choices == nil {
			m.choices = map[kind]route.Choice{}
		}
		m.choices[memo] = c
	}
	return c
}

const maxCandidates = 40 // in one record

func (m *Machine) selected(q route.Question) route.Choice {
	c := route.Select(m.team, q)
	c.Eligible = first(c.Eligible, maxCandidates)
	return c
}

// A kind is all that a choice depends on; subtasks of one kind have the same.
type kind struct {
	capability, taskType, contract, assignee, grants string

	risk   chargehand.Risk
	budget chargehand.Micros
	tier   int
}

// price is what an attempt asks of the ledger, with only the workers it can bear; pending is what
// others are about to reserve.
func (m *Machine) price(k *task, c route.Choice, pending amount) (ask, bool) {
	a := ask{choice: c, tier: m.tier(k)}
	key := m.heldFor(k)
	if key == forSynthesis {
		pending.usd, pending.tokens = pending.usd+m.ledger.check.usd, pending.tokens+m.ledger.check.tokens
	}
	for limit, ok := dearest(c.Eligible, -1); ok; limit, ok = dearest(c.Eligible, limit) {
		a.choice.Eligible = cheaperThan(c.Eligible, limit)
		a.reserve = m.most(k, a.choice.Eligible, limit)
		//guard:reservation off=true
		if m.ledger.fits(key, amount{a.reserve.usd + pending.usd, a.reserve.tokens + pending.tokens}) {
			return a, true
		}
	}
	return a, false
}

// most is what an attempt has to reserve, whichever of the workers takes it; the dearest costs the
// limit.
func (m *Machine) most(k *task, cs []chargehand.Candidate, limit chargehand.Micros) amount {
	a := amount{max(limit, k.wanted.usd), max(k.spec.Budget.Tokens, k.wanted.tokens)}
	if m.ledger.ceiling.Tokens == 0 || k.spec.Budget.Tokens > 0 {
		return a
	}
	for _, c := range cs {
		a.tokens = max(a.tokens, m.tokens(k, m.team.Worker(c.Worker)))
	}
	return a
}

// heldFor is the key of what is already held for the task's next attempt; empty if nothing is.
func (m *Machine) heldFor(k *task) string {
	switch {
	case k.state == chargehand.SubtaskQueued:
		return forAttempt(k.ref())
	case k.synthesis:
		return forSynthesis
	}
	return ""
}

// dearest is the highest price among the candidates below the limit; a negative limit is none.
func dearest(cs []chargehand.Candidate, limit chargehand.Micros) (chargehand.Micros, bool) {
	most, ok := chargehand.Micros(0), false
	for _, c := range cs {
		if (limit < 0 || c.CostUSD < limit) && (!ok || c.CostUSD > most) {
			most, ok = c.CostUSD, true
		}
	}
	return most, ok
}

func cheaperThan(cs []chargehand.Candidate, limit chargehand.Micros) []chargehand.Candidate {
	if !slices.ContainsFunc(cs, func(c chargehand.Candidate) bool { return c.CostUSD > limit }) {
		return cs
	}
	return slices.DeleteFunc(slices.Clone(cs), func(c chargehand.Candidate) bool { return c.CostUSD > limit })
}

// endHopeless leaves out, before anything is spent, what no worker of the team may do.
func (m *Machine) endHopeless(now time.Time, out *Output) {
	for _, k := range m.board.order {
		if k.state.Final() || k.number > 0 {
			continue
		}
		if c := m.choice(k); len(c.Eligible) == 0 {
			m.noWorker(now, k, c, out)
		}
	}
}

// noWorker leaves a task out for want of a worker (SPEC.md ·75).
func (m *Machine) noWorker(now time.Time, k *task, c route.Choice, out *Output) {
	if k.debate.stage == arguing {
		m.breakOff(now, k, "it is debated, and the worker whose turn it is may not do it", out)
		return
	}
	why := "no worker has the capability " + k.spec.Capability
	for i, x := range c.Excluded {
		if i == 0 {
			why = "no worker may do it"
		}
		why += "; " + x.Worker + " " + x.ExcludedBecause
	}
	m.end(now, k, chargehand.SubtaskEnded{
		Attempt: k.number, State: chargehand.SubtaskNoWorker,
		Cause: chargehand.CauseNoWorker, Why: clip(why, maxText),
	}, out)
}

// overBudget leaves a task out for want of money (SPEC.md ·76).
func (m *Machine) overBudget(now time.Time, k *task, out *Output) {
	if k.debate.stage == arguing {
		m.breakOff(now, k, "it is debated, and there is no money to go on: "+m.ledger.shortage(), out)
		return
	}
	m.end(now, k, chargehand.SubtaskEnded{
		Attempt: k.number, State: chargehand.SubtaskOverBudget,
		Cause: chargehand.CauseBudget, Why: m.ledger.shortage(),
	}, out)
}

// shortage says what there is too little of. The run has a ceiling.
func (l *ledger) shortage() string {
	left := l.left()
	if l.ceiling.Tokens == 0 {
		return "the budget of $" + l.ceiling.USD.String() + " leaves $" + left.String()
	}
	tokens := itoa(int(max(0, l.ceiling.Tokens-l.settled.tokens-l.reserved.tokens)))
	if left == nil {
		return "the budget of " + itoa(int(l.ceiling.Tokens)) + " tokens leaves " + tokens
	}
	return "the budget of $" + l.ceiling.USD.String() + " and " + itoa(int(l.ceiling.Tokens)) + " tokens leaves $" + left.String() + " and " + tokens
}
