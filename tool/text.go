package tool

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/chargehand/chargehand/internal/excerpt"
)

// clean is untrusted text as a model or a person may be shown it: valid UTF-8, without characters
// that steer a terminal, reorder text or hide in it. Line breaks and tabs stay.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "�")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == ' ':
			return r
		case r == '\r':
			return -1
		case unicode.Is(unicode.Zs, r):
			return ' '
		case unicode.IsGraphic(r):
			return r
		}
		return '·'
	}, s)
}

// quoted is the start of an untrusted name, fit for a message of one line.
func quoted(s string) string {
	return strconv.QuoteToGraphic(clean(excerpt.Of(s, 100)))
}
