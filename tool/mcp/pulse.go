package mcp

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// pulses end calls whose server has been silent for too long. Progress that is reported of a call
// gives it more time.
type pulses struct {
	mu     sync.Mutex
	last   int64
	timers map[string]*time.Timer // by progress token
}

// watch is ctx for a call, with the token that its progress goes by, and what ends the watch.
func (p *pulses) watch(ctx context.Context, patience time.Duration) (context.Context, string, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	token := strconv.FormatInt(p.last, 10)
	p.timers[token] = time.AfterFunc(patience, func() { cancel(fmt.Errorf("it was silent for %s", patience)) })
	return ctx, token, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.timers[token].Stop()
		delete(p.timers, token)
		cancel(nil)
	}
}

// progress gives a call more time.
func (c *conn) progress(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
	token, _ := r.Params.ProgressToken.(string)
	c.pulses.mu.Lock()
	defer c.pulses.mu.Unlock()
	if t := c.pulses.timers[token]; t != nil {
		t.Reset(c.server.opt.Patience)
	}
}
