package ingress

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"os"
	"time"
)

// places are those of one address for requests whose body is arriving.
type places struct {
	taken chan struct{}
	users int // requests that have a place or wait for one
}

// enter takes a place, and waits for one no longer than Queue.
func (g *Guard) enter(ctx context.Context, from netip.Prefix) error {
	g.mu.Lock()
	p := g.arriving[from]
	if p == nil {
		p = &places{taken: make(chan struct{}, g.limits.Bodies)}
		g.arriving[from] = p
	}
	p.users++
	g.mu.Unlock()
	select {
	case p.taken <- struct{}{}:
		return nil
	default:
	}
	late := time.NewTimer(g.limits.Queue)
	defer late.Stop()
	err := ErrBusy
	select {
	case p.taken <- struct{}{}:
		return nil
	case <-late.C:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	g.forget(from)
	return err
}

// exit gives the place back.
func (g *Guard) exit(from netip.Prefix) {
	g.mu.Lock()
	p := g.arriving[from]
	g.mu.Unlock()
	<-p.taken
	g.forget(from)
}

func (g *Guard) forget(from netip.Prefix) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if p := g.arriving[from]; p.users == 1 {
		delete(g.arriving, from)
	} else {
		p.users--
	}
}

// A body is a request's, which takes a place while it is read. It is used by its handler alone.
type body struct {
	io.ReadCloser
	guard *Guard
	ctx   context.Context //nolint:containedctx // a Read has no context of its own
	out   *http.ResponseController
	from  netip.Prefix
	free  bool // it has no address to count for

	began time.Time // when it took its place; zero before
	has   bool      // it has a place
	read  int64
	err   error // what ended it
}

// Read reads what has arrived, as long as it arrives fast enough.
func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.began.IsZero() {
		if !b.free {
			if b.err = b.guard.enter(b.ctx, b.from); b.err != nil {
				return 0, b.err
			}
			b.has = true
		}
		b.began = time.Now()
	}
	l := &b.guard.limits
	due := min(l.Body, l.Grace+l.earned(b.read))
	_ = b.out.SetReadDeadline(b.began.Add(due)) // a writer without deadlines is a test's
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	if err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = ErrSlow
		}
		b.err = err
		b.leave(false)
	}
	return n, err
}

// earned is how long n bytes may take.
func (l *Limits) earned(n int64) time.Duration {
	return time.Duration(float64(n) / float64(l.Rate) * float64(time.Second))
}

// leave gives the place back. What is left of a body when its handler has returned is not waited for:
// net/http would read it first, to keep the connection.
func (b *body) leave(returned bool) {
	if b.has {
		b.has = false
		b.guard.exit(b.from)
	}
	switch {
	case errors.Is(b.err, io.EOF):
		if !returned {
			_ = b.out.SetReadDeadline(time.Time{}) // the connection may stay quiet until the answer
		}
	case returned:
		_ = b.out.SetReadDeadline(time.Now().Add(time.Second))
	}
}

// An answer is written as fast as its client takes it, within limits. As a whole it may take as long as
// a run.
type answer struct {
	http.ResponseWriter
	guard   *Guard
	out     *http.ResponseController
	written int64
	waited  time.Duration // for the client, so far
}

// Write writes a piece.
func (a *answer) Write(p []byte) (int, error) {
	began := a.hurry()
	n, err := a.ResponseWriter.Write(p)
	a.written += int64(n)
	a.waited += time.Since(began)
	return n, err
}

// FlushError sends off what was written.
func (a *answer) FlushError() error {
	began := a.hurry()
	err := a.out.Flush()
	a.waited += time.Since(began)
	return err
}

// Flush is FlushError for callers of http.Flusher.
func (a *answer) Flush() { _ = a.FlushError() }

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// hurry sets the deadline of the next piece: Stall, or what is left of the time that all of the
// answer so far may take.
func (a *answer) hurry() time.Time {
	l, now := &a.guard.limits, time.Now()
	left := l.Stall + l.earned(a.written) - a.waited
	_ = a.out.SetWriteDeadline(now.Add(min(l.Stall, left)))
	return now
}
