package supervise

import (
	"container/heap"
	"fmt"
	"slices"
	"time"

	"github.com/chargehand/chargehand"
)

// Cut is the part of a run's records that a fork at record seq begins with; zero or less means the
// last. What was decided at one moment stays together: half a decision is no state a run can be in.
// So the part ends with the last record of that moment. It is an *chargehand.Error of CodeInvalid
// where there is no such record, and of CodeEnded where the part would hold the run's end.
func Cut(records []chargehand.Record, seq int64) ([]chargehand.Record, error) {
	last := int64(len(records))
	if seq <= 0 {
		seq = last
	}
	if seq > last {
		return nil, &chargehand.Error{
			Code: chargehand.CodeInvalid, What: fmt.Sprintf("there is no record %d to fork from", seq),
			Why: fmt.Sprintf("the last of the run is %d", last),
		}
	}
	end := seq
	for end < last && records[end].At.Equal(records[seq-1].At) {
		end++
	}
	ended := slices.IndexFunc(records[:end], func(r chargehand.Record) bool {
		_, ok := r.Fact.(chargehand.RunEnded)
		return ok
	})
	if ended < 0 {
		return records[:end], nil
	}
	return nil, afterEnd(records, ended, seq)
}

// afterEnd is the error for a fork that would begin with the end of the run.
func afterEnd(records []chargehand.Record, ended int, seq int64) error {
	latest := ended
	for latest > 0 && records[latest-1].At.Equal(records[ended].At) {
		latest--
	}
	e := &chargehand.Error{
		Code: chargehand.CodeEnded, What: fmt.Sprintf("there is nothing to go on with after record %d", seq),
		Why: fmt.Sprintf("the run has ended with record %d", ended+1),
	}
	if latest > 0 {
		e.Next = fmt.Sprintf("fork from record %d, the last before its end, or an earlier one", latest)
	}
	return e
}

// Branch is a run's records as the first ones of another run, which have its name, its seed and
// its reviews' names. The idempotency key of the order stays the parent's.
func Branch(records []chargehand.Record, run, seed string, p chargehand.Parent) []chargehand.Record {
	out := slices.Clone(records)
	reviews := map[string]string{} // the parent's ids
	for i := range out {
		r := &out[i]
		r.Run = run
		switch f := r.Fact.(type) {
		case chargehand.RunStarted:
			f.Seed, f.Key, f.Parent = seed, "", &p
			r.Fact = f
		case chargehand.AttemptStarted:
			f.Routing.RunID, f.Routing.RoutingID = run, routingID(run, f.AttemptRef)
			r.Fact = f
		case chargehand.ReviewOpened:
			id := reviewID(run, len(reviews))
			reviews[f.Review.ID] = id
			f.Review.ID, f.Review.RunID, f.Review.Nonce = id, run, nonce(seed, id)
			r.Fact = f
		case chargehand.ReviewDecided:
			id := reviews[f.Decision.ReviewID]
			f.Decision.ReviewID, f.Decision.Nonce = id, nonce(seed, id)
			r.Fact = f
		}
	}
	return out
}

// fork cuts the run loose from its parent: attempts under way are the parent's, and begin anew; a
// write among them may have taken effect there, and goes to a person. People are asked again.
func (m *Machine) fork(now time.Time, in Fork, out *Output) {
	f := chargehand.Forked{Parent: in.Parent, By: clip(in.By, maxName)}
	if m.run.limit > 0 {
		f.DeadlineAt = now.Add(m.run.limit)
	}
	m.record(now, f, out)
	m.askAgain(now, out)
	for _, k := range m.board.order {
		if k.state == chargehand.SubtaskRunning {
			m.leaveBehind(now, k, out)
		}
	}
}

// askAgain withdraws the reviews that are open and asks them anew, with all the time there is. Those
// that a run on its way to its end has left open stay as they are.
func (m *Machine) askAgain(now time.Time, out *Output) {
	if m.closing.asked {
		return
	}
	for _, r := range slices.Clone(m.desk.order) {
		if r.Open() {
			m.withdraw(now, r, "the run was forked, and asks again", out)
			again := *r
			again.Decision = nil
			m.open(now, again, out)
		}
	}
}

// leaveBehind ends the attempt of a write that is the parent's.
func (m *Machine) leaveBehind(now time.Time, k *task, out *Output) {
	m.record(now, chargehand.AttemptFailed{
		AttemptRef: k.ref(), Epoch: k.attempt.epoch, Cause: chargehand.CauseUnknown,
		Message: "it was under way when the run was forked",
	}, out)
	m.recover(now, k, trouble{
		cause: chargehand.CauseUnknown,
		why:   "it was under way when the run was forked, and whether it took effect is not known",
	}, out)
}

func (m *Machine) applyFork(r chargehand.Record, f chargehand.Forked) {
	still := m.run.left > 0
	m.run.started, m.run.inherited = m.last, m.ledger.settled.usd
	if f.By != "" {
		m.run.startedBy = f.By
	}
	m.run.adrift = m.run.state == chargehand.RunPaused
	if m.setDeadline(r, f.DeadlineAt); still {
		m.stand(r.At)
	}
	for _, k := range m.board.order {
		m.board.stopping -= len(k.stopping)
		k.stopping = nil
		if k.state == chargehand.SubtaskQueued || k.state == chargehand.SubtaskRunning && k.spec.Effect.Reads() {
			m.board.takeBack(k)
		}
	}
}

// takeBack undoes that an attempt was queued. The next one has its number.
func (b *board) takeBack(k *task) {
	k.number--
	k.attempt = attempt{number: k.number}
	state := chargehand.SubtaskReady
	if n := len(k.past); n > 0 {
		k.attempt.worker, state = k.past[n-1].worker, chargehand.SubtaskRetrying
	}
	b.move(k, state)
	heap.Push(&b.ready, k)
}
