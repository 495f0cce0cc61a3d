package fleet

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/chargehand/chargehand"
)

// TestProperties holds the machine to what must be true after every step, whatever comes.
//
//guard:capacity
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		roll := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "roll") }
		steps := rapid.IntRange(1, 80).Draw(t, "steps")
		drive(t, roll, steps)
	})
}

// FuzzStep lets a fuzzer choose the inputs. With -fuzzminimizetime 1x it spends its time on new ones.
func FuzzStep(f *testing.F) {
	f.Add([]byte("a fleet of three workers, and what becomes of it"))
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31})
	f.Fuzz(func(t *testing.T, data []byte) {
		roll := func(n int) int {
			if len(data) == 0 {
				return 0
			}
			b := int(data[0])
			data = data[1:]
			return b % n
		}
		for len(data) > 0 && len(data) < 400 { // even few bytes go far
			data = append(data, data...)
		}
		drive(t, roll, min(80, len(data)/6))
	})
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// A course is a machine on its way, beside a twin that is folded anew at every step and one that
// is rebased now and then.
type course struct {
	failer
	m       *Machine
	rebased *Machine
	records []chargehand.Record // of m
	tail    []chargehand.Record // of rebased, from its latest rebase on
	waiting map[key]bool        // asks neither granted nor withdrawn
	epoch   int64
	active  map[string]int // by instance, before the step
}

func drive(t failer, roll dice, steps int) {
	t.Helper()
	c := &course{failer: t, m: New(), rebased: New(), waiting: map[key]bool{}, active: map[string]int{}}
	f := newFeed(roll, c.m)
	c.step(f.now, f.fleet())
	for i := range steps {
		in := f.next()
		for _, o := range c.step(f.now, in) {
			c.step(f.now, Fund{o.Run, o.AttemptRef, o.Worker, f.roll(4) > 0})
		}
		if i%7 == 6 {
			c.tail = c.rebased.Rebase(f.now).Records
		}
	}
}

func (c *course) step(now time.Time, in Input) []Offer {
	before := c.m.now
	out := c.m.Step(now, in)
	twin := c.rebased.Step(now, overJSON(c.failer, in))
	c.tail = append(c.tail, twin.Records...)
	c.sameOutput(in, out, twin)
	c.gapless(out)
	c.records = append(c.records, out.Records...)
	if !out.Wake.IsZero() && (!out.Wake.After(c.m.now) || c.m.now.Before(before)) {
		c.Fatalf("%#v at %s: wakes at %s", in, now, out.Wake)
	}
	c.granted(in, out)
	c.nobodyLost(in)
	c.withinSlots()
	c.nothingIdle()
	c.indexed()
	c.folds()
	return out.Offers
}

// sameOutput: a rebase changes nothing but sequence numbers, and the machine is deterministic.
func (c *course) sameOutput(in Input, a, b Output) {
	strip := func(rs []chargehand.Record) []chargehand.Record {
		rs = slices.Clone(rs)
		for i := range rs {
			rs[i].Seq = 0
		}
		return rs
	}
	a.Records, b.Records = strip(a.Records), strip(b.Records)
	if reflect.DeepEqual(a, b) {
		return
	}
	if d := cmp.Diff(a, b); d != "" {
		c.Fatalf("%#v: the rebased machine differs (-whole +rebased):\n%s", in, d)
	}
}

func (c *course) gapless(out Output) {
	last := chargehand.Record{}
	if len(c.records) > 0 {
		last = c.records[len(c.records)-1]
	}
	for _, r := range out.Records {
		if r.Run != chargehand.FleetStream || r.Seq != last.Seq+1 || r.At.Before(last.At) || r.At != r.At.Truncate(time.Microsecond) {
			c.Fatalf("record %+v after %+v", r, last)
		}
		last = r
	}
}

// granted: every grant has its lease's record, epochs rise, and the worker was fit for it.
func (c *course) granted(in Input, out Output) {
	leased := map[int64]chargehand.LeaseGranted{}
	for _, r := range out.Records {
		if l, ok := r.Fact.(chargehand.LeaseGranted); ok {
			if l.Epoch <= c.epoch {
				c.Fatalf("epoch %d after %d", l.Epoch, c.epoch)
			}
			c.epoch = l.Epoch
			leased[l.Epoch] = l
			w := c.m.pool.named(l.Worker)
			if w.Drained || w.Unhealthy != "" || w.Breaker.State == chargehand.BreakerOpen {
				c.Fatalf("%#v: %+v given to a worker that is not fit: %+v", in, l, w)
			}
		}
	}
	for _, g := range out.Grants {
		l, fresh := leased[g.Epoch]
		if !fresh {
			if at := c.m.leases.at(g.Epoch); at != nil {
				l = at.LeaseGranted
			}
		}
		if grantOf(l) != (Grant{g.Run, g.AttemptRef, g.Worker, g.Instance, g.Epoch, chargehand.Load{}}) {
			c.Fatalf("%#v: grant %+v without its lease", in, g)
		}
		if fresh && g.Load.Active >= g.Load.Slots {
			c.Fatalf("%#v: %+v on a full instance", in, g)
		}
		k := key{g.Run, g.AttemptRef}
		ask, isAsk := in.(Ask)
		if fresh && !c.waiting[k] && !(isAsk && k == key{ask.Run, ask.AttemptRef}) {
			c.Fatalf("%#v: %+v, and nobody asked", in, g)
		}
		delete(c.waiting, k)
		delete(leased, g.Epoch)
	}
	if len(leased) > 0 {
		c.Fatalf("%#v: leases nobody was told of: %v", in, leased)
	}
}

