package main

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An alteration makes a false text of a true one; not ok where the text offers nothing to alter.
type alteration func(r *rand.Rand, text string) (string, bool)

// rewordings are the alterations of a quoted text, by name.
var rewordings = []struct {
	name  string
	alter alteration
}{
	{"word changed", changeWord},
	{"word dropped", dropWord},
	{"words exchanged", exchangeWords},
	{"number changed", changeDigit},
	{"digits transposed", transposeDigits},
	{"currency changed", changeCurrency},
	{"negation inserted", insertNegation},
	{"negation removed", removeNegation},
	{"parties swapped", swapParties},
	{"case changed", changeCase},
	{"homoglyph", putHomoglyph},
	{"hidden character", insertHidden},
	{"white space changed", changeSpace},
	{"middle left out", leaveOut},
}

var word = regexp.MustCompile(`[A-Za-z]{2,}`)

// replacements are words of contracts that change what a sentence says.
var replacements = strings.Fields(`shall may will must buyer seller licensor licensee terminate renew exclusive nonexclusive
	before after written oral prior immediate all none any certain party supplier customer world territory`)

// at picks one of the places where re matches.
func at(r *rand.Rand, re *regexp.Regexp, text string) ([]int, bool) {
	all := re.FindAllStringSubmatchIndex(text, -1)
	if len(all) == 0 {
		return nil, false
	}
	return all[r.IntN(len(all))], true
}

func splice(text string, start, end int, with string) string { return text[:start] + with + text[end:] }

func changeWord(r *rand.Rand, text string) (string, bool) {
	m, ok := at(r, word, text)
	if !ok {
		return "", false
	}
	return splice(text, m[0], m[1], replacements[r.IntN(len(replacements))]), true
}

var wordAndSpace = regexp.MustCompile(`[A-Za-z]{2,}[,;]?\s+`)

func dropWord(r *rand.Rand, text string) (string, bool) {
	m, ok := at(r, wordAndSpace, text)
	if !ok {
		return "", false
	}
	return splice(text, m[0], m[1], ""), true
}

var twoWords = regexp.MustCompile(`([A-Za-z]{2,})(\s+)([A-Za-z]{2,})`)

func exchangeWords(r *rand.Rand, text string) (string, bool) {
	m, ok := at(r, twoWords, text)
	if !ok {
		return "", false
	}
	return splice(text, m[0], m[1], text[m[6]:m[7]]+text[m[4]:m[5]]+text[m[2]:m[3]]), true
}

var digit = regexp.MustCompile(`\d`)

func changeDigit(r *rand.Rand, text string) (string, bool) {
	m, ok := at(r, digit, text)
	if !ok {
		return "", false
	}
	other := (int(text[m[0]]-'0') + 1 + r.IntN(9)) % 10
	return splice(text, m[0], m[1], strconv.Itoa(other)), true
}

var twoDigits = regexp.MustCompile(`\d\d`)

func transposeDigits(r *rand.Rand, text string) (string, bool) {
	m, ok := at(r, twoDigits, text)
	if !ok {
		return "", false
	}
	return splice(text, m[0], m[1], string([]byte{text[m[0]+1], text[m[0]]})), true
}

var currency = regexp.MustCompile(`\$|€|£|\bUSD\b|\bEUR\b|\b[Dd]ollars?\b|\b[Ee]uros?\b`)

func changeCurrency(r *rand.Rand, text string) (string, bool) {
	m, ok := at(r, currency, text)
	if !ok {
		return "", false
	}
	return splice(text, m[0], m[1], []string{"€", "£", "USD", "CHF", "$"}[r.IntN(5)]), true
}

var verb = regexp.MustCompile(`\b(?:shall|will|may|must|can|is|are|has|have|does|do)\b`)

func insertNegation(r *rand.Rand, text string) (string, bool) {
	m, ok := at(r, verb, text)
	if !ok {
		return "", false
	}
	return splice(text, m[1], m[1], " not"), true
}

var negation = regexp.MustCompile(`(?i)\b(?:not|no|never|neither|nor|without|non|cannot)\b[ -]?`)

