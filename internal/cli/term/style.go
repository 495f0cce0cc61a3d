package term

import (
	"strings"

	"github.com/chargehand/chargehand"
)

// A Style says what a terminal can show. The zero Style is plain text with glyphs.
type Style struct {
	Color bool
	ASCII bool // no characters but ASCII of our own; what others wrote stays
}

// codes are the SGR codes of the tones, from the sixteen colours that a terminal's owner has chosen.
var codes = map[chargehand.Tone]string{
	chargehand.ToneIdle:  "90",
	chargehand.ToneRun:   "34",
	chargehand.ToneHuman: "35",
	chargehand.ToneWarn:  "33",
	chargehand.ToneOK:    "32",
	chargehand.ToneFail:  "31",
}

// Tone is s in the colour of a tone.
func (st Style) Tone(t chargehand.Tone, s string) string { return st.sgr(codes[t], s) }

// Bold is s in bold type.
func (st Style) Bold(s string) string { return st.sgr("1", s) }

func (st Style) sgr(code, s string) string {
	if !st.Color || code == "" || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Glyph is a sign's glyph, or its ASCII form.
func (st Style) Glyph(s chargehand.Sign) string {
	if st.ASCII {
		return s.ASCII
	}
	return s.Glyph
}

// Text is our own text as the terminal can show it.
func (st Style) Text(s string) string {
	if !st.ASCII {
		return s
	}
	return asciiForms.Replace(s)
}

var asciiForms = strings.NewReplacer(
	"…", "...", "–", "-", "—", "-", "·", "|", "→", "->", "×", "x", "▸", ">", "▓", "#", "░", ".", "│", "|",
	"✓", "+", "✗", "x", "✋", "!", "≠", "!=", "≥", ">=", "≈", "~", "•", "*",
)

// A Mark is a glyph of ours that is no state.
type Mark struct{ Glyph, ASCII string }

// Of is the mark in the style's characters.
func (m Mark) Of(st Style) string {
	if st.ASCII {
		return m.ASCII
	}
	return m.Glyph
}