// nobodyLost: an ask waits until it is granted or withdrawn.
func (c *course) nobodyLost(in Input) {
	switch in := in.(type) {
	case Ask:
		if k := (key{in.Run, in.AttemptRef}); c.m.leases.byAttempt[k] == 0 {
			c.waiting[k] = true
		}
	case Withdraw:
		delete(c.waiting, key{in.Run, in.AttemptRef})
	}
	if len(c.waiting) != len(c.m.queue.asks) {
		c.Fatalf("%#v: %d asks wait, the queue has %d", in, len(c.waiting), len(c.m.queue.asks))
	}
	for k := range c.waiting {
		if c.m.queue.asks[k] == nil {
			c.Fatalf("%#v: %v got lost", in, k)
		}
	}
}

// withinSlots: no instance has more leases than slots, unless its slots became fewer under them;
// half-open workers have one probe.
func (c *course) withinSlots() {
	active, probes := map[string]int{}, map[string]int{}
	for _, l := range c.m.Leases() {
		active[l.Instance]++
		if w := c.m.pool.named(l.Worker); l.Probe && l.Epoch > w.Breaker.Stale && w.Breaker.State == chargehand.BreakerHalfOpen {
			probes[l.Worker]++
		}
	}
	for _, w := range c.m.pool.list {
		for _, in := range w.instances {
			if n := active[in.Instance]; n > max(w.Slots, c.active[in.Instance]) {
				c.Fatalf("%d leases on %s with %d slots", n, in.Instance, w.Slots)
			}
		}
		if probes[w.Worker] > 1 {
			c.Fatalf("%d probes of %s", probes[w.Worker], w.Worker)
		}
	}
	c.active = active
}

// nothingIdle: the head of no lane could be served at once. A new moment may change that, so it is
// asked at the time of the step.
func (c *course) nothingIdle() {
	for _, cl := range c.m.queue.classes {
		for _, l := range cl.lanes {
			if len(l.asks) == 0 {
				continue
			}
			if s, ok := c.m.seat(l.asks[0]); ok {
				c.Fatalf("%v waits, and %s has room (lane kind %d)", l.asks[0].key, s.Worker, l.kind)
			}
		}
	}
}

// indexed: what is kept for speed agrees with what it is kept for.
func (c *course) indexed() {
	c.indexedQueue()
	c.indexedLeases()
}

func (c *course) indexedQueue() {
	q := &c.m.queue
	byWorker := map[string]tally{} // asks by tenant
	for _, a := range q.asks {
		for _, cand := range a.Candidates {
			t := byWorker[cand.Worker]
			t.add(a.Tenant, 1)
			byWorker[cand.Worker] = t
		}
		if a.lane.asks[a.index] != a || a.lane.tenant != a.Tenant || a.atRisk != (a.lane.kind == atRisk) && a.lane.kind != tooLate {
			c.Fatalf("%v is not in its lane", a.key)
		}
	}
	for name, d := range q.byWorker {
		n := 0
		for _, x := range d.tenants {
			n += x.n
		}
		if !slices.Equal(d.tenants, byWorker[name]) || d.waiting != n || (n == 0) != (len(d.classes) == 0) {
			c.Fatalf("%v wait for %s, its desk counts %+v", byWorker[name], name, d)
		}
	}
	total := 0
	for _, cl := range q.classes {
		n := 0
		for _, l := range cl.lanes {
			n += len(l.asks)
		}
		if n != cl.waiting || n == 0 {
			c.Fatalf("class %s has %d asks, counts %d", cl.name, n, cl.waiting)
		}
		total += n
	}
	if total != len(q.asks) || len(c.m.agenda.asks.heap) > total {
		c.Fatalf("%d asks in classes, %d in all, %d timers", total, len(q.asks), len(c.m.agenda.asks.heap))
	}
}

