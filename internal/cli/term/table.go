package term

import (
	"io"
	"strings"
)

// A Table is rows under a heading, in columns as wide as their widest cell.
type Table struct {
	Head  []string
	Rows  [][]string
	Width int // columns of the terminal; the last column is cut to fit. Zero means no limit
}

// Add appends a row. Cells are made safe to show.
func (t *Table) Add(cells ...string) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = Line(c)
	}
	t.Rows = append(t.Rows, row)
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
		if t.Width > 0 {
			text = Clip(text, t.Width, st.ASCII)
		}
		if n == 0 {
			text = st.Bold(text)
		}
		b.WriteString(text + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
