package fleet

import (
	"fmt"
	"time"

	"github.com/chargehand/chargehand"
)

var zero time.Time

// watch raises the alarm over an ask that must wait, at once or when its patience ends
// (SPEC.md ·103).
func (m *Machine) watch(a *ask, out *Output) {
	if at := m.riskAt(a); at.After(m.now) {
		m.agenda.asks.set(a.key, at)
	} else {
		m.alarm(a, out)
	}
}

// riskAt is when an ask is at risk: after waiting twice as long as a call takes and at least a
// second, or once the wait to be expected and a call no longer fit before the run's deadline.
func (m *Machine) riskAt(a *ask) time.Time {
	latency, slots := m.pace(a)
	at := a.asked.Add(max(2*latency, time.Second))
	if a.Deadline.IsZero() {
		return at
	}
	wait := latency * time.Duration(a.lane.class.waiting) / time.Duration(max(1, slots))
	return earlier(at, a.Deadline.Add(-wait-latency).Truncate(time.Microsecond))
}

// pace is the shortest known average of the workers that are to serve the ask, and their slots:
// those of the lowest rank, or all it names if none is fit.
func (m *Machine) pace(a *ask) (latency time.Duration, slots int) {
	count := func(w *worker) {
		slots += w.capacity()
		if d := w.latency(); d > 0 && (latency == 0 || d < latency) {
			latency = d
		}
	}
	for _, s := range lowest(m.able(a)) {
		count(s.worker)
	}
	if slots > 0 {
		return latency, slots
	}
	for _, c := range a.Candidates {
		if w := m.pool.named(c.Worker); w != nil {
			count(w)
		}
	}
	return latency, slots
}

// alarm says once that the ask is at risk, and lets higher ranks serve it from then on.
func (m *Machine) alarm(a *ask, out *Output) {
	a.atRisk = true
	f := chargehand.Alerted{What: "sla_at_risk", Run: a.Run, Subtask: a.Subtask, Why: m.danger(a)}
	m.record(f, out)
	f.Run = "" // it stands in that run's own log
	out.Notices = append(out.Notices, Notice{a.Run, f})
	m.queue.move(a, atRisk)
	m.look(a.lane.class)
}

func (m *Machine) danger(a *ask) string {
	if waited := m.now.Sub(a.asked); waited >= time.Second {
		return fmt.Sprintf("has waited %s for a worker", waited)
	}
	return "the wait for a worker may pass the run's deadline"
}
