package supervise

import (
	"cmp"
	"maps"
	"slices"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/chargehand/chargehand"
)

// A snapshot is all of a machine's state in a form that two machines can be compared by. What is
// left out is the cache of choices; heaps are sorted, and timers that no longer matter dropped.
type snapshot struct {
	Run      run
	Planning planning
	Ledger   ledger
	Closing  closing
	Seq      int64
	Last     time.Time

	Board    board // without tasks
	Ready    []string
	Unjudged []string
	Plans    [][]string
	Tasks    []taskShot
	Timers   []timer

	Desk    desk // without reviews
	Reviews []chargehand.Review
	Names   []string // of desk.reviews
	Open    []string
}

// A taskShot is a task without pointers to others.
type taskShot struct {
	Task       task
	Spec       chargehand.Subtask
	Dependants []string
	StandIns   []string
	StandsFor  []string
	Queueable  bool // it stands in board.ready
}

func snap(m *Machine) snapshot {
	s := snapshot{
		Run: m.run, Planning: m.planning, Ledger: m.ledger, Closing: m.closing, Seq: m.seq, Last: m.last,
		Board: m.board, Desk: m.desk, Names: slices.Sorted(maps.Keys(m.desk.reviews)),
	}
	ready := slices.Clone(m.board.ready)
	slices.SortFunc(ready, func(a, b *task) int { return cmp.Compare(a.index, b.index) })
	s.Ready = ids(ready)
	for _, k := range m.board.order {
		shot := taskShot{Task: *k, Spec: *k.spec, Dependants: ids(k.dependants), StandIns: ids(k.standIns), StandsFor: ids(k.standsFor), Queueable: k.heapAt >= 0}
		shot.Task.spec, shot.Task.dependants, shot.Task.standIns, shot.Task.standsFor, shot.Task.heapAt = nil, nil, nil, nil, 0
		s.Tasks = append(s.Tasks, shot)
	}
	s.Unjudged = ids(m.board.unjudged)
	s.Board.plans = slices.Clone(m.board.plans)
	for i := range s.Board.plans {
		s.Plans, s.Board.plans[i].tasks = append(s.Plans, ids(s.Board.plans[i].tasks)), nil
	}
	s.Board.order, s.Board.tasks, s.Board.ready, s.Board.unjudged = nil, nil, nil, nil
	for _, r := range m.desk.order {
		s.Reviews = append(s.Reviews, *r)
	}
	s.Desk.reviews, s.Desk.order = nil, nil
	for _, t := range m.timers.heap {
		if m.matters(t) {
			s.Timers = append(s.Timers, t)
		}
	}
	slices.SortFunc(s.Timers, func(a, b timer) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.seq, b.seq)) })
	return s
}

func ids(tasks []*task) []string {
	var out []string
	for _, k := range tasks {
		out = append(out, k.spec.ID)
	}
	return out
}

var whole = gocmp.Options{
	gocmp.AllowUnexported(snapshot{}, run{}, ending{}, planning{}, proposal{}, ledger{}, amount{}, closing{}, end{}, board{}, drawn{}, task{},
		taskShot{}, attempt{}, past{}, timer{}, desk{}, debate{}, revision{}, position{}, voice{}, rival{}),
	cmpopts.EquateEmpty(),
}

// differ says where two machines' states are not the same; empty where they are.
func differ(a, b *Machine) string { return gocmp.Diff(snap(a), snap(b), whole) }
