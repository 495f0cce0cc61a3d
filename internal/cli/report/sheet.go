package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/compare"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// A Sheet is all that a person needs to decide a review.
type Sheet struct {
	Review *chargehand.Review
	Run    *chargehand.View
	Checked
	Before []byte                  // the output of the attempt that the one under review came after; nil: there is none
	Prior  *chargehand.AttemptView // that attempt
	Now    time.Time
	Brief  bool // for a question that follows at once: an excerpt of the output, and what each answer does
}

// Write writes the sheet: deadline and consequence, what was asked, the output, the findings with
// the lines of the source they are about, and how to decide.
func (sh *Sheet) Write(w io.Writer, s Screen) error {
	d := drawing{Screen: s, Checked: &sh.Checked}
	sh.head(&d)
	sh.asked(&d)
	sh.output(&d)
	sh.changed(&d)
	d.findings(sh.Review.Evidence)
	sh.decide(&d)
	_, err := io.WriteString(w, d.String())
	return err
}

func (sh *Sheet) head(d *drawing) {
	r := sh.Review
	title := strings.ToUpper(term.Line(name(r, sh.Run)))
	if sh.Run.Title != "" {
		title += d.Style.Text(" — ") + term.Line(sh.Run.Title)
	}
	risk := orWord(string(r.Risk), "low") + " risk" + d.Style.Text(" · ") + term.Line(r.Action)
	if d.Width > 0 && term.Width(title)+3+term.Width(risk) > d.Width {
		d.wrapped("", title)
		d.wrapped("", risk)
	} else {
		d.line("%s   %s", d.Style.Bold(title), risk)
	}
	if !r.Open() {
		d.line("%s", upperFirst(term.Line(verdictOf(*r.Decision))))
		return
	}
	outcome := "REJECTED"
	if r.Auto == chargehand.AutoApprove {
		outcome = "APPROVED"
	}
	due := term.TimeOfDay(r.Due(), sh.Now) + " (in " + term.Span(r.Due().Sub(sh.Now)) + ")"
	if r.RunEnds.IsZero() {
		d.wrapped("", fmt.Sprintf("If nobody decides by %s this is %s AUTOMATICALLY (policy %s)", due, outcome, r.Policy))
	} else {
		d.wrapped("", "If nobody decides by "+due+" THE RUN ENDS: its deadline comes before the review's")
	}
	if r.Required {
		d.line("It is required: a no ends the run.")
	}
	if r.Blocks > 0 {
		d.line("%s for the answer.", term.Count(r.Blocks, "subtask")+" wait"+map[bool]string{true: "s"}[r.Blocks == 1])
	}
}

