package fleet

import (
	"cmp"
	"container/heap"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
)

// The queue is the asks that wait. Asks that differ only in age, urgency and tenant share a class;
// within it each tenant has lanes, and only the head of a lane is ever looked at: a step costs as
// much as there are lanes for the workers it touches, not asks.
type queue struct {
	asks     map[key]*ask
	classes  map[string]*class
	byWorker map[string]*desk
	arrivals int64
}

// An ask is one that waits.
type ask struct {
	Ask
	key     key
	arrival int64     // breaks ties
	asked   time.Time // when it came
	atRisk  bool      // higher ranks may serve it
	spawned bool      // an instance was asked for on its account; there is no other
	lane    *lane
	index   int // in the lane's heap
}

// A class is the asks that the same workers may serve under the same rules.
type class struct {
	name       string
	candidates []chargehand.Candidate
	lanes      []*lane // by first arrival
	waiting    int
}

// A lane is the asks of a class that are alike but for their place in the queue.
type lane struct {
	class  *class
	tenant string
	kind   laneKind
	asks   []*ask // a heap
}

type laneKind int

const (
	onTime  laneKind = iota // waits for the lowest rank
	atRisk                  // any rank will do
	tooLate                 // every average would pass its run's deadline; the latest deadline goes first
)

// A desk is what waits for one worker.
type desk struct {
	classes []*class // by first arrival
	tenants tally    // asks by tenant
	waiting int
}

func newQueue() queue {
	return queue{asks: map[key]*ask{}, classes: map[string]*class{}, byWorker: map[string]*desk{}}
}

// of is what waits for a worker. Nobody waits at the zero desk.
func (q *queue) of(worker string) desk {
	if d := q.byWorker[worker]; d != nil {
		return *d
	}
	return desk{}
}

// enqueue puts a new ask into its lane, in the class called name.
func (q *queue) enqueue(in Ask, name []byte, now time.Time) *ask {
	q.arrivals++
	a := &ask{Ask: in, key: key{in.Run, in.AttemptRef}, arrival: q.arrivals, asked: now}
	q.asks[a.key] = a
	c := q.class(in, name)
	c.waiting++
	for _, cand := range in.Candidates {
		d := q.byWorker[cand.Worker]
		d.waiting++
		d.tenants.add(in.Tenant, 1)
	}
	c.put(a, onTime)
	return a
}

// class is the class called name, a new one for the ask if need be.
func (q *queue) class(in Ask, name []byte) *class {
	if c := q.classes[string(name)]; c != nil {
		return c
	}
	c := &class{name: string(name), candidates: in.Candidates}
	q.classes[c.name] = c
	for _, cand := range in.Candidates {
		d := q.byWorker[cand.Worker]
		if d == nil {
			d = &desk{}
			q.byWorker[cand.Worker] = d
		}
		d.classes = append(d.classes, c)
	}
	return c
}

// className appends what asks of a class have in common.
func className(b []byte, in Ask) []byte {
	b = strconv.AppendQuote(b, string(in.Strategy))
	b = strconv.AppendQuote(b, string(in.Order))
	b = strconv.AppendInt(b, int64(in.Timeout), 10)
	for _, c := range in.Candidates {
		b = strconv.AppendQuote(b, c.Worker)
		for _, n := range [...]int64{int64(c.Rank), int64(c.Tier), int64(c.CostUSD)} {
			b = append(strconv.AppendInt(b, n, 10), ' ')
		}
	}
	return b
}

// put moves an ask into a lane of the class.
func (c *class) put(a *ask, kind laneKind) {
	i := slices.IndexFunc(c.lanes, func(l *lane) bool { return l.tenant == a.Tenant && l.kind == kind })
	if i < 0 {
		i = len(c.lanes)
		c.lanes = append(c.lanes, &lane{class: c, tenant: a.Tenant, kind: kind})
	}
	a.lane = c.lanes[i]
	heap.Push(a.lane, a)
}

// move takes an ask to another lane of its class.
func (q *queue) move(a *ask, kind laneKind) {
	heap.Remove(a.lane, a.index)
	a.lane.class.put(a, kind)
}

// remove takes an ask out. A class that nobody is in any more goes with it.
func (q *queue) remove(a *ask) {
	c := a.lane.class
	heap.Remove(a.lane, a.index)
	delete(q.asks, a.key)
	c.waiting--
	for _, cand := range a.Candidates {
		d := q.byWorker[cand.Worker]
		d.waiting--
		d.tenants.add(a.Tenant, -1)
	}
	if c.waiting == 0 {
		q.drop(c)
	}
}

func (q *queue) drop(c *class) {
	delete(q.classes, c.name)
	for _, cand := range c.candidates {
		d := q.byWorker[cand.Worker]
		d.classes = slices.DeleteFunc(d.classes, func(o *class) bool { return o == c })
	}
}

// before compares two asks by a queue's order (SPEC.md ·102).
func before(o chargehand.QueueOrder, a, b *ask) int {
	priority := b.Priority - a.Priority
	deadline := cmp.Compare(never(a.Deadline), never(b.Deadline))
	if deadline == 0 {
		deadline = a.Deadline.Compare(b.Deadline)
	}
	age := a.RunStarted.Compare(b.RunStarted)
	arrival := cmp.Compare(a.arrival, b.arrival)
	switch o {
	case chargehand.QueueOldest:
		run := strings.Compare(a.Run, b.Run) // of two begun in the same moment one is done before the other
		return cmp.Or(age, priority, deadline, run, arrival)
	case chargehand.QueueDeadline:
		return cmp.Or(deadline, priority, age, arrival)
	}
	return cmp.Or(priority, deadline, age, arrival)
}

// never is 1 for the time that means none, so that it goes last.
func never(t time.Time) int {
	if t.IsZero() {
		return 1
	}
	return 0
}

// Len, Less, Swap, Push and Pop are for container/heap.
func (l *lane) Len() int { return len(l.asks) }

func (l *lane) Less(i, j int) bool {
	a, b := l.asks[i], l.asks[j]
	if l.kind == tooLate {
		return cmp.Or(b.Deadline.Compare(a.Deadline), before(a.Order, a, b)) < 0
	}
	return before(a.Order, a, b) < 0
}

func (l *lane) Swap(i, j int) {
	l.asks[i], l.asks[j] = l.asks[j], l.asks[i]
	l.asks[i].index, l.asks[j].index = i, j
}

func (l *lane) Push(x any) {
	a := x.(*ask)
	a.index = len(l.asks)
	l.asks = append(l.asks, a)
}

func (l *lane) Pop() any {
	a := l.asks[len(l.asks)-1]
	l.asks[len(l.asks)-1] = nil
	l.asks = l.asks[:len(l.asks)-1]
	return a
}
