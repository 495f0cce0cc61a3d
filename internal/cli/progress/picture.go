package progress

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// A Picture is what a terminal shows of runs at one moment.
type Picture struct {
	Runs          []*Run
	Now           time.Time
	Width, Height int // of the terminal
	Style         term.Style
	Hint          string
}

// Lines is the picture, each line narrower than the terminal, at most two thirds of it high. What
// needs a person comes first, what has ended is folded.
func (p Picture) Lines() []string {
	limit := max(3, p.Height*2/3)
	var open []*Run
	for _, r := range p.Runs {
		if !r.View.State.Final() {
			open = append(open, r)
		}
	}
	slices.SortStableFunc(open, func(a, b *Run) int { return min(b.View.NeedsHuman, 1) - min(a.View.NeedsHuman, 1) })

	tail := p.ended(len(open))
	if p.Hint != "" {
		tail = append(tail, "  "+p.Style.Tone(chargehand.ToneIdle, p.Style.Text(p.Hint)))
	}
	lines := append(p.blocks(open, limit-len(tail)), tail...)
	for i := range lines {
		lines[i] = term.Clip(lines[i], p.Width-1, p.Style.ASCII)
	}
	return lines
}

// blocks gives every run its headline and, as far as rows lines reach, the first ones their rows.
// Runs for which no line is left are counted.
func (p Picture) blocks(runs []*Run, rows int) []string {
	shown := runs
	if len(runs) > rows {
		rows-- // the last line counts the others
		shown = runs[:max(0, rows-p.detail(runs, rows))]
	}
	var lines []string
	for i, r := range shown {
		lines = append(lines, p.block(r, rows-len(lines)-(len(shown)-i-1))...)
	}
	if n := len(runs) - len(shown); n > 0 {
		lines = append(lines, p.Style.Text("▸ ")+term.Count(n, "more run"))
	}
	return lines
}

// detail is how many of rows lines are kept for what runs that need a person have to say.
func (p Picture) detail(runs []*Run, rows int) int {
	n := 0
	for _, r := range runs {
		if r.View.NeedsHuman > 0 {
			n += min(3, len(p.rows(r)))
		}
	}
	return min(n, rows/2)
}

// block is a run in at most rows lines: its headline, then its rows as far as they fit.
func (p Picture) block(r *Run, rows int) []string {
	lines := append([]string{p.headline(r)}, p.rows(r)...)
	left := len(lines) - rows
	switch {
	case left <= 0:
		return lines
	case rows < 3:
		return lines[:1]
	}
	return append(lines[:rows-1], p.Style.Text("  ▸ ")+term.Count(left+1, "more line"))
}

// headline is who the run is at the left, and time and money at the right.
func (p Picture) headline(r *Run) string {
	v := &r.View
	if v.RunID == "" {
		return r.ID + "  starting"
	}
	right := ""
	if v.Subtasks > 0 {
		right = fmt.Sprintf("%d/%d   ", v.Accepted, v.Subtasks)
	}
	right += term.Clock(p.Now.Sub(v.StartedAt)) + "   " + p.money(v)
	if v.LowBudget {
		right += "  " + p.Style.Tone(chargehand.ToneWarn, "tier 3")
	}
	left := p.Style.Bold(r.ID) + "  " + term.Line(v.Title)
	if r.Source != "" && !strings.Contains(v.Title, r.Source) {
		left += "  " + term.Line(r.Source)
	}
	if sign := v.Sign(); v.State != chargehand.RunRunning || v.Waiting() {
		left += "  " + p.Style.Tone(sign.Tone, p.Style.Glyph(sign)+" "+sign.Label)
	}
	room := max(10, p.Width-1-term.Width(right)-2)
	return term.Pad(term.Clip(left, room, p.Style.ASCII), room) + "  " + right
}

// money is what was spent, and of how much with a bar whose tick is at four fifths.
func (p Picture) money(v *chargehand.View) string {
	if v.Budget == 0 {
		return term.Money(v.Spent)
	}
	const cells, tick = 10, 8
	full := int(min(cells, v.Spent*cells/v.Budget))
	var bar strings.Builder
	for i := range cells {
		if i == tick {
			bar.WriteString("|")
		}
		if i < full {
			bar.WriteString("▓")
		} else {
			bar.WriteString("░")
		}
	}
	return fmt.Sprintf("%s / %s %s", term.Money(v.Spent), term.Money(v.Budget), p.Style.Text(bar.String()))
}

// ended is one line for the runs that are through.
func (p Picture) ended(open int) []string {
	n := len(p.Runs) - open
	if n == 0 {
		return nil
	}
	counts := map[chargehand.RunState]int{}
	for _, r := range p.Runs {
		counts[r.View.State]++
	}
	var parts []string
	for _, s := range []chargehand.RunState{chargehand.RunFailed, chargehand.RunCancelled, chargehand.RunPartial, chargehand.RunCompleted} {
		if counts[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[s], strings.ToLower(s.Sign().Label)))
		}
	}
	return []string{p.Style.Text("▸ ") + term.Count(n, "run") + " ended: " + strings.Join(parts, ", ")}
}
