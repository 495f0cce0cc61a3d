package progress

import (
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

// TestAlarms: money that was denied and bills above what was reserved are told as warnings, and in
// the story.
func TestAlarms(t *testing.T) {
	ref := chargehand.AttemptRef{Subtask: "s1", Attempt: 2}
	for _, c := range []struct {
		fact        chargehand.Fact
		event, told string
	}{
		{
			chargehand.ReservationDenied{For: chargehand.HeldForAttempt, AttemptRef: ref, Wanted: 20_000, Why: "the budget is used up"},
			"wanted=0.02", "denied more money: the budget is used up",
		},
		{
			chargehand.Overbilled{For: chargehand.HeldForJudge, AttemptRef: ref, Reserved: 10_000, Billed: 30_000},
			"billed=0.03", "reviewer of s1·2 ",
		},
		{
			chargehand.Overbilled{For: chargehand.HeldForPlan, ReservedTokens: 100, BilledTokens: 250},
			"billed_tokens=250", "billed 250 tokens, reserved were 100",
		},
	} {
		var v chargehand.View
		rec := chargehand.Record{Run: "run", Seq: 9, Fact: c.fact}
		e := describe(&v, rec)
		var fields []string
		for _, f := range e.Fields {
			fields = append(fields, f.Key+"="+f.Value)
		}
		if all := strings.Join(fields, " "); e.Level != Warn || !strings.Contains(all, c.event) {
			t.Errorf("%T is told as %s %s", c.fact, e.Level, all)
		}
		s := Story{}
		lines := strings.Join(s.Tell(&v, rec), "\n")
		if !strings.Contains(lines, c.told) {
			t.Errorf("%T in the story: %q", c.fact, lines)
		}
	}
}

// TestAboveReserve: the final block says by how much bills went above what was reserved, and nothing
// where none did.
func TestAboveReserve(t *testing.T) {
	ref := chargehand.AttemptRef{Subtask: "s1", Attempt: 1}
	usd := chargehand.Overbilled{For: chargehand.HeldForAttempt, AttemptRef: ref, Reserved: 10_000, Billed: 30_000}
	tokens := chargehand.Overbilled{For: chargehand.HeldForPlan, ReservedTokens: 100, BilledTokens: 250}
	for _, c := range []struct {
		facts []chargehand.Fact
		want  string
	}{
		{nil, ""},
		{[]chargehand.Fact{usd, tokens, usd}, "3 calls billed $0.04 above what was reserved"},
		{[]chargehand.Fact{tokens}, "1 call billed 150 tokens above what was reserved"},
	} {
		var v chargehand.View
		for i, f := range c.facts {
			v.Apply(chargehand.Record{Run: "run", Seq: int64(i + 1), Fact: f})
		}
		block := strings.Join(Final{View: &v}.Lines(), "\n")
		if !strings.Contains(block, c.want) || strings.Contains(block, "above") != (c.want != "") {
			t.Errorf("the final block is\n%s\nwant %q", block, c.want)
		}
	}
}
