package fleet

import (
	"cmp"
	"slices"

	"github.com/chargehand/chargehand"
)

// A seat is a worker that could serve an ask.
type seat struct {
	worker *worker
	*chargehand.Candidate
	order int // in the ask's list
}

// A slate is memory that is used again.
type slate struct {
	seats   []seat          // what able answered last
	tenants map[string]bool // for weigh
	name    []byte          // for class names
}

// able are the workers that may serve the ask now or when they have room, lower ranks first
// (SPEC.md ·11). An average is an estimate: where all who are fit are too slow for the attempt's
// timeout, they may try. The run's deadline is not negotiable. The next call writes over the
// answer.
func (m *Machine) able(a *ask) []seat {
	seats := m.fit(a)
	slow := func(s seat) bool { return a.Timeout > 0 && s.worker.latency() > a.Timeout }
	if !slices.ContainsFunc(seats, func(s seat) bool { return !slow(s) }) {
		return seats
	}
	return slices.DeleteFunc(seats, slow)
}

// fit are the workers that are fit to work, and in time for the run's deadline.
func (m *Machine) fit(a *ask) []seat {
	seats := m.slate.seats[:0]
	for i := range a.Candidates {
		w := m.pool.named(a.Candidates[i].Worker)
		if w != nil && w.fit() && m.inTime(w, a) {
			seats = append(seats, seat{w, &a.Candidates[i], i})
		}
	}
	m.slate.seats = seats
	return seats
}

// fit reports whether the worker may be given work, apart from how busy it is. A half-open one is
// tried with one lease at a time.
func (w *worker) fit() bool {
	b := w.breaker()
	return !w.Drained && w.Unhealthy == "" && b.State != chargehand.BreakerOpen && b.Probe == 0
}

// inTime reports whether an average call would end before the run's deadline.
func (m *Machine) inTime(w *worker, a *ask) bool {
	return a.Deadline.IsZero() || !m.now.Add(w.latency()).After(a.Deadline)
}

// lowest are the seats of the lowest rank that has any.
func lowest(seats []seat) []seat {
	n := 0
	for n < len(seats) && seats[n].Rank == seats[0].Rank {
		n++
	}
	return seats[:n]
}

// seat is where the ask is served now. A higher rank serves only an ask at risk, or when nobody of
// the lower is fit (SPEC.md ·103).
func (m *Machine) seat(a *ask) (seat, bool) {
	for rest := m.able(a); len(rest) > 0; {
		group := lowest(rest)
		rest = rest[len(group):]
		free := slices.DeleteFunc(group, func(s seat) bool { return !s.worker.room() })
		if len(free) > 0 {
			return prefer(a.Strategy, free), true
		}
		if !a.atRisk {
			break
		}
	}
	return seat{}, false
}

// room reports whether the worker can take a lease now. One whose breaker has just closed takes
// few: those who waited for it do not come all at once. Attempts that hang since before it opened
// do not count there, or they would keep it from showing that it works.
func (w *worker) room() bool {
	b := w.breaker()
	return !w.full() && (b.Ramp == 0 || w.active-w.old < b.Ramp)
}

// prefer is the seat that the strategy likes best. Costs are compared within a tier only: each
// tier sends its best.
func prefer(st chargehand.Strategy, free []seat) seat {
	if st == chargehand.RouteStatic {
		return free[0]
	}
	load := idle
	if st == chargehand.RouteLoad {
		load = fullness
	}
	slices.SortFunc(free, func(a, b seat) int {
		return cmp.Or(a.Tier-b.Tier, load(a, b), cmp.Compare(a.CostUSD, b.CostUSD), lessUsed(a, b))
	})
	best := slices.CompactFunc(free, func(a, b seat) bool { return a.Tier == b.Tier })
	return slices.MinFunc(best, func(a, b seat) int { return cmp.Or(load(a, b), lessUsed(a, b)) })
}

// idle puts workers without work first.
func idle(a, b seat) int { return min(a.worker.active, 1) - min(b.worker.active, 1) }

// fullness puts workers first that use the smaller part of their slots.
func fullness(a, b seat) int {
	return a.worker.active*b.worker.capacity() - b.worker.active*a.worker.capacity()
}

func lessUsed(a, b seat) int { return cmp.Or(a.worker.active-b.worker.active, a.order-b.order) }
