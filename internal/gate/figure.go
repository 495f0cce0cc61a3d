package gate

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// A figure is a number, an amount of money, a percentage, a length of time or a date, as a text
// states it.
type figure struct {
	kind       figureKind
	value      string // canonical; empty for a date
	unit       string // of money its currency, of time its unit; empty where none is said
	places     int    // digits after the point, as stated; negative for "5 million"
	dates      []date // the readings of a date, the likeliest first
	start, end int    // byte offsets in the text
	bare       bool   // a number word that may be no figure at all: "one of the parties"
	part       bool   // the day or year of a date
}

type figureKind int8

const (
	kindNumber figureKind = iota
	kindMoney
	kindPercent
	kindTime
	kindDate
)

// rule names the check that a figure of this kind is subject to.
func (k figureKind) rule() string {
	switch k {
	case kindMoney:
		return "amount"
	case kindTime:
		return "duration"
	case kindDate:
		return "date"
	}
	return "number"
}

// figures are the figures of one text, in order.
type figures struct {
	text  string
	list  []figure
	split []lexeme // the whole text
	units []string // of time, currency codes and "%": what the text mentions to count by, each once
}

// read finds the figures of a text that is split.
func (fs *figures) read() {
	l := fs.split
	for i := 0; i < len(l); {
		end := fs.figure(l, i)
		alone := end == i
		if alone {
			end = i + 1
		}
		for ; i < end; i++ {
			l[i].used = !alone || l[i].kind == lexNumber
			if l[i].known {
				fs.unit(unitName(l[i].lower))
			}
		}
	}
}

// unitName is what a word or mark counts by, "" if it is none.
func unitName(word string) string {
	switch word {
	case "%", "percent", "percentage", "cent":
		return "%"
	}
	if c := currencies[word]; c != "" {
		return c
	}
	return singular(word)
}

// words are the words and marks that belong to no figure.
func (fs *figures) words() []lexeme {
	out := make([]lexeme, 0, len(fs.split))
	for _, l := range fs.split {
		if !l.used {
			out = append(out, l)
		}
	}
	return out
}

func (fs *figures) unit(name string) {
	if name != "" && !slices.Contains(fs.units, name) {
		fs.units = append(fs.units, name)
	}
}

// figure reads one figure from l[i] and returns the lexeme after it, i if there is none.
func (fs *figures) figure(l []lexeme, i int) int {
	if !l[i].known {
		return i
	}
	if ds, end := readDate(l, i); len(ds) > 0 {
		fs.date(l, i, end, ds)
		return end
	}
	if u, ok := adverbs[l[i].lower]; ok {
		fs.add(l, i, i+1, figure{kind: kindTime, value: u.value, unit: u.unit})
		return i + 1
	}
	if end, unit := singleUnit(l, i); end > i {
		fs.add(l, i, end, figure{kind: kindTime, value: "1", unit: unit, bare: true})
		return end
	}
	return fs.quantity(l, i)
}

// date adds a date, and its day and year as numbers that a text may repeat alone.
func (fs *figures) date(l []lexeme, i, end int, ds []date) {
	fs.add(l, i, end, figure{kind: kindDate, dates: ds})
	for _, n := range []int{ds[0].year, ds[0].day} {
		if n > 0 {
			fs.add(l, i, end, figure{value: strconv.Itoa(n), part: true})
		}
	}
}

func (fs *figures) add(l []lexeme, i, end int, f figure) {
	f.start, f.end = l[i].start, l[end-1].end
	fs.list = append(fs.list, f)
}

// singleUnit reads "a year", "each additional month": one unit, without a number.
func singleUnit(l []lexeme, i int) (int, string) {
	switch l[i].lower {
	case "a", "an", "each", "every", "per", "another", "any", "additional", "successive":
	default:
		return i, ""
	}
	for j := i + 1; j < len(l) && j <= i+3; j++ {
		if l[j].is("-") {
			continue
		}
		if u := singular(l[j].lower); u != "" {
			return j + 1, u
		}
		if !between[l[j].lower] || l[j].is("one") {
			break
		}
	}
	return i, ""
}

