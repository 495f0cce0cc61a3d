package fleet

import (
	"cmp"
	"strings"

	"github.com/chargehand/chargehand"
)

// Key is the fleet's key of a worker: its name, or where another identity has the name, both. The first
// identity that is registered under a name keeps it.
func (m *Machine) Key(name, identity string) string { return m.pool.key(name, identity) }

// Name is the name of a worker by its key.
func (m *Machine) Name(key string) string {
	if w := m.pool.named(key); w != nil {
		return w.name()
	}
	return key
}

const shortDigest = 8 // of an identity, in a key: a name with two such workers has its own trouble

func (p *pool) key(name, identity string) string {
	w := p.named(name)
	if w == nil || identity == "" || w.Identity == "" || w.Identity == identity {
		return name
	}
	digest := strings.TrimPrefix(identity, "sha256:")
	return name + "~" + digest[:min(shortDigest, len(digest))]
}

// keyed is the registration of a worker under its key.
func (p *pool) keyed(spec chargehand.FleetWorker) chargehand.FleetWorker {
	name := cmp.Or(spec.Name, spec.Worker)
	spec.Worker, spec.Name = p.key(name, spec.Identity), ""
	if spec.Worker != name {
		spec.Name = name
	}
	if w := p.named(spec.Worker); w != nil && spec.Identity == "" {
		spec.Identity = w.Identity // who registers does not know it
	}
	return spec
}

func (w *worker) name() string { return cmp.Or(w.Name, w.Worker) }

// all are the workers of a name, or the one with a key.
func (p *pool) all(name string) []*worker {
	var list []*worker
	for _, w := range p.list {
		if w.name() == name || w.Worker == name {
			list = append(list, w)
		}
	}
	return list
}

// superseded reports whether nothing uses a worker, and its name is another's since.
func (m *Machine) superseded(w *worker) bool {
	all := m.pool.all(w.name())
	return all[len(all)-1] != w && w.active == 0 && m.queue.of(w.Worker).waiting == 0
}
