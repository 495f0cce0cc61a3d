package report

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// Text writes the page of Markdown as a terminal shows it: without marks and escapes, each line
// within the screen, a table's cells under each other.
func Text(w io.Writer, r *chargehand.Result, stands chargehand.Sign, s Screen) error {
	var page bytes.Buffer
	if err := Markdown(&page, r, stands); err != nil {
		return err
	}
	source := page.Bytes()
	m := manuscript{Screen: s, source: source}
	m.blocks("", goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(source)))
	_, err := io.WriteString(w, m.String())
	return err
}

// A manuscript is the text of a tree of Markdown, a block after the other.
type manuscript struct {
	strings.Builder
	Screen
	source []byte
	tight  bool // no empty line before the next block
}

// blocks writes the blocks of a node, each line behind the margin.
func (m *manuscript) blocks(margin string, parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		m.block(margin, n)
	}
}

func (m *manuscript) block(margin string, n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		m.paragraph(margin, m.inline(n), m.Style.Bold)
	case *ast.Blockquote:
		m.gap(margin)
		m.tight = true
		m.blocks(margin+m.Style.Text("│ "), n)
	case *ast.List:
		m.list(margin, n)
	case *extast.Table:
		m.table(margin, n)
	case *ast.CodeBlock, *ast.FencedCodeBlock, *ast.HTMLBlock:
		m.gap(margin)
		for i := range n.Lines().Len() {
			line := n.Lines().At(i)
			m.WriteString(strings.TrimRight(margin+"    "+term.Line(strings.TrimRight(string(line.Value(m.source)), "\n")), " ") + "\n")
		}
	case *ast.ThematicBreak:
		m.paragraph(margin, m.Style.Text("———"), nil)
	default:
		m.paragraph(margin, m.inline(n), nil)
	}
}

// gap separates a block from the one before it.
func (m *manuscript) gap(margin string) {
	if m.Len() > 0 && !m.tight {
		m.WriteString(strings.TrimRight(margin, " ") + "\n")
	}
	m.tight = false
}

func (m *manuscript) paragraph(margin, s string, shown func(string) string) {
	m.gap(margin)
	m.lines(margin, margin, s, shown)
}

// lines writes s, its first line behind one margin and all others behind another of the same width.
func (m *manuscript) lines(first, margin, s string, shown func(string) string) {
	for part := range strings.SplitSeq(s, "\n") {
		wrapped := []string{part}
		if width := m.Width - term.Width(margin); m.Width > 0 && width > 0 {
			wrapped = term.Wrap(part, width)
		}
		for _, line := range wrapped {
			if shown != nil {
				line = shown(line)
			}
			m.WriteString(strings.TrimRight(first+line, " ") + "\n")
			first = margin
		}
	}
}

func (m *manuscript) list(margin string, list *ast.List) {
	number := list.Start
	if m.tight = list.IsTight && m.tight; !m.tight {
		m.gap(margin)
	}
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		mark := m.Style.Text("• ")
		if list.IsOrdered() {
			mark = strconv.Itoa(number) + ". "
			number++
		}
		inner := margin + strings.Repeat(" ", term.Width(mark))
		if first := n.FirstChild(); first != nil && first.Type() == ast.TypeBlock && first.Kind() != ast.KindList {
			m.lines(margin+mark, inner, m.inline(first), nil)
			n.RemoveChild(n, first)
		}
		m.tight = true
		m.blocks(inner, n)
	}
	m.tight = false
}

// table writes a table with its columns under each other, or, where it is wider than the screen, the
// last column in lines of its own.
func (m *manuscript) table(margin string, table *extast.Table) {
	m.gap(margin)
	t := term.Table{Wrap: true}
	if m.Width > 0 {
		t.Width = m.Width - term.Width(margin)
	}
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, m.inline(c))
		}
		if row.Kind() == extast.KindTableHeader {
			t.Head = cells
		} else {
			t.Add(cells...)
		}
	}
	var b strings.Builder
	_ = t.Write(&b, m.Style) // a Builder takes everything
	for line := range strings.Lines(b.String()) {
		m.WriteString(margin + line)
	}
}

// inline is the text of a block without the marks of Markdown. A link shows where it leads.
func (m *manuscript) inline(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function has no errors
		switch n := n.(type) {
		case *ast.Text:
			if !entering {
				break
			}
			if said := n.Value(m.source); n.Parent().Kind() == ast.KindCodeSpan {
				b.Write(said)
			} else {
				b.Write(util.UnescapePunctuations(said))
			}
			if n.HardLineBreak() {
				b.WriteByte('\n')
			} else if n.SoftLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		case *ast.AutoLink:
			if entering {
				b.Write(n.Label(m.source))
			}
		case *ast.RawHTML:
			if entering {
				for i := range n.Segments.Len() {
					at := n.Segments.At(i)
					b.Write(at.Value(m.source))
				}
			}
		case *ast.Link:
			if !entering {
				b.WriteString(" <" + string(n.Destination) + ">")
			}
		}
		return ast.WalkContinue, nil
	})
	return term.Block(b.String())
}
