package supervise

import (
	"container/heap"
	"slices"
	"time"

	"github.com/chargehand/chargehand"
)

// A timer is a moment at which something may fall due. One that no longer matters stays in the
// heap until it comes up, and is dropped there.
type timer struct {
	at      time.Time
	attempt chargehand.AttemptRef // of a running attempt; its subtask is empty otherwise
	review  string                // of an open review
	seq     int64                 // of the record that set it: ties go to the older
}

type timers struct{ heap timerHeap }

func (ts *timers) add(t timer) {
	if !t.at.IsZero() {
		heap.Push(&ts.heap, t)
	}
}

// stop drops the timers that do not go on while the run stands still: all but those of reviews.
func (ts *timers) stop() {
	ts.heap = slices.DeleteFunc(ts.heap, func(t timer) bool { return t.review == "" })
	heap.Init(&ts.heap)
}

// next is the earliest moment that still matters; zero if there is none.
func (ts *timers) next(m *Machine) time.Time {
	for len(ts.heap) > 0 {
		if m.matters(ts.heap[0]) {
			return ts.heap[0].at
		}
		heap.Pop(&ts.heap)
	}
	return time.Time{}
}

// matters reports whether what the timer watches is still under way.
func (m *Machine) matters(t timer) bool {
	switch {
	case m.run.state.Final():
		return false
	case t.review != "":
		return m.desk.reviews[t.review].Open() && !m.closing.asked
	case t.attempt.Subtask != "":
		k := m.board.tasks[t.attempt.Subtask]
		return k.state == chargehand.SubtaskRunning && k.attempt.armed == t.seq
	}
	return t.at.Equal(m.run.deadline) && m.run.abort == nil && !m.closing.asked
}

// expire lets everything that has fallen due take effect, the earliest first.
func (m *Machine) expire(now time.Time, out *Output) {
	for at := m.timers.next(m); !at.IsZero() && !at.After(now); at = m.timers.next(m) {
		t := heap.Pop(&m.timers.heap).(timer)
		switch {
		case t.review != "":
			//guard:review-deadline
			m.decideByPolicy(now, m.desk.reviews[t.review], out)
		case t.attempt.Subtask != "":
			//guard:attempt-deadline
			m.overrun(now, m.board.tasks[t.attempt.Subtask], out)
		default:
			m.abort(now, ending{
				stop: chargehand.StopDeadlineReached, cause: chargehand.CauseRunDeadline,
				why: "the run's deadline passed",
			}, out)
		}
	}
}

type timerHeap []timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	if !h[i].at.Equal(h[j].at) {
		return h[i].at.Before(h[j].at)
	}
	return h[i].seq < h[j].seq
}
func (h timerHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *timerHeap) Push(x any)   { *h = append(*h, x.(timer)) }
func (h *timerHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	*h = old[:len(old)-1]
	return t
}
