package supervise

import (
	"strings"

	"github.com/chargehand/chargehand"
)

// A dispute is what the records say of a debate.
type dispute struct {
	rounds int
	latest int // attempt of the last position
	opened chargehand.DebateOpened
	taken  map[int]chargehand.PositionTaken // by attempt; the first has none
	by     *chargehand.DebateSettled        // nil: it goes on
}

// debate checks that a debate is held once, about something that a person would have been asked
// about or that contradicts what was accepted, within its rounds, and that its end is that of a
// position (SPEC.md ·69).
func (w *law) debate(t fataler, f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.DebateOpened:
		w.open(t, f.Subtask)
		s := w.tasks[f.Subtask]
		if _, checked := w.checked[f.AttemptRef]; !checked || w.debates[f.Subtask] != nil || !w.team.Policy.Debates(&s) || f.Rounds > chargehand.MaxDebateRounds {
			t.Fatalf("the debate %+v is not due", f)
		}
		w.overConflict(t, f)
		w.debates[f.Subtask] = &dispute{rounds: f.Rounds, latest: f.Attempt, opened: f, taken: map[int]chargehand.PositionTaken{}}
	case chargehand.PositionTaken:
		d := w.debates[f.Subtask]
		v, checked := w.checked[f.AttemptRef]
		if d == nil || d.by != nil || !checked || f.Round != len(d.taken)+1 || f.Round > d.rounds {
			t.Fatalf("the position %+v cannot be taken in %+v", f, d)
		}
		if f.Acceptable && (v.Recommendation != chargehand.Accept || !v.SchemaPass || !(f.Score >= chargehand.HumanBelow)) {
			t.Fatalf("the position %+v is acceptable, the gate said %+v", f, v)
		}
		d.latest, d.taken[f.Attempt] = f.Attempt, f
	case chargehand.DebateSettled:
		d := w.debates[f.Subtask]
		if d == nil || d.by != nil {
			t.Fatalf("%+v settles a debate that is none, or over", f)
		}
		w.unqueue(f.Subtask)
		d.by = &f
		w.byRules(t, f)
	}
}

// mayWin reports whether an attempt may be accepted: it was not debated, it is the acceptable
// position that the debate was settled for, or a person had it worked on since.
func (w *law) mayWin(r chargehand.AttemptRef) bool {
	d := w.debates[r.Subtask]
	switch {
	case d == nil:
		return true
	case d.by == nil:
		return false
	case d.by.Attempt != r.Attempt:
		return d.by.By == chargehand.AdjudicateByPerson && r.Attempt > d.latest
	}
	return d.acceptable(r.Attempt) && d.by.By != chargehand.AdjudicateByPerson
}

// acceptable reports whether the checks accept an attempt's position by itself.
func (d *dispute) acceptable(attempt int) bool {
	if attempt == d.opened.Attempt {
		return d.opened.Acceptable
	}
	return d.taken[attempt].Acceptable
}

// otherwise are the subtasks whose accepted outputs say otherwise than an attempt.
func (w *law) otherwise(r chargehand.AttemptRef) map[string]bool {
	ids := map[string]bool{}
	for _, x := range w.stances[r] {
		for id, list := range w.stated {
			for _, y := range list {
				if id != r.Subtask && x.Key == y.Key && x.Says != y.Says {
					ids[id] = true
				}
			}
		}
	}
	return ids
}

// mustDebate reports whether a subtask that was not debated is, before an output of it is accepted
// that contradicts another.
func (w *law) mustDebate(id string) bool {
	s := w.tasks[id]
	return id != synthesisID && w.debates[id] == nil && w.team.Policy.Debates(&s)
}

// overConflict checks that a debate over a conflict is about one, and that its first position is
// acceptable only where the checks accept it.
func (w *law) overConflict(t fataler, f chargehand.DebateOpened) {
	if (f.Cause == chargehand.CauseConflict) != (len(f.Against) > 0) || f.Acceptable && f.Cause != chargehand.CauseConflict || len(f.Against) > 3 {
		t.Fatalf("the debate %+v is opened for no conflict", f)
	}
	others := w.otherwise(f.AttemptRef)
	for _, id := range f.Against {
		if !others[id] || !strings.Contains(f.Why, id) {
			t.Fatalf("%s is debated against %s, and %v say otherwise", ref(f.AttemptRef), id, others)
		}
	}
	v := w.checked[f.AttemptRef]
	if f.Cause == chargehand.CauseConflict && (v.Recommendation != chargehand.Accept || !v.SchemaPass ||
		w.team.Policy.Reviewer != "" && w.judged[f.AttemptRef] != chargehand.Accept || f.Acceptable && !(f.Score >= chargehand.HumanBelow)) {
		t.Fatalf("the output %+v is debated for a conflict, the gate said %+v and the reviewer %q", f, v, w.judged[f.AttemptRef])
	}
}

// byRules checks that no side wins by the rules that contradicts an accepted output, where the other
// may be used and does not.
func (w *law) byRules(t fataler, f chargehand.DebateSettled) {
	d := w.debates[f.Subtask]
	won, lost := f.AttemptRef, chargehand.AttemptRef{Subtask: f.Subtask, Attempt: f.OtherAttempt}
	if f.By != chargehand.AdjudicateByRules || !d.acceptable(lost.Attempt) || len(w.stances[won]) == 0 || len(w.stances[lost]) == 0 {
		return
	}
	if len(w.otherwise(won)) > 0 && len(w.otherwise(lost)) == 0 {
		t.Fatalf("%s wins against %s, and %v say otherwise", ref(won), ref(lost), w.otherwise(won))
	}
}
