package law

import (
	"slices"
	"strconv"
	"strings"

	"github.com/chargehand/chargehand"
)

// The pool is what the fleet's records say of workers and leases.
type pool struct {
	stream  stream
	workers map[string]*worker
	leases  map[int64]*lease
	open    map[int64]place // attempts that hold a lease, the stopping ones included, by epoch
	live    map[int64]lived // attempts that a worker in this process is at, by epoch

	turn    int64
	folded  bool            // this turn's machines do not know yet who waits
	held    bool            // nobody works in this turn's process
	changed bool            // the slots of a worker changed in this turn
	grants  []grant         // of this turn
	arrived map[string]bool // instances that came up in this turn
	gone    map[string]bool // and those that went
	tenants map[string]bool // of all runs
}

// A place is an attempt among all runs.
type place struct {
	run string
	chargehand.AttemptRef
}

// A lived attempt is one that a worker is at.
type lived struct {
	place
	worker, instance string
}

type lease struct {
	chargehand.LeaseGranted
}

// A worker is what is known of one.
type worker struct {
	chargehand.FleetWorker
	drained   bool
	unhealthy bool
	breaker   chargehand.Breaker
	probe     int64 // epoch of the lease that is the half-open breaker's probe
	instances []instance
}

type instance struct {
	name    string
	dynamic bool
	coming  bool // asked for, and not up
	leases  int
}

func newPool() pool {
	return pool{
		workers: map[string]*worker{}, leases: map[int64]*lease{}, open: map[int64]place{}, live: map[int64]lived{},
		arrived: map[string]bool{}, gone: map[string]bool{}, tenants: map[string]bool{},
	}
}

func (p *pool) begin(folded bool) {
	p.turn++
	p.folded, p.changed = folded, false
	p.grants = p.grants[:0]
	clear(p.arrived)
	clear(p.gone)
}

func (p *pool) instance(worker, name string) *instance {
	if w := p.workers[worker]; w != nil {
		for i := range w.instances {
			if w.instances[i].name == name {
				return &w.instances[i]
			}
		}
	}
	return nil
}

// record follows one record of the fleet.
func (p *pool) record(l *Law, rec chargehand.Record) {
	switch f := rec.Fact.(type) {
	case chargehand.WorkersRegistered:
		for _, spec := range f.Workers {
			p.register(spec)
		}
	case chargehand.LeaseGranted:
		p.grant(l, f)
	case chargehand.LeaseFreed:
		p.free(l, f)
	case chargehand.BreakerMoved:
		w := p.workers[f.Worker]
		w.breaker, w.probe = f.State, 0
	case chargehand.HealthChanged:
		p.workers[f.Worker].unhealthy = !f.Healthy
	case chargehand.WorkerDrained:
		p.workers[f.Worker].drained = f.Drained
	case chargehand.SpawnAsked:
		w := p.workers[f.Worker]
		w.instances = append(w.instances, instance{name: f.Instance, dynamic: true, coming: true})
		p.within(l, w)
	case chargehand.InstanceSpawned:
		p.arrive(l, f)
	case chargehand.SpawnFailed:
		p.drop(l, f.Worker, f.Instance)
	case chargehand.InstanceRetired:
		p.drop(l, f.Worker, f.Instance)
	}
}

func (p *pool) register(spec chargehand.FleetWorker) {
	w := p.workers[spec.Worker]
	if w == nil {
		w = &worker{breaker: chargehand.BreakerClosed}
		p.workers[spec.Worker] = w
	}
	p.changed = p.changed || w.Slots != spec.Slots
	w.FleetWorker = spec
	if spec.Health == "" {
		w.unhealthy = false
	}
	for n := 1; n <= spec.Min; n++ {
		if name := static(spec.Worker, n); p.instance(spec.Worker, name) == nil {
			w.instances = append(w.instances, instance{name: name})
		}
	}
}

func static(worker string, n int) string {
	if n == 1 {
		return worker
	}
	return worker + "#" + strconv.Itoa(n)
}

