package mcp

import (
	"context"
	"sync/atomic"
)

// A sending knows whether a call may have reached its server.
type sending struct{ begun atomic.Bool }

type sendingKey struct{}

func withSending(ctx context.Context) (context.Context, *sending) {
	s := &sending{}
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
