package law

import (
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
)

// says judges that what a record holds of an output is what the output says, or nothing.
func (r *run) says(l *Law, f chargehand.OutputChecked, list []chargehand.Stance) {
	if len(f.Stances) > 0 && !slices.Equal(f.Stances, list) {
		l.fails(Debates, r.id, "%s attempt %d says %v, and the record %v", f.Subtask, f.Attempt, list, f.Stances)
	}
}

// against are the other subtasks whose accepted outputs say otherwise than an attempt's.
func (r *run) against(id string, a *attempt) map[string]bool {
	others := map[string]bool{}
	for name, k := range r.tasks {
		if name == id || k.synthesis || !k.state.Accepted() {
			continue
		}
		for _, x := range k.attempts[k.used].stances {
			if slices.ContainsFunc(a.stances, func(y chargehand.Stance) bool { return x.Key == y.Key && x.Says != y.Says }) {
				others[name] = true
			}
		}
	}
	return others
}

// clashes judges a debate over a conflict: that there is one, with the outputs it names, and that the
// checks accept what they are said to accept.
func (r *run) clashes(l *Law, f chargehand.DebateOpened) {
	a := r.at(f.AttemptRef)
	over := f.Cause == chargehand.CauseConflict
	if over != (len(f.Against) > 0) || f.Acceptable && !over {
		l.fails(Debates, r.id, "%s is debated for %s against %v", f.Subtask, f.Cause, f.Against)
		return
	}
	others := r.against(f.Subtask, a)
	for _, id := range f.Against {
		if !others[id] {
			l.fails(Debates, r.id, "%s is debated against %s, which says nothing else", f.Subtask, id)
		}
	}
	if over && !r.accepts(a) || f.Acceptable && (f.Score > r.highest(a) || !(f.Score >= chargehand.HumanBelow)) {
		l.fails(Debates, r.id, "%s attempt %d is debated at %.2f, the gate said %s and the reviewer %q", f.Subtask, f.Attempt, f.Score, a.verdict.Recommendation, a.judge)
	}
}

// accepts reports whether gate and reviewer accept an output.
func (r *run) accepts(a *attempt) bool {
	return a.verdict.SchemaPass && a.verdict.Recommendation == chargehand.Accept && (r.team.Policy.Judge() == "" || a.judge == chargehand.Accept)
}

// heard judges that no output which could be debated is accepted against others without a debate,
// or a word on why there was none.
func (r *run) heard(l *Law, k *task, f chargehand.SubtaskEnded) {
	if k.debate != nil || k.synthesis || f.State == chargehand.SubtaskAcceptedByHuman || !r.team.Policy.Debates(&k.Subtask) {
		return
	}
	l.looked(Debates)
	if others := r.against(k.ID, k.attempts[f.Attempt]); len(others) > 0 && !strings.Contains(f.Why, "it is not debated: ") {
		l.fails(Debates, r.id, "%s is accepted, and %v say otherwise", k.ID, others)
	}
}

// yields judges that the rules choose no side that contradicts an accepted output, where the other
// may be used and does not.
func (r *run) yields(l *Law, k *task, f chargehand.DebateSettled) {
	if f.By != chargehand.AdjudicateByRules || !k.debate.acceptable(f.OtherAttempt) {
		return
	}
	won, lost := k.attempts[f.Attempt], k.attempts[f.OtherAttempt]
	if len(lost.stances) > 0 && len(r.against(k.ID, won)) > 0 && len(r.against(k.ID, lost)) == 0 {
		l.fails(Debates, r.id, "%s is settled for attempt %d, which contradicts %v", k.ID, f.Attempt, r.against(k.ID, won))
	}
}
