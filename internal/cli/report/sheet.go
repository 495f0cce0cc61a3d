package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// A Sheet is all that a person needs to decide a review.
type Sheet struct {
	Review *chargehand.Review
	Run    *chargehand.View
	Checked
	Now time.Time
}

// Write writes the sheet: deadline and consequence, what was asked, the output, the findings with
// the lines of the source they are about, and how to decide.
func (sh *Sheet) Write(w io.Writer, s Screen) error {
	d := drawing{Screen: s, Checked: &sh.Checked}
	sh.head(&d)
	sh.asked(&d)
	sh.output(&d)
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
	d.line("%s   %s risk%s%s", d.Style.Bold(title), orWord(string(r.Risk), "low"), d.Style.Text(" · "), term.Line(r.Action))
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
		d.line("If nobody decides by %s this is %s AUTOMATICALLY (policy %s)", due, outcome, term.Line(r.Policy))
	} else {
		d.line("If nobody decides by %s THE RUN ENDS: its deadline comes before the review's", due)
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
	d.paragraph("WHY YOU", r.Description+" ("+spoken(string(r.Cause))+")")
	for _, c := range r.Changes {
		d.paragraph("TOOL", c.String())
	}
	for _, p := range r.Positions {
		what := fmt.Sprintf("attempt %d by %s: %s, score %.2f, output %s", p.Attempt, p.Worker, p.Recommendation, p.GateScore, p.OutputRef)
		d.paragraph("POSITION", what)
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
	d.section("OUTPUT", "("+by+term.Line(r.ContentHash)+")")
	d.content(sh.Output)
}

func (sh *Sheet) decide(d *drawing) {
	r := sh.Review
	if !r.Open() {
		return
	}
	id := term.Line(r.ID)
	reject := fmt.Sprintf("chargehand review reject %s --reason %s", id, d.Style.Text(`"…"`))
	if sh.Output == nil && r.Subject != chargehand.SubjectTools {
		d.section("DECIDE", reject)
		return
	}
	d.section("DECIDE", fmt.Sprintf("chargehand review approve %s --hash %s", id, term.Line(r.ContentHash)))
	d.section("", reject)
}
