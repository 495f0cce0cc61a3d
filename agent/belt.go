package agent

import (
	"context"
	"fmt"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/dial"
	"github.com/chargehand/chargehand/tool"
	"github.com/chargehand/chargehand/tool/mcp"
)

// belt is the tools of a team's servers. Nothing is started or asked yet.
func (a *Agents) belt(t *chargehand.Team, dir string) (*tool.Belt, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.pool == nil {
		opt := a.opt.Servers
		if opt.Client == nil {
			guard, err := dial.FromEnvironment()
			if err != nil {
				return nil, err
			}
			opt.Client = guard.Client
		}
		a.pool = mcp.NewPool(opt)
	}
	return a.pool.Belt(t, dir, tool.Options{Log: a.opt.Servers.Log})
}

// Close ends the connections to tool servers. No attempt may be under way.
func (a *Agents) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.pool == nil {
		return nil
	}
	pool := a.pool
	a.pool = nil
	if err := pool.Close(); err != nil {
		return fmt.Errorf("close tool servers: %w", err)
	}
	return nil
}

// tools are those of one attempt.
func (w *llm) tools(ctx context.Context, t *chargehand.WorkerTask) (Tools, error) {
	if w.belt == nil {
		return w.agents.opt.Tools(ctx, w.team, w.dir, t)
	}
	x, err := w.belt.Executor(ctx, t)
	if err != nil {
		return nil, err
	}
	return x, nil
}
