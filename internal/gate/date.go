package gate

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// A date is a day of the calendar of which parts may be open: 0 was not said, blank was left blank.
type date struct{ year, month, day int }

const blank = -1

var monthNames = map[string]int{
	"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9,
	"october": 10, "november": 11, "december": 12, "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8,
	"sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
}

// says reports whether a source that holds d supports the date c: each part that c states is
// there. Years of two digits stand for the century that fits.
func (d date) says(c date) bool {
	same := func(claimed, there int) bool { return claimed <= 0 || claimed == there }
	year := same(c.year, d.year) || d.year > 0 && (c.year < 100 || d.year < 100) && c.year%100 == d.year%100
	return year && same(c.month, d.month) && same(c.day, d.day)
}

// valid reports whether the parts can be of a date, and enough of them are there to call it one.
func (d date) valid() bool {
	return d.month <= 12 && d.day <= 31 && d.year < 2200 && (d.month > 0 || d.year > 0) && (d.year != 0 || d.day > 0)
}

// String is the date in ISO order, with question marks for open parts.
func (d date) String() string {
	part := func(n, width int) string {
		if n <= 0 {
			return strings.Repeat("?", width)
		}
		return fmt.Sprintf("%0*d", width, n)
	}
	year := d.year
	if 0 < year && year < 100 {
		if year += 2000; d.year > 50 {
			year -= 100
		}
	}
	return part(year, 4) + "-" + part(d.month, 2) + "-" + part(d.day, 2)
}

// time is the date as a point in time, if it is complete.
func (d date) time() (time.Time, bool) {
	if d.year < 100 || d.month < 1 || d.day < 1 {
		return time.Time{}, false
	}
	return time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC), true
}

// readDate reads a date from l[i] on: the readings it may have, the likeliest first, and the
// lexeme after it.
func readDate(l []lexeme, i int) ([]date, int) {
	if ds, end := numericDate(l, i); ds != nil {
		return ds, end
	}
	if l[i].kind == lexDotted {
		return dottedDate(l[i].text), i + 1
	}
	if month := monthAt(l, i); month > 0 {
		return monthFirst(l, i, month)
	}
	return dayFirst(l, i)
}

// numericDate reads 5/8/2014, 2014-05-08 and []/[]/2004. A day and a month that could be swapped
// have both readings.
func numericDate(l []lexeme, i int) ([]date, int) {
	var parts [3]int
	var widths [3]int
	sep := ""
	for n := range parts {
		v, width, end := numericPart(l, i)
		if end == i {
			return nil, i
		}
		parts[n], widths[n], i = v, width, end
		if n == 2 {
			break
		}
		if i >= len(l) || l[i].gap || l[i].text != "/" && l[i].text != "-" || n == 1 && l[i].text != sep {
			return nil, i
		}
		sep = l[i].text
		i++
	}
	a, b, c := parts[0], parts[1], parts[2]
	if widths[0] == 4 {
		return readings(date{a, b, c}, date{a, c, b}), i
	}
	if sep == "-" && widths[2] != 4 {
		return nil, i
	}
	return readings(date{c, a, b}, date{c, b, a}), i
}

func readings(ds ...date) []date {
	var out []date
	for _, d := range ds {
		if d.valid() {
			out = append(out, d)
		}
	}
	return out
}

// numericPart reads digits, "[]", "[ ]" or underscores.
func numericPart(l []lexeme, i int) (value, width, end int) {
	if i >= len(l) {
		return 0, 0, i
	}
	if l[i].kind == lexNumber && len(l[i].text) <= 4 {
		n, err := strconv.Atoi(l[i].text)
		if err == nil {
			return n, len(l[i].text), i + 1
		}
	}
	if end := openPart(l, i); end > i {
		return blank, 0, end
	}
	return 0, 0, i
}

// openPart steps over a part that was left blank: "[]", "[ ]", "[●]", "____".
func openPart(l []lexeme, i int) int {
	if i < len(l) && l[i].text == "[" {
		for n := i + 1; n < len(l) && n <= i+4; n++ {
			if l[n].text == "]" {
				return n + 1
			}
		}
		return i
	}
	for i < len(l) && l[i].text == "_" {
		i++
	}
	return i
}

