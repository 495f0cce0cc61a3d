// Package report writes results, costs and reviews for people. Everything in them that a worker, a
// document or a person wrote is untrusted, and shown as text.
package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// Markdown writes the result as a page: what is missing first, what was found last. Where the output
// has a document for people, the page shows that in place of fields and items. Stands says how the
// run stands, for one that has not ended.
func Markdown(w io.Writer, r *chargehand.Result, stands chargehand.Sign) error {
	var p page
	title := r.Title
	if title == "" {
		title = r.RunID
	}
	p.line("# %s", term.Markdown(title))
	p.line("")
	p.line("**%s**, run %s", headline(r, stands), term.Markdown(r.RunID))
	p.gaps(r.Gaps)
	p.conflicts(r.Conflicts)
	p.notes("Low confidence", r.LowConfidence)
	p.notes("Missing evidence", r.MissingEvidence)
	p.notes("Open questions", r.OpenQuestions)
	if docs := documentsOf(r); len(docs) > 0 {
		for _, text := range docs {
			p.document(text)
		}
	} else {
		p.output(r)
		p.items(r.Items)
	}
	p.decisions(r.Decisions)
	p.footer(r)
	_, err := io.WriteString(w, p.String())
	return err
}

// A page is Markdown in the making.
type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *page) heading(text string) { p.line("\n## %s\n", text) }

func headline(r *chargehand.Result, stands chargehand.Sign) string {
	if !r.Status.Final() {
		return "Not finished: " + strings.ToLower(stands.Label)
	}
	if r.StopReason == "" || r.StopReason == chargehand.StopComplete {
		return r.Sign().Label
	}
	return r.Sign().Label + " (" + spoken(string(r.StopReason)) + ")"
}

// spoken is a stable name as words.
func spoken(s string) string {
	return strings.ReplaceAll(s, "_", " ")
}

func (p *page) gaps(gaps []chargehand.Gap) {
	if len(gaps) == 0 {
		return
	}
	p.heading("Not covered")
	for _, g := range gaps {
		p.line("- **%s** (%s): %s", term.Markdown(gapName(g)), spoken(string(g.Cause)), term.Markdown(g.Why))
	}
}

func gapName(g chargehand.Gap) string {
	switch {
	case g.Subtask == "":
		return "The run"
	case g.Label == "" || g.Label == g.Subtask:
		return g.Subtask
	}
	return g.Subtask + " " + g.Label
}

func (p *page) conflicts(conflicts []chargehand.Conflict) {
	if len(conflicts) == 0 {
		return
	}
	p.heading("Conflicts")
	for _, c := range conflicts {
		p.line("- **%s**: %s", term.Markdown(c.Key), term.Markdown(without(c.Why, c.Key)))
		for _, v := range c.Values {
			p.line("  - %s (%s)%s: %s", term.Markdown(v.Worker), term.Markdown(v.Subtask), confirmed(v.ConfirmedBy), term.Markdown(v.Value))
			if v.Quote != "" {
				p.line("\n    > %s\n", term.Markdown(v.Quote))
			}
		}
	}
}

// confirmed says which workers said the same; empty where none did.
func confirmed(by []string) string {
	if len(by) == 0 {
		return ""
	}
	return ", confirmed by " + term.Markdown(strings.Join(by, ", "))
}

// without is a text that does not begin with the name it stands behind.
func without(text, name string) string { return strings.TrimPrefix(text, name+": ") }

func (p *page) notes(title string, notes []chargehand.Note) {
	if len(notes) == 0 {
		return
	}
	p.heading(title)
	for _, n := range notes {
		p.line("- %s", noteText(n, term.Markdown))
	}
}

func noteText(n chargehand.Note, safe func(string) string) string {
	text := safe(n.Text)
	if n.Key != "" && !strings.HasPrefix(n.Text, n.Key) { // the text may name it itself
		text = safe(n.Key) + ": " + text
	}
	if n.Subtask != "" {
		text += " (" + safe(n.Subtask) + ")"
	}
	if o := n.Override; o != nil {
		text += ", decided at " + term.Time(o.At)
		if o.Reason != "" {
			text += ": " + safe(o.Reason)
		}
	}
	return text
}

