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

// Wrap breaks s into lines of at most n columns, at spaces where there are any.
func Wrap(s string, n int) []string {
	return strings.Split(ansi.Wrap(s, max(n, 1), ""), "\n")
}
