package progress

import (
	"strconv"
	"strings"

	"github.com/chargehand/chargehand"
)

// debate tells of a debate about an output.
func (e *Event) debate(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.DebateOpened:
		e.Level = Warn
		e.of(f.AttemptRef).with("cause", string(f.Cause)).with("why", f.Why).with("against", strings.Join(f.Against, ",")).count("rounds", f.Rounds).with("then", string(f.Adjudicate))
	case chargehand.PositionTaken:
		e.of(f.AttemptRef).count("round", f.Round).with("acceptable", strconv.FormatBool(f.Acceptable)).with("why", f.Why)
	case chargehand.PositionsCompared:
		e.of(f.AttemptRef).with("agree", strconv.FormatBool(f.Agree)).with("differ", strings.Join(f.Differ, ","))
	case chargehand.DebateSettled:
		e.of(f.AttemptRef).with("by", string(f.By)).with("why", f.Why).with("confirmed", f.ConfirmedBy)
	}
}
