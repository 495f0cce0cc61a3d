package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A word is a run of letters and digits, with what stands between it and the word before.
// Punctuation is never a word, so windows count words only.
type word struct {
	start, end int    // bytes of the text
	raw        string // as written
	lower      string
	stem       string
	lead       gap
}

// A gap is what separates a word from the one before it.
type gap struct {
	stop, colon, semi, comma bool // . ? ! / : / ; / ,
	open, shut, quote, dash  bool // ( [ / ) ] / " / a dash between spaces
	space                    bool
	lines                    int  // line ends
	page                     bool // a footer, a page number or a form feed
}

// blank reports an empty line or more.
func (g gap) blank() bool { return g.lines > 1 }

func (w word) number() bool { return w.raw[0] >= '0' && w.raw[0] <= '9' }

func (w word) capital() bool {
	r, _ := utf8.DecodeRuneInString(w.raw)
	return unicode.IsUpper(r)
}

// upper reports a word of two letters or more without a lower-case one.
func (w word) upper() bool { return len(w.raw) > 1 && w.capital() && strings.ToUpper(w.raw) == w.raw }

// words splits text line by line and leaves out the lines that are page furniture.
func words(text string) []word {
	t := tokeniser{text: text}
	heads := runners(text)
	for at := 0; at < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if line := text[at:end]; furniture(line) || heads[figureless(line)] {
			t.gap.page = true
			t.gap.lines++
		} else {
			t.line(at, end)
		}
		at = end
	}
	return t.words
}

type tokeniser struct {
	text  string
	words []word
	gap   gap
}

func (t *tokeniser) line(at, end int) {
	for at < end {
		r, n := utf8.DecodeRuneInString(t.text[at:end])
		if wordRune(r) {
			at = t.word(at, end)
			continue
		}
		t.gap.add(r, t.text[at+n:end])
		at += n
	}
}

// word takes the word that begins at start and returns where it ends.
func (t *tokeniser) word(start, end int) int {
	at := start
	for at < end {
		r, n := utf8.DecodeRuneInString(t.text[at:end])
		if !wordRune(r) && !t.joins(start, at, at+n, end) {
			break
		}
		at += n
	}
	raw := t.text[start:at]
	lower := plain(raw)
	t.words = append(t.words, word{
		start: start, end: at, raw: raw, lower: lower, stem: stem(lower), lead: t.gap,
	})
	t.gap = gap{}
	return at
}

// joins reports whether the mark in text[at:next] belongs to the word around it: party's, 9.2,
// 1,000, U.S.
func (t *tokeniser) joins(start, at, next, end int) bool {
	if next >= end {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(t.text[start:at])
	after, _ := utf8.DecodeRuneInString(t.text[next:end])
	switch mark := t.text[at:next]; mark {
	case "'", "\u2019":
		return unicode.IsLetter(before) && unicode.IsLetter(after)
	case "\u00ad":
		return unicode.IsLetter(after)
	case ".":
		if unicode.IsDigit(before) && unicode.IsDigit(after) {
			return true
		}
		return dotted(t.text[start:at]) && unicode.IsLetter(after) && !wordAt(t.text[next:end], 2)
	case ",":
		return unicode.IsDigit(before) && unicode.IsDigit(after)
	}
	return false
}

// dotted reports a single letter, or single letters with points between them.
func dotted(s string) bool {
	for i, r := range s {
		if letter := i%2 == 0; letter != unicode.IsLetter(r) || !letter && r != '.' {
			return false
		}
	}
	return len(s)%2 == 1
}

// wordAt reports whether s begins with n letters or more.
func wordAt(s string, n int) bool {
	for _, r := range s {
		if n == 0 || !unicode.IsLetter(r) {
			break
		}
		n--
	}
	return n == 0
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func (g *gap) add(r rune, rest string) {
	switch r {
	case '.', '?', '!':
		g.stop = true
	case ':':
		g.colon = true
	case ';':
		g.semi = true
	case ',':
		g.comma = true
	case '(', '[':
		g.open = true
	case ')', ']':
		g.shut = true
	case '"', '\u201c', '\u201d':
		g.quote = true
	case '-', '\u2013', '\u2014':
		g.dash = g.dash || g.space && (rest == "" || rest[0] == ' ') || r == '\u2014'
	case '\n':
		g.lines++
		g.space = true
	case '\f':
		g.page, g.space = true, true
	default:
		g.space = g.space || unicode.IsSpace(r)
	}
}

// plain lower-cases a word and drops soft hyphens and typographic apostrophes.
func plain(raw string) string {
	s := strings.ToLower(raw)
	if strings.IndexFunc(s, func(r rune) bool { return r > 127 }) >= 0 {
		s = strings.NewReplacer("\u00ad", "", "\u2019", "'").Replace(s)
	}
	return s
}
