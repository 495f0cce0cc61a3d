package progress

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// ranks orders rows by how much they need attention. States without a rank are folded.
var ranks = map[chargehand.SubtaskState]int{
	chargehand.SubtaskNeedsHuman:       1,
	chargehand.SubtaskAwaitingApproval: 1,
	chargehand.SubtaskUnknown:          1,
	chargehand.SubtaskRejected:         2,
	chargehand.SubtaskFailed:           2,
	chargehand.SubtaskNoWorker:         2,
	chargehand.SubtaskDegraded:         2,
	chargehand.SubtaskOverBudget:       2,
	chargehand.SubtaskRetrying:         3,
	chargehand.SubtaskRunning:          4,
	chargehand.SubtaskValidating:       4,
	chargehand.SubtaskQueued:           5,
	chargehand.SubtaskReady:            5,
}

const nameWidth = 24 // columns for a subtask's id and label, at most, unless what stands behind leaves more

// rows is a run's subtasks, those that need attention first, the rest folded.
func (p Picture) rows(r *Run) []string {
	v := &r.View
	var shown []*chargehand.SubtaskView
	for _, row := range v.Rows {
		if ranks[row.State] > 0 {
			shown = append(shown, row)
		}
	}
	slices.SortStableFunc(shown, func(a, b *chargehand.SubtaskView) int { return ranks[a.State] - ranks[b.State] })
	lines := p.open(v)
	name, status := 0, 0
	for _, row := range shown {
		name, status = max(name, term.Width(Name(row))), max(status, term.Width(p.status(v, row)))
	}
	const marks = 7 // columns before and behind the name
	name = min(name, max(nameWidth, p.Width-1-marks-status))
	for _, row := range shown {
		sign := v.RowSign(row)
		mark := p.Style.Tone(sign.Tone, term.Pad(p.Style.Glyph(sign), 2))
		label := term.Pad(term.Clip(Name(row), name, p.Style.ASCII), name)
		lines = append(lines, term.Hang("  "+mark+" "+label+"  ", p.status(v, row), p.Width-1, p.Style.ASCII)...)
		if text := p.saying(r, row); text != "" {
			lines = append(lines, text)
		}
	}
	return append(lines, p.folded(v)...)
}

// saying is the end of what a worker at the subtask said, as far as a line holds it: provisional, and
// shown as such.
func (p Picture) saying(r *Run, row *chargehand.SubtaskView) string {
	if row.State != chargehand.SubtaskRunning || r.said.Subtask != row.ID || r.said.Attempt != len(row.Attempts) {
		return ""
	}
	text := []rune(strings.TrimSpace(term.Line(strings.ToValidUTF8(r.said.tail, ""))))
	const indent = "       "
	room := p.Width - 1 - len(indent) - 2
	for len(text) > 0 && term.Width(string(text)) > room {
		text = text[1:]
	}
	if len(text) == 0 {
		return ""
	}
	return indent + p.Style.Tone(chargehand.ToneIdle, p.Style.Text("… ")+string(text))
}

// Name is a subtask's id and label, once where they are the same.
func Name(row *chargehand.SubtaskView) string {
	if row.Label == "" || row.Label == row.ID {
		return term.Line(row.ID)
	}
	return term.Line(row.ID + " " + row.Label)
}

// open is a line for each review that is about no subtask, and one while there is no plan.
func (p Picture) open(v *chargehand.View) []string {
	var lines []string
	sign := chargehand.SubtaskNeedsHuman.Sign()
	for i := range v.Reviews {
		if rev := &v.Reviews[i]; rev.Open() && rev.TaskID == "" {
			lines = append(lines, "  "+p.Style.Tone(sign.Tone, p.Style.Glyph(sign))+" "+term.Line(rev.Description)+"  "+p.due(rev))
		}
	}
	if len(v.Rows) == 0 && len(lines) == 0 && v.RunID != "" {
		lines = append(lines, p.Style.Text("  ▶ planning…"))
	}
	return lines
}

