package supervise

import (
	"container/heap"
	"math"
	"slices"
	"time"

	"github.com/chargehand/chargehand"
)

// board is every subtask and how far it is.
type board struct {
	order []*task          // as planned
	tasks map[string]*task // by id; for look-ups only
	ready readyHeap        // tasks that could be queued now
	open  int              // tasks queued or running

	unjudged  []*task // tasks that are checked and have no reviewer asked; between steps those without money for it
	judging   int     // tasks whose reviewer is being asked
	comparing int     // tasks of which two positions are being compared
	stopping  int     // attempts whose workers have not let go

	stated stated // by accepted outputs that may be compared

	live  int     // tasks not in a final state, the synthesis left out
	parts [10]int // planned tasks by how they count; see tally
	plans []drawn // by version, from 1
}

// How tasks in a final state count.
const (
	countAll = iota
	countAccepted
	countFailure
	countOverBudget
	countRejected
	countWaiting // with a person
	countChecked // by gate or reviewer, the synthesis included
	countShort   // accepted with an output known to be incomplete, the synthesis included
	countAgainst // accepted against the checks, the synthesis included
	countReplaced
)

// A task is a subtask and its progress.
type task struct {
	spec       *chargehand.Subtask
	index      int // in the plan; ties in priority go by it
	synthesis  bool
	state      chargehand.SubtaskState
	waits      int // dependencies not accepted yet
	dependants []*task
	heapAt     int // in board.ready; -1 when not there

	number   int       // of the attempt under way, or of the last; zero before the first
	attempt  attempt   // that attempt
	stopping []attempt // attempts whose workers have not let go
	past     []past    // attempts that ended without acceptance

	prefer     string   // worker that goes first in the next attempt
	avoid      []string // workers left out of it
	correction string   // its feedback
	revise     revision // of its last output
	actions    []string // calls of tools that are not to be made again
	wanted     amount   // reserve at least this for it: an attempt before was denied as much
	spent      amount   // by its attempts so far
	review     string   // the review it waits for
	debate     debate   // about its output

	cause chargehand.Cause // why it ended, when without acceptance
	why   string
	by    string // who decided

	version   int      // of the plan it belongs to
	owed      int      // version of the first plan that is to make up for it; zero: none is
	standIns  []*task  // that are to make up for it, as the latest plan says that names it
	standsFor []*task  // of which it is such a one, or was before a later plan
	replaced  []string // whose outputs do; nil: none do

	lacks   []string // what its accepted output is known not to cover
	against string   // why the checks did not accept what was accepted
}

// A revision is an output that the worker who made it is to mend. The zero revision is none.
type revision struct{ worker, output string }

// A past attempt is what no_progress and the recovery table look at.
type past struct {
	worker, input, output string
	cause                 chargehand.Cause
}

func (k *task) ref() chargehand.AttemptRef {
	return chargehand.AttemptRef{Subtask: k.spec.ID, Attempt: k.number}
}

// add puts planned subtasks on the board. Dependencies may follow in a later part of the plan.
func (b *board) add(specs []chargehand.Subtask, version int, synthesis bool) {
	for i := range specs {
		k := &task{
			spec: &specs[i], index: len(b.order), version: version, synthesis: synthesis, heapAt: -1,
			state: chargehand.SubtaskBlocked,
		}
		if earlier := b.tasks[k.spec.ID]; earlier != nil && earlier.spec == nil {
			k.dependants = earlier.dependants
		}
		b.order = append(b.order, k)
		b.tasks[k.spec.ID] = k
		b.link(k)
		if !synthesis {
			b.live++
			b.parts[countAll]++
			b.standIn(k)
		}
		if k.waits == 0 {
			b.makeReady(k)
		}
	}
}

func (b *board) link(k *task) {
	for _, id := range k.spec.Deps {
		dep := b.tasks[id]
		if dep == nil {
			dep = &task{heapAt: -1} // planned in a later part; add takes its dependants over
			b.tasks[id] = dep
		}
		if !dep.state.Accepted() {
			k.waits++
			dep.dependants = append(dep.dependants, k)
		}
	}
}

func (b *board) makeReady(k *task) {
	if k.heapAt < 0 {
		k.state = chargehand.SubtaskReady
		heap.Push(&b.ready, k)
	}
}

func (b *board) specs() []chargehand.Subtask {
	var out []chargehand.Subtask
	for _, k := range b.order {
		if !k.synthesis {
			out = append(out, *k.spec)
		}
	}
	return out
}

