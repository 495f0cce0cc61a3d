package fleet

import (
	"fmt"

	"github.com/chargehand/chargehand"
)

// breakerOpen is the alert about a breaker that keeps work from a worker.
const breakerOpen = "breaker_open"

// tellOpen tells the runs that a breaker has opened: those that the worker works for, and those that
// wait for it (SPEC.md ·74).
func (m *Machine) tellOpen(w *worker, out *Output) {
	told := map[string]bool{} // for look-ups only
	for _, l := range m.leases.open {
		if l.Worker == w.Worker && !told[l.Run] {
			told[l.Run] = true
			m.notify(w, l.Run, l.Subtask, out)
		}
	}
	for _, c := range m.queue.of(w.Worker).classes {
		for _, lane := range c.lanes {
			for _, a := range lane.asks {
				if !told[a.Run] {
					told[a.Run] = true
					m.notify(w, a.Run, a.Subtask, out)
				}
			}
		}
	}
}

// tellWaiting tells a run whose ask has to wait which open breakers it waits for.
func (m *Machine) tellWaiting(a *ask, out *Output) {
	for _, c := range a.Candidates {
		if w := m.pool.named(c.Worker); w != nil && w.Breaker.State == chargehand.BreakerOpen {
			m.notify(w, a.Run, a.Subtask, out)
		}
	}
}

func (m *Machine) notify(w *worker, run, subtask string, out *Output) {
	b, name := &w.Breaker, w.name()
	since := b.Until.Add(-openFor)
	out.Notices = append(out.Notices, Notice{run, chargehand.Alerted{
		What: breakerOpen, Worker: name, Subtask: subtask,
		Why: fmt.Sprintf("the breaker of %s is open since %s (%s); one call is let through at %s", name,
			since.Format("15:04:05"), b.Why, b.Until.Format("15:04:05")),
	}})
}
