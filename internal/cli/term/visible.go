// Package term writes text for people: what came from outside is made harmless, widths are those a
// terminal shows, and colour carries meaning only.
package term

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line is s as one line that is safe to show: line breaks and tabs become spaces, and characters
// that control a terminal, turn the direction of text or cannot be seen are spelled out, as in
// "<U+202E>".
func Line(s string) string {
	return visible(s, func(r rune) string {
		if r == '\n' || r == '\r' || r == '\t' {
			return " "
		}
		return ""
	})
}

// Block is Line for text of several lines: their breaks stay, and a tab is four spaces.
func Block(s string) string {
	return visible(strings.ReplaceAll(s, "\r\n", "\n"), func(r rune) string {
		switch r {
		case '\n':
			return "\n"
		case '\t':
			return "    "
		}
		return ""
	})
}

func visible(s string, keep func(rune) string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		kept := keep(r)
		switch {
		case kept != "":
			b.WriteString(kept)
		case r == utf8.RuneError && invalid(s[i:]):
			fmt.Fprintf(&b, "<0x%02X>", s[i])
		case Hidden(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func invalid(s string) bool {
	_, size := utf8.DecodeRuneInString(s)
	return size == 1
}

// Hidden reports whether a character changes what is shown without being seen itself: controls,
// formatting (direction, joiners, tags, soft hyphens), separators of lines, and letters and marks
// that are blank.
func Hidden(r rune) bool {
	switch r {
	case 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// Markdown is s as one line of Markdown that shows s and nothing else: no markup, no HTML, no
// links, wherever on a line it stands.
func Markdown(s string) string {
	s = strings.TrimSpace(Line(s))
	var b strings.Builder
	for i, r := range s {
		if strings.ContainsRune("\\`*_{}[]<>#|~&@$^", r) || opensBlock(s, i) || links(s, i) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// opensBlock reports whether the character at i would begin a list or underline a heading: a sign
// at the start, or one behind the digits at the start.
func opensBlock(s string, i int) bool {
	if i == 0 {
		return strings.IndexByte("-+=", s[0]) >= 0
	}
	return (s[i] == '.' || s[i] == ')') && strings.Trim(s[:i], "0123456789") == ""
}

// links reports whether the character at i would make a link of the text around it.
func links(s string, i int) bool {
	switch s[i] {
	case '.':
		return strings.HasSuffix(s[:i], "www")
	case ':':
		return strings.HasPrefix(s[i:], "://") || strings.HasSuffix(s[:i], "mailto") || strings.HasSuffix(s[:i], "xmpp")
	}
	return false
}
