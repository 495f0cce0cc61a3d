package supervise

import (
	"slices"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
)

// A drawn plan is one that was adopted, and how much of it is still to come.
type drawn struct {
	tasks []*task
	left  int  // tasks that are neither accepted nor replaced
	named bool // it says itself which of its subtasks replace which
}

// draw begins a plan. It is to make up for all that has failed before, unless it says otherwise; what a
// person rejected stays rejected.
func (b *board) draw(version, iteration int) {
	for len(b.plans) < version {
		b.plans = append(b.plans, drawn{})
	}
	if iteration < 2 {
		return
	}
	for _, k := range b.order {
		if k.state.Final() && !k.state.Accepted() && k.replaced == nil && k.state != chargehand.SubtaskRejected && k.owed == 0 {
			k.owed = version
		}
	}
}

// standIn puts a new task in the place of those it replaces, and of what failed to replace them before.
func (b *board) standIn(k *task) {
	if k.version < 1 || k.version > len(b.plans) {
		return // a plan that no record says was adopted
	}
	p := &b.plans[k.version-1]
	p.tasks, p.left = append(p.tasks, k), p.left+1
	for _, id := range k.spec.Replaces {
		p.named = true
		if old := b.tasks[id]; old != nil && old.spec != nil {
			b.replaceBy(old, k)
		}
	}
}

func (b *board) replaceBy(old, k *task) {
	if len(old.standIns) > 0 && old.standIns[0].version < k.version {
		before := old.standIns
		old.standIns = nil
		for _, s := range before {
			if s.state.Final() && !s.state.Accepted() && s.replaced == nil {
				b.replaceBy(s, k)
			}
		}
	}
	if !slices.Contains(old.standIns, k) {
		old.standIns, k.standsFor = append(old.standIns, k), append(k.standsFor, old)
	}
}

// fulfil notes that a task of a plan is done.
func (b *board) fulfil(k *task) {
	if k.version >= 1 && k.version <= len(b.plans) && !k.synthesis {
		b.plans[k.version-1].left--
	}
}

func (k *task) fulfilled() bool { return k.state.Accepted() || k.replaced != nil }

// maxReplaced is how many subtasks one record says are replaced, and maxBy how many by.
const (
	maxReplaced = 100
	maxBy       = 50
)

// makeUp records for which subtasks an acceptance makes up (SPEC.md ·23). What is replaced then may have
// been a replacement itself.
func (m *Machine) makeUp(now time.Time, k *task, out *Output) {
	for todo := []*task{k}; len(todo) > 0; todo = todo[1:] {
		k := todo[0]
		if k.version < 1 || k.version > len(m.board.plans) || k.synthesis {
			continue
		}
		if p := &m.board.plans[k.version-1]; p.left == 0 && !p.named {
			var owed []*task
			for _, old := range m.board.order {
				if old.owed > 0 && old.owed <= k.version && old.replaced == nil && len(uncovered(old, p.tasks)) == 0 {
					owed = append(owed, old)
				}
			}
			todo = append(todo, m.replace(now, owed, p.tasks, out)...)
		}
		for _, old := range k.standsFor {
			todo = append(todo, m.settleReplaced(now, old, out)...)
		}
	}
}

// settleReplaced records that a task is made up for, if all that stands in for it was accepted.
func (m *Machine) settleReplaced(now time.Time, old *task, out *Output) []*task {
	if old.replaced != nil ||
		slices.ContainsFunc(old.standIns, func(s *task) bool { return !s.fulfilled() }) {
		return nil
	}
	return m.replace(now, []*task{old}, old.standIns, out)
}

func (m *Machine) replace(now time.Time, old, by []*task, out *Output) []*task {
	var names []string
	for _, k := range first(by, maxBy) {
		names = append(names, k.spec.ID)
	}
	for part := range slices.Chunk(old, maxReplaced) {
		f := chargehand.SubtasksReplaced{By: names, Plan: by[0].version}
		for _, k := range part {
			f.Subtasks = append(f.Subtasks, k.spec.ID)
		}
		m.record(now, f, out)
	}
	return old
}

// uncovered are the aspects that a subtask had to address and that none of its replacements has to.
func uncovered(old *task, by []*task) []string {
	var out []string
	for _, aspect := range old.spec.RequiredAspects {
		if !slices.ContainsFunc(by, func(k *task) bool { return slices.Contains(k.spec.RequiredAspects, aspect) }) {
			out = append(out, aspect)
		}
	}
	return out
}

// misplaced are what is wrong with the subtasks that a plan says it replaces.
func (m *Machine) misplaced(list []chargehand.Subtask) []string {
	var errs []string
	by := map[string][]*task{}
	for i := range list {
		s := &list[i]
		for _, id := range s.Replaces {
			k := m.board.tasks[id]
			switch {
			case k == nil || k.synthesis:
				errs = append(errs, "subtask "+s.ID+" replaces "+id+", and no plan before has it")
			case k.state.Accepted():
				errs = append(errs, "subtask "+s.ID+" replaces "+id+", which was accepted")
			case !k.state.Final():
				errs = append(errs, "subtask "+s.ID+" replaces "+id+", which has not ended")
			case k.replaced != nil:
				errs = append(errs, "subtask "+s.ID+" replaces "+id+", which is replaced already by "+strings.Join(k.replaced, ", "))
			default:
				by[id] = append(by[id], &task{spec: s})
			}
		}
	}
	for _, k := range m.board.order {
		if u := uncovered(k, by[k.spec.ID]); len(by[k.spec.ID]) > 0 && len(u) > 0 {
			errs = append(errs, "what replaces "+k.spec.ID+" must have its requiredAspects too: it lacks "+strings.Join(u, ", "))
		}
	}
	return errs
}

func (m *Machine) applyReplaced(f chargehand.SubtasksReplaced) {
	b := &m.board
	for _, id := range f.Subtasks {
		k := b.tasks[id]
		b.tally(k, -1)
		k.replaced = f.By
		b.tally(k, +1)
		b.fulfil(k)
	}
}
