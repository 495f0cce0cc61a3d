package mcp

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// A sending knows whether a call may have reached its server.
type sending struct {
	ctx   context.Context //nolint:containedctx // of the call, whose deadline the SDK's requests may not have
	begun atomic.Bool
	asked atomic.Int64 // nanoseconds for which the server asked to be left alone, where that did not fit
}

type sendingKey struct{}

func withSending(ctx context.Context) (context.Context, *sending) {
	s := &sending{ctx: ctx}
	return context.WithValue(ctx, sendingKey{}, s), s
}

// reaching notes that something of ctx's call is about to leave.
func reaching(ctx context.Context) {
	if s, ok := ctx.Value(sendingKey{}).(*sending); ok {
		s.begun.Store(true)
	}
}

// turnedAway notes that the server said it did nothing.
func turnedAway(ctx context.Context) {
	if s, ok := ctx.Value(sendingKey{}).(*sending); ok {
		s.begun.Store(false)
	}
}

// nothing reports whether the server certainly did nothing.
func (s *sending) nothing() bool { return !s.begun.Load() }

// longestWait is how long a server may ask to be left alone by a request that has no deadline.
const longestWait = 15 * time.Minute

// await waits as long as a server asks for, if the wait ends before the deadline of ctx's call. It reports
// false at once where it does not, and the call then says so.
func await(ctx context.Context, wait time.Duration) bool {
	call := ctx
	s, ok := ctx.Value(sendingKey{}).(*sending)
	if ok {
		call = s.ctx
	}
	left := longestWait
	if end, bounded := call.Deadline(); bounded {
		left = time.Until(end)
	}
	if wait >= left {
		if ok {
			s.asked.Store(int64(wait))
		}
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-call.Done():
	}
	return false
}

// because adds the wait that did not fit to the error of the call.
func (s *sending) because(err error) error {
	wait := time.Duration(s.asked.Load())
	if wait == 0 {
		return err
	}
	return fmt.Errorf("%w (the server asks to be left alone for %s, which is beyond the deadline)", err, wait)
}
