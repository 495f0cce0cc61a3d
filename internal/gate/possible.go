package gate

import (
	"regexp/syntax"
	"unicode"
)

// tries is how many sample texts are made before a pattern is called impossible.
const tries = 64

// possible reports whether re can match at all. It spells out sample texts that the pattern's
// letters allow and looks whether its anchors and word boundaries hold there, so that "assign\A",
// which finds nothing anywhere, is no evidence of absence.
func possible(re *syntax.Regexp) bool {
	for try := range tries {
		s := sample{try: try}
		if s.write(re) && s.holds() {
			return true
		}
	}
	return false
}

// A sample is one text a pattern may match, with the assertions made on the way.
type sample struct {
	try     int // which sample this is
	fork    int // how many forks were met
	text    []rune
	asserts []assertion
}

type assertion struct {
	at int
	op syntax.Op
}

// pick takes one of n ways: the first at every fork of the first sample, then all mixtures.
func (s *sample) pick(n int) int {
	if s.try == 0 {
		return 0
	}
	s.fork++
	mixed := uint32(s.try*2654435761+s.fork*40503) * 2246822519
	return int(mixed>>16) % n
}

// maxSample bounds a sample; a pattern that needs more text is not sampled further.
const maxSample = 1_000

// write spells out re; false means that no text at all fits it.
func (s *sample) write(re *syntax.Regexp) bool {
	if len(s.text) > maxSample {
		return false
	}
	switch re.Op {
	case syntax.OpNoMatch:
		return false
	case syntax.OpLiteral:
		s.text = append(s.text, re.Rune...)
	case syntax.OpCharClass:
		return s.class(re.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		s.text = append(s.text, []rune{' ', 'x'}[s.pick(2)])
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		s.asserts = append(s.asserts, assertion{len(s.text), re.Op})
	case syntax.OpCapture, syntax.OpPlus:
		return s.write(re.Sub[0])
	case syntax.OpStar, syntax.OpQuest:
		return s.pick(2) == 1 || s.write(re.Sub[0])
	case syntax.OpRepeat:
		times := re.Min
		if re.Max != re.Min {
			times += 1 - s.pick(2)
		}
		for range times {
			if !s.write(re.Sub[0]) {
				return false
			}
		}
	case syntax.OpAlternate:
		return s.write(re.Sub[s.pick(len(re.Sub))])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if !s.write(sub) {
				return false
			}
		}
	}
	return true
}

// class takes a space, a letter or the first of a class.
func (s *sample) class(pairs []rune) bool {
	if len(pairs) == 0 {
		return false
	}
	likes := [][]rune{{' ', '-', 'a', 'A', '0'}, {'a', 'A', '0', ' ', '-'}}[s.pick(2)]
	for _, r := range likes {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] <= r && r <= pairs[i+1] {
				s.text = append(s.text, r)
				return true
			}
		}
	}
	s.text = append(s.text, pairs[0])
	return true
}

// holds reports whether every assertion is true in the sample, with anything allowed around it.
func (s *sample) holds() bool {
	for _, a := range s.asserts {
		if !s.allows(a) {
			return false
		}
	}
	return true
}

func (s *sample) allows(a assertion) bool {
	first, last := a.at == 0, a.at == len(s.text)
	switch a.op {
	case syntax.OpBeginText:
		return first
	case syntax.OpEndText:
		return last
	case syntax.OpBeginLine:
		return first || s.text[a.at-1] == '\n'
	case syntax.OpEndLine:
		return last || s.text[a.at] == '\n'
	}
	if first || last {
		return true
	}
	boundary := wordRune(s.text[a.at-1]) != wordRune(s.text[a.at])
	return boundary == (a.op == syntax.OpWordBoundary)
}

// wordRune is a character of \w.
func wordRune(r rune) bool {
	return r == '_' || r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
