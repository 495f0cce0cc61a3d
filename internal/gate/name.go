package gate

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A name is a row of capitalised words in a text, or a word of a script without capitals.
type name struct {
	words []string // lower case
	text  string   // as it stands
	start int      // its byte offset
	weak  bool     // one word that opens a sentence: perhaps no name at all
}

// verdicts are words that answer a question rather than name something; they need no grounds.
var verdicts = wordSet(`yes no perpetual perpetually none n/a na not absent present unknown unlimited unspecified
	indefinite indefinitely silent applicable found stated specified true false nil tbd not-stated automatic mutual`)

// openers are capitalised words that are no names.
var openers = wordSet(`a an the this that these those such it its they their there he she we our you your i of in on at by
	for from to with without within under over upon after before during until unless except if when where while whether as and or
	but nor either neither both each every any all some most many several few other another same no one two three
	is are was were be been has have had do does did may must shall will can could would should
	also however therefore thus hence moreover furthermore additionally overall accordingly subject pursuant notwithstanding
	section sections clause clauses article articles exhibit schedule annex appendix paragraph page item items
	party parties agreement contract document notice term date effective provided following first second third
	what which who whose how why because since although though note see according based total per than then
	january february march april june july august september october november december jan feb mar apr jun jul aug sep
	sept oct nov dec monday tuesday wednesday thursday friday saturday sunday`)

func wordSet(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		out[w] = true
	}
	return out
}

// joiners stand inside a name without a capital of their own.
var joiners = map[string]bool{"of": true, "and": true, "&": true, "de": true, "the": true, "for": true, "-": true, ".": true, "'": true, "van": true, "von": true}

// names lists the names in a text whose figures are read.
func (fs *figures) names() []name {
	if !slices.ContainsFunc(fs.split, fs.named) {
		return nil
	}
	var out []name
	words := fs.words()
	for i := 0; i < len(words); i++ {
		if !fs.named(words[i]) {
			continue
		}
		last := i
		for j := i + 1; j < len(words) && j <= last+3; j++ {
			if fs.named(words[j]) {
				last = j
			} else if !joiners[words[j].lower] || words[j].opens {
				break
			}
		}
		out = append(out, fs.nameOf(words[i:last+1], i+1 < len(words) && plainWord(words[i+1])))
		i = last
	}
	return out
}

// named reports whether l is a word that must be grounded.
func (fs *figures) named(l lexeme) bool {
	if l.used || l.kind != lexWord || len(l.text) < 2 || !marked(l.text) {
		return false
	}
	return !openers[possessive(l.lower)] && !verdicts[l.lower] && currencies[l.lower] == ""
}

// marked reports whether a word looks like no other: it holds a capital or a digit, or is of a
// script without capitals.
func marked(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return !unicode.IsLower(r) || strings.IndexFunc(word, unicode.IsDigit) > 0 || strings.IndexFunc(word[1:], unicode.IsUpper) >= 0
}

func plainWord(l lexeme) bool { return l.kind == lexWord && l.text == l.lower }

func (fs *figures) nameOf(ls []lexeme, goesOn bool) name {
	n := name{text: fs.text[ls[0].start:ls[len(ls)-1].end], start: ls[0].start}
	for _, l := range ls {
		if l.kind == lexWord {
			n.words = append(n.words, possessive(l.lower))
		}
	}
	n.weak = len(ls) == 1 && ls[0].opens && goesOn
	return n
}

// standing is what the grounds say of a name.
type standing int8

const (
	stands    standing = iota // word by word, in a row
	scattered                 // each word somewhere
	missing
)

// stands looks a name up. Capitals do not count, and a word may go on ("Automatic" in "automatically").
func (g *grounds) stands(n name) standing {
	if len(n.words) > 1 && g.runs(" "+strings.Join(n.words, " ")+" ") {
		return stands
	}
	if slices.ContainsFunc(n.words, func(w string) bool { return !joiners[w] && !g.holds(w) }) {
		return missing
	}
	if len(n.words) == 1 {
		return stands
	}
	return scattered
}

// leastStem is how many letters two words must share to be called forms of one.
const leastStem = 6

// holds reports whether the grounds have the word, or a form of it.
func (g *grounds) holds(w string) bool {
	g.readWords()
	if g.words[w] || g.words[strings.TrimSuffix(w, "s")] || g.words[w+"s"] {
		return true
	}
	if len(w) >= leastStem && g.runs(" "+w) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(w)
	return !unicode.IsUpper(unicode.ToUpper(r)) && g.runs(w) // a script without capitals
}
