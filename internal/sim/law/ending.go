package law

import (
	"math/big"
	"strconv"
	"time"

	"github.com/chargehand/chargehand"
)

// end judges how a subtask ends, and whether the run can bear it.
func (r *run) end(l *Law, f chargehand.SubtaskEnded) {
	k := r.tasks[f.Subtask]
	r.goesOn(l, k)
	if f.State.Accepted() {
		r.accept(l, k, f)
	}
	k.state, k.waiting, k.used = f.State, false, f.Attempt
	if k.synthesis || !f.State.Failure() {
		return
	}
	r.failed++
	if r.stopping == nil && !r.closing && r.failed >= r.limit() {
		r.owed = k
	}
}

// replace judges that what makes up for a failure was accepted, or is made up for itself.
func (r *run) replace(l *Law, f chargehand.SubtasksReplaced) {
	l.looked(Shortfall)
	for _, id := range f.By {
		if k := r.tasks[id]; k == nil || !k.state.Accepted() && !k.replaced {
			l.fails(Shortfall, r.id, "%s makes up for %v, and was not accepted", id, f.Subtasks)
		}
	}
	for _, id := range f.Subtasks {
		k := r.tasks[id]
		if k == nil || k.state.Accepted() || !k.state.Final() || k.replaced || len(f.By) == 0 {
			l.fails(Shortfall, r.id, "%s is replaced by %v, and there is nothing to make up for", id, f.By)
			continue
		}
		if k.replaced = true; k.state.Failure() {
			r.failed--
		}
	}
}

// accept judges an acceptance: the gate's word, the reviewer's where there is one, or a person's.
func (r *run) accept(l *Law, k *task, f chargehand.SubtaskEnded) {
	l.looked(Verdict)
	a := k.attempts[f.Attempt]
	switch {
	case a == nil || !a.checked || f.Attempt != k.number && !k.debated(f.Attempt):
		l.fails(Verdict, r.id, "%s is accepted with attempt %d, which has no verdict", k.ID, f.Attempt)
	case f.State == chargehand.SubtaskAcceptedByHuman:
		if !a.approved {
			l.fails(Principal, r.id, "%s attempt %d is accepted by a person, and nobody approved it", k.ID, f.Attempt)
		}
	case a.changed:
		l.fails(Verdict, r.id, "%s attempt %d is accepted, and its tools had changed", k.ID, f.Attempt)
	case !a.verdict.SchemaPass || a.verdict.Recommendation != chargehand.Accept:
		l.fails(Verdict, r.id, "%s attempt %d is accepted, the gate said %s", k.ID, f.Attempt, a.verdict.Recommendation)
	case r.team.Policy.Judge() != "" && a.judge != chargehand.Accept:
		l.fails(Verdict, r.id, "%s attempt %d is accepted, the reviewer said %q", k.ID, f.Attempt, a.judge)
	case f.Score > r.highest(a) || f.Score < chargehand.HumanBelow:
		l.fails(Verdict, r.id, "%s attempt %d is accepted at %.2f, the checks allow %.2f", k.ID, f.Attempt, f.Score, r.highest(a))
	case (f.State == chargehand.SubtaskAcceptedLow) != (f.Score < chargehand.LowBelow):
		l.fails(Verdict, r.id, "%s is %s at %.2f", k.ID, f.State, f.Score)
	}
	r.wins(l, k, f)
	if a != nil {
		r.heard(l, k, f)
		r.admits(l, k, a, f)
	}
	if r.desk.about(k.ID) {
		l.fails(Review, r.id, "%s is accepted while a person is asked about it", k.ID)
	}
}

// admits judges that an acceptance says what its output is known to lack, and that it is one against
// the checks where it is.
func (r *run) admits(l *Law, k *task, a *attempt, f chargehand.SubtaskEnded) {
	l.looked(Shortfall)
	if k.short = a.short; a.short != (len(f.Lacks) > 0) {
		l.fails(Shortfall, r.id, "%s attempt %d is known to be incomplete: %t, and its acceptance says that it lacks %q", k.ID, f.Attempt, a.short, f.Lacks)
	}
	if (f.State == chargehand.SubtaskAcceptedByHuman) != (f.Against != "") {
		l.fails(Shortfall, r.id, "%s is %s, and what the checks had against it is %q", k.ID, f.State, f.Against)
	}
}

// highest is the score an output can have: the judge's, else the gate's (SPEC.md ·65).
func (r *run) highest(a *attempt) float64 {
	if r.team.Policy.Judge() != "" {
		return float64(a.score) / 10
	}
	return a.verdict.Score
}

// limit is the number of failures that ends the run: ⌊n·ratio⌋ + 1, in exact arithmetic.
func (r *run) limit() int {
	ratio, _ := new(big.Rat).SetString(strconv.FormatFloat(r.team.Policy.Ratio(), 'g', -1, 64))
	n := ratio.Mul(ratio, new(big.Rat).SetInt64(int64(r.planned)))
	return int(new(big.Int).Quo(n.Num(), n.Denom()).Int64()) + 1
}

// stop judges why a run stops.
func (r *run) stop(l *Law, at time.Time, f chargehand.RunStopping) {
	l.looked(Threshold)
	switch f.Stop {
	case chargehand.StopTooManyFailures:
		if r.failed < r.limit() {
			l.fails(Threshold, r.id, "it stops at %d failures of %d, the limit is %d", r.failed, r.planned, r.limit())
		}
	case chargehand.StopCancelled:
		r.obeys(l, chargehand.Cancel, f.By)
	case chargehand.StopDeadlineReached:
		l.looked(Early)
		l.looked(Standstill)
		switch {
		case r.expired:
			l.fails(Standstill, r.id, "it stops at %s for its deadline, and was paused", at)
		case r.deadline.IsZero() || at.Before(r.deadline):
			l.fails(Early, r.id, "it stops at %s for its deadline of %s", at, r.deadline)
		}
	}
	if r.stopping != nil {
		l.fails(Accept, r.id, "it stops twice: for %s and for %s", r.stopping.Stop, f.Stop)
	}
	r.stopping = &f
}