// move puts a task into a state and keeps the counts.
func (b *board) move(k *task, s chargehand.SubtaskState) {
	b.tally(k, -1)
	k.state = s
	b.tally(k, +1)
	if k.heapAt >= 0 && s != chargehand.SubtaskReady && s != chargehand.SubtaskRetrying {
		heap.Remove(&b.ready, k.heapAt)
	}
	b.wantJudge(k, s == chargehand.SubtaskValidating)
}

// wantJudge keeps the list of tasks without a reviewer.
func (b *board) wantJudge(k *task, want bool) {
	i := slices.Index(b.unjudged, k)
	switch {
	case want && i < 0:
		b.unjudged = append(b.unjudged, k)
	case !want && i >= 0:
		b.unjudged = slices.Delete(b.unjudged, i, i+1)
	}
}

func (b *board) tally(k *task, by int) {
	if k.state == chargehand.SubtaskQueued || k.state == chargehand.SubtaskRunning {
		b.open += by
	}
	if k.state == chargehand.SubtaskNeedsHuman || k.state == chargehand.SubtaskUnknown {
		b.parts[countWaiting] += by
	}
	if k.state == chargehand.SubtaskValidating {
		b.parts[countChecked] += by
	}
	if k.state.Accepted() && len(k.lacks) > 0 {
		b.parts[countShort] += by
	}
	if k.against != "" && k.state.Accepted() {
		b.parts[countAgainst] += by
	}
	if k.synthesis || !k.state.Final() {
		return
	}
	b.live -= by
	switch {
	case k.replaced != nil:
		b.parts[countReplaced] += by
	case k.state.Accepted():
		b.parts[countAccepted] += by
	case k.state.Failure():
		b.parts[countFailure] += by
	case k.state == chargehand.SubtaskOverBudget:
		b.parts[countOverBudget] += by
	case k.state == chargehand.SubtaskRejected:
		b.parts[countRejected] += by
	}
}

func (b *board) failures() int { return b.parts[countFailure] }

// planned is how many subtasks the result is made of, or lacks.
func (b *board) planned() int { return b.parts[countAll] - b.parts[countReplaced] }
func (b *board) waiting() int { return b.parts[countWaiting] }

func (m *Machine) applyBoard(f chargehand.Fact) {
	b := &m.board
	switch f := f.(type) {
	case chargehand.SubtasksQueued:
		for _, a := range f.Attempts {
			k := b.tasks[a.Subtask]
			k.number, k.attempt = a.Attempt, attempt{candidates: f.Candidates, strategy: f.Strategy, tier: f.Tier}
			b.move(k, chargehand.SubtaskQueued)
		}
	case chargehand.RetryPlanned:
		k := b.tasks[f.Subtask]
		k.past = append(k.past, past{k.attempt.worker, k.attempt.input, k.attempt.output, f.Cause})
		k.prefer, k.avoid, k.correction = f.Prefer, f.Avoid, f.Correction
		k.revise = revision{k.attempt.worker, f.Revise}
		if f.Cause == chargehand.CauseBudget {
			k.wanted = k.attempt.wanted
		}
		if f.Cause == chargehand.CauseContested {
			k.debate.round++
			k.debate.stage = arguing
		}
		b.move(k, chargehand.SubtaskRetrying)
		heap.Push(&b.ready, k)
	case chargehand.SubtaskEnded:
		k := b.tasks[f.Subtask]
		k.cause, k.why, k.by, k.attempt.score = f.Cause, f.Why, f.DecidedBy, f.Score
		k.lacks, k.against = f.Lacks, f.Against
		b.endComparison(k, settled)
		b.move(k, f.State)
		if f.State.Accepted() {
			b.stated.take(k)
			b.unblock(k)
			b.fulfil(k)
		}
		k.attempt.stances = nil // nobody asks for them any more
	}
}

func (b *board) unblock(k *task) {
	for _, d := range k.dependants {
		if d.waits--; d.waits == 0 && d.state == chargehand.SubtaskBlocked {
			b.makeReady(d)
		}
	}
}

// end records that nothing more will be done for a task, and what follows from it: dependants are
// skipped, and a failure that the run cannot bear ends it.
func (m *Machine) end(now time.Time, k *task, f chargehand.SubtaskEnded, out *Output) {
	f.Subtask = k.spec.ID
	//rule:shortfall-said
	if f.State.Accepted() {
		f.Lacks = k.attempt.lacks
	}
	m.record(now, f, out)
	if f.State.Accepted() {
		m.makeUp(now, k, out)
	}
	if f.State.Accepted() || k.synthesis {
		return
	}
	needy := m.skipDependants(now, k, out)
	m.judgeRun(now, k, needy, out)
}

