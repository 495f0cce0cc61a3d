package fleet

import (
	"slices"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
)

// The pool is the workers.
type pool struct {
	list   []*worker // in the order in which they were first registered
	byName map[string]*worker
}

// A worker is what is known of one worker.
type worker struct {
	chargehand.WorkerState // folded; its Instances are kept below

	instances []instance // static ones by number, then dynamic ones by age
	active    int        // leases on all of them
	old       int        // those of them from before the breaker last opened
	held      tally      // leases by tenant
}

func newPool() pool { return pool{byName: map[string]*worker{}} }

// named is the worker called name, nil if there is none.
func (p *pool) named(name string) *worker { return p.byName[name] }

func (p *pool) add(w *worker) {
	p.list = append(p.list, w)
	p.byName[w.Worker] = w
}

// register folds a registration in: each worker has its Min static instances from then on.
func (p *pool) register(f chargehand.WorkersRegistered, at time.Time) {
	for _, spec := range f.Workers {
		w := p.named(spec.Worker)
		if w == nil {
			w = &worker{}
			w.Worker, w.Breaker.State = spec.Worker, chargehand.BreakerClosed
			p.add(w)
		}
		w.FleetWorker = spec
		if w.Health == "" {
			w.Unhealthy = ""
		}
		for n := 1; n <= spec.Min; n++ {
			w.addStatic(n, at)
		}
	}
}

// register records the workers that are new or changed.
func (m *Machine) register(in Register, out *Output) {
	var news []chargehand.FleetWorker
	for _, spec := range in.Workers {
		spec = m.pool.keyed(inForce(spec))
		w := m.pool.named(spec.Worker)
		if w == nil || !sameSpec(w.FleetWorker, spec) {
			news = append(news, spec)
		}
	}
	if len(news) == 0 {
		return
	}
	for rest := news; len(rest) > 0; {
		n := fitting(rest)
		m.record(chargehand.WorkersRegistered{Workers: rest[:n:n]}, out)
		rest = rest[n:]
	}
	for _, spec := range news {
		m.stir(m.pool.named(spec.Worker))
	}
}

// fitting is how many of a list of workers one record holds, at least one.
func fitting(list []chargehand.FleetWorker) int {
	const (
		most  = 12 << 10 // bytes
		bare  = 400      // of a worker, but for its texts
		spelt = 2        // bytes of JSON for one of a text, as an estimate on the safe side
	)
	size := 0
	for i, w := range list {
		size += bare + spelt*(len(w.Worker)+len(w.Name)+len(w.Health))
		if i > 0 && size > most {
			return i
		}
	}
	return len(list)
}

// inForce fills in the least limits a worker can have.
func inForce(w chargehand.FleetWorker) chargehand.FleetWorker {
	w.Slots = max(1, w.Slots)
	w.Min = max(1, w.Min)
	w.Max = max(w.Min, w.Max)
	w.LatencyMS = max(0, w.LatencyMS)
	return w
}

func sameSpec(a, b chargehand.FleetWorker) bool {
	sa, sb := a.Spawn, b.Spawn
	a.Spawn, b.Spawn = nil, nil
	if sa == nil || sb == nil {
		return a == b && sa == sb
	}
	return a == b && *sa == *sb
}

// drain records that a worker takes nothing new, or takes work again.
func (m *Machine) drain(in Drain, out *Output) {
	list := m.pool.all(in.Worker)
	if len(list) == 0 {
		out.Refusal = &chargehand.Error{
			Code: chargehand.CodeNotFound, What: "drain " + in.Worker,
			Why: "the fleet has no worker of that name",
		}
		return
	}
	for _, w := range list {
		if w.Drained == in.On {
			continue
		}
		m.record(chargehand.WorkerDrained{Worker: w.Worker, Drained: in.On, By: in.By, Reason: in.Reason}, out)
		m.stir(w)
	}
}

// steady is how many calls an observed average takes to count more than the declared one.
const steady = 5

// latency is the worker's average: the observed one, else the declared; zero means not known.
func (w *worker) latency() time.Duration {
	if w.Samples >= steady {
		return time.Duration(w.AverageUS) * time.Microsecond
	}
	return time.Duration(w.LatencyMS) * time.Millisecond
}

// observe folds the outcome of one call in. Only calls that ended fine say how long one takes:
// a call that was stopped tells of its deadline.
func (w *worker) observe(o chargehand.Outcome, took time.Duration) {
	switch o {
	case chargehand.OutcomeFine:
		w.Calls++
		w.Samples++
		if w.Samples == 1 {
			w.AverageUS = took.Microseconds()
		}
		w.AverageUS += (took.Microseconds() - w.AverageUS) / 5
	case chargehand.OutcomeFailed, chargehand.OutcomeLate:
		w.Calls++
		w.Failures++
	}
}

// A tally counts by tenant, in order of name, without zeros.
type tally []count

type count struct {
	tenant string
	n      int
}

func (t *tally) add(tenant string, n int) {
	i, ok := slices.BinarySearchFunc(*t, tenant, byTenant)
	if !ok {
		*t = slices.Insert(*t, i, count{tenant, 0})
	}
	if (*t)[i].n += n; (*t)[i].n == 0 {
		*t = slices.Delete(*t, i, i+1)
	}
}

func (t tally) of(tenant string) int {
	if i, ok := slices.BinarySearchFunc(t, tenant, byTenant); ok {
		return t[i].n
	}
	return 0
}

func byTenant(c count, tenant string) int { return strings.Compare(c.tenant, tenant) }
