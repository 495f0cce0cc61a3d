package term

import (
	"io"
	"slices"
	"strings"
)

// A Table is rows under a heading, in columns as wide as their widest cell.
type Table struct {
	Head  []string
	Rows  [][]string
	Width int // columns of the terminal; the last column is cut to fit. Zero means no limit

	// Wrap shows all of the last column: under itself, or below its row where little room is left.
	Wrap bool
}

// Add appends a row. Cells are made safe to show.
func (t *Table) Add(cells ...string) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = Line(c)
	}
	t.Rows = append(t.Rows, row)
}

// Drop takes the columns with these heads out.
func (t *Table) Drop(heads ...string) {
	for _, head := range heads {
		i := slices.Index(t.Head, head)
		for n := range t.Rows {
			t.Rows[n] = slices.Delete(t.Rows[n], i, i+1)
		}
		t.Head = slices.Delete(t.Head, i, i+1)
	}
}

// Write writes the table in a style. Lines carry no spaces at their end.
func (t *Table) Write(w io.Writer, st Style) error {
	widths := make([]int, len(t.Head))
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		for i, c := range row {
			widths[i] = max(widths[i], Width(c))
		}
	}
	var b strings.Builder
	for n, row := range append([][]string{t.Head}, t.Rows...) {
		var line strings.Builder
		for i, c := range row {
			line.WriteString(Pad(c, widths[i]) + "  ")
		}
		text := strings.TrimRight(line.String(), " ")
		lines := []string{text}
		switch {
		case t.Wrap && t.Width > 0 && len(row) > 0:
			lines = t.fold(text, row, widths, st)
		case t.Width > 0:
			lines[0] = Clip(text, t.Width, st.ASCII)
		}
		for _, l := range lines {
			if l = strings.TrimRight(l, " "); n == 0 {
				l = st.Bold(l)
			}
			b.WriteString(l + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// fold is a row whose last cell may take several lines.
func (t *Table) fold(text string, row []string, widths []int, st Style) []string {
	const words, below = 24, "    " // columns that a cell of words wants; the margin of one below its row
	last := len(row) - 1
	indent := 0
	for _, w := range widths[:last] {
		indent += w + 2
	}
	if t.Width-indent >= min(words, widths[last]) {
		return Hang(Clip(Pad(strings.TrimSuffix(text, row[last]), indent), indent, st.ASCII), row[last], t.Width, st.ASCII)
	}
	head := Clip(strings.TrimRight(strings.TrimSuffix(text, row[last]), " "), t.Width, st.ASCII)
	if row[last] == "" {
		return []string{head}
	}
	return append([]string{head}, Hang(below, row[last], t.Width, st.ASCII)...)
}
