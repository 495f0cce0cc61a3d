package law

import (
	"slices"

	"github.com/chargehand/chargehand"
)

// A grant is a lease that was given in this turn, and how contended its worker was then.
type grant struct {
	chargehand.LeaseGranted
	slots  int            // of the workers that were fit
	held   map[string]int // leases on them before this one, by each tenant that holds or waits
	direct bool           // on an instance that came up for it
}

// weigh notes how things stand when a lease is given: the slots of all workers that its attempt
// might have had, and who holds or waits for them.
func (l *Law) weigh(f chargehand.LeaseGranted) grant {
	p := &l.pool
	g := grant{LeaseGranted: f, direct: p.arrived[f.Instance]}
	r := l.runs[f.Run]
	if r == nil || len(p.tenants) < 2 || p.folded {
		return g
	}
	k := r.tasks[f.Subtask]
	if k == nil {
		return g
	}
	g.held = map[string]int{f.Tenant: 0}
	var fit []string
	for _, c := range k.queued.candidates {
		if w := p.workers[c.Worker]; w != nil && w.fit() {
			fit = append(fit, c.Worker)
			g.slots += w.slots()
		}
	}
	for _, held := range p.leases {
		if slices.Contains(fit, held.Worker) {
			g.held[held.Tenant]++
		}
	}
	for _, r := range l.order {
		for _, w := range r.tasks {
			if l.waited(w) && !r.paused && slices.ContainsFunc(w.queued.candidates, func(c chargehand.Candidate) bool { return slices.Contains(fit, c.Worker) }) {
				g.held[r.tenant] += 0
			}
		}
	}
	return g
}

// fit reports whether a worker may be given work.
func (w *worker) fit() bool {
	return !w.drained && !w.unhealthy && w.breaker != chargehand.BreakerOpen && w.probe == 0
}

// slots are those of all instances the worker can have without a spawn, and of the dynamic ones
// that are up.
func (w *worker) slots() int {
	n := w.Max
	for _, in := range w.instances {
		if in.dynamic && !in.coming {
			n++
		}
	}
	return n * w.Slots
}

// fairly judges this turn's grants: none went to a tenant that had its share, while another, who
// had not, waited for just the same workers from before the turn until after it.
func (l *Law) fairly() {
	p := &l.pool
	for i := range p.grants {
		if p.grants[i].held != nil {
			l.fair(&p.grants[i])
		}
	}
}

// fair judges one grant.
func (l *Law) fair(g *grant) {
	run := l.runs[g.Run]
	k := run.tasks[g.Subtask]
	if g.direct || g.Probe || k == nil || k.TimeoutMS > 0 || !run.deadline.IsZero() || !oneRank(k.queued.candidates) {
		return
	}
	for _, other := range l.order {
		if other.tenant == run.tenant || other.paused || other.stopping != nil || !other.deadline.IsZero() || other.ended {
			continue
		}
		for _, w := range other.tasks {
			if l.waited(w) && w.queued.strategy == k.queued.strategy && slices.Equal(w.queued.candidates, k.queued.candidates) &&
				other.team.Policy.Queue == run.team.Policy.Queue {
				l.compare(g, run, other, w)
				return
			}
		}
	}
}

// waited reports whether a subtask waited for a worker from before this turn until after it.
func (l *Law) waited(k *task) bool { return k.waiting && k.since < l.pool.turn && k.TimeoutMS == 0 }

func oneRank(cs []chargehand.Candidate) bool {
	return !slices.ContainsFunc(cs, func(c chargehand.Candidate) bool { return c.Rank != cs[0].Rank })
}

// compare judges a grant to a run against another's subtask that waited.
func (l *Law) compare(g *grant, run, other *run, w *task) {
	l.looked(Share)
	share := (g.slots + len(g.held) - 1) / max(1, len(g.held))
	if g.held[run.tenant] >= share && g.held[other.tenant] < share {
		l.fails(Share, run.id, "%s gets a lease of %s for tenant %q, which has its share of %d; %s of run %s waits for tenant %q, which has %d",
			g.Subtask, g.Worker, run.tenant, share, w.ID, other.id, other.tenant, g.held[other.tenant])
	}
}
