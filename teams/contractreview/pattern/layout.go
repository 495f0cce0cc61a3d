package pattern

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// A paragraph is running text: the lines of the contract that belong together, without the page
// furniture that lies between them.
type paragraph struct {
	text  string        // the whole contract
	lines []clause.Span // in order, none empty
}

// furniture is what a page leaves behind in the text: its number, a rule, the filing it is from.
var furniture = regexp.MustCompile(`(?i)^(?:` +
	`[-–—]?\s*(?:page\s+)?\d{1,3}\s*(?:of\s+\d{1,3})?\s*[-–—]?|` +
	`[ivxl]{1,6}|[a-z]-\d{1,3}|` +
	`source:\s.{1,120},\s+\d{1,2}/\d{1,2}/\d{4}|` +
	`(?:</?page>\s*)+|[-_=*]{5,}` +
	`)$`)

// paragraphs cuts text at blank lines, except where only a page break interrupts a sentence.
func paragraphs(text string) []paragraph {
	var out []paragraph
	blank, page := true, false // since the last line of running text
	for start := 0; start < len(text); {
		line := clause.Span{Start: start, End: len(text)}
		if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
			line.End = start + i
		}
		start = line.End + 1
		line = trim(text, line)
		switch {
		case line.Start == line.End:
			blank = true
		case len(text[line.Start:line.End]) < 160 && furniture.MatchString(text[line.Start:line.End]):
			page = true
		default:
			if last := len(out) - 1; last >= 0 && (!blank && !page || continues(text, out[last], line, page)) {
				out[last].lines = append(out[last].lines, line)
			} else {
				out = append(out, paragraph{text: text, lines: []clause.Span{line}})
			}
			blank, page = false, false
		}
	}
	return out
}

// continues reports whether next goes on with the sentence that p leaves open.
func continues(text string, p paragraph, next clause.Span, page bool) bool {
	last := p.lines[len(p.lines)-1]
	end := text[last.Start:last.End]
	final, _ := utf8.DecodeLastRuneInString(end)
	if strings.ContainsRune(`.:;!?"”_|`, final) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(text[next.Start:])
	if final == ',' || unicode.IsLower(first) {
		return true
	}
	const shortest = 50 // bytes; anything shorter is more likely a heading than a broken line
	return page && len(end) > shortest && unicode.IsLetter(first)
}

// trim shrinks s by the white space at both ends.
func trim(text string, s clause.Span) clause.Span {
	part := text[s.Start:s.End]
	left := strings.TrimLeftFunc(part, blankRune)
	s.Start += len(part) - len(left)
	s.End = s.Start + len(strings.TrimRightFunc(left, blankRune))
	return s
}

// blankRune reports what carries no text: white space, and control and format characters.
func blankRune(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\ufeff' }

// A plain is a paragraph in reading form: white space collapsed, quotation marks and dashes
// straight, soft hyphens gone.
type plain struct {
	text string
	from []int // from[i] is the offset in the contract of the letter that plain byte i belongs to
	past []int // past[i] is the offset just after that letter
}

var straight = map[rune]string{
	'“': `"`, '”': `"`, '„': `"`, '‘': "'", '’': "'", '–': "-", '—': "-", '‑': "-",
}

// plain turns p into reading form.
func (p paragraph) plain() plain {
	var b strings.Builder
	var out plain
	put := func(s string, at, size int) {
		b.WriteString(s)
		for range len(s) {
			out.from, out.past = append(out.from, at), append(out.past, at+size)
		}
	}
	space := false
	for _, line := range p.lines {
		space = b.Len() > 0
		for i, r := range p.text[line.Start:line.End] {
			at := line.Start + i
			size := len(string(r))
			if r == utf8.RuneError {
				_, size = utf8.DecodeRuneInString(p.text[at:])
			}
			switch {
			case r == '\u00ad':
				continue
			case blankRune(r):
				space = b.Len() > 0
				continue
			case space:
				put(" ", at, 0)
				space = false
			}
			if s, ok := straight[r]; ok {
				put(s, at, size)
			} else {
				put(p.text[at:at+size], at, size)
			}
		}
	}
	out.text = b.String()
	return out
}
