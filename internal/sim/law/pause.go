package law

import (
	"slices"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/internal/turn"
)

// goesOnAfter adds a pause to the deadlines of the run and of what is under way.
func (r *run) goesOnAfter(l *Law, at time.Time, f chargehand.PauseEnded) {
	l.looked(Standstill)
	if r.still.IsZero() {
		return
	}
	stood := at.Sub(r.still)
	if r.still = (time.Time{}); !r.deadline.IsZero() {
		r.expired = f.By == "" && !at.Before(r.deadline)
		r.deadline = r.deadline.Add(stood)
	}
	for _, k := range r.tasks {
		if !k.limit.IsZero() {
			k.limit = k.limit.Add(stood)
		}
	}
}

// reschedules judges that an attempt's worker is told of the time that it has.
func (r *run) reschedules(l *Law, do supervise.Reschedule) bool {
	l.looked(Standstill)
	k, a := r.tasks[do.Subtask], r.at(do.AttemptRef)
	if a == nil || a.epoch != do.Epoch {
		return false
	}
	if k.number == do.Attempt && a.running && !do.DeadlineAt.IsZero() && !do.DeadlineAt.Equal(k.limit) {
		l.fails(Standstill, r.id, "the worker of %s attempt %d is told that it has until %s, and it has until %s", do.Subtask, do.Attempt, do.DeadlineAt, k.limit)
	}
	return true
}

// wakes judges when the run wants to be woken: in time for what falls due, and while it is paused for
// nothing but its reviews.
func (r *run) wakes(l *Law, row turn.Row) {
	l.looked(Standstill)
	if r.ended || r.closing || r.stopping != nil {
		return
	}
	if !r.still.IsZero() {
		due := func(v chargehand.Review) bool { return v.Deadline.Equal(row.Wake) }
		if !row.Wake.IsZero() && !slices.ContainsFunc(r.desk.list(), due) {
			l.fails(Standstill, r.id, "it is paused, and is to be woken at %s, when no review falls due", row.Wake)
		}
		return
	}
	late := func(at time.Time) bool {
		return row.Active && !at.IsZero() && (row.Wake.IsZero() || row.Wake.After(at))
	}
	if late(r.deadline) {
		l.fails(Standstill, r.id, "it is to be woken at %s, and its deadline is %s", row.Wake, r.deadline)
	}
	for _, k := range r.tasks {
		if a := k.attempts[k.number]; a != nil && a.running && !a.adrift && late(k.limit) {
			l.fails(Standstill, r.id, "it is to be woken at %s, and %s attempt %d is due at %s", row.Wake, k.ID, k.number, k.limit)
		}
	}
}
