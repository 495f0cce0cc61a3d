package fleet

import (
	"time"

	"github.com/chargehand/chargehand"
)

// probeEvery is how often a worker in use is asked whether it is well.
const probeEvery = 30 * time.Second

// The probes say when each worker may be asked for its health next. They are not folded: a
// machine that was folded again asks at once.
type probes struct{ next map[string]time.Time }

// wanted reports whether the worker's health is of interest: somebody uses it, or waits for it.
func (m *Machine) wanted(w *worker) bool {
	return w.Health != "" && (w.active > 0 || m.queue.of(w.Worker).waiting > 0)
}

func (m *Machine) nextProbe(w *worker) time.Time {
	if at, ok := m.probes.next[w.Worker]; ok {
		return at
	}
	return m.now
}

// probe asks for the worker's health, unless that was done lately.
func (m *Machine) probe(w *worker, out *Output) {
	if w.Health == "" || m.nextProbe(w).After(m.now) {
		return
	}
	m.probes.next[w.Worker] = m.now.Add(probeEvery)
	out.begin(Probe{Worker: w.Worker, Address: w.Health})
}

// examined records what a worker's health endpoint answered, where that is news.
func (m *Machine) examined(in Healthy, out *Output) {
	w := m.pool.named(in.Worker)
	if w == nil || w.Health == "" || in.OK == (w.Unhealthy == "") {
		return
	}
	f := chargehand.HealthChanged{Worker: in.Worker, Healthy: in.OK}
	if !in.OK {
		f.Why = in.Why
	}
	m.record(f, out)
	m.stir(w)
}

func (w *worker) applyHealth(f chargehand.HealthChanged) {
	switch {
	case f.Healthy:
		w.Unhealthy = ""
	case f.Why == "":
		w.Unhealthy = "no reason given"
	default:
		w.Unhealthy = f.Why
	}
}
