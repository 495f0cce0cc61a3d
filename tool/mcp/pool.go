package mcp

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/tool"
)

// A Pool is the tool servers that an engine has connections to: one of each, whichever teams and
// runs use it. Close it when the engine is closed.
type Pool struct {
	opt Options

	mu      sync.Mutex
	servers map[string]*Server // by what there is to know of each
	belts   map[*chargehand.Team]*tool.Belt
}

// NewPool has no connections yet.
func NewPool(opt Options) *Pool {
	return &Pool{opt: opt, servers: map[string]*Server{}, belts: map[*chargehand.Team]*tool.Belt{}}
}

// Belt is the tools of a team, the same for the same team. Dir is as of NewServer.
func (p *Pool) Belt(team *chargehand.Team, dir string, opt tool.Options) (*tool.Belt, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b := p.belts[team]; b != nil {
		return b, nil
	}
	sources := map[string]tool.Source{}
	for i := range team.Tools {
		s, err := p.server(&team.Tools[i], dir)
		if err != nil {
			return nil, err
		}
		sources[team.Tools[i].Name] = s
	}
	b, err := tool.NewBelt(team, sources, opt)
	if err != nil {
		return nil, err
	}
	p.belts[team] = b
	return b, nil
}

// server is the one connection to a server. What a team says of its tools is no part of it.
func (p *Pool) server(spec *chargehand.ToolServer, dir string) (*Server, error) {
	bare := *spec
	bare.Tools = nil
	key, err := json.Marshal([]any{bare, dir})
	if err != nil {
		return nil, fmt.Errorf("tool server %q: %w", spec.Name, err)
	}
	if s := p.servers[string(key)]; s != nil {
		return s, nil
	}
	s, err := NewServer(&bare, dir, p.opt)
	if err != nil {
		return nil, err
	}
	p.servers[string(key)] = s
	return s, nil
}

// Close closes every connection, and waits for them.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all sync.WaitGroup
	for _, s := range p.servers {
		all.Go(func() { _ = s.Close() })
	}
	all.Wait()
	return nil
}