// skipDependants ends all that waits for a task which was not accepted, and answers the first of
// them that the run is nothing without.
func (m *Machine) skipDependants(now time.Time, k *task, out *Output) (needy *task) {
	for todo := append([]*task(nil), k.dependants...); len(todo) > 0; todo = todo[1:] {
		d := todo[0]
		if d.state != chargehand.SubtaskBlocked {
			continue
		}
		f := chargehand.SubtaskEnded{
			Subtask: d.spec.ID, State: chargehand.SubtaskSkipped,
			Cause: chargehand.CauseDependency, Label: "skipped", Why: k.spec.ID + " was not accepted",
		}
		if m.run.abort != nil {
			f = chargehand.SubtaskEnded{
				Subtask: d.spec.ID, State: chargehand.SubtaskCancelled,
				Cause: m.run.abort.cause, Why: m.run.abort.why, DecidedBy: m.run.abort.by,
			}
		}
		m.record(now, f, out)
		todo = append(todo, d.dependants...)
		if needy == nil && m.required(d) {
			needy = d
		}
	}
	return needy
}

// judgeRun ends the run when a task's end is more than it can bear (SPEC.md ·52, ·80, ·127).
func (m *Machine) judgeRun(now time.Time, k, needy *task, out *Output) {
	n, failed := m.board.parts[countAll], m.board.failures()
	//guard:failure-threshold off=limit++
	limit := int(math.Floor(float64(n)*m.team.Policy.Ratio()+1e-9)) + 1
	lost := k.state.Failure() || k.state == chargehand.SubtaskRejected
	switch {
	case m.run.abort != nil:
	case lost && k.state == chargehand.SubtaskRejected && m.required(k):
		m.abort(now, ending{
			stop: chargehand.StopPolicyBoundary, cause: chargehand.CauseRejected,
			why: k.spec.Name() + " is required and was rejected",
		}, out)
	//guard:required
	case lost && m.required(k):
		m.abort(now, ending{
			stop: chargehand.StopWorkerFailure, cause: k.cause,
			why: k.spec.Name() + " is required and " + failedWords(k),
		}, out)
	case lost && needy != nil:
		m.abort(now, ending{
			stop: chargehand.StopWorkerFailure, cause: chargehand.CauseDependency,
			why: needy.spec.Name() + " is required and depends on " + k.spec.Name() + ", which " + failedWords(k),
		}, out)
	case k.state.Failure() && failed >= limit:
		m.abort(now, ending{
			stop: chargehand.StopTooManyFailures, cause: k.cause,
			why: itoa(failed) + " of " + counted(n, "subtask") + " failed, the limit is " + itoa(limit) + m.shared(),
		}, out)
	case lost && m.team.Policy.OnSubtaskError == chargehand.FailRun:
		m.abort(now, ending{
			stop: chargehand.StopWorkerFailure, cause: k.cause,
			why: k.spec.Name() + " " + failedWords(k) + ", and the policy ends the run then",
		}, out)
	}
}

func failedWords(k *task) string {
	if k.state == chargehand.SubtaskRejected {
		return "was rejected"
	}
	return "was not done: " + k.why
}

// required reports whether the run is nothing without the task: by the plan, or by the policy of a worker
// that had it, also of one before the last, or while nobody had it of one that could (SPEC.md ·70).
func (m *Machine) required(k *task) bool {
	if k.spec.Required {
		return true
	}
	if k.attempt.worker == "" && len(k.past) == 0 {
		return slices.ContainsFunc(m.team.Workers, func(w chargehand.WorkerSpec) bool {
			return w.FailurePolicy.Required && w.Can(k.spec.Capability) && (k.spec.Assignee == "" || k.spec.Assignee == w.WorkerID)
		})
	}
	wants := func(worker string) bool {
		w := m.team.Worker(worker)
		return w != nil && w.FailurePolicy.Required
	}
	return wants(k.attempt.worker) || slices.ContainsFunc(k.past, func(p past) bool { return wants(p.worker) })
}

// readyHeap has the highest priority first, then the order of the plan.
type readyHeap []*task

func (h readyHeap) Len() int { return len(h) }
func (h readyHeap) Less(i, j int) bool {
	if h[i].spec.Priority != h[j].spec.Priority {
		return h[i].spec.Priority > h[j].spec.Priority
	}
	return h[i].index < h[j].index
}

func (h readyHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].heapAt, h[j].heapAt = i, j
}

func (h *readyHeap) Push(x any) {
	k := x.(*task)
	k.heapAt = len(*h)
	*h = append(*h, k)
}

func (h *readyHeap) Pop() any {
	old := *h
	k := old[len(old)-1]
	k.heapAt = -1
	*h = old[:len(old)-1]
	return k
}
