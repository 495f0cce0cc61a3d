package progress

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// maxGaps is how many causes of gaps a final block names, and subtasks of one cause; the result names
// them all.
const maxGaps = 10

// A Final is the last word on a run as it stands: what came of it, what it cost, what is missing and
// what to do next. Where nearly nothing came of it, the cause is the last line.
type Final struct {
	View  *chargehand.View
	Style term.Style
	Width int // columns of the terminal. Zero means that lines are not broken

	Alone bool // no process supervises the run from here on

	Conflicts []chargehand.Conflict // between accepted outputs, of the result

	// Remedy is what to do about a cause that comes from elsewhere, empty where nothing is known. Nil
	// knows of nothing.
	Remedy func(cause string) string
}

// Lines are the block's lines, broken between words where the terminal ends.
func (f Final) Lines() []string {
	if f.Width <= 0 {
		return f.lines()
	}
	const indent = "           " // as wide as what a line begins with
	var out []string
	for _, line := range f.lines() {
		parts := term.Wrap(line, f.Width-1)
		if len(parts) > 1 {
			first := parts[0]
			parts = term.Wrap(strings.TrimLeft(line[len(first):], " "), max(20, f.Width-1-len(indent)))
			out = append(out, first)
			for i := range parts {
				parts[i] = indent + parts[i]
			}
		}
		out = append(out, parts...)
	}
	return out
}

func (f Final) lines() []string {
	v, st := f.View, f.Style
	sign := Sign(v, f.Alone)
	if v.State == chargehand.RunRunning && v.NeedsHuman > 0 && !v.Waiting() {
		sign = chargehand.SubtaskNeedsHuman.Sign()
	}
	head := st.Tone(sign.Tone, st.Glyph(sign)+" "+st.Bold(strings.ToUpper(sign.Label))) + "   " + f.tally()
	if v.Title != "" {
		head += "   " + st.Tone(chargehand.ToneIdle, term.Line(v.Title))
	}
	lines := []string{head}
	if v.Why != "" && v.State != chargehand.RunCompleted && !f.lost() {
		lines = append(lines, st.Text("   why     ")+term.Line(v.Why))
	}
	lines = append(lines, st.Text("   cost "+strings.Join(facts(v), " · ")))
	lines = append(lines, aboveReserve(v, st)...)
	if n := len(f.Conflicts); n > 0 {
		lines = append(lines, "   open    "+term.Count(n, "conflict")+": "+list(f.keys(), maxGaps))
	}
	lines = append(lines, gaps(v, st)...)
	lines = append(lines, overrides(v)...)
	lines = append(lines, f.next()...)
	if f.lost() {
		lines = append(lines, f.cause())
	}
	return lines
}

// Sign is how a run is shown that no process may supervise.
func Sign(v *chargehand.View, alone bool) chargehand.Sign {
	if sign := v.Sign(); !alone || v.State != chargehand.RunRunning || sign.Tone == chargehand.ToneHuman {
		return sign
	}
	return Unsupervised
}

// RowSign is how a subtask is shown of a run that no process may supervise.
func RowSign(v *chargehand.View, row *chargehand.SubtaskView, alone bool) chargehand.Sign {
	switch row.State {
	case chargehand.SubtaskQueued, chargehand.SubtaskRunning, chargehand.SubtaskValidating, chargehand.SubtaskRetrying:
		if alone && !v.State.Final() {
			return Unsupervised
		}
	}
	return v.RowSign(row)
}

// Unsupervised is how a run is shown that would go on if a process supervised it.
var Unsupervised = chargehand.Sign{Glyph: "○", ASCII: "o", Label: "Not supervised", Tone: chargehand.ToneIdle}

