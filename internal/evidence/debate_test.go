package evidence

import (
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

// A debate is told with what it was about and who decided it.
func TestDebatesInWords(t *testing.T) {
	for _, c := range []struct {
		fact chargehand.Fact
		want string
	}{
		{chargehand.DebateOpened{Cause: chargehand.CauseAskedPerson, Why: "unclear", Rounds: 2}, "for the output needs a person (gate_asks): unclear"},
		{
			chargehand.DebateOpened{Cause: chargehand.CauseConflict, Why: "s1 says otherwise on fee", Rounds: 2},
			"for accepted outputs say otherwise: s1 says otherwise on fee",
		},
		{chargehand.DebateSettled{OtherAttempt: 2, Why: "a and b agree", ConfirmedBy: "b"}, "over, by agreement: a and b agree; confirmed by b"},
		{chargehand.DebateSettled{Why: "there is no money to go on"}, "over, because no worker answers: there is no money to go on"},
		{chargehand.DebateSettled{By: chargehand.AdjudicateByRules, OtherAttempt: 1, Why: "a and b disagree"}, "over, by rules: a and b disagree"},
	} {
		if e := Describe(chargehand.Record{Fact: c.fact}); !strings.Contains(e.Text, c.want) {
			t.Errorf("%+v is told as %q, want %q", c.fact, e.Text, c.want)
		}
	}
}
