package main

import "sync"

// prompts are the system prompts that models were given. Those of runs without an attack are all
// that there may be.
type prompts struct {
	mu      sync.Mutex
	control map[string]map[string]bool // by place and model
	other   map[string]string          // of runs with an attack, that no run without had; by place and model
	calls   int
}

func newPrompts() *prompts {
	return &prompts{control: map[string]map[string]bool{}, other: map[string]string{}}
}

func (p *prompts) note(where, system string, control bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	switch {
	case control && p.control[where] == nil:
		p.control[where] = map[string]bool{system: true}
	case control:
		p.control[where][system] = true
	case !p.control[where][system]:
		p.other[where] = system
	}
}
