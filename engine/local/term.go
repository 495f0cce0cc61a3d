package local

import (
	"context"
	"sync"
	"time"
)

// A term is the context of an attempt. It ends at the attempt's deadline, which moves where its run is
// paused; while the run is, it ends at none.
type term struct {
	context.Context // the engine's
	leave           func() bool
	done            chan struct{}

	mu    sync.Mutex
	err   error // why it has ended
	timer *time.Timer
	end   time.Time
	left  time.Duration // until the end, while the run is paused
}

// newTerm is a term of so long, within ctx. Its stop must be called.
func newTerm(ctx context.Context, d time.Duration) *term {
	t := &term{Context: ctx, done: make(chan struct{}), end: time.Now().Add(d)}
	t.timer = time.AfterFunc(d, func() { t.finish(context.DeadlineExceeded) })
	t.leave = context.AfterFunc(ctx, func() { t.finish(ctx.Err()) })
	return t
}

func (t *term) finish(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = err
		close(t.done)
	}
}

// stop ends the term.
func (t *term) stop() {
	t.finish(context.Canceled)
	t.timer.Stop()
	t.leave()
}

// stand has the term keep what is left of it.
func (t *term) stand() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil && t.left == 0 && t.timer.Stop() {
		t.left = max(1, time.Until(t.end))
	}
}

// goOn has the term end so long from now.
func (t *term) goOn(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.left, t.end = 0, time.Now().Add(d)
		t.timer.Reset(d)
	}
}

// Deadline is when the term ends, as things stand. While the run is paused it moves on with time, so that
// what is left stays the same.
func (t *term) Deadline() (time.Time, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left > 0 {
		return time.Now().Add(t.left), true
	}
	return t.end, true
}

// Done is closed when the term has ended.
func (t *term) Done() <-chan struct{} { return t.done }

// Err is why the term has ended; nil while it has not.
func (t *term) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}
