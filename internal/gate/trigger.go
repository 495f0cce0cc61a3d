package gate

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A trigger is a search pattern, read far enough to refuse those that cannot find anything and to
// run the others without trying every byte of a document.
type trigger struct {
	source string

	// openings are words in lower case with which every match begins; empty if that is not known.
	openings []string

	size   int // about how many instructions it compiles to
	weight int // how much more than a plain pattern it costs to run; at least 1

	plain, first, later lazy // the pattern, the same at the beginning of a text, and after a character
}

// leastWord is how many letters in a row a pattern must spell out.
const leastWord = 3

// readTrigger checks a pattern, or says why it is refused.
func readTrigger(source string) (*trigger, string) {
	if len(source) > maxPatternSize {
		return nil, fmt.Sprintf("has %s bytes; at most %s are allowed", grouped(len(source)), grouped(maxPatternSize))
	}
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil, "is not one that RE2 knows: " + visible(strings.TrimPrefix(err.Error(), "error parsing regexp: "), 80)
	}
	if !spells(tree) {
		return nil, fmt.Sprintf("spells out no word of %d letters, so it shows nothing", leastWord)
	}
	if !possible(tree) {
		return nil, "cannot match any text"
	}
	n := size(tree)
	if n > maxProgram {
		return nil, tooLarge
	}
	t := &trigger{source: source, size: n, weight: 1 + n/plainProgram}
	if o, _, ok := openings(tree); ok && !slices.ContainsFunc(o, func(s string) bool { return len(s) < leastGram }) {
		t.openings = o
	}
	return t, ""
}

// spells reports whether re holds a literal with enough letters in a row.
func spells(re *syntax.Regexp) bool {
	if re.Op == syntax.OpLiteral {
		row := 0
		for _, r := range re.Rune {
			if row++; !unicode.IsLetter(r) {
				row = 0
			}
			if row == leastWord {
				return true
			}
		}
		return false
	}
	if re.Op == syntax.OpRepeat && re.Max == 0 {
		return false
	}
	return slices.ContainsFunc(re.Sub, spells)
}

// size is about how many instructions re compiles to.
func size(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	if re.Op == syntax.OpCharClass {
		n = 1
	}
	for _, sub := range re.Sub {
		n += size(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Max, re.Min+1)
	}
	return n
}

// maxOpenings bounds what is looked up for one pattern.
const maxOpenings = 32

// openings computes the texts, folded to lower case, with which a match of re can begin; whole
// says that they are all there is to a match. Not ok means that they are too many, or not ASCII.
func openings(re *syntax.Regexp) (list []string, whole, ok bool) {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []string{""}, true, true
	case syntax.OpLiteral:
		return literalOpening(re.Rune)
	case syntax.OpCharClass:
		return classOpenings(re.Rune)
	case syntax.OpCapture:
		return openings(re.Sub[0])
	case syntax.OpPlus:
		list, _, ok = openings(re.Sub[0])
		return list, false, ok
	case syntax.OpRepeat:
		list, _, ok = openings(re.Sub[0])
		return list, false, ok && re.Min > 0
	case syntax.OpQuest:
		list, whole, ok = openings(re.Sub[0])
		return append(list, ""), whole, ok
	case syntax.OpAlternate:
		return anyOpening(re.Sub)
	case syntax.OpConcat:
		return rowOpening(re.Sub)
	}
	return nil, false, false
}

func literalOpening(rs []rune) ([]string, bool, bool) {
	var b strings.Builder
	for _, r := range rs {
		if r >= utf8.RuneSelf {
			return []string{b.String()}, false, b.Len() > 0
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return []string{b.String()}, true, true
}

// classOpenings expands a small class; pairs are its ranges. ſ and K are left to the source's check.
func classOpenings(pairs []rune) ([]string, bool, bool) {
	var out []string
	for i := 0; i < len(pairs); i += 2 {
		for r := pairs[i]; r <= pairs[i+1]; r++ {
			if len(out) > maxOpenings {
				return nil, false, false
			}
			s := string(unicode.ToLower(r))
			switch {
			case r == 'ſ' || r == '\u212a':
			case r >= utf8.RuneSelf:
				return nil, false, false
			case !slices.Contains(out, s):
				out = append(out, s)
			}
		}
	}
	return out, true, len(out) > 0
}

func anyOpening(subs []*syntax.Regexp) (list []string, whole, ok bool) {
	whole = true
	for _, sub := range subs {
		more, all, ok := openings(sub)
		if !ok || len(list)+len(more) > maxOpenings {
			return nil, false, false
		}
		list, whole = append(list, more...), whole && all
	}
	return list, whole, true
}

// rowOpening joins the openings of parts that follow one another, as long as they are known.
func rowOpening(subs []*syntax.Regexp) (list []string, whole, ok bool) {
	list = []string{""}
	for _, sub := range subs {
		more, all, ok := openings(sub)
		if !ok || len(list)*len(more) > maxOpenings {
			return list, false, true
		}
		var joined []string
		for _, a := range list {
			for _, b := range more {
				joined = append(joined, a+b)
			}
		}
		if list = joined; !all {
			return list, false, true
		}
	}
	return list, true, true
}

// whole is the pattern as it is run over a text.
func (t *trigger) whole() (*regexp.Regexp, error) { return t.plain.compile(t.source) }

// anchored is the pattern as it is tried at one place. With context it begins one character
// earlier, so that \b and ^ see what stands before the place.
func (t *trigger) anchored(context bool) (*regexp.Regexp, error) {
	if context {
		return t.later.compile(`\A(?s:.)(?:` + t.source + `)`)
	}
	return t.first.compile(`\A(?:` + t.source + `)`)
}
