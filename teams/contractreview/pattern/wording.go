package pattern

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// A wording is an expression over the lower-case sentences of a contract. Most sentences lack the
// words that it cannot match without, and are told so without running it. The zero wording matches
// nothing.
type wording struct {
	re      *regexp.Regexp
	anchors []string // every match holds one of them. Empty means unknown
}

func newWording(expr string) wording {
	if expr == "" {
		return wording{}
	}
	re := regexp.MustCompile(expr)
	return wording{re: re, anchors: anchorsOf(re)}
}

func (w wording) in(s string) bool {
	return w.re != nil && (len(w.anchors) == 0 || containsAny(s, w.anchors)) && w.re.MatchString(s)
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// anchorsOf returns literals in lower case one of which is part of every match of re.
func anchorsOf(re *regexp.Regexp) []string {
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		panic(err) // re compiled
	}
	return anchors(tree.Simplify())
}

// anchors returns literals one of which is part of every match of re, the longest there are.
func anchors(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{lowerASCII(string(re.Rune))}
	case syntax.OpCapture, syntax.OpPlus:
		return anchors(re.Sub[0])
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if a := anchors(sub); shortest(a) > shortest(best) {
				best = a
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			a := anchors(sub)
			if len(a) == 0 {
				return nil
			}
			all = append(all, a...)
		}
		return all
	}
	return nil
}

// shortest returns the length of the shortest of a, zero when there is none.
func shortest(a []string) int {
	n := 0
	for i, s := range a {
		if i == 0 || len(s) < n {
			n = len(s)
		}
	}
	return n
}
