package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// Checked is an output, and what the gate found in it.
type Checked struct {
	Output  []byte              // nil: there is none
	Verdict *chargehand.Verdict // the gate's, whole; nil: the findings of a record stand for it
	Sources map[string]Source   // by content hash
	Around  int                 // lines of a source shown before and after a passage
	Raw     bool                // the output as it is, not field by field
}

// A Source is a document that findings point into.
type Source struct{ Name, Text string }

// A drawing is a page about an output in the making.
type drawing struct {
	strings.Builder
	Screen
	*Checked
}

func (d *drawing) line(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

func (d *drawing) section(name, text string) {
	d.line("%s %s", d.Style.Bold(term.Pad(name, 9)), text)
}

func (d *drawing) paragraph(name, text string) {
	lines := term.Wrap(term.Block(text), d.wrap()-10)
	d.section(name, lines[0])
	for _, l := range lines[1:] {
		d.line("          %s", l)
	}
}

// content is JSON field by field, lists item by item.
func (d *drawing) content(whole []byte) {
	if !d.Raw {
		if fields := fieldsOf(whole); fields != nil {
			d.fields(fields, "  ")
			return
		}
		var list []json.RawMessage
		if json.Unmarshal(whole, &list) == nil {
			d.list(list, "  ")
			return
		}
	}
	var b bytes.Buffer
	if json.Indent(&b, whole, "", "  ") != nil {
		b.Reset()
		b.Write(whole)
	}
	for _, l := range strings.Split(term.Block(b.String()), "\n") {
		d.line("  %s", l)
	}
}

const (
	maxItems  = 200 // of a list that are shown; --raw shows all
	maxIndent = 40  // columns; what is nested deeper is shown as JSON
)

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
		if len(indent) < maxIndent && json.Unmarshal(f.value, &list) == nil && len(list) > 0 && fieldsOf(list[0]) != nil {
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
