package report

import (
	"io"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/compare"
	"github.com/chargehand/chargehand/internal/cli/term"
)

const (
	maxChanges = 8   // of one output that are shown
	maxValue   = 160 // columns of one value
)

var changeMarks = map[compare.Kind]term.Mark{
	compare.Added:   {Glyph: "+", ASCII: "+"},
	compare.Removed: {Glyph: "−", ASCII: "-"},
	compare.Changed: {Glyph: "≠", ASCII: "!="},
}

// changes are a line each, the first few of them.
func (d *drawing) changes(list []compare.Change, indent string) {
	for i := range list {
		if i == maxChanges {
			d.line("%s%s %s", indent, d.Style.Text("…"), term.Count(len(list)-i, "more change"))
			return
		}
		c := &list[i]
		path := ""
		if c.Path != "" {
			path = term.Line(c.Path) + "  "
		}
		d.wrapped(indent+changeMarks[c.Kind].Of(d.Style)+" ", path+d.change(c))
	}
}

func (d *drawing) change(c *compare.Change) string {
	switch c.Kind {
	case compare.Added:
		return d.value(field{value: c.To}.text())
	case compare.Removed:
		return d.value(field{value: c.From}.text())
	}
	from, to := compare.Words(field{value: c.From}.text(), field{value: c.To}.text())
	return d.fromTo(from, to)
}

// fromTo is both sides of a difference; one that says nothing is "none".
func (d *drawing) fromTo(from, to string) string {
	return d.value(from) + d.Style.Text(" → ") + d.value(to)
}

func (d *drawing) value(text string) string {
	if text = term.Clip(term.Line(text), maxValue, d.Style.ASCII); text == "" {
		return "none"
	}
	return text
}

// Diff writes in what two runs differ, as sign says how each of them stands.
func Diff(w io.Writer, a, b *chargehand.View, r *compare.Runs, sign func(*chargehand.View) chargehand.Sign, s Screen) error {
	d := drawing{Screen: s, Checked: &Checked{}}
	for i, v := range []*chargehand.View{a, b} {
		how := sign(v)
		d.line("%s  %s  %s  %s", "AB"[i:i+1], d.Style.Bold(term.Line(v.RunID)), term.Clip(term.Line(v.Title), 40, d.Style.ASCII), d.Style.Tone(how.Tone, d.Style.Glyph(how)+" "+how.Label))
	}
	if r.Same() {
		d.line("\nThey are the same: plan, workers, attempts, cost, verdicts, outputs and result.")
	}
	d.part("RUN", r.Run)
	if len(r.Team) > 0 {
		d.line("\n%s", d.Style.Bold("TEAM"))
		d.changes(r.Team, "  ")
	}
	for i := range r.Subtasks {
		d.differing(&r.Subtasks[i])
	}
	d.part("RESULT", r.Result)
	if r.Alike > 0 && !r.Same() {
		d.line("\n%s the same.", term.Count(r.Alike, "subtask")+" "+map[bool]string{true: "is", false: "are"}[r.Alike == 1])
	}
	_, err := io.WriteString(w, d.String())
	return err
}

func (d *drawing) part(title string, list []compare.Difference) {
	if len(list) == 0 {
		return
	}
	d.line("\n%s", d.Style.Bold(title))
	d.differences(list)
}

func (d *drawing) differences(list []compare.Difference) {
	for _, x := range list {
		from, to := compare.Words(spoken(x.A), spoken(x.B))
		d.wrapped("  "+term.Pad(x.What, 14)+"  ", d.fromTo(from, to))
	}
}

func (d *drawing) differing(s *compare.Subtask) {
	title := term.Line(s.ID)
	if s.Name != s.ID {
		title += " " + term.Line(s.Name)
	}
	d.line("\n%s", d.Style.Bold(title))
	if s.Only != "" {
		d.line("  only in %s", strings.ToUpper(s.Only))
		return
	}
	if len(s.Plan) > 0 {
		d.line("  planned otherwise")
		d.changes(s.Plan, "    ")
	}
	d.differences(s.Differences)
	d.changes(s.Output, "    ")
}
