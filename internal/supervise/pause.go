package supervise

import (
	"time"

	"github.com/chargehand/chargehand"
)

// setDeadline gives the run its deadline. A run that stands still has it from the moment it goes on.
func (m *Machine) setDeadline(r chargehand.Record, at time.Time) {
	m.run.limit, m.run.deadline, m.run.left, m.run.armed = 0, at, 0, r.Seq
	if at.IsZero() {
		return
	}
	m.run.limit = at.Sub(r.At)
	m.timers.add(timer{at: at, seq: r.Seq})
}

// watch gives the task's attempt, which begins now, its deadline.
func (m *Machine) watch(k *task, at time.Time) {
	a := &k.attempt
	a.limit, a.deadline, a.left, a.armed = at.Sub(m.last), at, 0, m.seq
	m.timers.add(timer{at: at, attempt: k.ref(), seq: m.seq})
}

// stand stops the time of the run and of what is under way in it (SPEC.md ·129). Reviews keep their
// deadlines.
func (m *Machine) stand(at time.Time) {
	m.timers.stop()
	if r := &m.run; !r.deadline.IsZero() {
		r.left, r.deadline = r.deadline.Sub(at), time.Time{}
	}
	for _, k := range m.board.order {
		if a := &k.attempt; k.watched() && !a.deadline.IsZero() {
			a.left, a.deadline = a.deadline.Sub(at), time.Time{}
		}
	}
}

// goOn lets the time of the run go on with what was left of it.
func (m *Machine) goOn(at time.Time) {
	if r := &m.run; r.left > 0 {
		r.deadline, r.left = at.Add(r.left), 0
		m.timers.add(timer{at: r.deadline, seq: r.armed})
	}
	for _, k := range m.board.order {
		if a := &k.attempt; k.watched() && a.left > 0 {
			a.deadline, a.left = at.Add(a.left), 0
			m.timers.add(timer{at: a.deadline, attempt: k.ref(), seq: a.armed})
		}
	}
}

// reschedule tells the workers' contexts what has become of the attempts' time.
func (m *Machine) reschedule(out *Output) {
	if m.run.format < 2 {
		return
	}
	for _, k := range m.board.order {
		if k.watched() {
			out.begin(Reschedule{k.ref(), k.attempt.epoch, k.attempt.deadline})
		}
	}
}

// watched reports whether the task's attempt is under way and has a deadline.
func (k *task) watched() bool { return k.state == chargehand.SubtaskRunning && k.attempt.armed != 0 }
