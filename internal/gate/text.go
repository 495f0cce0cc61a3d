package gate

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxShown is how many characters of an output or a source a finding repeats.
const maxShown = 200

// visible is s as it may stand in a sentence: at most limit characters, with whatever a reader
// cannot see, or what would reorder the line around it, written as an escape (RELIABILITY.md row 20).
func visible(s string, limit int) string {
	if len(s) <= limit && plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(min(len(s), limit) + 8)
	for i, n := 0, 0; i < len(s); {
		if n >= limit {
			b.WriteString("…")
			break
		}
		if ' ' <= s[i] && s[i] < 0x7f {
			b.WriteByte(s[i])
			i, n = i+1, n+1
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		shown := show(r, size, s[i])
		b.WriteString(shown)
		n += utf8.RuneCountInString(shown)
		i += size
	}
	return b.String()
}

func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

func show(r rune, size int, first byte) string {
	switch {
	case r == utf8.RuneError && size <= 1:
		return fmt.Sprintf(`\x%02x`, first)
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case hidden(r) && r > 0xffff:
		return fmt.Sprintf(`\U%08x`, r)
	case hidden(r):
		return fmt.Sprintf(`\u%04x`, r)
	}
	return string(r)
}

// hidden reports whether r is a control, formatting, private, unassigned or odd space character:
// what does not show, or shows as something it is not.
func hidden(r rune) bool {
	if r == ' ' || r < 0x7f && r > ' ' {
		return false
	}
	return !unicode.IsGraphic(r) || unicode.Is(unicode.Zs, r) || unicode.Is(unicode.Variation_Selector, r) ||
		r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0 || r == 0x2800 // blank letters
}

// quoted is s in quotation marks, escaped and cut.
func quoted(s string) string { return `"` + visible(s, maxShown) + `"` }

// grouped is n with commas between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// span is the byte range from start to end, for a sentence.
func span(start, end int) string { return grouped(start) + "–" + grouped(end) }

// counted is "1 error", "2 errors".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(n) + " " + noun + "s"
}
