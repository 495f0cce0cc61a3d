package law

import (
	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/internal/turn"
)

// effect judges that an effect has its record, and uses nothing that may not be used.
func (l *Law) effect(e turn.Effect) {
	if e.Fleet != nil {
		l.fleetEffect(e.Fleet)
		return
	}
	l.looked(Effects)
	r := l.runs[e.Run]
	ok := false
	switch do := e.Do.(type) {
	case supervise.MakePlan:
		ok = (r.plans || r.planTurn == l.pool.turn) && r.plan == do.Iteration
	case supervise.Launch:
		ok = r.launch(l, do)
	case supervise.Stop:
		a := r.at(do.AttemptRef)
		ok = a != nil && a.epoch == do.Epoch && !a.running
	case supervise.Reschedule:
		ok = r.reschedules(l, do)
	case supervise.Judge:
		a := r.at(do.AttemptRef)
		ok = a != nil && a.asked == do.Times && a.output == do.Output
	case supervise.Compare:
		ok = r.compares(do)
	case supervise.Aggregate:
		ok = r.aggregate(l, do)
	case supervise.WriteResult:
		ok = r.closing
	}
	if p, ok := e.Do.(supervise.MakePlan); r.adrift && e.CallsWorker() && (!ok || p.Ref == "") {
		l.fails(Effects, e.Run, "%T is begun in a run that a restart found paused: %+v", e.Do, e.Do)
	}
	if !ok {
		l.fails(Effects, e.Run, "%T has no record: %+v", e.Do, e.Do)
	}
}

// launch judges that an attempt is begun once in a process, on a worker that it holds, and sees
// accepted outputs only.
func (r *run) launch(l *Law, do supervise.Launch) bool {
	ref := chargehand.AttemptRef{Subtask: do.Task.TaskID, Attempt: do.Task.Attempt}
	a := r.at(ref)
	if a == nil || a.epoch != do.Epoch || a.worker != do.Task.AssignedWorker {
		return false
	}
	if r.begun[do.Epoch] {
		l.fails(Effects, r.id, "%s attempt %d is begun twice in one process", ref.Subtask, ref.Attempt)
	}
	r.begun[do.Epoch] = true
	for _, in := range do.Task.InputRefs {
		l.looked(Verdict)
		if in.From == chargehand.FromDebate {
			r.shown(l, r.tasks[ref.Subtask], in)
		}
		from := r.tasks[in.From]
		if from != nil && (!from.state.Accepted() || from.attempts[from.used].output != in.Hash) {
			l.fails(Verdict, r.id, "%s sees the output %s of %s, which is not what was accepted", ref.Subtask, in.Hash, in.From)
		}
	}
	if a.running || a.stopping {
		name := do.Instance
		if name == "" {
			name = a.worker
		}
		l.pool.live[do.Epoch] = lived{place{r.id, ref}, a.worker, name}
		if a.since == l.pool.turn { // one that is pursued again may be from before the worker had fewer slots
			l.crowd(a.worker, name)
		}
	}
	return true
}

// crowd judges how many attempts a worker is at, on one instance.
func (l *Law) crowd(worker, instance string) {
	l.looked(Capacity)
	n := 0
	for _, at := range l.pool.live {
		if at.worker == worker && at.instance == instance {
			n++
		}
	}
	if slots := l.pool.workers[worker].Slots; n > slots && !l.pool.changed {
		l.fails(Capacity, "", "%s is at %d attempts, and has %d slots", instance, n, slots)
	}
}

// aggregate judges that what is put together is all that is accepted, each with its own output.
func (r *run) aggregate(l *Law, do supervise.Aggregate) bool {
	l.looked(Verdict)
	if do.Round < 1 || do.Round > len(r.joins) || len(do.Accepted) != len(r.joins[do.Round-1]) {
		return false
	}
	for _, acc := range do.Accepted {
		ref := chargehand.AttemptRef{Subtask: acc.Subtask, Attempt: acc.Attempt}
		a := r.at(ref)
		if r.joins[do.Round-1][acc.Subtask] != ref || a == nil || a.output != acc.Output || a.worker != acc.Worker {
			l.fails(Verdict, r.id, "the result is made of %s of %s, which is not what was accepted", acc.Output, acc.Subtask)
		}
	}
	return true
}