func (c *course) indexedLeases() {
	active, old := map[string]int{}, map[string]int{}
	held := map[string]tally{}
	for _, l := range c.m.leases.open {
		w := c.m.pool.named(l.Worker)
		active[l.Worker]++
		active["at "+l.Instance]++
		if l.Epoch <= w.Breaker.Stale {
			old[l.Worker]++
		}
		t := held[l.Worker]
		t.add(l.Tenant, 1)
		held[l.Worker] = t
	}
	for _, w := range c.m.pool.list {
		if w.active != active[w.Worker] || w.old != old[w.Worker] || !slices.Equal(w.held, held[w.Worker]) {
			c.Fatalf("%s: %d active, %d of them old, held %v; counts %+v", w.Worker, active[w.Worker], old[w.Worker], held[w.Worker], w)
		}
		for _, in := range w.instances {
			if in.active != active["at "+in.Instance] || in.IdleSince.IsZero() != (in.active > 0 || in.Try > 0) {
				c.Fatalf("%s: %d active, counts %+v", in.Instance, active["at "+in.Instance], in)
			}
		}
	}
	if len(c.m.leases.byAttempt) != len(c.m.leases.open) {
		c.Fatalf("%d leases, %d by attempt", len(c.m.leases.open), len(c.m.leases.byAttempt))
	}
}

// A snapshot is all that is folded, what follows from it included.
type snapshot struct {
	Pool   []*worker
	Leases []chargehand.Lease
	Epoch  int64
	Now    time.Time
}

func (m *Machine) snapshot() snapshot {
	s := snapshot{Pool: m.pool.list, Leases: m.leases.open, Epoch: m.leases.epoch}
	return s
}

var whole = cmp.Options{
	cmp.AllowUnexported(worker{}, instance{}, count{}),
	cmp.Transformer("empty", func(t tally) []count { return append([]count{}, t...) }),
	cmp.Transformer("none", func(ls []chargehand.Lease) []chargehand.Lease { return append([]chargehand.Lease{}, ls...) }),
}

// folds: a machine folded from the records, from their JSON, or from the latest rebase on, is the
// live one.
func (c *course) folds() {
	live := c.m.snapshot()
	if d := differ(live, Restore(c.records).snapshot()); d != "" {
		c.Fatalf("the fold differs (-live +folded):\n%s", d)
	}
	tail := slices.Clone(c.tail)
	for i := range tail {
		tail[i].Fact = overJSON(c.failer, tail[i].Fact)
	}
	if d := differ(live, Restore(tail).snapshot()); d != "" {
		c.Fatalf("the fold from the latest rebase on differs (-live +folded):\n%s", d)
	}
}

// differ is how two snapshots differ. Deep equality is the quick answer to most.
func differ(a, b snapshot) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	return cmp.Diff(a, b, whole)
}

// overJSON sends a fact or an input through JSON and back.
func overJSON[T any](t failer, x T) T {
	b, err := json.Marshal(x)
	if err != nil {
		t.Fatalf("%T: %v", x, err)
	}
	v := reflect.New(reflect.TypeOf(x))
	if err := json.Unmarshal(b, v.Interface()); err != nil {
		t.Fatalf("%T: %v", x, err)
	}
	return v.Elem().Interface().(T)
}

// TestLargeRebase: a rebase of any size comes in records of at most 16 KiB, and folds.
func TestLargeRebase(t *testing.T) {
	m := New()
	var r Register
	for i := range 100 {
		r.Workers = append(r.Workers, chargehand.FleetWorker{
			Worker: fmt.Sprintf("a-worker-with-a-rather-long-name-%03d", i),
			Slots:  20, Health: "http://a-worker-with-a-rather-long-name.example.com/healthz", Spawn: &chargehand.Spawn{Max: 3},
		})
	}
	m.Step(epoch0, r)
	for i := range 1000 {
		m.Step(epoch0, Ask{
			Run: "01JABCDEFGHJKMNPQRSTVWXYZ0", AttemptRef: chargehand.AttemptRef{Subtask: fmt.Sprintf("subtask-%d", i), Attempt: 1},
			Candidates: []chargehand.Candidate{{Worker: r.Workers[i%100].Worker}}, Tenant: "a tenant",
		})
	}
	out := m.Rebase(epoch0)
	if len(out.Records) < 2 || m.Tail() != 0 {
		t.Fatalf("%d records, %d since", len(out.Records), m.Tail())
	}
	for _, r := range out.Records {
		if b, _ := json.Marshal(r.Fact); len(b) > 16<<10 {
			t.Errorf("part %d has %d bytes", r.Seq, len(b))
		}
	}
	if d := differ(m.snapshot(), Restore(out.Records).snapshot()); d != "" {
		t.Error(d)
	}
}
