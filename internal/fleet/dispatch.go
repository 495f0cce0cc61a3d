package fleet

import (
	"cmp"
	"slices"

	"github.com/chargehand/chargehand"
)

// A turn is what one step moved.
type turn struct {
	touched []*worker          // whose timers may have changed
	classes []*class           // whose asks may be served now
	freed   []chargehand.Lease // given back
	arrived *ask               // new, and waiting
}

// touch marks a worker for tend.
func (m *Machine) touch(w *worker) {
	if !slices.Contains(m.turn.touched, w) {
		m.turn.touched = append(m.turn.touched, w)
	}
}

// stir says that a worker may be able to do more than before, or less: everyone who waits for it
// is looked at again.
func (m *Machine) stir(w *worker) {
	m.touch(w)
	for _, c := range m.queue.of(w.Worker).classes {
		m.look(c)
	}
}

func (m *Machine) look(c *class) {
	if !slices.Contains(m.turn.classes, c) {
		m.turn.classes = append(m.turn.classes, c)
	}
}

// ask puts an attempt into the queue.
func (m *Machine) ask(in Ask, out *Output) {
	k := key{in.Run, in.AttemptRef}
	if epoch, ok := m.leases.byAttempt[k]; ok {
		out.Grants = append(out.Grants, grantOf(m.leases.at(epoch).LeaseGranted))
		return
	}
	if len(in.Candidates) == 0 {
		out.Refusal = &chargehand.Error{
			Code: chargehand.CodeInvalid, What: "ask for a worker for " + in.Subtask,
			Why: "it names no candidates",
		}
		return
	}
	if m.queue.asks[k] == nil {
		in = settled(in)
		m.slate.name = className(m.slate.name[:0], in)
		a := m.queue.enqueue(in, m.slate.name, m.now)
		m.turn.arrived = a
		m.look(a.lane.class)
		m.inquire(a, out)
	}
}

// settled is the ask with its candidates by rank, each worker once.
func settled(in Ask) Ask {
	if isSettled(in.Candidates) {
		return in
	}
	var cs []chargehand.Candidate
	for _, c := range in.Candidates {
		if !slices.ContainsFunc(cs, func(o chargehand.Candidate) bool { return o.Worker == c.Worker }) {
			cs = append(cs, c)
		}
	}
	slices.SortStableFunc(cs, func(a, b chargehand.Candidate) int { return cmp.Compare(a.Rank, b.Rank) })
	in.Candidates = cs
	return in
}

func isSettled(cs []chargehand.Candidate) bool {
	for i, c := range cs {
		if i > 0 && c.Rank < cs[i-1].Rank {
			return false
		}
		for _, o := range cs[:i] {
			if o.Worker == c.Worker {
				return false
			}
		}
	}
	return true
}

// inquire asks for the health of the workers an ask names: one that is not well is not used, and
// would not be asked otherwise.
func (m *Machine) inquire(a *ask, out *Output) {
	for _, c := range a.Candidates {
		if w := m.pool.named(c.Worker); w != nil {
			m.probe(w, out)
			m.touch(w)
		}
	}
}

// withdraw takes an ask out of the queue.
func (m *Machine) withdraw(in Withdraw) {
	if a := m.queue.asks[key{in.Run, in.AttemptRef}]; a != nil {
		m.dequeue(a)
	}
}

func (m *Machine) dequeue(a *ask) {
	m.queue.remove(a)
	m.agenda.asks.set(a.key, zero)
	for _, c := range a.Candidates {
		if w := m.pool.named(c.Worker); w != nil {
			m.touch(w)
		}
	}
}

// dispatch serves whom it can, and does what is to be done for those who must wait.
func (m *Machine) dispatch(out *Output) {
	m.grantAll(out)
	if a := m.turn.arrived; a != nil && m.waits(a) {
		m.tellWaiting(a, out)
		m.watch(a, out)
		m.grantAll(out)
	}
	if a := m.turn.arrived; a != nil && m.waits(a) {
		m.spawnFor(a, out)
	}
	for _, c := range m.turn.classes {
		m.spawnForForemost(c, out)
	}
	m.leave(out)
}

func (m *Machine) waits(a *ask) bool { return m.queue.asks[a.key] == a }

// spawnForForemost asks for dynamic instances where the first of a lane could not be served. It
// is for those that came when there could be none.
func (m *Machine) spawnForForemost(c *class, out *Output) {
	const foremost = 8
	for _, l := range c.lanes {
		for _, a := range l.asks[:min(len(l.asks), foremost)] {
			m.spawnFor(a, out)
		}
	}
}

