package local

import (
	"slices"
	"sync"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/internal/turn"
)

// An envelope is one event on its way to the turn loop.
type envelope struct {
	turn.Event
	blobs []blob       // to be made durable with what the event leads to
	reply func(answer) // nil: nobody waits
	begin *opening     // the run has to be made first
	look  func()       // called by the loop between turns; the event is empty
}

// An answer is what a caller is told once its event is durable.
type answer struct {
	refusal *chargehand.Error
	err     error
}

// An opening is a run to be made.
type opening struct {
	team   *chargehand.Team
	digest string
	key    string
	tenant string
	budget chargehand.Micros // zero: no limit

	machine *supervise.Machine
	records []chargehand.Record // that the machine is the fold of, and are to be made durable; nil but for a fork
}

// inbox is where callers and hands leave events. It never blocks: hands are bounded by leases, and
// callers wait for their answer.
type inbox struct {
	mu     sync.Mutex
	items  []envelope
	wanted int // that a signal is worth; zero: one
	closed bool
	signal chan struct{} // has an element when there may be items
}

func (b *inbox) init() { b.signal = make(chan struct{}, 1) }

// put leaves an event. After close it is dropped: what it said happens again, or is refused.
func (b *inbox) put(e envelope) {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		if e.reply != nil {
			e.reply(answer{err: errClosed})
		}
		return
	}
	b.items = append(b.items, e)
	enough := len(b.items) >= b.wanted
	b.mu.Unlock()
	if enough {
		poke(b.signal)
	}
}

// want says how many items have to be there for a signal, and answers how many there are.
func (b *inbox) want(n int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wanted = n
	return len(b.items)
}

// drain takes the first n events out, or all if there are fewer.
func (b *inbox) drain(n int) []envelope {
	b.mu.Lock()
	defer b.mu.Unlock()
	items := b.items
	if n >= len(items) {
		b.items = nil
		return items
	}
	b.items = slices.Clone(items[n:])
	poke(b.signal)
	return items[:n:n]
}

func (b *inbox) len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.items)
}

func (b *inbox) close() {
	b.mu.Lock()
	b.closed = true
	items := b.items
	b.items = nil
	b.mu.Unlock()
	for _, e := range items {
		if e.reply != nil {
			e.reply(answer{err: errClosed})
		}
	}
}

var errClosed = &chargehand.Error{Code: chargehand.CodeUnavailable, What: "the engine is closed"}