func (p *page) output(r *chargehand.Result) {
	fields := outputOf(r)
	if len(fields) == 0 {
		return
	}
	p.heading("Summary")
	var long []field
	for _, f := range fields {
		switch {
		case rowsOf(f.value) != nil || strings.Contains(strings.TrimSpace(f.text()), "\n"):
			long = append(long, f)
		case len(fields) == 1:
			p.line("%s", term.Markdown(f.text()))
		default:
			p.line("- **%s**: %s", term.Markdown(f.name), term.Markdown(f.text()))
		}
	}
	for _, f := range long {
		p.line("\n### %s\n", term.Markdown(f.name))
		if rows := rowsOf(f.value); rows != nil {
			p.table(rows)
		} else {
			p.verbatim(f.text())
		}
	}
}

// verbatim is text of several lines as it was written, behind a fence that nothing in it closes.
func (p *page) verbatim(text string) {
	text = strings.TrimSpace(term.Block(text))
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	p.line("%stext\n%s\n%s", fence, text, fence)
}

// table is a list of objects, one a row.
func (p *page) table(rows [][]field) {
	names := columns(rows)
	p.row(names)
	p.line("|%s", strings.Repeat(" --- |", len(names)))
	for _, row := range rows {
		p.row(cells(row, names))
	}
}

func (p *page) row(cells []string) {
	for _, c := range cells {
		p.WriteString("| " + term.Markdown(c) + " ")
	}
	p.line("|")
}

func (p *page) decisions(decisions []chargehand.Decision) {
	if len(decisions) == 0 {
		return
	}
	p.heading("Decisions")
	for _, d := range decisions {
		line := fmt.Sprintf("- %s: %s", term.Markdown(about(d)), term.Markdown(verdictOf(d)))
		if d.Comment != "" {
			line += ": " + term.Markdown(d.Comment)
		}
		p.line("%s", line)
	}
}

// about is what a decision was on, and its review.
func about(d chargehand.Decision) string {
	switch {
	case d.Subject == chargehand.SubjectPlan:
		return "the plan (" + d.ReviewID + ")"
	case d.Subject == chargehand.SubjectConflicts:
		return "the conflicts between outputs (" + d.ReviewID + ")"
	case d.Subject == chargehand.SubjectTools:
		return "the tools of " + d.TaskID + " (" + d.ReviewID + ")"
	case d.TaskID != "":
		return "the output of " + d.TaskID + " (" + d.ReviewID + ")"
	}
	return d.ReviewID // of a result that does not say it
}

// verdictOf never passes a policy off as a person.
func verdictOf(d chargehand.Decision) string {
	word := d.Outcome()
	when := " at " + term.Time(d.Timestamp)
	if d.ByPolicy && !d.Withdrawn {
		return word + " by policy " + d.Approver + when + ", no person decided"
	}
	return word + " by " + d.Who() + when
}

// stood is how the run's page shows a subtask whose output is used: one with a gap is accepted in part.
func stood(r *chargehand.Result, p *chargehand.Provenance) chargehand.Sign {
	row := chargehand.SubtaskView{State: p.State}
	for i := range r.Gaps {
		if g := &r.Gaps[i]; g.Subtask == p.Subtask {
			row.Lacks = []string{g.Why}
		}
	}
	return row.Sign()
}

func unreviewed(list []chargehand.Provenance) int {
	n := 0
	for _, v := range list {
		if v.Unreviewed {
			n++
		}
	}
	return n
}

func (p *page) footer(r *chargehand.Result) {
	p.heading("Where it comes from")
	if len(r.Provenance) > 0 {
		p.line("| Subtask | Worker | Attempt | State |")
		p.line("| --- | --- | --- | --- |")
		for _, v := range r.Provenance {
			p.line("| %s | %s | %d | %s |", term.Markdown(v.Subtask), term.Markdown(v.Worker), v.Attempt, stood(r, &v).Label)
		}
		p.line("")
	}
	if n := unreviewed(r.Provenance); n > 0 {
		p.line("The checks alone accepted %d of %d outputs: no reviewer, second worker or person looked at them.\n", n, len(r.Provenance))
	}
	cost := term.Money(r.Cost.USD)
	if r.Cost.VsPlan > 0 {
		cost += fmt.Sprintf(" (%.2f× plan)", r.Cost.VsPlan)
	}
	p.line("Cost %s, %d tokens. Records %d.", cost, r.Cost.Tokens, r.Audit.Records)
	if r.ResultHash != "" {
		p.line("Result hash %s.", term.Markdown(r.ResultHash))
	}
}
