package progress

import (
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

// The story says why another worker is asked: a person would have been, or what was accepted says
// otherwise.
func TestContestedStory(t *testing.T) {
	for _, c := range []struct {
		opened chargehand.DebateOpened
		told   string
	}{
		{chargehand.DebateOpened{Cause: chargehand.CauseAskedPerson, Why: "the clause is unclear"}, "needs a person: another worker answers it first"},
		{
			chargehand.DebateOpened{Cause: chargehand.CauseConflict, Why: "s1 says otherwise on fee\x1b[2J", Against: []string{"s1"}},
			"s1 says otherwise on fee",
		},
	} {
		var v chargehand.View
		c.opened.AttemptRef = chargehand.AttemptRef{Subtask: "s2", Attempt: 1}
		for i, f := range []chargehand.Fact{
			chargehand.RunStarted{}, chargehand.SubtasksPlanned{Subtasks: []chargehand.Subtask{{ID: "s1"}, {ID: "s2"}}}, c.opened,
		} {
			v.Apply(chargehand.Record{Run: "run", Seq: int64(i + 1), Fact: f})
		}
		s := Story{}
		lines := strings.Join(s.Tell(&v, chargehand.Record{Run: "run", Seq: 4, Fact: chargehand.RetryPlanned{
			AttemptRef: chargehand.AttemptRef{Subtask: "s2", Attempt: 2}, Cause: chargehand.CauseContested, Reassign: true,
		}}), "\n")
		if !strings.Contains(lines, c.told) || strings.Contains(lines, "\x1b[2J") {
			t.Errorf("%s is told as %q", c.opened.Cause, lines)
		}
	}
}
