package fleet

import (
	"cmp"
	"container/heap"
	"strings"
	"time"
)

// The agenda is what falls due when. It follows from the rest of the state.
type agenda struct {
	workers timers[string] // breaker, spawns, idle instances, health probe: the earliest of each worker
	asks    timers[key]    // when a waiting ask is at risk
}

func newAgenda() agenda {
	return agenda{
		workers: timers[string]{index: map[string]int{}, compare: strings.Compare},
		asks:    timers[key]{index: map[key]int{}, compare: compareKeys},
	}
}

// timers is a heap that holds at most one moment for a key. Equal moments go in order of key.
type timers[K comparable] struct {
	heap    []timer[K]
	index   map[K]int // into heap
	compare func(a, b K) int
}

type timer[K comparable] struct {
	at  time.Time
	key K
}

// set moves the key to a moment; zero takes it out.
func (ts *timers[K]) set(k K, at time.Time) {
	i, ok := ts.index[k]
	switch {
	case !ok && at.IsZero():
	case !ok:
		heap.Push(ts, timer[K]{at, k})
	case at.IsZero():
		heap.Remove(ts, i)
	default:
		ts.heap[i].at = at
		heap.Fix(ts, i)
	}
}

// next is the earliest moment; zero if there is none.
func (ts *timers[K]) next() time.Time {
	if len(ts.heap) == 0 {
		return time.Time{}
	}
	return ts.heap[0].at
}

// pop takes out the earliest key, if its moment has come.
func (ts *timers[K]) pop(now time.Time) (k K, ok bool) {
	if len(ts.heap) == 0 || ts.heap[0].at.After(now) {
		return k, false
	}
	return heap.Pop(ts).(timer[K]).key, true
}

// Len, Less, Swap, Push and Pop are for container/heap.
func (ts *timers[K]) Len() int { return len(ts.heap) }

func (ts *timers[K]) Less(i, j int) bool {
	a, b := ts.heap[i], ts.heap[j]
	return cmp.Or(a.at.Compare(b.at), ts.compare(a.key, b.key)) < 0
}

func (ts *timers[K]) Swap(i, j int) {
	ts.heap[i], ts.heap[j] = ts.heap[j], ts.heap[i]
	ts.index[ts.heap[i].key], ts.index[ts.heap[j].key] = i, j
}

func (ts *timers[K]) Push(x any) {
	t := x.(timer[K])
	ts.index[t.key] = len(ts.heap)
	ts.heap = append(ts.heap, t)
}

func (ts *timers[K]) Pop() any {
	t := ts.heap[len(ts.heap)-1]
	ts.heap = ts.heap[:len(ts.heap)-1]
	delete(ts.index, t.key)
	return t
}

// expire lets everything that has fallen due take effect.
func (m *Machine) expire(out *Output) {
	for name, ok := m.agenda.workers.pop(m.now); ok; name, ok = m.agenda.workers.pop(m.now) {
		w := m.pool.named(name)
		m.halfOpen(w, out)
		m.stir(w)
	}
	for k, ok := m.agenda.asks.pop(m.now); ok; k, ok = m.agenda.asks.pop(m.now) {
		m.alarm(m.queue.asks[k], out)
	}
}

// tend leaves nothing due on the workers that the step touched, and sets their timers.
func (m *Machine) tend(out *Output) {
	for _, w := range m.turn.touched {
		m.retireIdle(w, out)
		if m.wanted(w) {
			m.probe(w, out)
		}
		m.agenda.workers.set(w.Worker, m.due(w))
	}
}

// due is when something falls due on the worker; zero means never.
func (m *Machine) due(w *worker) time.Time {
	at := w.breaker().Until
	if w.SpawnRest.After(m.now) {
		at = earlier(at, w.SpawnRest)
	}
	for i := range w.instances {
		at = earlier(at, w.leaves(&w.instances[i]))
	}
	if m.wanted(w) {
		at = earlier(at, m.nextProbe(w))
	}
	return at
}
