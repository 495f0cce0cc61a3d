package law

import (
	"slices"
	"time"

	"github.com/chargehand/chargehand"
)

// at is the attempt a reference names, nil if it never started.
func (r *run) at(ref chargehand.AttemptRef) *attempt {
	if k := r.tasks[ref.Subtask]; k != nil {
		return k.attempts[ref.Attempt]
	}
	return nil
}

// goesOn judges that a subtask has not ended.
func (r *run) goesOn(l *Law, k *task) {
	l.looked(Accept)
	if k.state.Final() {
		l.fails(Accept, r.id, "%s was %s, and goes on", k.ID, k.state)
	}
}

func (r *run) queue(l *Law, f chargehand.SubtasksQueued) {
	for _, a := range f.Attempts {
		k := r.tasks[a.Subtask]
		r.goesOn(l, k)
		if r.desk.about(k.ID) {
			l.fails(Review, r.id, "%s is queued while a person is asked about it", k.ID)
		}
		for _, dep := range k.Deps {
			l.looked(Verdict)
			if !r.tasks[dep].state.Accepted() {
				l.fails(Verdict, r.id, "%s is queued, and %s, which it depends on, is %s", k.ID, dep, r.tasks[dep].state)
			}
		}
		k.waiting, k.since, k.queued = true, l.pool.turn, queued{f.Candidates, f.Strategy}
		k.state = chargehand.SubtaskQueued
	}
}

func (r *run) start(l *Law, f chargehand.Fact) {
	if l.pool.held {
		l.fails(Effects, r.id, "an attempt begins in a process in which nobody works: %+v", f)
	}
	switch f := f.(type) {
	case chargehand.AttemptStarted:
		k := r.tasks[f.Subtask]
		r.goesOn(l, k)
		r.fits(l, k, f)
		k.number, k.waiting, k.state, k.limit = f.Attempt, false, chargehand.SubtaskRunning, f.DeadlineAt
		k.attempts[f.Attempt] = &attempt{epoch: f.Epoch, since: l.pool.turn, worker: f.Worker, running: true}
		l.pool.open[f.Epoch] = place{r.id, f.AttemptRef}
	case chargehand.AttemptResumed:
		k := r.tasks[f.Subtask]
		k.limit = f.DeadlineAt
		a := k.attempts[f.Attempt]
		w := r.team.Worker(a.worker)
		r.again(l, k, a, f)
		l.looked(Retry)
		if !k.Effect.Reads() && (w == nil || !w.Idempotent) {
			l.fails(Retry, r.id, "%s writes, its worker is not idempotent, and attempt %d is pursued again", k.ID, f.Attempt)
		}
	}
}

// recovered takes in that the process before is gone. What it was about waits, in a paused run, until
// that goes on, and its workers are free for others.
func (r *run) recovered(l *Law, f chargehand.Recovered) {
	r.adrift = r.paused && !f.Held
	for _, k := range r.tasks {
		k.limit = time.Time{}
		if a := k.attempts[k.number]; r.adrift && a != nil && a.running {
			a.adrift = true
			k.queued.candidates = slices.DeleteFunc(slices.Clone(k.queued.candidates), func(c chargehand.Candidate) bool { return c.Worker != a.worker })
			delete(l.pool.open, a.epoch)
		}
	}
}

// again judges that an attempt is pursued again under the lease it has, or under a new one where it
// has none.
func (r *run) again(l *Law, k *task, a *attempt, f chargehand.AttemptResumed) {
	l.looked(Fencing)
	if r.paused {
		l.fails(Effects, r.id, "%s attempt %d is pursued again in a run that is paused", k.ID, f.Attempt)
	}
	if !a.running || a.epoch == f.Epoch == a.adrift {
		l.fails(Fencing, r.id, "%s attempt %d is pursued again under epoch %d, after %d", k.ID, f.Attempt, f.Epoch, a.epoch)
	}
	if a.adrift {
		a.adrift, a.epoch, a.since, k.waiting = false, f.Epoch, l.pool.turn, false
		l.pool.open[f.Epoch] = place{r.id, f.AttemptRef}
	}
}

// fits judges that an attempt may start.
func (r *run) fits(l *Law, k *task, f chargehand.AttemptStarted) {
	l.looked(Retry)
	if k.doubtful {
		l.fails(Retry, r.id, "%s is a write that may have taken effect, and is tried again", k.ID)
	}
	l.looked(Fencing)
	for n, a := range k.attempts {
		if a.running {
			l.fails(Fencing, r.id, "%s attempt %d starts while attempt %d runs", k.ID, f.Attempt, n)
		}
	}
	l.looked(Attempts)
	if most := r.team.Policy.MaxAttempts(); f.Attempt != k.number+1 || f.Attempt > most {
		l.fails(Attempts, r.id, "%s attempt %d follows %d, and the most is %d", k.ID, f.Attempt, k.number, most)
	}
	if r.stopping != nil || r.paused || r.ended {
		l.fails(Effects, r.id, "%s attempt %d starts in a run that stands still or stops", k.ID, f.Attempt)
	}
}