// leave lets a dynamic instance go after its subtask, if nobody waits for its worker.
func (m *Machine) leave(out *Output) {
	for _, l := range m.turn.freed {
		w := m.pool.named(l.Worker)
		in := w.instance(l.Instance)
		if in != nil && in.Dynamic && in.active == 0 && m.queue.of(w.Worker).waiting == 0 {
			m.retire(w, l.Instance, out)
		}
	}
}

// A bid is the head of a lane that could be served.
type bid struct {
	ask  *ask
	seat seat
	over bool // its tenant has its share already
	held int  // leases of its tenant on the workers in question
}

// grantAll serves the stirred classes until nobody in them can be.
func (m *Machine) grantAll(out *Output) {
	for {
		bids := m.bids()
		if len(bids) == 0 {
			return
		}
		best := slices.MinFunc(bids, goesFirst)
		m.grant(best.ask, best.seat, out)
	}
}

// bids are the heads of the stirred lanes that could be served now.
func (m *Machine) bids() []bid {
	var bids []bid
	for _, c := range m.turn.classes {
		for i := 0; i < len(c.lanes); i++ { // a lane for those too late may be added
			if b, ok := m.head(c.lanes[i]); ok {
				bids = append(bids, b)
			}
		}
	}
	if len(bids) > 1 {
		for i := range bids {
			m.weigh(&bids[i])
		}
	}
	return bids
}

// head is the lane's first ask, if it can be served. Those in front that nobody can serve in time
// make way.
func (m *Machine) head(l *lane) (bid, bool) {
	for len(l.asks) > 0 {
		a := l.asks[0]
		if s, ok := m.seat(a); ok {
			return bid{ask: a, seat: s}, true
		}
		if l.kind == tooLate || !m.hopeless(a) {
			break
		}
		m.queue.move(a, tooLate)
	}
	return bid{}, false
}

// hopeless reports whether an average call of any worker would pass the run's deadline.
func (m *Machine) hopeless(a *ask) bool {
	for _, c := range a.Candidates {
		if w := m.pool.named(c.Worker); w != nil && m.inTime(w, a) {
			return false
		}
	}
	return !a.Deadline.IsZero()
}

// weigh sets what the bid's tenant has, and whether that is its share already: the slots in
// question, divided by the tenants that use them or wait for them (SPEC.md ·102).
func (m *Machine) weigh(b *bid) {
	if m.slate.tenants == nil {
		m.slate.tenants = map[string]bool{}
	}
	tenants, slots := m.slate.tenants, 0
	clear(tenants)
	for _, s := range m.able(b.ask) {
		if s.Rank != b.seat.Rank {
			continue
		}
		slots += s.worker.capacity()
		b.held += s.worker.held.of(b.ask.Tenant)
		for _, t := range s.worker.held {
			tenants[t.tenant] = true
		}
		for _, t := range m.queue.of(s.Worker).tenants {
			tenants[t.tenant] = true
		}
	}
	share := (slots + len(tenants) - 1) / len(tenants)
	//guard:tenant-share off=b.over = false
	b.over = b.held >= share
}

// goesFirst orders bids: tenants below their share, then the queue's order. Queues of different
// orders meet by priority.
func goesFirst(a, b bid) int {
	if a.over != b.over {
		if a.over {
			return 1
		}
		return -1
	}
	order := a.ask.Order
	if order != b.ask.Order {
		return before(chargehand.QueuePriority, a.ask, b.ask)
	}
	if order == chargehand.QueueFair && a.held != b.held {
		return a.held - b.held
	}
	return before(order, a.ask, b.ask)
}

// grant gives the ask a lease.
func (m *Machine) grant(a *ask, s seat, out *Output) {
	w := s.worker
	name, bring := w.place()
	if bring {
		m.record(chargehand.InstanceSpawned{Worker: w.Worker, Instance: name}, out)
	}
	m.dequeue(a)
	load := chargehand.Load{Active: w.instance(name).active, Slots: w.Slots, Queued: m.queue.of(w.Worker).waiting}
	f := chargehand.LeaseGranted{
		Epoch: m.leases.epoch + 1, Run: a.Run, AttemptRef: a.AttemptRef,
		Worker: w.Worker, Instance: name, Tenant: a.Tenant,
		Probe: w.breaker().State == chargehand.BreakerHalfOpen,
	}
	m.record(f, out)
	g := grantOf(f)
	g.Load = load
	out.Grants = append(out.Grants, g)
	m.touch(w)
}

func grantOf(f chargehand.LeaseGranted) Grant {
	return Grant{Run: f.Run, AttemptRef: f.AttemptRef, Worker: f.Worker, Instance: f.Instance, Epoch: f.Epoch}
}
