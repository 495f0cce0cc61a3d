package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// A Sheet is all that a person needs to decide a review.
type Sheet struct {
	Review  *chargehand.Review
	Run     *chargehand.View
	Output  []byte              // what is judged; nil: there is nothing to accept
	Verdict *chargehand.Verdict // the gate's; nil: the review's evidence stands for it
	Sources map[string]Source   // by content hash
	Around  int                 // lines of a source shown before and after a passage
	Raw     bool                // the output as it is, not field by field
	Now     time.Time
}

// A Source is a document that findings point into.
type Source struct{ Name, Text string }

// Write writes the sheet: deadline and consequence, what was asked, the output, the findings with
// the lines of the source they are about, and how to decide.
func (sh *Sheet) Write(w io.Writer, s Screen) error {
	d := drawing{Screen: s, sheet: sh}
	d.head()
	d.asked()
	d.output()
	d.findings()
	d.decide()
	_, err := io.WriteString(w, d.String())
	return err
}

// A drawing is a sheet in the making.
type drawing struct {
	strings.Builder
	Screen
	sheet *Sheet
}

func (d *drawing) line(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

func (d *drawing) section(name, text string) {
	d.line("%s %s", d.Style.Bold(term.Pad(name, 9)), text)
}

func (d *drawing) head() {
	r := d.sheet.Review
	title := strings.ToUpper(term.Line(name(r, d.sheet.Run)))
	if d.sheet.Run.Title != "" {
		title += d.Style.Text(" — ") + term.Line(d.sheet.Run.Title)
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
	d.line("If nobody decides by %s (in %s) this is %s AUTOMATICALLY (policy %s)", term.TimeOfDay(r.Deadline, d.sheet.Now),
		term.Span(r.Deadline.Sub(d.sheet.Now)), outcome, term.Line(r.Policy))
	if r.Required {
		d.line("It is required: a no ends the run.")
	}
	if r.Blocks > 0 {
		d.line("%s for the answer.", term.Count(r.Blocks, "subtask")+" wait"+map[bool]string{true: "s"}[r.Blocks == 1])
	}
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func orWord(s, d string) string {
	if s == "" {
		return d
	}
	return term.Line(s)
}

// name is what the review is about.
func name(r *chargehand.Review, run *chargehand.View) string {
	for _, row := range run.Rows {
		if row.ID == r.TaskID {
			return row.Name()
		}
	}
	return r.Description
}

func (d *drawing) asked() {
	r := d.sheet.Review
	for _, row := range d.sheet.Run.Rows {
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

func (d *drawing) paragraph(name, text string) {
	lines := term.Wrap(term.Block(text), d.wrap()-10)
	d.section(name, lines[0])
	for _, l := range lines[1:] {
		d.line("          %s", l)
	}
}

func (d *drawing) output() {
	r := d.sheet.Review
	if r.Subject == chargehand.SubjectTools {
		d.section("IF YES", "the run goes on with the tools as they are defined now")
		return
	}
	if d.sheet.Output == nil {
		d.section("OUTPUT", "there is none: nothing can be approved")
		return
	}
	by := ""
	for _, row := range d.sheet.Run.Rows {
		for _, a := range row.Attempts {
			if row.ID == r.TaskID && a.Attempt == r.Attempt {
				by = fmt.Sprintf("attempt %d, %s, ", a.Attempt, term.Line(a.Worker))
			}
		}
	}
	d.section("OUTPUT", "("+by+term.Line(r.ContentHash)+")")
	d.content()
}

// content is the output field by field, lists item by item.
func (d *drawing) content() {
	if !d.sheet.Raw {
		if fields := fieldsOf(d.sheet.Output); fields != nil {
			d.fields(fields, "  ")
			return
		}
		var list []json.RawMessage
		if json.Unmarshal(d.sheet.Output, &list) == nil {
			d.list(list, "  ")
			return
		}
	}
	var b bytes.Buffer
	if json.Indent(&b, d.sheet.Output, "", "  ") != nil {
		b.Reset()
		b.Write(d.sheet.Output)
	}
	for _, l := range strings.Split(term.Block(b.String()), "\n") {
		d.line("  %s", l)
	}
}

const maxItems = 200 // of a list in an output that are shown; --raw shows all

func (d *drawing) list(list []json.RawMessage, indent string) {
	for i, item := range list {
		if i == maxItems {
			d.line("%sand %d more: --raw shows all", indent, len(list)-i)
			return
		}
		if fields := fieldsOf(item); fields != nil {
			d.line("%s%d.", indent, i+1)
			d.fields(fields, indent+"   ")
			continue
		}
		d.wrapped(indent+fmt.Sprintf("%d. ", i+1), field{value: item}.text())
	}
}

func (d *drawing) fields(fields []field, indent string) {
	width := 0
	for _, f := range fields {
		width = max(width, min(20, term.Width(term.Line(f.name))))
	}
	for _, f := range fields {
		var list []json.RawMessage
		if json.Unmarshal(f.value, &list) == nil && len(list) > 0 && fieldsOf(list[0]) != nil {
			d.line("%s%s", indent, term.Line(f.name))
			d.list(list, indent+"  ")
			continue
		}
		d.wrapped(indent+term.Pad(term.Line(f.name), width)+"  ", f.text())
	}
}

// wrapped is text behind a margin that its further lines keep.
func (d *drawing) wrapped(margin, text string) {
	n := term.Width(margin)
	for i, l := range term.Wrap(term.Block(text), max(20, d.wrap()-n)) {
		if i > 0 {
			margin = strings.Repeat(" ", n)
		}
		d.line("%s", strings.TrimRight(margin+l, " "))
	}
}

func (d *drawing) decide() {
	r := d.sheet.Review
	if !r.Open() {
		return
	}
	id := term.Line(r.ID)
	reject := fmt.Sprintf("chargehand review reject %s --reason %s", id, d.Style.Text(`"…"`))
	if d.sheet.Output == nil && r.Subject != chargehand.SubjectTools {
		d.section("DECIDE", reject)
		return
	}
	d.section("DECIDE", fmt.Sprintf("chargehand review approve %s --hash %s", id, term.Line(r.ContentHash)))
	d.section("", reject)
}