// check judges that an output is the current attempt's own answer, with the gate's word on it.
func (r *run) check(l *Law, f chargehand.OutputChecked) {
	a := r.leaves(l, f.AttemptRef, f.Epoch)
	l.looked(Verdict)
	said := l.said.of(r.id, f)
	if said == nil {
		l.fails(Fencing, r.id, "%s attempt %d has the output %s, which its worker did not give", f.Subtask, f.Attempt, f.Output)
		return
	}
	if v := said.Verdict; v.Recommendation == "" || v.Recommendation != f.Verdict.Recommendation || v.SchemaPass != f.Verdict.SchemaPass {
		l.fails(Verdict, r.id, "the gate said %q of %s attempt %d, the record says %q", v.Recommendation, f.Subtask, f.Attempt, f.Verdict.Recommendation)
	}
	r.says(l, f, said.Stances)
	if a != nil {
		a.checked, a.verdict, a.output, a.stances = true, f.Verdict, f.Output, f.Stances
		a.short = said.Status == chargehand.StatusPartial || len(said.Blockers) > 0 || len(said.Verdict.Missing) > 0
	}
}

// of is the report an output came by; nil if there was none in this turn.
func (s *said) of(run string, f chargehand.OutputChecked) *report {
	for i := range s.finished {
		in := &s.finished[i]
		if in.run == run && in.AttemptRef == f.AttemptRef && in.Epoch == f.Epoch && in.Output == f.Output {
			return in
		}
	}
	return nil
}

// leaves judges that a running attempt ends, under its own epoch.
func (r *run) leaves(l *Law, ref chargehand.AttemptRef, epoch int64) *attempt {
	a := r.at(ref)
	l.looked(Fencing)
	if a == nil || !a.running || a.epoch != epoch {
		l.fails(Fencing, r.id, "%s attempt %d ends under epoch %d, which does not run", ref.Subtask, ref.Attempt, epoch)
		return nil
	}
	a.running, r.tasks[ref.Subtask].waiting = false, false
	r.tasks[ref.Subtask].state = chargehand.SubtaskValidating
	delete(l.pool.open, epoch)
	return a
}

func (r *run) fail(l *Law, at time.Time, f chargehand.AttemptFailed) {
	k := r.tasks[f.Subtask]
	if f.Cause == chargehand.CauseDeadline {
		l.looked(Early)
		l.looked(Standstill)
		switch {
		case !r.still.IsZero():
			l.fails(Standstill, r.id, "%s attempt %d is past its deadline at %s, and its run is paused since %s", f.Subtask, f.Attempt, at, r.still)
		case at.Before(k.limit):
			l.fails(Early, r.id, "%s attempt %d is past its deadline of %s at %s", f.Subtask, f.Attempt, k.limit, at)
		}
	}
	a := r.leaves(l, f.AttemptRef, f.Epoch)
	if a == nil {
		return
	}
	if f.Stopping {
		a.stopping = true
		l.pool.open[f.Epoch] = place{r.id, f.AttemptRef}
	}
	if !k.Effect.Reads() && f.Cause != chargehand.CauseWorkerError && !l.said.nothing[place{r.id, f.AttemptRef}] {
		k.doubtful = true
	}
}

func (r *run) letGo(l *Law, ref chargehand.AttemptRef, epoch int64) {
	a := r.at(ref)
	l.looked(Fencing)
	if a == nil || !a.stopping || a.epoch != epoch {
		l.fails(Fencing, r.id, "%s attempt %d lets go under epoch %d, and was not stopping", ref.Subtask, ref.Attempt, epoch)
		return
	}
	a.stopping = false
	delete(l.pool.open, epoch)
}

// late follows a result nobody waits for; that of a stopping attempt lets go.
func (r *run) late(l *Law, f chargehand.LateResult) {
	if a := r.at(f.AttemptRef); a != nil && a.stopping && a.epoch == f.Epoch {
		r.letGo(l, f.AttemptRef, f.Epoch)
	}
}

func (r *run) judge(l *Law, f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.JudgeAsked:
		l.looked(Verdict)
		a := r.at(f.AttemptRef)
		if a == nil || !a.checked {
			l.fails(Verdict, r.id, "the reviewer is asked about %s attempt %d, which the gate has not seen", f.Subtask, f.Attempt)
			return
		}
		a.asked = f.Times
	case chargehand.Judged:
		if a := r.at(f.AttemptRef); a != nil && !f.Debate {
			a.judge, a.score = f.Verdict.Recommendation, f.Verdict.Confidence
		}
	}
}
