package fleet

import (
	"time"

	"github.com/chargehand/chargehand"
)

// A part of a rebase holds no more than so much: about as many lines, so that a record stays
// small however large the fleet.
const partWeight = 60

// Rebase records all that the records so far come to. Restore may begin at the first record of
// the answer; those before it are only history. It changes nothing, and the answer's records
// belong into one transaction.
func (m *Machine) Rebase(now time.Time) Output {
	var out Output
	m.begin(now)
	parts := m.parts()
	for i := range parts {
		parts[i].Part, parts[i].Parts, parts[i].Epoch = i+1, len(parts), m.leases.epoch
		m.record(parts[i], &out)
	}
	out.Wake = m.Wake()
	return out
}

// Tail is how many records there are since the last Rebase: when it is long, another is due.
func (m *Machine) Tail() int64 { return m.seq - m.rebased }

// parts is the folded state, in portions.
func (m *Machine) parts() []chargehand.FleetRebased {
	parts := []chargehand.FleetRebased{{}}
	weight := 0
	room := func(w int) *chargehand.FleetRebased {
		if weight += w; weight > partWeight && weight > w {
			parts, weight = append(parts, chargehand.FleetRebased{}), w
		}
		return &parts[len(parts)-1]
	}
	for _, w := range m.pool.list {
		p := room(4 + len(w.instances))
		p.Workers = append(p.Workers, w.state())
	}
	for _, l := range m.leases.open {
		p := room(2)
		p.Leases = append(p.Leases, l)
	}
	return parts
}

// state is all that is folded of the worker.
func (w *worker) state() chargehand.WorkerState {
	s := w.WorkerState
	s.Instances = nil
	for _, in := range w.instances {
		s.Instances = append(s.Instances, in.InstanceState)
	}
	return s
}

// applyRebased replaces what is folded by what the record holds.
func (m *Machine) applyRebased(f chargehand.FleetRebased) {
	m.rebased = m.seq
	if f.Part == 1 {
		m.pool, m.leases = newPool(), newLeases()
		m.leases.epoch = f.Epoch
	}
	for _, s := range f.Workers {
		m.pool.add(workerOf(s))
	}
	for _, l := range f.Leases {
		m.hold(l)
	}
}

func workerOf(s chargehand.WorkerState) *worker {
	w := &worker{WorkerState: s}
	w.Instances = nil
	for _, in := range s.Instances {
		number := 0
		if !in.Dynamic {
			number = numberOf(s.Worker, in.Instance)
		}
		w.instances = append(w.instances, instance{InstanceState: in, number: number})
	}
	return w
}
