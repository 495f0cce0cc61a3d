package local

import (
	"slices"
	"sync"

	"github.com/chargehand/chargehand"
)

// hub hands records to followers, after they are durable.
type hub struct {
	mu        sync.Mutex
	followers map[string][]*follower // by run
	shut      chan struct{}          // closed when nothing more will come
	why       error                  // it will not; set before
	shutting  sync.Once
	n         int64
}

// maxBehind is how many records a follower may be behind before it has to read the journal.
const maxBehind = 50_000

// A follower is told of one run's records.
type follower struct {
	hub     *hub
	run     string
	signal  chan struct{}       // has an element when there may be records
	records []chargehand.Record // guarded by hub.mu
}

func (h *hub) init() {
	h.followers, h.shut = map[string][]*follower{}, make(chan struct{})
}

// follow begins to follow a run. It must be called before the journal is read, so that nothing
// falls in between.
func (h *hub) follow(run string) *follower {
	f := &follower{hub: h, run: run, signal: make(chan struct{}, 1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.followers[run] = append(h.followers[run], f)
	return f
}

// leave ends following.
func (f *follower) leave() {
	h := f.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	rest := slices.DeleteFunc(h.followers[f.run], func(o *follower) bool { return o == f })
	if h.followers[f.run] = rest; len(rest) == 0 {
		delete(h.followers, f.run)
	}
}

// take hands over what has come.
func (f *follower) take() []chargehand.Record {
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	records := f.records
	f.records = nil
	return records
}

// publish tells followers what a commit made durable.
func (h *hub) publish(records []chargehand.Record) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.n++
	if len(h.followers) == 0 {
		return
	}
	for _, r := range records {
		for _, f := range h.followers[r.Run] {
			f.hand(r)
		}
	}
}

// hand gives a record to a follower. One that is too far behind loses what it has not taken, sees
// the gap, and reads the journal.
func (f *follower) hand(r chargehand.Record) {
	if len(f.records) >= maxBehind {
		f.records = nil
	}
	f.records = append(f.records, r)
	select {
	case f.signal <- struct{}{}:
	default:
	}
}

func (h *hub) commits() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.n
}

// close tells followers that nothing more will come, and why. Only the first reason counts.
func (h *hub) close(why error) {
	h.shutting.Do(func() {
		h.why = why
		close(h.shut)
	})
}