// dottedDate reads 08.05.2014 and 2014.05.08.
func dottedDate(s string) []date {
	parts := strings.Split(s, ".")
	if len(parts) != 3 {
		return nil
	}
	a, err1 := strconv.Atoi(parts[0])
	b, err2 := strconv.Atoi(parts[1])
	c, err3 := strconv.Atoi(parts[2])
	switch {
	case err1 != nil || err2 != nil || err3 != nil:
		return nil
	case len(parts[0]) == 4:
		return readings(date{a, b, c})
	case len(parts[2]) == 4:
		return readings(date{c, b, a})
	}
	return nil
}

// monthAt is the month named by l[i]. It is written with a capital, so that "may" is not one.
func monthAt(l []lexeme, i int) int {
	if i >= len(l) || l[i].kind != lexWord || !unicode.IsUpper(rune(l[i].text[0])) {
		return 0
	}
	return monthNames[l[i].lower]
}

// monthFirst reads "May 8, 2014", "May 2014", "April 14th, 2020" and "May __, 2014".
func monthFirst(l []lexeme, i, month int) ([]date, int) {
	i = skip(l, i+1, ".")
	d := date{month: month}
	if day, end := dayPart(l, i); end > i && !(day > 31) {
		d.day, i = day, end
	}
	if year, end := yearPart(l, skip(l, i, ",")); end > i {
		d.year, i = year, end
	}
	if d.day == 0 && d.year == 0 {
		return nil, i
	}
	return readings(d), i
}

// dayFirst reads "8 May 2014", "the 8th day of May, 2014", "this ___ day of ______, 2004".
func dayFirst(l []lexeme, i int) ([]date, int) {
	day, end := dayPart(l, i)
	if end == i || day > 31 {
		return nil, i
	}
	j, said := end, false
	if j < len(l) && l[j].is("day") {
		j, said = j+1, true
	}
	if j < len(l) && l[j].is("of") {
		j++
	}
	d := date{day: day}
	if d.month = monthAt(l, j); d.month > 0 {
		j = skip(l, j+1, ".")
	} else if open := openPart(l, j); said && open > j {
		d.month, j = blank, open
	} else {
		return nil, i
	}
	if year, after := yearPart(l, skip(l, j, ",")); after > j {
		d.year, j = year, after
	}
	return readings(d), j
}

// dayPart reads a day: "8", "8th", "15t h" as scanned, "eighth", "twenty-first", or a blank.
func dayPart(l []lexeme, i int) (int, int) {
	if end := openPart(l, i); end > i {
		return blank, end
	}
	if i >= len(l) {
		return 0, i
	}
	if n, ok := ordinalWords[l[i].lower]; ok {
		return n, i + 1
	}
	if tens := numberWords[l[i].lower]; tens >= 20 && i+2 < len(l) && l[i+1].is("-") {
		return tens + ordinalWords[l[i+2].lower], i + 3
	}
	if l[i].kind != lexNumber || len(l[i].text) > 2 {
		return 0, i
	}
	n, err := strconv.Atoi(l[i].text)
	if err != nil {
		return 0, i
	}
	i++
	for tries := 0; tries < 2 && i < len(l) && ordinalEnd(l[i], tries); tries++ {
		i++
	}
	return n, i
}

// ordinalEnd reports whether l is the "th" of "8th", or a scrap of one.
func ordinalEnd(l lexeme, n int) bool {
	switch l.lower {
	case "st", "nd", "rd", "th":
		return true
	case "s", "n", "r":
		return n == 0 && !l.gap
	case "t":
		return n == 1 || !l.gap
	case "h", "d":
		return n == 1
	}
	return false
}

// yearPart reads a year of four digits, two after an apostrophe, in words, or blank.
func yearPart(l []lexeme, i int) (int, int) {
	if i >= len(l) {
		return 0, i
	}
	if l[i].kind == lexNumber && len(l[i].text) == 4 {
		n, _ := strconv.Atoi(l[i].text)
		return n, i + 1
	}
	if l[i].text == "'" || l[i].text == "’" {
		if i+1 < len(l) && l[i+1].kind == lexNumber && len(l[i+1].text) == 2 {
			n, _ := strconv.Atoi(l[i+1].text)
			return n, i + 2
		}
	}
	if s, end := spelled(l, i); end > i {
		if n, err := strconv.Atoi(s); err == nil && n > 1800 && n < 2200 {
			return n, end
		}
	}
	if end := openPart(l, i); end > i {
		return blank, end
	}
	return 0, i
}

func skip(l []lexeme, i int, mark string) int {
	if i < len(l) && l[i].text == mark {
		return i + 1
	}
	return i
}
