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
		ask, fits := m.afford(k, c, b.reserve())
		if !fits {
			m.flush(now, &b, out)
			if m.busy() && !m.spentOut(k) {
				return
			}
			m.overBudget(now, k, m.shortOf(k, ask.reserve), out)
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
		if a, fits := m.afford(k, m.choice(k), amount{}); fits {
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
	return k.allowed(m.choose(k.spec, route.Question{Tier: m.tier(k), Avoid: k.avoid, Prefer: k.prefer, Spent: m.ownSpent(k)}))
}

func (m *Machine) choose(s *chargehand.Subtask, q route.Question) route.Choice {
	q.Subtask, q.Tenant, q.Unpriced = s, m.run.tenant, m.unpriced().usd
	if s.TimeoutMS > 0 || len(q.Avoid) > 0 || q.Prefer != "" || q.Spent > 0 {
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

// ownSpent is what is gone of the subtask's own budget, where it has one in dollars.
func (m *Machine) ownSpent(k *task) chargehand.Micros {
	if k.spec.Budget.USD == 0 {
		return 0
	}
	return k.spec.Budget.USD - m.ownLeft(k).usd
}

// afford is what an attempt asks of the ledger, with only the workers it can bear; pending is what
// others are about to reserve. Where it can bear none the ask holds the least it would need.
func (m *Machine) afford(k *task, c route.Choice, pending amount) (ask, bool) {
	a := ask{choice: c, tier: m.tier(k)}
	c.Eligible = m.borne(k, c.Eligible)
	if len(c.Eligible) == 0 {
		a.reserve = m.least(k, a.choice.Eligible)
		return a, false
	}
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

// borne are the workers that the subtask's own budget bears.
func (m *Machine) borne(k *task, cs []chargehand.Candidate) []chargehand.Candidate {
	if k.spec.Budget == (chargehand.Budget{}) {
		return cs
	}
	var out []chargehand.Candidate
	for _, c := range cs {
		if m.bears(k, m.team.Worker(c.Worker)) {
			out = append(out, c)
		}
	}
	return out
}

// least is what the cheapest of the workers would need for an attempt.
func (m *Machine) least(k *task, cs []chargehand.Candidate) amount {
	var least amount
	for i, c := range cs {
		w := m.team.Worker(c.Worker)
		if a := (amount{m.price(w, ""), m.tokens(k, w)}); i == 0 || a.usd < least.usd {
			least = a
		}
	}
	return least
}

// most is what an attempt has to reserve, whichever of the workers takes it, on whichever of their
// instances; the dearest of the workers costs the limit.
func (m *Machine) most(k *task, cs []chargehand.Candidate, limit chargehand.Micros) amount {
	wanted := m.wanted(k)
	a := amount{max(limit, wanted.usd), wanted.tokens}
	for _, c := range cs {
		w := m.team.Worker(c.Worker)
		if k.spec.Budget.USD == 0 && w.Spawn != nil && !w.Free {
			a.usd = max(a.usd, w.Spawn.CostPerCallEstimate)
		}
		a.tokens = max(a.tokens, m.tokens(k, w))
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
func (m *Machine) overBudget(now time.Time, k *task, why string, out *Output) {
	if k.debate.stage == arguing {
		m.breakOff(now, k, "it is debated, and there is no money to go on: "+why, out)
		return
	}
	m.end(now, k, chargehand.SubtaskEnded{
		Attempt: k.number, State: chargehand.SubtaskOverBudget,
		Cause: chargehand.CauseBudget, Why: clip(why, maxText),
	}, out)
}

// shortOf says what an attempt, which needs so much, has too little of.
func (m *Machine) shortOf(k *task, need amount) string {
	if m.ledger.over == "" && m.ownShort(k) {
		return m.ownShortage(k, need)
	}
	return m.ledger.shortage(need)
}

// spentOut reports whether the subtask's own budget is too small for good: nothing that is under way
// can free any of it.
func (m *Machine) spentOut(k *task) bool { return len(k.stopping) == 0 && m.ownShort(k) }

// ownShort reports whether the subtask's own budget bears none of the workers that may do it.
func (m *Machine) ownShort(k *task) bool {
	c := m.choice(k).Eligible
	return len(c) > 0 && len(m.borne(k, c)) == 0
}

// ownShortage says what the subtask's own budget has too little of.
func (m *Machine) ownShortage(k *task, need amount) string {
	own, left := k.spec.Budget, m.ownLeft(k)
	return needed(need, own) + "the subtask's own budget of " + inWords(amount{own.USD, own.Tokens}, own) + " leaves " + inWords(left, own)
}

// shortage says what there is too little of, and how much is needed. The run has a ceiling.
func (l *ledger) shortage(need amount) string {
	if l.over != "" {
		return "nothing more is sent: " + l.over
	}
	left := amount{
		max(0, l.ceiling.USD-l.settled.usd-l.reserved.usd),
		max(0, l.ceiling.Tokens-l.settled.tokens-l.reserved.tokens),
	}
	return needed(need, l.ceiling) + "the budget of " + inWords(amount{l.ceiling.USD, l.ceiling.Tokens}, l.ceiling) + " leaves " + inWords(left, l.ceiling)
}

// needed begins a sentence about a shortage; empty where it is not known how much is needed.
func needed(need amount, of chargehand.Budget) string {
	if of.USD == 0 {
		need.usd = 0
	}
	if of.Tokens == 0 {
		need.tokens = 0
	}
	switch {
	case need == (amount{}):
		return ""
	case need.usd == 0:
		of.USD = 0
	case need.tokens == 0:
		of.Tokens = 0
	}
	return "it needs " + inWords(need, of) + ", and "
}

// inWords is an amount of what there is a ceiling of.
func inWords(a amount, of chargehand.Budget) string {
	switch {
	case of.Tokens == 0:
		return "$" + a.usd.String()
	case of.USD == 0:
		return itoa(int(a.tokens)) + " tokens"
	}
	return "$" + a.usd.String() + " and " + itoa(int(a.tokens)) + " tokens"
}
