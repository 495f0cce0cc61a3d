package fleet

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
)

// The leases say who works on what. One is held until Return, however long its attempt takes to
// stop: that keeps a worker within its slots (SPEC.md ·101).
type leases struct {
	epoch     int64              // of the latest; rises with every lease
	open      []chargehand.Lease // by epoch
	byAttempt map[key]int64
}

// A key names an attempt among all runs.
type key struct {
	run string
	chargehand.AttemptRef
}

func compareKeys(a, b key) int {
	return cmp.Or(strings.Compare(a.run, b.run), strings.Compare(a.Subtask, b.Subtask), a.Attempt-b.Attempt)
}

func newLeases() leases { return leases{byAttempt: map[key]int64{}} }

// at is the open lease with the epoch, nil if there is none.
func (ls *leases) at(epoch int64) *chargehand.Lease {
	i, ok := slices.BinarySearchFunc(ls.open, epoch, byEpoch)
	if !ok {
		return nil
	}
	return &ls.open[i]
}

func byEpoch(l chargehand.Lease, epoch int64) int { return cmp.Compare(l.Epoch, epoch) }

// Leases are the open ones, by epoch. The slice is the caller's.
func (m *Machine) Leases() []chargehand.Lease { return slices.Clone(m.leases.open) }

// applyGranted folds a new lease in.
func (m *Machine) applyGranted(f chargehand.LeaseGranted, at time.Time) {
	m.leases.epoch = f.Epoch
	m.hold(chargehand.Lease{LeaseGranted: f, GrantedAt: at})
}

func (m *Machine) hold(l chargehand.Lease) {
	m.leases.open = append(m.leases.open, l)
	m.leases.byAttempt[key{l.Run, l.AttemptRef}] = l.Epoch
	w := m.pool.named(l.Worker)
	w.active++
	if l.Epoch <= w.breaker().Stale {
		w.old++
	}
	w.held.add(l.Tenant, 1)
	in := w.instance(l.Instance)
	in.active++
	in.IdleSince = time.Time{}
	if l.Probe {
		w.breaker().Probe = l.Epoch
	}
}

// applyFreed folds the end of a lease in, with what it says of its worker.
func (m *Machine) applyFreed(f chargehand.LeaseFreed, at time.Time) {
	i, _ := slices.BinarySearchFunc(m.leases.open, f.Epoch, byEpoch)
	l := m.leases.open[i]
	m.leases.open = slices.Delete(m.leases.open, i, i+1)
	delete(m.leases.byAttempt, key{l.Run, l.AttemptRef})
	w := m.pool.named(l.Worker)
	w.active--
	if l.Epoch <= w.breaker().Stale {
		w.old--
	}
	w.held.add(l.Tenant, -1)
	in := w.instance(l.Instance)
	if in.active--; in.active == 0 {
		in.IdleSince = at
	}
	w.observe(f.Outcome, at.Sub(l.GrantedAt))
	w.breaker().count(l.Epoch, f.Outcome, w.capacity())
}

// giveBack frees a lease. One that is not open was freed before.
func (m *Machine) giveBack(in Return, out *Output) {
	if l := m.leases.at(in.Epoch); l != nil {
		m.free(*l, in.Outcome, out)
	}
}

func (m *Machine) free(l chargehand.Lease, o chargehand.Outcome, out *Output) {
	w := m.pool.named(l.Worker)
	probe := w.breaker().Probe == l.Epoch
	m.record(chargehand.LeaseFreed{Epoch: l.Epoch, Outcome: o}, out)
	if probe {
		m.probed(w, o, out)
	} else {
		m.trip(w, out)
	}
	m.stir(w)
	m.turn.freed = append(m.turn.freed, l)
}

// reconcile makes the leases those of the open attempts.
func (m *Machine) reconcile(in Reconcile, out *Output) {
	held := map[Holding]bool{}
	for _, h := range in.Held {
		held[h] = true
		if l := m.leases.at(h.Epoch); l == nil || holding(*l) != h {
			out.Orphans = append(out.Orphans, h)
		}
	}
	for _, l := range m.Leases() {
		if !held[holding(l)] {
			m.free(l, chargehand.OutcomeRepaired, out)
		}
	}
	m.turn.freed = nil // nobody waits yet, and that is no reason to let instances go
	for _, w := range m.pool.list {
		for i := range w.instances {
			if w.instances[i].Dynamic {
				out.begin(Spawn{Worker: w.Worker, Instance: w.instances[i].Instance})
			}
		}
	}
}

func holding(l chargehand.Lease) Holding { return Holding{l.Epoch, l.Run, l.AttemptRef} }
