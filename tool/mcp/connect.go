package mcp

import (
	"context"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// connected is the connection there is, or a new one. Everybody who asks meanwhile waits for the
// same; it goes on if they no longer do.
func (s *Server) connected(ctx context.Context) (*conn, error) {
	for {
		s.mu.Lock()
		if err := context.Cause(s.ctx); err != nil {
			s.mu.Unlock()
			return nil, fmt.Errorf("tool server %q: %w", s.spec.Name, err)
		}
		if s.conn != nil && s.conn.alive() {
			c := s.conn
			s.mu.Unlock()
			return c, nil
		}
		dialing, first := s.dialing, s.dialing == nil
		if first {
			dialing = make(chan struct{})
			s.dialing = dialing
			go s.dial(s.conn, dialing)
		}
		s.mu.Unlock()
		select {
		case <-dialing:
		case <-ctx.Done():
			return nil, fmt.Errorf("tool server %q: %w", s.spec.Name, context.Cause(ctx))
		}
		s.mu.Lock()
		err := s.failed
		s.mu.Unlock()
		if err != nil {
			return nil, err
		}
	}
}

// dial makes a connection in the place of one that broke. Close waits for it.
func (s *Server) dial(old *conn, over chan struct{}) {
	defer close(over)
	if old != nil {
		old.close()
	}
	c, err := s.dialOnce()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn, s.failed, s.dialing = c, err, nil
	if err != nil {
		s.opt.Log.Error("a tool server cannot be reached", "server", s.spec.Name, "error", err)
	}
}

func (s *Server) dialOnce() (*conn, error) {
	if err := s.wait.pass(s.ctx); err != nil {
		return nil, fmt.Errorf("tool server %q: %w", s.spec.Name, err)
	}
	ctx, cancel := context.WithTimeoutCause(s.ctx, s.opt.Connect, fmt.Errorf("it did not come up within %s", s.opt.Connect))
	defer cancel()
	return s.open(ctx)
}

// A pause keeps a server that breaks from being started without end: the first time at once, then
// at growing, jittered intervals up to half a minute. What lives for a minute starts anew.
type pause struct {
	grow *backoff.ExponentialBackOff
	last time.Time
}

func newPause() *pause {
	grow := backoff.NewExponentialBackOff()
	grow.Multiplier, grow.MaxInterval = 2, 30*time.Second
	return &pause{grow: grow}
}

// pass waits until the next start is due.
func (p *pause) pass(ctx context.Context) error {
	now := time.Now()
	if p.last.IsZero() || now.Sub(p.last) > time.Minute {
		p.grow.Reset()
		p.last = now
		return context.Cause(ctx)
	}
	due := time.NewTimer(p.grow.NextBackOff() - now.Sub(p.last))
	defer due.Stop()
	select {
	case <-due.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	p.last = time.Now()
	return nil
}
