package pattern

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

const numeral = `one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|eighteen|twenty|twenty-four|thirty|thirty-six|forty-five|forty-eight|sixty|ninety|a|an|half a`

var numerals = map[string]float64{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "fifteen": 15, "eighteen": 18, "twenty": 20, "twenty-four": 24, "thirty": 30,
	"thirty-six": 36, "forty-five": 45, "forty-eight": 48, "sixty": 60, "ninety": 90, "a": 1, "an": 1, "half a": 0.5,
}

// length is a span of time in a lower-case sentence: "six (6) months", "30 days", "two-year".
var length = regexp.MustCompile(`(?:\b(` + numeral + `)\s+)?\(?"?(\d{1,4})"?\)?[\s-]+(?:\w+\s+){0,2}?(day|week|month|year)s?\b|` +
	`\b(` + numeral + `)[\s-]+(?:\w+\s+)?(day|week|month|year)s?\b`)

// A duration is a number of calendar units.
type duration struct {
	n    float64
	unit string // "day", "week", "month" or "year"
}

// lengths returns the durations in a lower-case sentence.
func lengths(s string) []duration {
	var out []duration
	for _, m := range length.FindAllStringSubmatch(s, -1) {
		if m[2] != "" {
			n, _ := strconv.Atoi(m[2]) // at most four digits
			out = append(out, duration{float64(n), m[3]})
		} else {
			out = append(out, duration{numerals[m[4]], m[5]})
		}
	}
	return out
}

func (t duration) String() string {
	s := strconv.FormatFloat(t.n, 'f', -1, 64) + " " + t.unit
	if t.n > 1 {
		s += "s"
	}
	return s
}

// after returns the day on which t, begun on x, is over; blank parts stay blank.
func (t duration) after(x day) day {
	years, months, days := 0, 0, 0
	switch t.unit {
	case "year":
		years = int(t.n)
	case "month":
		months = int(t.n)
	case "week":
		days = 7 * int(t.n)
	case "day":
		days = int(t.n)
	}
	if x.month == 0 || x.day == 0 || x.year == 0 {
		if x.year > 0 && years > 0 {
			x.year += years
		}
		return x
	}
	end := time.Date(x.year+years, time.Month(x.month+months), x.day+days, 0, 0, 0, 0, time.UTC)
	return day{month: int(end.Month()), day: end.Day(), year: end.Year()}
}

// each calls f with the lower-case sentence of every quote until f returns a non-empty string.
func (d *Document) each(quotes []clause.Quote, f func(s sentence) string) string {
	for _, q := range quotes {
		if a := f(d.sentences[d.at(q.Start)]); a != "" {
			return a
		}
	}
	return ""
}

func durationAnswer(d *Document, quotes []clause.Quote) string {
	return d.each(quotes, func(s sentence) string {
		if ls := lengths(s.lower); len(ls) > 0 {
			return ls[0].String()
		}
		return ""
	})
}

var (
	renewing   = regexp.MustCompile(`\b(?:renew|extend|extension|successive|additional|continue|month[ -]to|year[ -]to)`)
	successive = regexp.MustCompile(`\b(?:successive|consecutive|each|every|annually|year[ -]to[ -]year|month[ -]to[ -]month|periods|terms|year-long|on an? \w+ \(?\w*\)? ?year basis|renewals)\b`)
	annually   = regexp.MustCompile(`\b(?:annually|year[ -]to[ -]year|each year|yearly|annual)\b`)
	monthly    = regexp.MustCompile(`\bmonth[ -]to[ -]month\b`)
	stopping   = regexp.MustCompile(`\b(?:unless|notif|notice)`)
)

// renewalAnswer gives the length of the renewal, and whether it repeats.
func renewalAnswer(d *Document, quotes []clause.Quote) string {
	return d.each(quotes, func(s sentence) string {
		from := renewing.FindStringIndex(s.lower)
		if from == nil {
			return ""
		}
		text := s.lower[from[0]:]
		if stop := stopping.FindStringIndex(text); stop != nil && stop[0] > 20 {
			text = text[:stop[0]]
		}
		prefix := ""
		if successive.MatchString(text) {
			prefix = "successive "
		}
		switch ls := lengths(text); {
		case len(ls) > 0:
			return prefix + ls[0].String()
		case monthly.MatchString(text):
			return "successive 1 month"
		case annually.MatchString(text):
			return "successive 1 year"
		}
		return ""
	})
}

// noticeAnswer gives the time of notice: the one nearest to the word.
func noticeAnswer(d *Document, quotes []clause.Quote) string {
	return d.each(quotes, func(s sentence) string {
		from := stopping.FindStringIndex(s.lower)
		if from == nil {
			return ""
		}
		if ls := lengths(s.lower[from[0]:]); len(ls) > 0 {
			return ls[0].String()
		}
		if ls := lengths(s.lower[:from[0]]); len(ls) > 0 {
			return ls[len(ls)-1].String()
		}
		return ""
	})
}

var (
	ending  = regexp.MustCompile(`\b(?:until|through|expir\w*|end|ends|ending|terminates?|ended|to)\b`)
	forever = regexp.MustCompile(`\b(?:perpetu\w+|indefinite\w*|until (?:it is |such time as it is |otherwise )?terminated)\b`)
)

// expirationAnswer gives the day the initial term ends: as stated, or counted from the effective
// date; "Perpetual" when only termination ends it.
func expirationAnswer(d *Document, quotes []clause.Quote) string {
	from := d.beginning()
	return d.each(quotes, func(s sentence) string {
		if x, ok := d.endDay(s); ok {
			return x.String()
		}
		ls := lengths(s.lower)
		if len(ls) > 0 && from != (day{}) {
			return ls[0].after(from).String()
		}
		if len(ls) == 0 && forever.MatchString(s.lower) {
			return "Perpetual"
		}
		return ""
	})
}

// endDay returns the date in s that follows a word of ending.
func (d *Document) endDay(s sentence) (day, bool) {
	for _, x := range d.days(s.Start, s.End) {
		before := lowerASCII(d.text[max(s.Start, x.Start-60):x.Start])
		if at := ending.FindAllStringIndex(before, -1); at != nil && !strings.Contains(before[at[len(at)-1][1]:], "commenc") {
			return x, true
		}
	}
	return day{}, false
}

// beginning returns the effective date, or the zero day.
func (d *Document) beginning() day {
	for _, q := range effectiveQuotes(d, nil) {
		if ds := d.days(q.Start, q.End); len(ds) > 0 {
			return ds[0]
		}
	}
	return day{}
}
