package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// A Screen is what text is written for.
type Screen struct {
	Style term.Style
	Width int // columns; zero means no limit
}

// Table writes the result for a terminal: what is missing first, then one line an item.
// Stands says how the run stands, for one that has not ended.
func Table(w io.Writer, r *chargehand.Result, stands chargehand.Sign, s Screen) error {
	var b strings.Builder
	sign := r.Sign()
	if !r.Status.Final() {
		sign = stands
	}
	title := term.Line(r.Title)
	if title == "" {
		title = term.Line(r.RunID)
	}
	fmt.Fprintf(&b, "%s  %s\n", s.Style.Bold(title), s.Style.Tone(sign.Tone, s.Style.Glyph(sign)+" "+headline(r, stands)))
	remarks(&b, s, r)
	for _, f := range outputOf(r) {
		if err := section(&b, s, f); err != nil {
			return err
		}
	}
	if len(r.Items) > 0 {
		b.WriteString("\n")
		if err := itemTable(r.Items, s).Write(&b, s.Style); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (s Screen) wrap() int {
	if s.Width == 0 {
		return 100
	}
	return max(20, s.Width-4)
}

// remarks is what a reader must know before the items.
func remarks(b *strings.Builder, s Screen, r *chargehand.Result) {
	remark := func(tone chargehand.Tone, kind, text string) {
		fmt.Fprintf(b, "  %s %s\n", s.Style.Tone(tone, term.Pad(kind, 14)), text)
	}
	for _, g := range r.Gaps {
		remark(chargehand.ToneWarn, "not covered", term.Line(gapName(g))+": "+term.Line(g.Why))
	}
	for _, c := range r.Conflicts {
		remark(chargehand.ToneWarn, "conflict", term.Line(c.Key)+": "+term.Line(without(c.Why, c.Key)))
	}
	for _, n := range r.LowConfidence {
		remark(chargehand.ToneWarn, "low confidence", noteText(n, term.Line))
	}
	for _, n := range r.MissingEvidence {
		remark(chargehand.ToneWarn, "no evidence", noteText(n, term.Line))
	}
	for _, n := range r.OpenQuestions {
		remark(chargehand.ToneIdle, "open question", noteText(n, term.Line))
	}
}

// section is one part of an output: a table of a list of objects, text of anything else.
func section(b *strings.Builder, s Screen, f field) error {
	fmt.Fprintf(b, "\n%s\n", s.Style.Bold(term.Line(strings.ToUpper(f.name))))
	rows := rowsOf(f.value)
	if rows == nil {
		for _, line := range term.Wrap(term.Block(f.text()), s.wrap()) {
			b.WriteString("  " + line + "\n")
		}
		return nil
	}
	names := columns(rows)
	t := term.Table{Head: names, Width: s.Width}
	for _, row := range rows {
		t.Add(cells(row, names)...)
	}
	return t.Write(b, s.Style)
}

func itemTable(items []chargehand.Item, s Screen) *term.Table {
	present, absent, others := sorted(items)
	if len(present)+len(absent) == 0 {
		t := &term.Table{Head: []string{"SUBTASK", "STATE", "ITEM"}, Width: s.Width}
		for _, it := range others {
			t.Add(it.Subtask, state(it), string(it.Fields))
		}
		return t
	}
	t := &term.Table{Head: []string{"WHAT", "THERE", "STATE", "ANSWER", "QUOTE"}, Width: s.Width}
	for _, f := range present {
		t.Add(f.key, "yes", state(f.item), f.answer, f.quote)
	}
	for _, f := range absent {
		t.Add(f.key, "no", state(f.item), "", "")
	}
	for _, it := range others {
		t.Add(it.Subtask, "", state(it), "", string(it.Fields))
	}
	return t
}
