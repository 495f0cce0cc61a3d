package fleet

import (
	"fmt"
	"slices"
	"time"

	"github.com/chargehand/chargehand"
)

const (
	lastTry   = 2                // a spawn is tried twice (SPEC.md ·100)
	spawnRest = 30 * time.Second // after both failed, so that a long queue does not try in vain for each ask
)

// The offers are how many dynamic instances of each worker runs are asked to pay for.
type offers map[string]int

// spawnFor brings up a dynamic instance for an ask, if every worker that could serve it is full,
// no instance under way will do, and its run can afford one (SPEC.md ·93, ·100).
func (m *Machine) spawnFor(a *ask, out *Output) {
	if a.spawned || a.SpawnUpTo <= 0 || !slices.ContainsFunc(a.Candidates, m.hasTemplate) {
		return
	}
	group := lowest(m.able(a))
	coming := 0
	for _, s := range group {
		if !s.worker.full() || s.worker.comesFor(a.key) {
			return
		}
		coming += (s.worker.coming() + m.offers[s.worker.Worker]) * s.worker.Slots
	}
	if coming >= a.lane.class.waiting {
		return
	}
	if w := m.cheapestSpawn(group, a.SpawnUpTo); w != nil {
		a.spawned = true
		if w.Spawn.EstimateUSD == 0 {
			m.firstSpawn(w, a.key, out)
			return
		}
		m.offers[w.Worker]++
		out.Offers = append(out.Offers, Offer{Run: a.Run, AttemptRef: a.AttemptRef, Worker: w.Worker, EstimateUSD: w.Spawn.EstimateUSD})
	}
}

// firstSpawn asks for a dynamic instance that nothing has to be paid for any more.
func (m *Machine) firstSpawn(w *worker, k key, out *Output) {
	m.askSpawn(w, chargehand.SpawnAsked{
		Worker: w.Worker, Instance: fmt.Sprintf("%s+%d", w.Worker, w.Spawns+1),
		Try: 1, Run: k.run, AttemptRef: k.AttemptRef, EstimateUSD: w.Spawn.EstimateUSD,
	}, out)
}

// funded brings up an instance that its run pays for. It is paid for once, whether the attempt still
// waits or not.
func (m *Machine) funded(in Fund, out *Output) {
	w := m.pool.named(in.Worker)
	if w == nil || m.offers[in.Worker] == 0 {
		return
	}
	m.offers[in.Worker]--
	if in.Pays && w.Spawn != nil {
		m.firstSpawn(w, key{in.Run, in.AttemptRef}, out)
	}
}

// hasTemplate reports whether the worker may have dynamic instances.
func (m *Machine) hasTemplate(c chargehand.Candidate) bool {
	w := m.pool.named(c.Worker)
	return w != nil && w.Spawn != nil
}

func (m *Machine) askSpawn(w *worker, f chargehand.SpawnAsked, out *Output) {
	m.record(f, out)
	out.begin(Spawn{Worker: w.Worker, Instance: f.Instance})
}

// cheapestSpawn is the worker whose dynamic instance costs least and below the limit, nil if there
// is none.
func (m *Machine) cheapestSpawn(group []seat, below chargehand.Micros) *worker {
	var best *worker
	for _, s := range group {
		w := s.worker
		if !m.spawnable(w) || w.Spawn.EstimateUSD >= below {
			continue
		}
		if best == nil || w.Spawn.EstimateUSD < best.Spawn.EstimateUSD {
			best = w
		}
	}
	return best
}

// spawnable reports whether the worker may have one more dynamic instance. One whose breaker has
// just closed shows first that it works.
func (m *Machine) spawnable(w *worker) bool {
	if w.Spawn == nil || w.breaker().Ramp > 0 || m.now.Before(w.SpawnRest) {
		return false
	}
	n := 0
	for i := range w.instances {
		if w.instances[i].Dynamic {
			n++
		}
	}
	return n+m.offers[w.Worker] < w.Spawn.Max
}

// coming is how many dynamic instances are under way.
func (w *worker) coming() int {
	n := 0
	for i := range w.instances {
		if w.instances[i].Try > 0 {
			n++
		}
	}
	return n
}

// comesFor reports whether one of them is for the attempt.
func (w *worker) comesFor(k key) bool {
	return slices.ContainsFunc(w.instances, func(in instance) bool {
		return in.Try > 0 && key{in.Run, in.For} == k
	})
}

// spawned takes the answer to a Spawn. An instance nobody expects any more is sent away.
func (m *Machine) spawned(in Spawned, out *Output) {
	w := m.pool.named(in.Worker)
	if w == nil {
		return
	}
	at := w.instance(in.Instance)
	switch {
	case at == nil && in.Err == "":
		out.begin(Retire{Worker: in.Worker, Instance: in.Instance})
	case at == nil || !at.Dynamic:
	case in.Err == "" && at.Try > 0:
		m.cameUp(w, *at, out)
	case in.Err != "" && at.Try > 0:
		m.failedToSpawn(w, *at, in.Err, out)
	case in.Err != "" && at.active == 0: // it was up before a restart
		m.retire(w, in.Instance, out)
	}
}

// cameUp serves the ask the instance was spawned for before any other.
func (m *Machine) cameUp(w *worker, at instance, out *Output) {
	m.record(chargehand.InstanceSpawned{Worker: w.Worker, Instance: at.Instance, Dynamic: true}, out)
	m.stir(w)
	a := m.queue.asks[key{at.Run, at.For}]
	if a == nil {
		return
	}
	for _, s := range m.able(a) {
		if s.worker == w && w.room() {
			m.grant(a, s, out)
			return
		}
	}
}

// failedToSpawn tries once more, if somebody still waits; after that the ask waits for the others.
func (m *Machine) failedToSpawn(w *worker, at instance, why string, out *Output) {
	m.record(chargehand.SpawnFailed{Worker: w.Worker, Instance: at.Instance, Why: why}, out)
	if at.Try < lastTry && w.Spawn != nil && m.queue.of(w.Worker).waiting > 0 {
		m.askSpawn(w, chargehand.SpawnAsked{
			Worker: w.Worker, Instance: at.Instance, Try: at.Try + 1,
			Run: at.Run, AttemptRef: at.For, EstimateUSD: w.Spawn.EstimateUSD,
		}, out)
	}
}