func (p *pool) arrive(l *Law, f chargehand.InstanceSpawned) {
	w := p.workers[f.Worker]
	p.arrived[f.Instance] = true
	if at := p.instance(f.Worker, f.Instance); at != nil {
		at.coming = false
		return
	}
	w.instances = append(w.instances, instance{name: f.Instance, dynamic: f.Dynamic})
	p.within(l, w)
}

func (p *pool) drop(l *Law, worker, name string) {
	at := p.instance(worker, name)
	p.gone[name] = true
	l.looked(Capacity)
	if at == nil || at.leases > 0 {
		l.fails(Capacity, "", "instance %s goes, and is not there or at work", name)
	}
	w := p.workers[worker]
	w.instances = slices.DeleteFunc(w.instances, func(in instance) bool { return in.name == name })
}

// within judges that a worker has no more instances than it may.
func (p *pool) within(l *Law, w *worker) {
	l.looked(Capacity)
	dynamic := 0
	for _, in := range w.instances {
		if in.dynamic {
			dynamic++
			continue
		}
		if _, n, ok := strings.Cut(in.name, "#"); ok {
			if n, err := strconv.Atoi(n); (err != nil || n > w.Max) && p.arrived[in.name] {
				l.fails(Capacity, "", "%s comes, %s may have %d", in.name, w.Worker, w.Max)
			}
		}
	}
	if most := w.dynamic(); dynamic > most {
		l.fails(Capacity, "", "%s has %d dynamic instances, the most is %d", w.Worker, dynamic, most)
	}
}

func (w *worker) dynamic() int {
	if w.Spawn == nil {
		return 0
	}
	return w.Spawn.Max
}

// grant judges a new lease: on an instance that is there, and has a slot left.
func (p *pool) grant(l *Law, f chargehand.LeaseGranted) {
	l.looked(Capacity)
	at := p.instance(f.Worker, f.Instance)
	switch {
	case at == nil || at.coming:
		l.fails(Capacity, f.Run, "%s attempt %d is given %s, which is not there", f.Subtask, f.Attempt, f.Instance)
		return
	case at.leases >= p.workers[f.Worker].Slots:
		l.fails(Capacity, f.Run, "%s attempt %d is given %s, all of whose %d slots are taken", f.Subtask, f.Attempt, f.Instance, at.leases)
	case p.leases[f.Epoch] != nil:
		l.fails(Fencing, f.Run, "epoch %d is given twice", f.Epoch)
	}
	p.grants = append(p.grants, l.weigh(f))
	at.leases++
	p.leases[f.Epoch] = &lease{f}
	if f.Probe {
		p.workers[f.Worker].probe = f.Epoch
	}
}

// free judges that a lease ends once its worker has let go, and not before.
func (p *pool) free(l *Law, f chargehand.LeaseFreed) {
	l.looked(Capacity)
	held := p.leases[f.Epoch]
	if held == nil {
		l.fails(Conservation, "", "lease %d is freed, and is not open", f.Epoch)
		return
	}
	if at, busy := p.live[f.Epoch]; busy {
		l.fails(Capacity, at.run, "the slot of %s attempt %d is free, and %s is still at it", at.Subtask, at.Attempt, at.worker)
	}
	delete(p.leases, f.Epoch)
	if at := p.instance(held.Worker, held.Instance); at != nil {
		at.leases--
	}
	if w := p.workers[held.Worker]; w.probe == f.Epoch {
		w.probe = 0
	}
}

// conserved judges that leases and open attempts are the same.
func (l *Law) conserved() {
	l.looked(Conservation)
	p := &l.pool
	l.fairly()
	for epoch, held := range p.leases {
		if at, ok := p.open[epoch]; !ok || at != (place{held.Run, held.AttemptRef}) {
			l.fails(Conservation, held.Run, "lease %d is for %s attempt %d, which is not open", epoch, held.Subtask, held.Attempt)
		}
	}
	for epoch, at := range p.open {
		if p.leases[epoch] == nil {
			l.fails(Conservation, at.run, "%s attempt %d holds lease %d, which the fleet does not know", at.Subtask, at.Attempt, epoch)
		}
	}
}
