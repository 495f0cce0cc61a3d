package tool

import "sync"

// pins are the definitions that runs went by first, while attempts of theirs are under way in this
// process. What a run has recorded comes with each task, and goes before what is here.
type pins struct {
	mu   sync.Mutex
	runs map[string]*pinned
}

type pinned struct {
	users   int               // executors
	digests map[string]string // by tool
}

// hold joins the executors of a run, which knows some digests already.
func (p *pins) hold(run string, known map[string]string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.runs[run]
	if r == nil {
		r = &pinned{digests: map[string]string{}}
		if p.runs == nil {
			p.runs = map[string]*pinned{}
		}
		p.runs[run] = r
	}
	r.users++
	for tool, digest := range known {
		r.digests[tool] = digest
	}
}

// release leaves the executors of a run; with the last of them what is only here goes.
func (p *pins) release(run string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.runs[run]; r != nil {
		if r.users--; r.users == 0 {
			delete(p.runs, run)
		}
	}
}

// first is the digest that a run's tool is pinned to: this one, if it has none yet.
func (p *pins) first(run, tool, digest string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.runs[run]
	if have := r.digests[tool]; have != "" {
		return have
	}
	r.digests[tool] = digest
	return digest
}
