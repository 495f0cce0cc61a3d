// Package excerpt makes what others wrote fit to be shown: short enough, and with nothing in it that
// steers whoever reads it.
package excerpt

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Head is at most the first n bytes of s, cut between characters.
func Head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Of is Head, marked by an ellipsis where something is left out.
func Of(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Head(s, n) + "…"
}

// Line is the first 300 bytes of an untrusted text as a line of a message: valid UTF-8 without what
// steers a terminal, reorders text or hides in it. A dot stands for each such character.
func Line(s string) string {
	return Of(strings.Map(func(r rune) rune {
		if r == ' ' || unicode.IsGraphic(r) {
			return r
		}
		return '·'
	}, strings.ToValidUTF8(strings.TrimSpace(s), "\uFFFD")), 300)
}
