package term

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Width is how many columns s takes; East Asian characters and emoji take two, colours none.
func Width(s string) int { return ansi.StringWidth(s) }

// Clip is s cut to n columns; what was cut shows by a last "…", or "~" where only ASCII may be
// shown.
func Clip(s string, n int, ascii bool) string {
	tail := "…"
	if ascii {
		tail = "~"
	}
	if n <= 0 {
		return ""
	}
	return ansi.Truncate(s, n, tail)
}

// Pad is s followed by spaces up to n columns.
func Pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-Width(s)))
}

// Hang is a margin with text behind it, in lines of at most n columns: further lines begin where the
// text does. Where that leaves no room for words it is one line, cut. Zero columns means no limit.
func Hang(margin, text string, n int, ascii bool) []string {
	indent := Width(margin)
	if n <= 0 || indent+Width(text) <= n {
		return []string{margin + text}
	}
	const words = 20 // columns
	if n-indent < words {
		return []string{Clip(margin+text, n, ascii)}
	}
	lines := Wrap(ansi.Strip(text), n-indent) // a colour would run on into what is shown below
	for i := range lines {
		if i > 0 {
			margin = strings.Repeat(" ", indent)
		}
		lines[i] = strings.TrimRight(margin+lines[i], " ")
	}
	return lines
}

// Wrap breaks s into lines of at most n columns, at spaces where there are any.
func Wrap(s string, n int) []string {
	return strings.Split(ansi.Wrap(s, max(n, 1), ""), "\n")
}
