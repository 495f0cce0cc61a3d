package contractreview

import (
	"regexp"
	"slices"
	"strings"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// unnamed is the answer of a governing-law clause that names no place.
const unnamed = "Yes"

// answer is what one quote says about its category. An extractor may work an answer out from the
// whole contract, such as an end date from a start and a term; an item states only what its own
// quote shows (SPEC.md ·64), so such an answer gives way to the quote's own words.
func answer(c clause.Category, stated, quote string) string {
	switch c.Answer {
	case clause.YesNo:
		return "Yes"
	case clause.Place:
		if namesAll(quote, stated) {
			return stated
		}
		return unnamed
	case clause.Date:
		if dateStands(stated, quote) {
			return stated
		}
		if n := term(quote); n != "" && c.Group == "term" {
			return n
		}
	case clause.Duration:
		if lengthStands(stated, quote) {
			return stated
		}
	}
	return excerpt(quote, 120)
}

// namesAll reports whether each part of a place ("Ontario, Canada") stands in the quote.
func namesAll(quote, place string) bool {
	words := " " + plainWords(quote) + " "
	for part := range strings.SplitSeq(place, ",") {
		if part = plainWords(part); part == "" || !strings.Contains(words, " "+part+" ") {
			return false
		}
	}
	return true
}

var notWord = regexp.MustCompile(`[^\pL\pN]+`)

// plainWords is s in lower case, its words one space apart.
func plainWords(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "'s", ""), "’s", "")
	return strings.TrimSpace(notWord.ReplaceAllString(strings.ToLower(s), " "))
}

const (
	unit    = `(day|week|month|quarter|year)s?\b`
	numeral = `one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|eighteen|twenty|thirty|` +
		`thirty-six|twenty-four|forty-five|forty-eight|sixty|ninety|half an?|an?|each|every|another`
)

var numerals = map[string]string{
	"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
	"nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "fifteen": "15", "eighteen": "18", "twenty": "20",
	"thirty": "30", "thirty-six": "36", "twenty-four": "24", "forty-five": "45", "forty-eight": "48",
	"sixty": "60", "ninety": "90", "a": "1", "an": "1", "each": "1", "every": "1", "another": "1",
	"half a": "0.5", "half an": "0.5",
}

// length is a number of calendar units: "thirty (30) days", "2-year", "each successive year".
var length = regexp.MustCompile(`(?:\b(\d{1,4})\)?"?|\b(` + numeral + `)\b)[\s-]+(?:[a-z]+\s+){0,2}?` + unit)

var yearly = regexp.MustCompile(`\b(?:annual|annually|yearly)\b`)

// lengths lists what a text says of time as "30 day".
func lengths(text string) []string {
	lower := strings.ToLower(text)
	var out []string
	for _, m := range length.FindAllStringSubmatch(lower, -1) {
		n := strings.TrimLeft(m[1], "0")
		if n == "" {
			n = numerals[m[2]]
		}
		out = append(out, n+" "+m[3])
	}
	if yearly.MatchString(lower) {
		out = append(out, "1 year")
	}
	return out
}

// lengthStands reports whether "successive 2 years" stands in the quote.
func lengthStands(stated, quote string) bool {
	stated = strings.TrimSuffix(strings.TrimPrefix(stated, "successive "), "s")
	return stated != "" && slices.Contains(lengths(quote), stated)
}

// runs is a length of time that says how long a contract lasts.
var runs = regexp.MustCompile(`\b(?:term|continue\w*|effect|remain\w* in\b|initial|anniversary)\b[^.;]{0,120}?` + length.String())

// term is how long a contract lasts by a quote that states no end date: "5 years".
func term(quote string) string {
	m := runs.FindString(strings.ToLower(quote))
	all := lengths(m)
	if len(all) == 0 {
		return ""
	}
	last := all[len(all)-1]
	if strings.HasPrefix(last, "1 ") || strings.HasPrefix(last, "0.5 ") {
		return last
	}
	return last + "s"
}

// excerpt is the beginning of a text on one line, at most n bytes, cut between words. It does not
// end in a figure, which might be half of one.
func excerpt(text string, n int) string {
	words := strings.Fields(text)
	size, fit := 0, 0
	for _, w := range words {
		if size += len(w) + 1; size > n {
			break
		}
		fit++
	}
	if fit < len(words) {
		for fit > 1 && (strings.ContainsAny(words[fit-1], "0123456789$€£(") || numerals[strings.ToLower(words[fit-1])] != "") {
			fit--
		}
	}
	switch {
	case len(words) == 0:
		return ""
	case fit == 0:
		return strings.ToValidUTF8(words[0][:min(n, len(words[0]))], "")
	}
	return strings.Join(words[:fit], " ")
}
