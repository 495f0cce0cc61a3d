package law

import (
	"maps"
	"slices"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/turn"
)

// A desk is what people are asked, and what they answered.
type desk struct {
	open   map[string]chargehand.Review
	nonces map[string]bool        // of every review there was
	ends   *chargehand.PauseEnded // of this turn, and who asked for it is not yet clear
	made   map[string]chargehand.Decision
	plan   bool // somebody approved a plan that is not adopted yet
}

func newDesk() desk {
	return desk{open: map[string]chargehand.Review{}, nonces: map[string]bool{}, made: map[string]chargehand.Decision{}}
}

// about reports whether a review of the subtask is open.
func (d *desk) about(subtask string) bool {
	for _, r := range d.open {
		if r.TaskID == subtask {
			return true
		}
	}
	return false
}

// list is the open reviews, in any order.
func (d *desk) list() []chargehand.Review { return slices.Collect(maps.Values(d.open)) }

func (r *run) review(l *Law, v chargehand.Review) {
	l.looked(Review)
	if _, twice := r.desk.made[v.ID]; twice || r.ended {
		l.fails(Review, r.id, "review %s is opened again, or after the end", v.ID)
	}
	if r.desk.nonces[v.Nonce] || v.Nonce == "" {
		l.fails(Principal, r.id, "review %s has the nonce of another", v.ID)
	}
	if a := r.at(chargehand.AttemptRef{Subtask: v.TaskID, Attempt: v.Attempt}); v.Subject == chargehand.SubjectTools && (a == nil || !a.changed) {
		l.fails(Review, r.id, "review %s is about tools of %s attempt %d, and none of them changed for it", v.ID, v.TaskID, v.Attempt)
	}
	r.desk.open[v.ID], r.desk.nonces[v.Nonce] = v, true
	if k := r.tasks[v.TaskID]; k != nil {
		r.goesOn(l, k)
		k.state = chargehand.SubtaskNeedsHuman
	}
}

// decide judges a decision: of an open review, on what it shows, by somebody who said so or by the
// policy when its time had come.
func (r *run) decide(l *Law, at time.Time, d chargehand.Decision) {
	l.looked(Principal)
	l.looked(Review)
	v, open := r.desk.open[d.ReviewID]
	if !open {
		l.fails(Review, r.id, "review %s is decided, and was not open", d.ReviewID)
		return
	}
	delete(r.desk.open, d.ReviewID)
	r.desk.made[d.ReviewID] = d
	if d.ContentHash != v.ContentHash || d.Nonce != v.Nonce || d.Approved && v.OutputRef == "" && d.EditRef == "" && v.Subject != chargehand.SubjectTools {
		l.fails(Principal, r.id, "the decision on %s is not about what the review shows", v.ID)
	}
	switch {
	case d.Withdrawn:
		if d.Approved || d.ByPolicy || d.Approver != "" && (r.stopping == nil || d.Approver != r.stopping.By) {
			l.fails(Principal, r.id, "review %s is withdrawn, and %q is said to have decided it", v.ID, d.Approver)
		}
	case d.ByRequester != (!d.ByPolicy && d.Approver != "" && d.Approver == r.starter):
		l.fails(Principal, r.id, "the decision on %s is %q's, and that they started the run is said to be %t", v.ID, d.Approver, d.ByRequester)
	case !d.ByPolicy:
		asked := word{d.ReviewID, d.Approver, d.ContentHash, d.Nonce, d.EditRef, d.Approved, d.SendBack, d.Settled}
		if d.Approver == "" || !l.said.decided[asked] {
			l.fails(Principal, r.id, "the decision on %s is recorded as %q's, who did not make it", v.ID, d.Approver)
		}
	default:
		l.looked(Early)
		if d.Approver != r.team.Policy.ID() || d.Approved != (v.Auto == chargehand.AutoApprove) || at.Before(v.Deadline) {
			l.fails(Early, r.id, "the policy decides %s at %s, its deadline is %s", v.ID, at, v.Deadline)
		}
	}
	if v.Subject == chargehand.SubjectPlan {
		r.desk.plan = d.Approved
	}
	if a := r.at(chargehand.AttemptRef{Subtask: v.TaskID, Attempt: v.Attempt}); a != nil {
		a.approved = d.Approved
		r.settlesOutcome(l, v, a, d)
	}
}

// settlesOutcome judges a person's word on a write in doubt: it happened, and its output passed the gate, or it did
// not, and no worker is at it.
func (r *run) settlesOutcome(l *Law, v chargehand.Review, a *attempt, d chargehand.Decision) {
	k := r.tasks[v.TaskID]
	switch {
	case d.Settled == "":
		return
	case d.ByPolicy || v.Cause != chargehand.CauseUnknown:
		l.fails(Retry, r.id, "review %s is settled as %s, and asks nothing of the kind, or of a person", v.ID, d.Settled)
	case d.Settled == chargehand.SettledNot && a.stopping:
		l.fails(Retry, r.id, "%s did not happen, and its worker has not let go", v.TaskID)
	case d.Settled == chargehand.SettledNot:
		k.doubtful = false
	case !a.supplied || !a.verdict.SchemaPass || a.verdict.Recommendation == chargehand.Reject:
		l.fails(Verdict, r.id, "%s happened, and there is no output of it that the gate bears", v.TaskID)
	}
}

// obeys judges that an operator asked for what is recorded as theirs.
func (r *run) obeys(l *Law, v chargehand.Verb, by string) {
	l.looked(Principal)
	if !l.said.verbs[chargehand.Control{Verb: v, By: r.id + "/" + by}] {
		l.fails(Principal, r.id, "it is recorded that %q asked to %s, who did not", by, v)
	}
}

// settle judges a pause that ended in this turn: by an operator's word, or because the run stops.
func (d *desk) settle(l *Law, r *run) {
	if d.ends != nil && r.stopping == nil {
		r.obeys(l, chargehand.Resume, d.ends.By)
	}
	d.ends = nil
}

// waits judges that an open review cannot be forgotten: the run is in memory, or its row has it
// woken by the review's deadline. Nothing is left open by a run that has ended.
func (r *run) waits(l *Law, row turn.Row) {
	l.looked(Review)
	for id, v := range r.desk.open {
		switch {
		case r.ended:
			l.fails(Review, r.id, "it has ended, and review %s is open", id)
		case !row.Active && (row.Wake.IsZero() || row.Wake.After(v.Deadline)):
			l.fails(Review, r.id, "it is let out of memory until %s, review %s falls due at %s", row.Wake, id, v.Deadline)
		}
	}
	if row.Summary.NeedsHuman != len(r.desk.open) {
		l.fails(Review, r.id, "its row says that %d reviews wait, and %d do", row.Summary.NeedsHuman, len(r.desk.open))
	}
}

// Acknowledged says that somebody was told of their decision being made. It must be in the records.
func (l *Law) Acknowledged(run string, d chargehand.Decision) *Breach {
	l.looked(Kept)
	made, ok := l.runs[run].desk.made[d.ReviewID]
	if !ok || made.Approved != d.Approved || made.SendBack != d.SendBack || made.Approver != d.Approver || made.Nonce != d.Nonce {
		l.fails(Kept, run, "%s was told that %s is decided, and the records do not say so", d.Approver, d.ReviewID)
	}
	return l.breach
}