// quantity reads a number with what stands around it: currency before or after, magnitude,
// repetition in brackets ("thirty (30) days"), percent sign, unit of time.
func (fs *figures) quantity(l []lexeme, i int) int {
	currency, at := currencyBefore(l, i)
	value, places, end := numeral(l, at)
	if end == at {
		return i
	}
	_, word := numberWords[l[at].lower]
	f := figure{value: value, places: places, bare: word && end == at+1 && currency == ""}
	again, afterBracket := bracketed(l, end)
	if afterBracket > end && again == value {
		f.bare, end = false, afterBracket
	}
	switch u, after := unitAfter(l, end); {
	case currency != "":
		f.kind, f.unit = kindMoney, currency
	case currencyAt(l, end) != "":
		f.kind, f.unit, end = kindMoney, currencyAt(l, end), end+1
		f.bare = false
	case percentAt(l, end) > end:
		f.kind, end, f.bare = kindPercent, percentAt(l, end), false
	case u != "":
		f.kind, f.unit, end, f.bare = kindTime, u, after, false
	}
	fs.add(l, i, end, f)
	return end
}

// numeral reads digits or words, and a magnitude after them.
func numeral(l []lexeme, i int) (value string, places, end int) {
	if i >= len(l) {
		return "", 0, i
	}
	if l[i].kind != lexNumber {
		value, end = spelled(l, i)
		return value, 0, end
	}
	value, end = l[i].lower, i+1
	if _, frac, ok := strings.Cut(l[i].text, "."); ok {
		places = len(frac)
	}
	if end < len(l) && l[end].kind == lexWord {
		power, ok := magnitudes[l[end].lower]
		if ok && (len(l[end].text) > 1 || !l[end].gap) {
			return shift(value, power), places - power, end + 1
		}
		if !l[end].gap && ordinalEnd(l[end], 0) {
			end++
		}
	}
	return value, places, end
}

// bracketed reads "(30)" and "(30%)" after a number in words.
func bracketed(l []lexeme, i int) (string, int) {
	if i >= len(l) || l[i].text != "(" {
		return "", i
	}
	_, at := currencyBefore(l, i+1)
	value, _, end := numeral(l, at)
	if end == at {
		return "", i
	}
	end = max(end, percentAt(l, end))
	if end < len(l) && l[end].text == ")" {
		return value, end + 1
	}
	return "", i
}

func currencyBefore(l []lexeme, i int) (string, int) {
	if i+1 >= len(l) {
		return "", i
	}
	if c := currencies[l[i].lower]; c != "" && !strings.HasSuffix(l[i].lower, "s") {
		if next := currencies[l[i+1].text]; next != "" && l[i].kind == lexWord { // "USD $500"
			return c, i + 2
		}
		return c, i + 1
	}
	if l[i].kind == lexWord && len(l[i].text) <= 2 && l[i+1].text == "$" && !l[i+1].gap { // "US$", "C$"
		if dollar, ok := map[string]string{"us": "USD", "c": "CAD", "ca": "CAD", "a": "AUD", "au": "AUD", "nz": "NZD", "hk": "HKD", "s": "SGD"}[l[i].lower]; ok {
			return dollar, i + 2
		}
	}
	return "", i
}

func currencyAt(l []lexeme, i int) string {
	if i >= len(l) {
		return ""
	}
	return currencies[l[i].lower]
}

// percentAt is the lexeme after "%", "percent" or "per cent" at i.
func percentAt(l []lexeme, i int) int {
	switch {
	case i < len(l) && (l[i].is("%") || l[i].is("percent")):
		return i + 1
	case i+1 < len(l) && l[i].is("per") && l[i+1].is("cent"):
		return i + 2
	}
	return i
}

// unitAfter reads the unit of time a number counts: "days", "-year", "full calendar months".
func unitAfter(l []lexeme, i int) (string, int) {
	for j := i; j < len(l) && j <= i+3; j++ {
		if u := singular(l[j].lower); u != "" {
			return u, j + 1
		}
		if !between[l[j].lower] && !l[j].is("-") && !l[j].is("of") && !l[j].is("a") {
			break
		}
	}
	return "", i
}

// counts is the name of the unit that a figure is of.
func (f *figure) counts() string {
	if f.kind == kindPercent {
		return "%"
	}
	return f.unit
}

// length is a length of time in its base unit.
func (f *figure) length() (base string, n float64) {
	u := units[f.unit]
	v, _ := strconv.ParseFloat(f.value, 64)
	return u.base, v * u.count
}

// sameLength reports whether two lengths of time are one: 24 months are 2 years.
func sameLength(a, b *figure) bool {
	base1, n1 := a.length()
	base2, n2 := b.length()
	return base1 == base2 && math.Abs(n1-n2) < 1e-9*math.Max(1, n1)
}
