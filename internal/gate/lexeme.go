package gate

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A lexeme is a word, a number or a mark of a text.
type lexeme struct {
	kind       lexKind
	text       string // as it stands
	lower      string // a word in lower case; a number without separators; else text
	start, end int    // byte offsets
	gap        bool   // white space stands before it
	opens      bool   // it begins a sentence or a line
	known      bool   // a word or a mark that figures are made of
	used       bool   // it belongs to a figure
}

type lexKind int8

const (
	lexMark   lexKind = iota
	lexWord           // letters, then letters and digits: "Agreement", "don't", "B2B"
	lexNumber         // "5,000,000", "1.5"; lower is its canonical form
	lexDotted         // "9.2.1", "08.05.2014"
)

func (l *lexeme) is(s string) bool { return l.lower == s }

// lex splits s. Its cost is linear.
func lex(s string) []lexeme { return appendLexemes(make([]lexeme, 0, len(s)/5+4), s) }

func appendLexemes(out []lexeme, s string) []lexeme {
	gap, opens := false, true
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		if unicode.IsSpace(r) {
			gap = true
			opens = opens || r == '\n'
			i += size
			continue
		}
		l := lexeme{start: i, gap: gap, opens: opens}
		switch {
		case '0' <= r && r <= '9':
			l.number(s, i)
		case unicode.IsLetter(r):
			l.word(s, i)
		default:
			l.end = i + size
		}
		l.text = s[l.start:l.end]
		if l.kind == lexMark || l.kind == lexDotted {
			l.lower = l.text
		}
		l.known = l.kind != lexMark && l.kind != lexWord || figureWords[l.lower]
		out = append(out, l)
		i, gap = l.end, false
		opens = l.kind == lexMark && (strings.Contains(".!?:;•*#", l.text) || opens)
	}
	return out
}

func (l *lexeme) word(s string, i int) {
	l.kind = lexWord
	for i < len(s) {
		if c := s[i] | 0x20; 'a' <= c && c <= 'z' || '0' <= s[i] && s[i] <= '9' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			next, _ := utf8.DecodeRuneInString(s[min(i+size, len(s)):])
			if r != '\'' && r != '’' || !unicode.IsLetter(next) {
				break
			}
		}
		i += size
	}
	l.end = i
	l.lower = strings.ToLower(s[l.start:i])
}

// number reads digits with their separators. Commas, apostrophes and narrow spaces group
// thousands, a point begins the fraction; "1.234.567" and "1.234,56" are read as written in Europe.
func (l *lexeme) number(s string, i int) {
	l.kind = lexNumber
	i = digitsEnd(s, i)
	if i == len(s) || s[i] < utf8.RuneSelf && strings.IndexByte(",.'", s[i]) < 0 {
		l.end, l.lower = i, joinNumber(s[l.start:i], "")
		return
	}
	groups, sep := 0, ""
	for i-l.start <= 3 || groups > 0 {
		mark := groupMark(s[i:])
		if mark == "" || sep != "" && mark != sep || digitsEnd(s, i+len(mark)) != i+len(mark)+3 {
			break
		}
		i, sep, groups = i+len(mark)+3, mark, groups+1
	}
	l.end = i
	european := strings.HasPrefix(s[i:], ",") && digitsEnd(s, i+1) > i+1
	if sep == "." && (groups == 1 && !european || strings.HasPrefix(s[i:], ".")) {
		i, sep = digitsEnd(s, l.start), "" // one point is a fraction, or a section number
	}
	point := "."
	if sep == "." {
		point = ","
	}
	if strings.HasPrefix(s[i:], point) && digitsEnd(s, i+1) > i+1 {
		i = digitsEnd(s, i+1)
	}
	l.end = i
	if sep == "" && strings.HasPrefix(s[i:], ".") && digitsEnd(s, i+1) > i+1 {
		l.dotted(s, i)
		return
	}
	l.lower = canonical(s[l.start:l.end], sep, point)
}

func (l *lexeme) dotted(s string, i int) {
	for strings.HasPrefix(s[i:], ".") && digitsEnd(s, i+1) > i+1 {
		i = digitsEnd(s, i+1)
	}
	l.kind, l.end = lexDotted, i
}

func digitsEnd(s string, i int) int {
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return i
}

// groupMark is the separator of thousands at the start of s.
func groupMark(s string) string {
	for _, m := range []string{",", ".", "'", "’", "\u00a0", "\u202f", "\u2009"} {
		if strings.HasPrefix(s, m) {
			return m
		}
	}
	return ""
}

// canonical is a number without separators and needless zeros: "5,000,000.50" is "5000000.5".
func canonical(s, sep, point string) string {
	if sep != "" {
		s = strings.ReplaceAll(s, sep, "")
	}
	whole, frac, _ := strings.Cut(s, point)
	return joinNumber(whole, frac)
}

func joinNumber(whole, frac string) string {
	whole, frac = strings.TrimLeft(whole, "0"), strings.TrimRight(frac, "0")
	if whole == "" {
		whole = "0"
	}
	if frac == "" {
		return whole
	}
	return whole + "." + frac
}

// shift moves the point of a canonical number n digits to the right.
func shift(s string, n int) string {
	whole, frac, _ := strings.Cut(s, ".")
	for range n {
		if frac == "" {
			whole += "0"
			continue
		}
		whole, frac = whole+frac[:1], frac[1:]
	}
	return joinNumber(whole, frac)
}
