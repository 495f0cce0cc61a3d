package local

import "sync"

// hub tells followers that a run has new records, after they are durable.
type hub struct {
	mu      sync.Mutex
	waiting map[string]chan struct{} // by run; closed at its next commit
	shut    chan struct{}
	n       int64
}

func (h *hub) init() {
	h.waiting, h.shut = map[string]chan struct{}{}, make(chan struct{})
}

// next is closed when the run has new records. It must be asked for before the journal is read,
// so that nothing falls in between.
func (h *hub) next(run string) <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.waiting[run]
	if c == nil {
		c = make(chan struct{})
		h.waiting[run] = c
	}
	return c
}

func (h *hub) publish(runs []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.n++
	for _, run := range runs {
		if c := h.waiting[run]; c != nil {
			close(c)
			delete(h.waiting, run)
		}
	}
}

func (h *hub) commits() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.n
}

func (h *hub) close() { close(h.shut) }