func removeNegation(r *rand.Rand, text string) (string, bool) {
	m, ok := at(r, negation, text)
	if !ok {
		return "", false
	}
	return splice(text, m[0], m[1], ""), true
}

// opposites are the two sides of contracts.
var opposites = [][2]string{
	{"Licensor", "Licensee"},
	{"LICENSOR", "LICENSEE"},
	{"Buyer", "Seller"},
	{"Supplier", "Customer"},
	{"Company", "Distributor"},
	{"Manufacturer", "Purchaser"},
	{"Client", "Consultant"},
	{"Landlord", "Tenant"},
	{"Franchisor", "Franchisee"},
	{"Party A", "Party B"},
	{"either party", "neither party"},
	{"Provider", "Recipient"},
	{"Agent", "Principal"},
	{"Company", "Consultant"},
	{"Developer", "Company"},
}

var properName = regexp.MustCompile(`\b[A-Z][A-Za-z&.]+(?: [A-Z][A-Za-z&.]+)*`)

// swapParties exchanges two sides, or the first two names that differ.
func swapParties(_ *rand.Rand, text string) (string, bool) {
	for _, o := range opposites {
		if strings.Contains(text, o[0]) || strings.Contains(text, o[1]) {
			return strings.NewReplacer(o[0], o[1], o[1], o[0]).Replace(text), true
		}
	}
	names := properName.FindAllStringIndex(text, -1)
	for i := range names {
		for j := i + 1; j < len(names); j++ {
			a, b := text[names[i][0]:names[i][1]], text[names[j][0]:names[j][1]]
			if a != b && len(a) > 2 && len(b) > 2 {
				return text[:names[i][0]] + b + text[names[i][1]:names[j][0]] + a + text[names[j][1]:], true
			}
		}
	}
	return "", false
}

var letter = regexp.MustCompile(`[A-Za-z]`)

func changeCase(r *rand.Rand, text string) (string, bool) {
	m, ok := at(r, letter, text)
	if !ok {
		return "", false
	}
	return splice(text, m[0], m[1], string(text[m[0]]^0x20)), true
}

var homoglyphs = map[string]string{"a": "а", "e": "е", "o": "о", "p": "р", "c": "с", "x": "х", "i": "і", "A": "А", "B": "В", "O": "О", "1": "l", "0": "O"}

var lookalike = regexp.MustCompile(`[aeopcxiABO10]`)

func putHomoglyph(r *rand.Rand, text string) (string, bool) {
	m, ok := at(r, lookalike, text)
	if !ok {
		return "", false
	}
	return splice(text, m[0], m[1], homoglyphs[text[m[0]:m[1]]]), true
}

func insertHidden(r *rand.Rand, text string) (string, bool) {
	i := boundary(text, r.IntN(len(text)+1))
	hidden := []string{"\u200b", "\u200d", "\u00ad", "\ufeff", "\u202e", "\u2060"}
	return splice(text, i, i, hidden[r.IntN(len(hidden))]), true
}

func boundary(s string, i int) int {
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return i
}

var space = regexp.MustCompile(`\s+`)

func changeSpace(r *rand.Rand, text string) (string, bool) {
	m, ok := at(r, space, text)
	if !ok {
		return "", false
	}
	return splice(text, m[0], m[1], []string{"  ", "\n", "\t", "\u00a0", ""}[r.IntN(5)]), true
}

// leaveOut joins the beginning and the end of a quote, with or without a sign that something is
// missing.
func leaveOut(r *rand.Rand, text string) (string, bool) {
	words := space.FindAllStringIndex(text, -1)
	if len(words) < 6 {
		return "", false
	}
	from, to := words[len(words)/3], words[2*len(words)/3]
	return text[:from[0]] + []string{" ", " ... ", " […] ", " … "}[r.IntN(4)] + text[to[1]:], true
}

// blank reports whether there is nothing to read in s.
func blank(s string) bool { return strings.TrimFunc(s, unicode.IsSpace) == "" }
