package progress

import (
	"fmt"
	"io"
	"strings"

	"github.com/chargehand/chargehand/internal/cli/term"
)

// A screen owns the last lines of a terminal. Between two writes the cursor is visible and stands
// at the start of the line below them, so that there is nothing to restore however the process
// ends.
type screen struct {
	out   io.Writer
	shown []string
	width int // of the terminal when they were drawn
}

const (
	hideCursor = "\x1b[?25l"
	showCursor = "\x1b[?25h"
	home       = "\r" // a key that was pressed may have left its echo, such as ^C
	clearLine  = "\x1b[K"
	clearBelow = "\x1b[J"
)

// draw replaces what is shown. Every line must be narrower than the terminal.
func (s *screen) draw(lines []string, width int) {
	var b strings.Builder
	b.WriteString(hideCursor + home)
	if width != s.width || len(lines) < len(s.shown) {
		b.WriteString(s.up(width) + clearBelow)
		s.shown = nil
	}
	if n := len(s.shown); n > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", n)
	}
	for i, line := range lines {
		if i >= len(s.shown) || s.shown[i] != line {
			b.WriteString(line + clearLine)
		}
		b.WriteString("\r\n")
	}
	b.WriteString(clearLine + showCursor)
	s.shown, s.width = lines, width
	// A terminal that is gone must not stop the run.
	_, _ = io.WriteString(s.out, b.String())
}

// up moves to the first line shown, in a window that is width columns wide by now: terminals wrap
// what no longer fits.
func (s *screen) up(width int) string {
	rows := 0
	for _, line := range s.shown {
		rows += 1 + max(0, term.Width(line)-1)/max(width, 1)
	}
	if rows == 0 {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA", rows)
}

func (s *screen) clear() {
	_, _ = io.WriteString(s.out, home+s.up(s.width)+clearBelow)
	s.shown = nil
}
