package law

import (
	"slices"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/supervise"
)

// A debate is what the records say of one.
type debate struct {
	most      int // rounds
	opened    chargehand.DebateOpened
	positions []int                            // attempts, in order
	taken     map[int]chargehand.PositionTaken // by attempt; the first has none
	sides     [2]string                        // workers; the second is known with its first position
	compared  bool                             // the last position was
	over      *chargehand.DebateSettled
}

// last is the attempt of the last position.
func (d *debate) last() int { return d.positions[len(d.positions)-1] }

// debated reports whether the attempt has a position in the task's debate.
func (k *task) debated(attempt int) bool {
	return k.debate != nil && (k.debate.taken[attempt] != chargehand.PositionTaken{} || k.debate.positions[0] == attempt)
}

func (r *run) debate(l *Law, f chargehand.Fact) {
	l.looked(Debates)
	switch f := f.(type) {
	case chargehand.DebateOpened:
		r.disputes(l, f)
	case chargehand.PositionTaken:
		r.stands(l, f)
	case chargehand.PositionsCompared:
		k := r.tasks[f.Subtask]
		if d := k.debate; d == nil || d.over != nil || d.compared || d.last() != f.Attempt || len(d.taken) == 0 {
			l.fails(Debates, r.id, "%s attempt %d is compared out of turn", f.Subtask, f.Attempt)
			return
		}
		k.debate.compared = true
	case chargehand.DebateSettled:
		r.settles(l, f)
	}
}

// disputes judges that a debate is due: once, of what reads, about an output that has a verdict.
func (r *run) disputes(l *Law, f chargehand.DebateOpened) {
	k, a := r.tasks[f.Subtask], r.at(f.AttemptRef)
	r.goesOn(l, k)
	switch {
	case k.debate != nil || a == nil || !a.checked:
		l.fails(Debates, r.id, "%s attempt %d is debated again, or without a verdict", k.ID, f.Attempt)
	case !r.team.Policy.Debates(&k.Subtask) || k.synthesis || !k.Effect.Reads():
		l.fails(Debates, r.id, "%s is debated, and may not be", k.ID)
	case f.Rounds < 1 || f.Rounds > chargehand.MaxDebateRounds:
		l.fails(Debates, r.id, "%s is debated in %d rounds", k.ID, f.Rounds)
	default:
		r.clashes(l, f)
		k.debate = &debate{
			most: f.Rounds, opened: f, positions: []int{f.Attempt}, taken: map[int]chargehand.PositionTaken{},
			sides: [2]string{a.worker, ""}, compared: true,
		}
	}
}

// stands judges a position: of the side whose turn it is, in its round, and acceptable only where
// the checks say so.
func (r *run) stands(l *Law, f chargehand.PositionTaken) {
	k, a := r.tasks[f.Subtask], r.at(f.AttemptRef)
	d := k.debate
	if d == nil || d.over != nil || !d.compared || a == nil || !a.checked || f.Round != len(d.taken)+1 || f.Round > d.most {
		l.fails(Debates, r.id, "%s attempt %d takes a position out of turn, in round %d", k.ID, f.Attempt, f.Round)
		return
	}
	side := &d.sides[f.Round%2]
	if *side == "" {
		*side = a.worker
	}
	if *side != a.worker || d.sides[0] == d.sides[1] {
		l.fails(Debates, r.id, "%s attempt %d: %s speaks for the side of %s", k.ID, f.Attempt, a.worker, *side)
	}
	if f.Acceptable && (!a.verdict.SchemaPass || a.verdict.Recommendation != chargehand.Accept ||
		r.team.Policy.Judge() != "" && a.judge != chargehand.Accept || f.Score > r.highest(a) || !(f.Score >= chargehand.HumanBelow)) {
		l.fails(Debates, r.id, "%s attempt %d is acceptable at %.2f, the gate said %s and the reviewer %q", k.ID, f.Attempt, f.Score, a.verdict.Recommendation, a.judge)
	}
	d.positions, d.taken[f.Attempt], d.compared = append(d.positions, f.Attempt), f, false
}

func (r *run) settles(l *Law, f chargehand.DebateSettled) {
	k := r.tasks[f.Subtask]
	d := k.debate
	if d == nil || d.over != nil || !k.debated(f.Attempt) {
		l.fails(Debates, r.id, "%s is settled for attempt %d out of turn", k.ID, f.Attempt)
		return
	}
	if f.By != chargehand.AdjudicateByPerson && (!d.compared || !d.acceptable(f.Attempt)) {
		l.fails(Debates, r.id, "%s is settled for attempt %d, which the checks do not accept", k.ID, f.Attempt)
	}
	r.yields(l, k, f)
	d.over, k.waiting = &f, false
}

// acceptable reports whether the checks accept the position of an attempt by itself.
func (d *debate) acceptable(attempt int) bool {
	if attempt == d.opened.Attempt {
		return d.opened.Acceptable
	}
	return d.taken[attempt].Acceptable
}

// wins judges that an accepted output is not one that lost a debate, or is still in one.
func (r *run) wins(l *Law, k *task, f chargehand.SubtaskEnded) {
	d := k.debate
	if d == nil || f.State == chargehand.SubtaskAcceptedByHuman {
		return
	}
	l.looked(Debates)
	switch {
	case d.over == nil:
		l.fails(Debates, r.id, "%s is accepted while it is debated", k.ID)
	case f.Attempt > d.last(): // a person sent it back since
	case d.over.By == chargehand.AdjudicateByPerson || d.over.Attempt != f.Attempt:
		l.fails(Debates, r.id, "%s is accepted with attempt %d, and the debate was settled for %d by %q", k.ID, f.Attempt, d.over.Attempt, d.over.By)
	}
}

// shown judges that an attempt of a debate sees the other side's last output, or the word on it, or
// an accepted output that it is about.
func (r *run) shown(l *Law, k *task, in chargehand.InputRef) {
	d := k.debate
	if d == nil || d.over != nil || in.Name == "position" && k.attempts[d.last()].output != in.Hash {
		l.fails(Debates, r.id, "%s is shown %s, which is no position it has to answer", k.ID, in.Hash)
		return
	}
	accepted := func(id string) bool { return r.tasks[id].attempts[r.tasks[id].used].output == in.Hash }
	if in.Name == "dissent" && !slices.ContainsFunc(d.opened.Against, accepted) {
		l.fails(Debates, r.id, "%s is shown %s, which it is not debated against", k.ID, in.Hash)
	}
}

// compares judges that what is compared are the last two positions.
func (r *run) compares(do supervise.Compare) bool {
	k := r.tasks[do.Subtask]
	d := k.debate
	if d == nil || len(d.taken) == 0 || d.last() != do.Attempt {
		return false
	}
	n := len(d.positions)
	return k.attempts[d.positions[n-2]].output == do.First && k.attempts[d.positions[n-1]].output == do.Second
}
