package lexical

import (
	"strings"
	"unicode/utf8"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// A sentence is a run of words that ends where a sentence, a heading or a list item ends.
type sentence struct {
	words []word
	end   int // past the closing mark

	title        bool   // the run is a heading
	major, minor []word // the headings it stands under
}

func (s *sentence) span() clause.Span { return clause.Span{Start: s.words[0].start, End: s.end} }

// longest is the number of words after which a sentence also ends at a semicolon or a list item.
const longest = 220

// split cuts words into sentences.
func split(text string, ws []word) []sentence {
	var out []sentence
	from := 0
	for i := 1; i <= len(ws); i++ {
		if i < len(ws) && !ends(ws, from, i) {
			continue
		}
		out = append(out, sentence{words: ws[from:i], end: closing(text, ws[i-1].end)})
		from = i
	}
	return out
}

// closing moves end past the marks that close the word before it: a point, a bracket, a quote.
func closing(text string, end int) int {
	for end < len(text) {
		r, n := utf8.DecodeRuneInString(text[end:])
		if !strings.ContainsRune(".?!)]\"\u201d;", r) {
			break
		}
		end += n
	}
	return end
}

// ends reports whether the sentence that begins at from ends before word i.
func ends(ws []word, from, i int) bool {
	g := ws[i].lead
	switch {
	case enumerator(ws, from, i) && !g.blank():
		return false
	case g.stop:
		return stops(ws, from, i)
	case g.blank() || g.page:
		return parts(ws, from, i)
	case g.colon || g.dash || g.lines > 0:
		return heading(ws[from:i]) && (ws[i].capital() || listed(ws, i)) && i-from <= 9
	case i-from > longest:
		return g.semi || g.open && listed(ws, i)
	}
	return untitled(ws, from, i)
}

// untitled reports a numbered heading in capitals that no mark separates from the text after it:
// "9. INSURANCE The Supplier shall".
func untitled(ws []word, from, i int) bool {
	number, rest := numbered(ws[from:i])
	if number == "" || i-from > 9 || !allUpper(rest) || !heading(ws[from:i]) {
		return false
	}
	return listed(ws, i) || ws[i].number() || ws[i].capital() && !ws[i].upper()
}

// stops judges a full stop before word i.
func stops(ws []word, from, i int) bool {
	prev, next, g := ws[i-1], ws[i], ws[i].lead
	switch {
	case !g.space && !g.quote:
		return next.capital() && len(prev.raw) > 3 && !prev.upper()
	case g.blank():
		return true
	case shortened(prev):
		return starters[next.lower] || listed(ws, i)
	case listed(ws, i):
		return true
	}
	return next.capital() || next.number() || g.quote
}

// parts judges an empty line or a page end before word i that no full stop precedes.
func parts(ws []word, from, i int) bool {
	g := ws[i].lead
	switch {
	case i-from > longest:
		return true
	case listed(ws, i):
		return !g.colon && !g.semi && !conjunction(ws[i-1]) || heading(ws[from:i])
	case !ws[i].capital() && !ws[i].number():
		return false
	case g.comma || conjunction(ws[i-1]):
		return false
	case g.page && !heading(ws[from:i]):
		return i-from < 6 || ws[i].upper() && !ws[i-1].upper()
	}
	return true
}

// enumerator reports whether ws[from:i] is only the number or letter of a list item.
func enumerator(ws []word, from, i int) bool {
	switch i - from {
	case 1:
		return mark(ws[from])
	case 2:
		return mark(ws[from+1]) && (divisions[ws[from].lower] || mark(ws[from]))
	}
	return false
}

var divisions = lowers("article section clause paragraph")

// mark reports a word that can number an item: 12, 9.2, a, iv.
func mark(w word) bool {
	if w.number() {
		return len(w.raw) <= 6
	}
	return len(w.raw) == 1 || len(w.raw) <= 4 && roman(w.lower)
}

func roman(s string) bool {
	for i := range len(s) {
		if s[i] != 'i' && s[i] != 'v' && s[i] != 'x' {
			return false
		}
	}
	return s != ""
}

// listed reports whether word i is the number of a list item: (a), 3., iv).
func listed(ws []word, i int) bool {
	if !mark(ws[i]) {
		return false
	}
	if i+1 == len(ws) {
		return true
	}
	after := ws[i+1].lead
	return after.stop && after.space || after.shut
}

func conjunction(w word) bool { return w.lower == "and" || w.lower == "or" }

// shortened reports an abbreviation, whose point ends no sentence.
func shortened(w word) bool {
	return abbreviations[w.lower] || len(w.raw) == 1 && w.capital() || len(w.raw) > 2 && w.raw[1] == '.' && !w.number()
}

var abbreviations = lowers("inc corp ltd co llc lp mr mrs ms dr st no nos vs etc sec art par approx jr sr dept gmbh plc sa ag bv nv cf viz al ave blvd ste")

// starters are words that open a sentence even after an abbreviation.
var starters = lowers("the this these each neither either any in all no if such notwithstanding except subject upon both for during it nothing unless under without")
