package fleet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
)

// How long an instance stays without work, at most (SPEC.md ·100).
const (
	staticIdle  = 5 * time.Minute
	dynamicIdle = time.Minute
)

// An instance is one place at which a worker works.
type instance struct {
	chargehand.InstanceState
	number int // of a static one, from 1; zero for a dynamic one
	active int // leases; 0 <= active, and no lease is granted at active >= Slots
}

func staticName(worker string, n int) string {
	if n == 1 {
		return worker
	}
	return fmt.Sprintf("%s#%d", worker, n)
}

// numberOf is the number in a static instance's name.
func numberOf(worker, name string) int {
	if s, ok := strings.CutPrefix(name, worker+"#"); ok {
		n, _ := strconv.Atoi(s)
		return n
	}
	return 1
}

func (w *worker) instance(name string) *instance {
	for i := range w.instances {
		if w.instances[i].Instance == name {
			return &w.instances[i]
		}
	}
	return nil
}

// addStatic puts static instance n in its place, if it is not there.
func (w *worker) addStatic(n int, at time.Time) {
	i := 0
	for i < len(w.instances) && w.instances[i].number != 0 && w.instances[i].number < n {
		i++
	}
	if i < len(w.instances) && w.instances[i].number == n {
		return
	}
	w.instances = slices.Insert(w.instances, i, instance{
		number:        n,
		InstanceState: chargehand.InstanceState{Instance: staticName(w.Worker, n), IdleSince: at},
	})
}

// applyInstance folds in what became of an instance.
func (m *Machine) applyInstance(f chargehand.Fact, at time.Time) {
	switch f := f.(type) {
	case chargehand.InstanceSpawned:
		m.pool.named(f.Worker).arrive(f, at)
	case chargehand.SpawnAsked:
		m.pool.named(f.Worker).expect(f)
	case chargehand.SpawnFailed:
		m.pool.named(f.Worker).giveUp(f, at)
	case chargehand.InstanceRetired:
		m.pool.named(f.Worker).remove(f.Instance)
	}
}

func (w *worker) arrive(f chargehand.InstanceSpawned, at time.Time) {
	if !f.Dynamic {
		w.addStatic(numberOf(f.Worker, f.Instance), at)
		return
	}
	in := w.instance(f.Instance)
	in.InstanceState = chargehand.InstanceState{Instance: f.Instance, Dynamic: true, IdleSince: at}
}

func (w *worker) expect(f chargehand.SpawnAsked) {
	if f.Try == 1 {
		w.Spawns++
	}
	w.instances = append(w.instances, instance{InstanceState: chargehand.InstanceState{
		Instance: f.Instance, Dynamic: true, Try: f.Try, Run: f.Run, For: f.AttemptRef,
	}})
}

func (w *worker) giveUp(f chargehand.SpawnFailed, at time.Time) {
	if w.instance(f.Instance).Try == lastTry {
		w.SpawnRest = at.Add(spawnRest)
	}
	w.remove(f.Instance)
}

func (w *worker) remove(name string) {
	w.instances = slices.DeleteFunc(w.instances, func(in instance) bool { return in.Instance == name })
}

// up reports whether an instance can be given work: it is there, and its worker's limits still
// provide for it.
func (w *worker) up(in *instance) bool {
	return in.Try == 0 && !w.surplus(in)
}

// surplus reports whether an instance is more than its worker's limits provide for since they
// changed.
func (w *worker) surplus(in *instance) bool {
	if in.Dynamic {
		return w.Spawn == nil
	}
	return in.number > w.Max
}

// leaves is when an idle instance goes; zero means never.
func (w *worker) leaves(in *instance) time.Time {
	switch {
	case in.Try > 0 || in.active > 0:
		return time.Time{}
	case w.surplus(in):
		return in.IdleSince
	case in.Dynamic:
		return in.IdleSince.Add(w.patience())
	case in.number > w.Min:
		return in.IdleSince.Add(staticIdle)
	}
	return time.Time{}
}

// patience is how long a dynamic instance may idle.
func (w *worker) patience() time.Duration {
	if d := w.Spawn.IdleTimeout.Std(); d > 0 {
		return min(d, dynamicIdle)
	}
	return dynamicIdle
}

// retireIdle lets go of the instances whose time has come.
func (m *Machine) retireIdle(w *worker, out *Output) {
	var gone []string
	for i := range w.instances {
		if at := w.leaves(&w.instances[i]); !at.IsZero() && !at.After(m.now) {
			gone = append(gone, w.instances[i].Instance)
		}
	}
	for _, name := range gone {
		m.retire(w, name, out)
	}
}

func (m *Machine) retire(w *worker, name string, out *Output) {
	m.record(chargehand.InstanceRetired{Worker: w.Worker, Instance: name}, out)
	out.begin(Retire{Worker: w.Worker, Instance: name})
	m.touch(w)
}

// capacity is how many leases the worker can hold without a spawn.
func (w *worker) capacity() int {
	n := w.Max
	for i := range w.instances {
		if w.instances[i].Dynamic && w.up(&w.instances[i]) {
			n++
		}
	}
	return n * w.Slots
}

// place is the instance that takes the next lease, and whether it must be brought back first. It
// is the least busy of those kept anyway, so that the others can go; empty if all are full.
func (w *worker) place() (name string, bring bool) {
	var best *instance
	for i := range w.instances {
		in := &w.instances[i]
		//guard:capacity off=!w.up(in)
		if !w.up(in) || in.active >= w.Slots {
			continue
		}
		if best == nil || in.number != 0 && in.number <= w.Min && in.active < best.active {
			best = in
		}
	}
	if best != nil {
		return best.Instance, false
	}
	return w.missing(), true
}

// missing is the first static instance that is not there, empty if all are.
func (w *worker) missing() string {
	n := 1
	for i := range w.instances {
		if w.instances[i].number == n {
			n++
		}
	}
	if n > w.Max {
		return ""
	}
	return staticName(w.Worker, n)
}

// full reports whether every slot is taken, those of static instances that are away included.
func (w *worker) full() bool {
	name, _ := w.place()
	return name == ""
}
