package chargehand

import "time"

// running are the attempts under way, one a row at most.
func (v *View) running() []*AttemptView {
	var list []*AttemptView
	for _, row := range v.Rows {
		if n := len(row.Attempts); row.State == SubtaskRunning && n > 0 {
			list = append(list, &row.Attempts[n-1])
		}
	}
	return list
}

// paused stops the time of the run and of what is under way in it, where the record says so (SPEC.md
// ·129). Reviews then show their own deadlines.
func (v *View) paused(at time.Time, f PauseBegan) {
	v.State, v.PausedBy, v.Why = RunPaused, f.By, f.Reason
	if !f.Still {
		return
	}
	if !v.DeadlineAt.IsZero() {
		v.Left, v.DeadlineAt = Duration(v.DeadlineAt.Sub(at)), time.Time{}
	}
	for _, a := range v.running() {
		if !a.DeadlineAt.IsZero() {
			a.Limit, a.Left, a.DeadlineAt = Duration(a.Allowed()), Duration(a.DeadlineAt.Sub(at)), time.Time{}
		}
	}
	v.showDeadline()
}

// resumed lets the time of the run go on with what was left of it.
func (v *View) resumed(at time.Time) {
	v.State, v.PausedBy, v.Why = RunRunning, "", ""
	if v.Left > 0 {
		v.DeadlineAt, v.Left = at.Add(v.Left.Std()), 0
	}
	for _, a := range v.running() {
		if a.Left > 0 {
			a.DeadlineAt, a.Left = at.Add(a.Left.Std()), 0
		}
	}
	v.showDeadline()
}

// showDeadline has the open reviews show which deadline acts: their own or the run's.
func (v *View) showDeadline() {
	for i := range v.Reviews {
		if r := &v.Reviews[i]; r.Open() {
			*r = r.Within(v.DeadlineAt)
		}
	}
}

// restarted follows an attempt that a restart took with it. It has no deadline while its run is paused,
// and begins again with all of its time.
func (v *View) restarted(at time.Time, f Fact) {
	switch f := f.(type) {
	case Recovered:
		for _, a := range v.running() {
			a.Left = 0
		}
	case AttemptResumed:
		_, a := v.attempt(f.AttemptRef)
		a.DeadlineAt, a.Limit = f.DeadlineAt, Duration(f.DeadlineAt.Sub(at))
	}
}

// Allowed is the time that the attempt has in all, its run's pauses left out.
func (a *AttemptView) Allowed() time.Duration {
	if a.Limit > 0 {
		return a.Limit.Std()
	}
	return a.DeadlineAt.Sub(a.StartedAt)
}

// Taken is how much of that the attempt, which is under way, has taken by now.
func (a *AttemptView) Taken(now time.Time) time.Duration {
	switch {
	case a.Left > 0:
		return a.Allowed() - a.Left.Std()
	case a.DeadlineAt.IsZero():
		return 0 // it begins again when its run goes on
	}
	return a.Allowed() - a.DeadlineAt.Sub(now)
}
