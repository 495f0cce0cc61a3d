package chargehand

import (
	"fmt"
	"strings"
)

// A graph is a plan's dependencies by place: subtask i waits for deps[i]. Unknown ids and a
// subtask's own are left out, for they are problems of their own.
type graph struct {
	plan *Plan
	deps [][]edge
}

// An edge leads to the subtask at place to; it is entry number at of the list of deps.
type edge struct{ to, at int }

func newGraph(p *Plan, ids *names) *graph {
	g := &graph{p, make([][]edge, len(p.Subtasks))}
	for i := range p.Subtasks {
		for at, dep := range p.Subtasks[i].Deps {
			if to, ok := ids.first[dep]; ok && to != i {
				g.deps[i] = append(g.deps[i], edge{to, at})
			}
		}
	}
	return g
}

const (
	maxCycles    = 20 // that are named
	maxCycleText = 8  // subtasks of one cycle that are named
)

// cycles names subtasks that wait for each other. Each cycle found is cut where it closes, and
// the search goes on.
func (c *check) cycles(path string, g *graph) {
	w := walk{graph: g, next: make([]int, len(g.deps)), state: make([]visit, len(g.deps))}
	found := 0
	for i := range g.deps {
		w.from(i, func(cycle []int, closing edge) bool {
			last := cycle[len(cycle)-1]
			c.problem(fmt.Sprintf("%s.subtasks[%d].deps[%d]", path, last, closing.at), "subtasks wait for each other: %s", g.name(cycle))
			found++
			return found < maxCycles
		})
		if found >= maxCycles {
			return
		}
	}
}

// name is "`a` → `b` → `a`".
func (g *graph) name(cycle []int) string {
	var b strings.Builder
	for n, i := range cycle {
		if left := len(cycle) - n; n == maxCycleText && left > 1 {
			fmt.Fprintf(&b, "%d more → ", left)
			break
		}
		b.WriteString(tick(g.plan.Subtasks[i].ID) + " → ")
	}
	b.WriteString(tick(g.plan.Subtasks[cycle[0]].ID))
	return b.String()
}

type visit byte

const (
	unseen visit = iota
	onPath
	done
)

// A walk goes through a graph depth first, with its own stack: a chain of ten thousand subtasks
// is not a depth of ten thousand calls.
type walk struct {
	*graph
	next  []int // by subtask: the edge to follow next
	state []visit
	path  []int
}

// from walks everything that start waits for, and calls found with each cycle until it says no.
func (w *walk) from(start int, found func(cycle []int, closing edge) bool) {
	if w.state[start] != unseen {
		return
	}
	w.enter(start)
	for len(w.path) > 0 {
		at := w.path[len(w.path)-1]
		if w.next[at] == len(w.deps[at]) {
			w.leave(at)
			continue
		}
		e := w.deps[at][w.next[at]]
		w.next[at]++
		switch w.state[e.to] {
		case unseen:
			w.enter(e.to)
		case onPath:
			if !found(w.since(e.to), e) {
				return
			}
		}
	}
}

func (w *walk) enter(i int) {
	w.state[i] = onPath
	w.path = append(w.path, i)
}

func (w *walk) leave(i int) {
	w.state[i] = done
	w.path = w.path[:len(w.path)-1]
}

// since is the end of the path, from i on.
func (w *walk) since(i int) []int {
	for n := len(w.path) - 1; ; n-- {
		if w.path[n] == i {
			return w.path[n:]
		}
	}
}
