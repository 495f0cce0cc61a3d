package evidence

import (
	"strings"

	"github.com/chargehand/chargehand"
)

// debate tells how a contested output was debated (SPEC.md ·69).
func (e *Entry) debate(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.DebateOpened:
		e.Subject = subject(f.AttemptRef)
		because := "the output needs a person (" + string(f.Cause) + ")"
		if f.Cause == chargehand.CauseConflict {
			because = "accepted outputs say otherwise"
		}
		e.says("another worker is asked, in up to %d rounds, for %s: %s", f.Rounds, because, f.Why)
	case chargehand.PositionTaken:
		e.Subject = subject(f.AttemptRef)
		stands := "which the checks accept"
		if !f.Acceptable {
			stands = "which the checks do not accept" + after(": ", f.Why)
		}
		e.says("its output is the position of round %d, %s", f.Round, stands)
	case chargehand.PositionsCompared:
		e.Subject = subject(f.AttemptRef)
		said := "the positions agree"
		if !f.Agree {
			said = "the positions differ" + after(" in ", strings.Join(f.Differ, ", "))
		}
		e.says("%s", said)
	case chargehand.DebateSettled:
		e.Subject = subject(f.AttemptRef)
		by := "by agreement"
		switch {
		case f.By != "":
			by = "by " + string(f.By)
		case f.OtherAttempt == 0:
			by = "because no worker answers"
		}
		e.says("the debate is over, %s: %s%s", by, f.Why, after("; confirmed by ", f.ConfirmedBy))
	}
}
