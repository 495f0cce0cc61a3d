package progress

import (
	"io"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// A Live keeps a picture of the runs at the bottom of a terminal. It draws at most ten times a
// second and rewrites only lines that changed.
type Live struct {
	screen screen
	runs   []*Run
	size   func() (width, height int)
	style  term.Style
	hint   string
	dirty  bool
	drawn  time.Time
}

// A Terminal is where a Live draws.
type Terminal struct {
	Out   io.Writer
	Size  func() (width, height int) // asked for every picture, so that it follows the window
	Style term.Style
	Hint  string // the last line: which keys do what
}

// NewLive draws runs on t.
func NewLive(t Terminal, runs []*Run) *Live {
	return &Live{screen: screen{out: t.Out}, runs: runs, size: t.Size, style: t.Style, hint: t.Hint}
}

// Record implements Renderer.
func (l *Live) Record(*Run, chargehand.Record) { l.dirty = true }

// Heard implements Hearer.
func (l *Live) Heard(*Run, *chargehand.Token) { l.dirty = true }

// Unheard implements Hearer: what a picture shows of texts is their end at best.
func (l *Live) Unheard(*Run, error) {}

// Tick implements Renderer. Clocks move once a second.
func (l *Live) Tick(now time.Time) {
	if !l.dirty && now.Sub(l.drawn) < time.Second {
		return
	}
	l.dirty, l.drawn = false, now
	width, height := l.size()
	l.screen.draw(Picture{l.runs, now, width, height, l.style, l.hint}.Lines(), width)
}

// Say implements Renderer.
func (l *Live) Say(text string) {
	l.screen.clear()
	_, _ = io.WriteString(l.screen.out, text)
	l.dirty = true
}

// Close implements Renderer.
func (l *Live) Close() { l.screen.clear() }