// status is what there is to say of a subtask that is not through.
func (p Picture) status(v *chargehand.View, row *chargehand.SubtaskView) string {
	sign := row.Sign()
	switch row.State {
	case chargehand.SubtaskNeedsHuman, chargehand.SubtaskAwaitingApproval, chargehand.SubtaskUnknown:
		for i := range v.Reviews {
			if rev := &v.Reviews[i]; rev.Open() && rev.TaskID == row.ID {
				return strings.ToLower(sign.Label) + "  " + p.due(rev)
			}
		}
		return strings.ToLower(sign.Label)
	case chargehand.SubtaskRunning, chargehand.SubtaskValidating:
		return p.attempt(row)
	case chargehand.SubtaskRetrying:
		if row.Cause == chargehand.CauseContested {
			return "debated: another worker is asked"
		}
		return "retrying" + because(row.Cause)
	case chargehand.SubtaskQueued, chargehand.SubtaskReady:
		return p.Style.Tone(chargehand.ToneIdle, "waiting for a worker with "+term.Line(row.Capability))
	}
	text := strings.ToLower(sign.Label)
	if row.Why != "" {
		text += ": " + term.Line(row.Why)
	}
	return p.Style.Tone(sign.Tone, text)
}

func because(c chargehand.Cause) string {
	if c == "" {
		return ""
	}
	return " (" + strings.ReplaceAll(string(c), "_", " ") + ")"
}

// due is what happens to a review, when, and how to answer it. Where there is no room for the
// command, the review's id comes first.
func (p Picture) due(rev *chargehand.Review) string {
	auto := "auto-" + string(rev.Auto)
	if !rev.RunEnds.IsZero() {
		auto = "run ends"
	}
	auto += fmt.Sprintf(" %s (%s)", term.TimeOfDay(rev.Due(), p.Now), term.Span(rev.Due().Sub(p.Now)))
	if p.Width < 120 {
		return term.Line(rev.ID) + "  " + auto
	}
	return auto + "   chargehand review show " + term.Line(rev.ID)
}

func (p Picture) attempt(row *chargehand.SubtaskView) string {
	if len(row.Attempts) == 0 {
		return ""
	}
	a := row.Attempts[len(row.Attempts)-1]
	text := fmt.Sprintf("attempt %d  %s", a.Attempt, term.Line(a.Worker))
	if row.State == chargehand.SubtaskValidating {
		text += "  being checked"
	} else if !a.StartedAt.IsZero() {
		text += fmt.Sprintf("  %s / %s", term.Span(a.Taken(p.Now)), term.Span(a.Allowed()))
	}
	if n := len(row.Attempts); n > 1 {
		before := row.Attempts[n-2]
		word := "again"
		if before.Worker != a.Worker {
			word = "reassigned"
		}
		text += p.Style.Tone(chargehand.ToneWarn, "  ("+word+": "+strings.ReplaceAll(string(before.Cause), "_", " ")+")")
	}
	return text
}

// folded is one line each for what waits for others and for what was accepted or left out.
func (p Picture) folded(v *chargehand.View) []string {
	var blocked, accepted, low, skipped int
	for _, row := range v.Rows {
		switch {
		case row.State == chargehand.SubtaskBlocked:
			blocked++
		case row.State.Accepted():
			accepted++
			if row.State == chargehand.SubtaskAcceptedLow {
				low++
			}
		case row.State == chargehand.SubtaskSkipped, row.State == chargehand.SubtaskCancelled:
			skipped++
		}
	}
	var lines []string
	fold := func(n int, s chargehand.SubtaskState, text string) {
		if n > 0 {
			sign := s.Sign()
			lines = append(lines, "  "+p.Style.Tone(sign.Tone, term.Pad(p.Style.Glyph(sign), 2))+" "+text)
		}
	}
	fold(blocked, chargehand.SubtaskBlocked, term.Count(blocked, "subtask")+" waiting for others")
	fold(skipped, chargehand.SubtaskSkipped, fmt.Sprintf("%d skipped", skipped))
	text := fmt.Sprintf("%d accepted", accepted)
	if low > 0 {
		text += fmt.Sprintf(" (%d low confidence)", low)
	}
	fold(accepted, chargehand.SubtaskAccepted, text)
	return lines
}