// keys are what the conflicts are about, each once.
func (f Final) keys() []string {
	var out []string
	for i := range f.Conflicts {
		if key := term.Line(f.Conflicts[i].Key); !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out
}

// lost reports whether at most a quarter of the run was accepted, and why is known.
func (f Final) lost() bool {
	v := f.View
	return (v.State == chargehand.RunFailed || v.State == chargehand.RunPartial) && v.Why != "" && 4*v.Accepted <= v.Subtasks
}

func (f Final) cause() string {
	line := "   error   " + term.Line(f.View.Why)
	if f.Remedy != nil {
		if do := f.Remedy(f.View.Why); do != "" {
			line += f.Style.Text(" — ") + do
		}
	}
	return line
}

// tally counts subtasks by what came of them: "6 subtasks: 4 accepted, 1 left out (deadline)".
func (f Final) tally() string {
	v := f.View
	counts, order := map[string]int{}, []string{}
	for _, row := range v.Rows {
		if row.Synthesis {
			continue
		}
		word := f.fate(row)
		if counts[word] == 0 {
			order = append(order, word)
		}
		counts[word]++
	}
	slices.SortStableFunc(order, func(a, b string) int { return first(b) - first(a) })
	var parts []string
	for _, word := range order {
		parts = append(parts, fmt.Sprintf("%d %s", counts[word], word))
	}
	if len(parts) == 0 {
		return "no subtask was planned"
	}
	return term.Count(v.Subtasks+v.Replaced, "subtask") + ": " + strings.Join(parts, ", ")
}

// first puts what was accepted before the rest.
func first(word string) int {
	if strings.HasPrefix(word, "accepted") {
		return 1
	}
	return 0
}

func (f Final) fate(row *chargehand.SubtaskView) string {
	v := f.View
	switch s := row.State; {
	case len(row.ReplacedBy) > 0:
		return "replaced"
	case s.Accepted() && len(row.Lacks) > 0:
		return "accepted in part"
	case s == chargehand.SubtaskAcceptedByHuman:
		return "accepted by " + term.Line(decider(v, row))
	case s == chargehand.SubtaskRejected:
		return "rejected by " + term.Line(decider(v, row))
	case s == chargehand.SubtaskAcceptedLow:
		return "accepted with low confidence"
	case s == chargehand.SubtaskDegraded, s == chargehand.SubtaskNoWorker, s == chargehand.SubtaskOverBudget:
		return "left out" + because(row.Cause)
	case v.State.Final() && !s.Final():
		return "left out (not decided)"
	default:
		return strings.ToLower(RowSign(v, row, f.Alone).Label)
	}
}

// decider is who decided about a subtask last: a policy is never passed off as a person.
func decider(v *chargehand.View, row *chargehand.SubtaskView) string {
	for i := range slices.Backward(v.Reviews) {
		if d := v.Reviews[i].Decision; d != nil && v.Reviews[i].TaskID == row.ID && !d.Withdrawn {
			return d.Who()
		}
	}
	if row.DecidedBy == "" {
		return "a person"
	}
	return row.DecidedBy
}

// facts is money first, then what happened on the way.
func facts(v *chargehand.View) []string {
	cost := term.Money(v.Spent)
	if v.Budget > 0 {
		cost += " of " + term.Money(v.Budget)
	}
	if v.Plan.Estimate > 0 {
		cost += fmt.Sprintf(" (%.2f× plan)", float64(v.Spent)/float64(v.Plan.Estimate))
	}
	out := []string{cost}
	var retries, reassigned, people, policy int
	for _, row := range v.Rows {
		for i := 1; i < len(row.Attempts); i++ {
			retries++
			if row.Attempts[i].Worker != row.Attempts[i-1].Worker {
				reassigned++
			}
		}
	}
	for i := range v.Reviews {
		if d := v.Reviews[i].Decision; d != nil && d.Withdrawn {
			continue
		} else if d != nil && d.ByPolicy {
			policy++
		} else if d != nil {
			people++
		}
	}
	for _, f := range []struct {
		n    int
		text string
	}{
		{reassigned, fmt.Sprintf("%d reassigned", reassigned)},
		{retries, term.Count(retries, "retry")},
		{people, term.Count(people, "human decision")},
		{v.OwnWord, fmt.Sprintf("%d decided by its requester", v.OwnWord)},
		{policy, fmt.Sprintf("%d decided by policy", policy)},
	} {
		if f.n > 0 {
			out = append(out, f.text)
		}
	}
	if !v.EndedAt.IsZero() {
		out = append(out, term.Span(v.EndedAt.Sub(v.StartedAt)))
	}
	if v.State.Final() && v.Seq > 0 {
		out = append(out, "audit "+term.Count(int(v.Seq), "record"))
	}
	return out
}

// gaps has a line for each cause, with the subtasks that are missing for it.
func gaps(v *chargehand.View, st term.Style) []string {
	names, order := map[string][]string{}, []string{}
	for _, row := range v.Rows {
		if !row.Lacking() || !row.State.Final() && !v.State.Final() {
			continue
		}
		why := row.Why
		if len(row.Lacks) > 0 {
			why = strings.Join(row.Lacks, "; ")
		}
		if why == "" {
			why = strings.ToLower(v.RowSign(row).Label)
		}
		if names[why] == nil {
			order = append(order, why)
		}
		names[why] = append(names[why], Name(row))
	}
	var lines []string
	for _, why := range order {
		if len(lines) == maxGaps {
			return append(lines, "   gap     "+term.Count(len(order)-maxGaps, "more cause"))
		}
		lines = append(lines, "   gap     "+list(names[why], maxGaps)+st.Text(" — ")+term.Line(why))
	}
	return lines
}

// overrides has a line for each output that was accepted against the checks, with who did.
func overrides(v *chargehand.View) []string {
	var lines []string
	for _, row := range v.Rows {
		if row.Against == "" {
			continue
		}
		if len(lines) == maxGaps {
			return append(lines, "   against "+term.Count(v.Overridden-maxGaps, "more output"))
		}
		lines = append(lines, "   against "+Name(row)+" accepted by "+term.Line(decider(v, row))+", and the checks say: "+term.Line(row.Against))
	}
	return lines
}

// list is names in a row, at most n of them.
func list(names []string, n int) string {
	if more := len(names) - n; more > 0 {
		return strings.Join(names[:n], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}

// next is the commands that follow.
func (f Final) next() []string {
	v := f.View
	var lines []string
	for i := range v.Reviews {
		if rev := &v.Reviews[i]; rev.Open() {
			lines = append(lines, "   decide  chargehand review show "+term.Line(rev.ID))
		}
	}
	switch {
	case v.State == chargehand.RunPaused, f.Alone && !v.State.Final():
		lines = append(lines, "   resume  chargehand runs resume "+v.RunID)
	case !v.State.Final():
		lines = append(lines, "   watch   chargehand runs watch "+v.RunID)
	}
	if v.State.Final() || v.Accepted > 0 {
		lines = append(lines, "   result  chargehand runs result "+v.RunID)
	}
	if v.State.Final() {
		lines = append(lines, "   verify  chargehand audit verify "+v.RunID)
	}
	return lines
}
