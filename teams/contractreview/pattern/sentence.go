package pattern

import (
	"regexp"
	"strings"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// A sentence is a unit of judgement and of quotation.
type sentence struct {
	clause.Span
	plain   string // in reading form (see plain)
	lower   string // plain with ASCII letters in lower case, and "can not" in two words
	section section
	heading bool // a section's title rather than something agreed
	endless bool // so far into a run without a full stop that it is not judged
}

// A section is what follows a title, up to the next one.
type section struct {
	number int    // counts titles
	title  string // in lower case; empty before the first title
}

const (
	longest     = 3000 // bytes; a longer run without a full stop is cut, so that quotes stay readable
	mostCuts    = 20   // a run that is cut more often is no prose, and would take long to judge
	headingSize = 90   // bytes; a longer sentence is no heading
)

// sentences cuts the paragraph. The sections it begins go on from *in.
func (p paragraph) sentences(in *section) []sentence {
	pl := p.plain()
	var out []sentence
	for start, cuts := 0, 0; start < len(pl.text); {
		end, whole := boundary(pl.text, start)
		if s, ok := pl.sentence(start, end); ok {
			if s.heading = isHeading(s.plain, label.FindString(pl.text[start:end]) != ""); s.heading {
				*in = section{number: in.number + 1, title: s.lower}
			}
			s.section, s.endless = *in, cuts > mostCuts
			out = append(out, s)
		}
		start = end
		if cuts++; whole {
			cuts = 0
		}
	}
	return out
}

// label is the number or letter a clause is listed under: "9.2", "(a)", "Section 3.", "●".
var label = regexp.MustCompile(`^\s*(?:(?i:section|article|§)\s*)?` +
	`(?:\(?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxlIVXL]{1,6})[.)]+|\d{1,2}(?:\.\d{1,3})+|[●•·▪o-])\s+`)

// sentence builds the sentence pl[start:end], its label left out.
func (pl plain) sentence(start, end int) (sentence, bool) {
	for {
		n := len(label.FindString(pl.text[start:end]))
		if n == 0 || start+n >= end {
			break
		}
		start += n
	}
	for start < end && pl.text[start] == ' ' {
		start++
	}
	for end > start && pl.text[end-1] == ' ' {
		end--
	}
	if start == end {
		return sentence{}, false
	}
	s := sentence{Span: clause.Span{Start: pl.from[start], End: pl.past[end-1]}, plain: pl.text[start:end]}
	s.lower = strings.ReplaceAll(lowerASCII(s.plain), "cannot", "can not")
	return s, true
}

// titled is a section title: capitalised words, or all capitals.
var titled = regexp.MustCompile(`^(?:[A-Z][\w'/&,-]*|of|and|or|to|the|for|in|on|by|with|a|an|&|-|;|/)(?:[ ,;/-]+(?:[A-Z][\w'/&,-]*|of|and|or|to|the|for|in|on|by|with|upon|a|an|&|-|/))*[.:]?$`)

func isHeading(s string, labelled bool) bool {
	if len(s) > headingSize || strings.Count(s, " ") > 9 {
		return false
	}
	const few = 5 // words; a longer line that ends in a full stop needs a number to be a title
	return titled.MatchString(s) &&
		(labelled || !strings.HasSuffix(s, ".") || len(strings.Fields(s)) <= few)
}

// boundary returns where the sentence that starts at start ends, and whether it ends there by itself
// and is not cut.
func boundary(s string, start int) (end int, whole bool) {
	for i := start; i < len(s); i++ {
		if i-start >= longest {
			return cut(s, start, i), false
		}
		switch s[i] {
		case '.', '!', '?':
			if end, ok := stop(s, start, i); ok {
				return end, true
			}
		case ':':
			if colon(s, start, i) {
				return i + 1, true
			}
		}
	}
	return len(s), true
}

// cut ends an overlong sentence at the last semicolon, or else space, before i.
func cut(s string, start, i int) int {
	for _, sep := range []string{"; ", " "} {
		if at := strings.LastIndex(s[start:i], sep); at > longest/2 {
			return start + at + len(sep)
		}
	}
	for i > start+1 && s[i]&0xc0 == 0x80 { // never inside a letter
		i--
	}
	return i
}

// opens matches what may begin a sentence, after the white space that follows a full stop.
var opens = regexp.MustCompile(`^ *(?:$|[A-Z0-9"(\[*●•·▪_-]|(?:[a-z]|[ivx]{1,4})[.)] +[A-Z"(])`)

// starter matches words that begin sentences and hardly ever follow an abbreviation's full stop.
var starter = regexp.MustCompile(`^ (?:The|This|These|Any|All|Each|Either|Neither|Every|If|In|It|No|Nothing|Such|Upon|For|Except|Notwithstanding|Subject|During|Unless|Without|Within|WHEREAS|Whereas|NOW|THE|THIS|IN|[A-Z][a-z]+ (?:shall|will|may|agrees|hereby)|\d+\.)\b`)

// stop reports whether the mark at i ends the sentence, and where the next one begins.
func stop(s string, start, i int) (int, bool) {
	end := i + 1
	for end < len(s) && strings.IndexByte(`"')]`, s[end]) >= 0 {
		end++
	}
	rest := s[end:]
	if len(rest) > 60 {
		rest = rest[:60]
	}
	glued := rest != "" && rest[0] != ' '
	if glued && !(end > i+1 && rest[0] >= 'A' && rest[0] <= 'Z') || !opens.MatchString(rest) {
		return 0, false
	}
	from := strings.LastIndexAny(s[start:i], " (\"") + 1
	word := s[start+from : i]
	switch {
	case strings.TrimSpace(s[start:start+from]) == "" && len(word) <= 6 && label.MatchString(word+". "):
		return 0, false // the sentence's own number
	case numberWord[word] && rest != "" && rest[0] == ' ' && digits(rest[1:]):
		return 0, false
	case abbreviated(word):
		return end, starter.MatchString(rest) || rest == ""
	}
	return end, true
}

var numberWord = map[string]bool{"No": true, "Nos": true, "Section": true, "Sec": true, "Art": true, "Article": true, "NO": true}

var abbreviation = map[string]bool{
	"Inc": true, "INC": true, "Corp": true, "CORP": true, "Co": true, "CO": true, "Ltd": true, "LTD": true,
	"LLC": true, "Mr": true, "Mrs": true, "Ms": true, "Dr": true, "St": true, "Sec": true, "Art": true,
	"vs": true, "etc": true, "Jr": true, "Sr": true, "Esq": true, "Ph.D": true, "approx": true, "Dept": true,
	"Ave": true, "Blvd": true, "Ste": true, "Vol": true, "Bros": true, "Pty": true, "Rd": true, "Fig": true,
	"Jan": true, "Feb": true, "Mar": true, "Apr": true, "Jun": true, "Jul": true, "Aug": true, "Sept": true,
	"Sep": true, "Oct": true, "Nov": true, "Dec": true, "Attn": true, "Tel": true, "cf": true, "al": true,
	"Exh": true, "Ex": true, "Nos": true, "Hon": true, "Prof": true, "Cir": true, "Stat": true,
}

// abbreviated reports whether a full stop after word is part of the word.
func abbreviated(word string) bool {
	if abbreviation[word] || len(word) == 1 && word[0] >= 'A' && word[0] <= 'Z' {
		return true
	}
	return len(word) >= 3 && len(word) <= 7 && strings.Contains(word, ".") && !strings.ContainsAny(word, "0123456789")
}

func digits(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// colon reports whether the colon at i closes a run-in heading, as in "13. Insurance: During".
func colon(s string, start, i int) bool {
	if i+2 >= len(s) || s[i+1] != ' ' || s[i+2] < 'A' || s[i+2] > 'Z' {
		return false
	}
	head := s[start : i+1]
	n := len(label.FindString(head))
	return n > 0 && isHeading(strings.TrimSpace(head[n:]), true)
}