func orWord(s, d string) string {
	if s == "" {
		return d
	}
	return term.Line(s)
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// name is what the review is about.
func name(r *chargehand.Review, run *chargehand.View) string {
	for _, row := range run.Rows {
		if row.ID == r.TaskID {
			return row.Name()
		}
	}
	return r.Description
}

func (sh *Sheet) asked(d *drawing) {
	r := sh.Review
	for _, row := range sh.Run.Rows {
		if row.ID == r.TaskID {
			d.paragraph("ASKED", row.Goal)
		}
	}
	d.sentBack(sh.Run, r.TaskID)
	d.paragraph("WHY YOU", r.Description+" ("+spoken(string(r.Cause))+")")
	for _, c := range r.Changes {
		d.paragraph("TOOL", c.String())
	}
	for _, p := range r.Positions {
		what := fmt.Sprintf("attempt %d by %s: %s, score %.2f, output %s", p.Attempt, p.Worker, p.Recommendation, p.GateScore, Short(p.OutputRef))
		d.paragraph("POSITION", what)
	}
}

// sentBack is what people said of earlier outputs of a subtask when they sent them back.
func (d *drawing) sentBack(run *chargehand.View, subtask string) {
	for i := range run.Reviews {
		if r := &run.Reviews[i]; r.TaskID == subtask && r.Decision != nil && r.Decision.SendBack {
			d.paragraph("SENT BACK", fmt.Sprintf("attempt %d, by %s: %s", r.Attempt, r.Decision.Approver, r.Decision.Comment))
		}
	}
}

func (sh *Sheet) output(d *drawing) {
	r := sh.Review
	if r.Subject == chargehand.SubjectTools {
		d.section("IF YES", "the run goes on with the tools as they are defined now")
		return
	}
	if sh.Output == nil {
		d.section("OUTPUT", "there is none: nothing can be approved")
		return
	}
	by := ""
	for _, row := range sh.Run.Rows {
		for _, a := range row.Attempts {
			if row.ID == r.TaskID && a.Attempt == r.Attempt {
				by = fmt.Sprintf("attempt %d, %s, ", a.Attempt, term.Line(a.Worker))
			}
		}
	}
	d.section("OUTPUT", "("+by+Short(r.ContentHash)+")")
	if !sh.Brief {
		d.content(sh.Output)
		return
	}
	whole := drawing{Screen: d.Screen, Checked: d.Checked}
	whole.content(sh.Output)
	lines := strings.Split(strings.TrimSuffix(whole.String(), "\n"), "\n")
	for _, l := range lines[:min(len(lines), excerpt)] {
		d.line("%s", l)
	}
	if more := len(lines) - excerpt; more > 0 {
		d.line("  %s %s: chargehand review show %s", d.Style.Text("…"), term.Count(more, "more line"), term.Line(r.ID))
	}
}

// changed says what the output has that the one before it had not.
func (sh *Sheet) changed(d *drawing) {
	if sh.Prior == nil || sh.Before == nil || sh.Output == nil {
		return
	}
	list := compare.JSON(sh.Before, sh.Output)
	what := "nothing"
	if len(list) > 0 {
		what = term.Count(len(list), "change")
	}
	d.section("CHANGED", fmt.Sprintf("%s since attempt %d, %s", what, sh.Prior.Attempt, term.Line(sh.Prior.Worker)))
	d.changes(list, "  ")
}

const excerpt = 16 // lines of an output before a question

// Short is a content hash as people are shown it. Commands take it for the whole one.
func Short(hash string) string {
	const digits = len("sha256:") + 12
	if hash = term.Line(hash); strings.HasPrefix(hash, "sha256:") && len(hash) > digits {
		return hash[:digits]
	}
	return hash
}

// consequences is what each answer does, and none.
func (sh *Sheet) consequences(d *drawing) {
	r := sh.Review
	if sh.Output != nil || r.Subject == chargehand.SubjectTools {
		d.paragraph("YES", r.Action)
	}
	no := "it is not used, and what depends on it is skipped"
	switch {
	case r.Required:
		no = "it is not used; it is required, so the run ends"
	case r.Subject == chargehand.SubjectPlan:
		no = "the plan is not followed, and the run ends with what it has"
	case r.Subject == chargehand.SubjectConflicts:
		no = "the run ends"
	}
	d.paragraph("NO", no)
	auto := "rejected"
	if r.Auto == chargehand.AutoApprove {
		auto = "approved"
	}
	due := term.TimeOfDay(r.Due(), sh.Now) + " (in " + term.Span(r.Due().Sub(sh.Now)) + ")"
	if r.RunEnds.IsZero() {
		d.paragraph("SILENCE", fmt.Sprintf("%s automatically at %s, by policy %s; no person decided then", auto, due, r.Policy))
	} else {
		d.paragraph("SILENCE", "the run ends at "+due+", and it is left out")
	}
}

func (sh *Sheet) decide(d *drawing) {
	r := sh.Review
	if !r.Open() {
		return
	}
	if sh.Brief {
		sh.consequences(d)
		return
	}
	id := term.Line(r.ID)
	reject := fmt.Sprintf("chargehand review reject %s --reason %s", id, d.Style.Text(`"…"`))
	if sh.Output == nil && r.Subject != chargehand.SubjectTools {
		d.section("DECIDE", reject)
		return
	}
	d.section("DECIDE", fmt.Sprintf("chargehand review approve %s --hash %s", id, Short(r.ContentHash)))
	d.section("", reject)
}
