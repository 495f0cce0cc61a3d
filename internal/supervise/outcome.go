package supervise

import (
	"time"

	"github.com/chargehand/chargehand"
)

// settleOutcome follows a person's word on a write whose outcome is not known (SPEC.md ·160). One that
// happened is accepted with the output that the person gives; one that did not is done again.
func (m *Machine) settleOutcome(now time.Time, r *chargehand.Review, in Decide, out *Output) {
	k := m.board.tasks[r.TaskID]
	if code, why := m.unsettleable(k, r, in); why != "" {
		m.refuse(now, refusal{"decide " + in.ReviewID, code, in.Approver, why}, out)
		return
	}
	if g := in.Given; g != nil {
		in.Approved, in.EditRef = true, g.Output
		m.record(now, chargehand.OutputSupplied{
			AttemptRef: k.ref(), Output: g.Output, Size: g.Size, Verdict: brief(g.Verdict), VerdictRef: g.VerdictRef,
			Stances: m.stances(k, &Finished{Stances: g.Stances}), By: clip(in.Approver, maxName),
		}, out)
	}
	m.settleReview(now, r, m.decision(now, r, in), out)
}

// unsettleable is why a person's word does not settle an outcome; empty if it does.
func (m *Machine) unsettleable(k *task, r *chargehand.Review, in Decide) (chargehand.Code, string) {
	g := in.Given
	switch {
	case r.Subject != chargehand.SubjectOutput || r.Cause != chargehand.CauseUnknown:
		return chargehand.CodeNotAllowed, "the review does not ask whether something happened"
	case in.SendBack || in.EditRef != "" || in.Approved && in.Settled == chargehand.SettledNot:
		return chargehand.CodeNotAllowed, "a settlement says that it happened or that it did not, and nothing else"
	case in.Settled == chargehand.SettledHappened && g == nil:
		return chargehand.CodeInvalid, "what happened needs its output"
	case in.Settled == chargehand.SettledHappened && (!g.Verdict.SchemaPass || g.Verdict.Recommendation == chargehand.Reject):
		return chargehand.CodeInvalid, "the checks reject the output: " + summary(&g.Verdict) + "; correct it, or reject the review"
	case in.Settled == chargehand.SettledHappened && !known(g.Verdict.Recommendation):
		return chargehand.CodeInvalid, "the output came without the gate's findings"
	case in.Settled == chargehand.SettledHappened:
		return "", ""
	case in.Settled != chargehand.SettledNot || g != nil:
		return chargehand.CodeInvalid, "a settlement is happened, with an output, or did_not_happen, without one"
	case len(k.stopping) > 0:
		return chargehand.CodeNotAllowed, k.stopping[0].worker + " has not stopped yet, and may still do it"
	case m.attemptsLeft(k, m.team.Worker(k.attempt.worker)) == 0:
		return chargehand.CodeNotAllowed, "it has been tried " + itoa(k.number) + " times, and no attempt is left"
	}
	return "", ""
}

// Unsettled is the attempt that a review asks about whose outcome is not known, as it was launched: what
// the gate needs to check an output that a person gives. False where the review is another one.
func (m *Machine) Unsettled(review string) (Launch, bool) {
	r := m.desk.reviews[review]
	if r == nil || !r.Open() || r.Subject != chargehand.SubjectOutput || r.Cause != chargehand.CauseUnknown {
		return Launch{}, false
	}
	return m.launch(m.board.tasks[r.TaskID]), true
}
