package progress

import (
	"fmt"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// A Story tells a run as it happens, a line for each turn it takes. What merely goes well is not
// told, so that two runs of the same team read the same.
type Story struct {
	Style term.Style
	Width int // columns of the terminal; longer lines go on under their own text. Zero means no limit
}

// Tell is what there is to say about a record that the view has just taken in.
func (s *Story) Tell(v *chargehand.View, r chargehand.Record) []string {
	switch f := r.Fact.(type) {
	case chargehand.PlanAdopted:
		return s.line(v, r, chargehand.ToneRun, "  ", fmt.Sprintf("plan v%d", f.Version),
			fmt.Sprintf("%s, estimate %s", term.Count(f.Subtasks, "subtask"), term.Money(f.Estimate)))
	case chargehand.OutputChecked:
		return s.checked(v, r, f)
	case chargehand.AttemptFailed:
		if f.Cause == chargehand.CauseDeadline {
			return s.line(v, r, chargehand.ToneWarn, "⌛", s.name(v, f.AttemptRef), "deadline passed: "+term.Line(f.Message))
		}
	case chargehand.RetryPlanned:
		return s.retry(v, r, f)
	case chargehand.DebateSettled:
		return s.line(v, r, chargehand.ToneRun, "⇄ ", s.name(v, f.AttemptRef), "debated: "+term.Line(f.Why))
	case chargehand.ToolsUsed:
		if len(f.Denied) > 0 {
			return s.line(v, r, chargehand.ToneWarn, "⊘ ", s.name(v, f.AttemptRef), "call not let through: "+term.Line(f.Denied[0].Why))
		}
	case chargehand.ReservationDenied:
		return s.line(v, r, chargehand.ToneWarn, "$ ", s.holder(v, f.For, f.AttemptRef), "denied more money: "+term.Line(f.Why))
	case chargehand.Overbilled:
		return s.line(v, r, chargehand.ToneFail, "$ ", s.holder(v, f.For, f.AttemptRef), overbilled(f))
	case chargehand.BudgetLow:
		return s.line(v, r, chargehand.ToneWarn, "$ ", "80 % of the budget", "what is not critical moves to tier 3")
	case chargehand.ReviewOpened:
		return s.line(v, r, chargehand.ToneHuman, "✋", "needs a decision", term.Line(f.Review.Action))
	case chargehand.ReviewDecided:
		return s.decided(v, r, f)
	}
	return nil
}

// holder is whose money it is about.
func (s *Story) holder(v *chargehand.View, h chargehand.Holder, a chargehand.AttemptRef) string {
	switch h {
	case chargehand.HeldForPlan:
		return "planner"
	case chargehand.HeldForJudge:
		return "reviewer of " + s.name(v, a)
	}
	return s.name(v, a)
}

func overbilled(f chargehand.Overbilled) string {
	if f.Billed > 0 {
		return "billed " + term.Money(f.Billed) + ", reserved were " + term.Money(f.Reserved)
	}
	return fmt.Sprintf("billed %d tokens, reserved were %d", f.BilledTokens, f.ReservedTokens)
}

func (s *Story) checked(v *chargehand.View, r chargehand.Record, f chargehand.OutputChecked) []string {
	if f.Verdict.Recommendation == chargehand.Accept {
		return s.corrected(v, r, f)
	}
	why := "by the gate"
	if len(f.Verdict.Issues) > 0 {
		why = f.Verdict.Issues[0].Message
	}
	return s.line(v, r, chargehand.ToneFail, "✗ ", s.name(v, f.AttemptRef), "CHECK FAILED: "+term.Line(why))
}

// corrected tells of an output that a person had sent back, and that the checks accept now.
func (s *Story) corrected(v *chargehand.View, r chargehand.Record, f chargehand.OutputChecked) []string {
	for _, row := range v.Rows {
		if row.ID == f.Subtask && row.Cause == chargehand.CauseSentBack {
			return s.line(v, r, chargehand.ToneOK, "✓ ", s.name(v, f.AttemptRef), "checked again: nothing is found")
		}
	}
	return nil
}

func (s *Story) retry(v *chargehand.View, r chargehand.Record, f chargehand.RetryPlanned) []string {
	if f.Cause == chargehand.CauseContested {
		return s.line(v, r, chargehand.ToneWarn, "⇄ ", s.name(v, f.AttemptRef), contested(v, f.Subtask)+": another worker answers it first")
	}
	if f.Cause == chargehand.CauseSentBack {
		return s.line(v, r, chargehand.ToneWarn, "↻ ", s.name(v, f.AttemptRef), term.Line(f.Correction))
	}
	if f.Reassign {
		return s.line(v, r, chargehand.ToneWarn, "↻ ", s.name(v, f.AttemptRef), "given to another worker than "+strings.Join(f.Avoid, ", "))
	}
	return s.line(v, r, chargehand.ToneWarn, "↻ ", s.name(v, f.AttemptRef), "tried again, told what was wrong")
}

// contested says why an output is debated.
func contested(v *chargehand.View, subtask string) string {
	for i := range v.Rows {
		if d := v.Rows[i].Debate; v.Rows[i].ID == subtask && d != nil && d.Cause == chargehand.CauseConflict {
			return term.Line(d.Why)
		}
	}
	return "needs a person"
}

func (s *Story) decided(v *chargehand.View, r chargehand.Record, f chargehand.ReviewDecided) []string {
	by := term.Line(f.Decision.Who())
	if f.Decision.ByPolicy && !f.Decision.Withdrawn {
		by += "; no person decided"
	}
	return s.line(v, r, chargehand.ToneHuman, "✋", "decided", f.Decision.Outcome()+" by "+by)
}

func (s *Story) name(v *chargehand.View, a chargehand.AttemptRef) string {
	label := ""
	for _, row := range v.Rows {
		if row.ID == a.Subtask {
			label = row.Name()
		}
	}
	return fmt.Sprintf("%s·%d %s", a.Subtask, a.Attempt, label)
}

func (s *Story) line(v *chargehand.View, r chargehand.Record, tone chargehand.Tone, glyph, what, how string) []string {
	since := r.At.Sub(v.StartedAt).Round(100 * time.Millisecond).Seconds()
	head := fmt.Sprintf("%04.1f  %s %-32s", since, s.Style.Text(glyph), s.Style.Text(what))
	return term.Hang(s.Style.Tone(tone, head)+"  ", how, s.Width, s.Style.ASCII)
}

// Question shows what a person is asked: what the output says, what the source says, and what
// happens if nobody answers.
func (s *Story) Question(v *chargehand.View, r *chargehand.Review) []string {
	label := r.TaskID
	for _, row := range v.Rows {
		if row.ID == r.TaskID {
			label = row.Name()
		}
	}
	lines := []string{"      " + s.Style.Bold(term.Line(label)+" — "+term.Line(v.Title)) + "   " + string(r.Risk) + " risk"}
	say := func(what, text string) {
		lines = append(lines, term.Hang("      "+term.Pad(what, 9), term.Line(text), s.Width, s.Style.ASCII)...)
	}
	for _, p := range r.Positions {
		say("position", fmt.Sprintf("attempt %d by %s: %s, the gate's score is %.2f", p.Attempt, p.Worker, p.Recommendation, p.GateScore))
	}
	for _, f := range r.Evidence {
		if f.Severity != chargehand.SeverityError {
			continue
		}
		say("finding", f.Message)
		if f.Quote != "" {
			say("output", f.Quote)
		}
		if f.Source != nil {
			say("source", f.Source.Quote)
		}
	}
	if !r.RunEnds.IsZero() {
		return append(lines, "      If nobody decides by "+r.RunEnds.UTC().Format("15:04:05Z")+" the run ends: its deadline comes before the review's.")
	}
	verb := "rejected"
	if r.Auto == chargehand.AutoApprove {
		verb = "approved"
	}
	return append(lines, term.Hang("      ", fmt.Sprintf("If nobody decides by %s this is %s automatically (policy %s).",
		r.Deadline.UTC().Format("15:04:05Z"), verb, r.Policy), s.Width, s.Style.ASCII)...)
}
