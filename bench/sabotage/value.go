package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A value is an amount, a share, a length of time or a date as a contract states it. Values are read
// here with expressions of their own, not with the gate's: they are what its reading is held to.
type value struct {
	kind    valueKind
	digits  string // "500000", "12.5"
	unit    string // currency code, or day, month, year
	y, m, d int    // of a date
}

type valueKind string

const (
	amount   valueKind = "amount"
	share    valueKind = "share"
	duration valueKind = "duration"
	date     valueKind = "date"
)

var (
	amountForm   = regexp.MustCompile(`(?:^|[^A-Za-z$])(\$|€|£)\s?(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?:[^\d,.%]|[,.](?:\s|$)|$)`)
	shareForm    = regexp.MustCompile(`(?:^|[^\d.,])(\d{1,3}(?:\.\d+)?)\s?%`)
	durationForm = regexp.MustCompile(`\((\d{1,4})\) (day|month|year)s?\b`)
	dateForm     = regexp.MustCompile(`\b(January|February|March|April|May|June|July|August|September|October|November|December) (\d{1,2}), (\d{4})\b`)
	magnitude    = regexp.MustCompile(`^\)?\s*(?i:hundred|thousand|million|billion|trillion|mm?|k|bn?)\b`)
)

var monthNames = strings.Fields("January February March April May June July August September October November December")

var currencyCodes = map[string]string{"$": "USD", "€": "EUR", "£": "GBP"}

// values lists what text states in these forms.
func values(text string) []value {
	var out []value
	for _, m := range amountForm.FindAllStringSubmatchIndex(text, -1) {
		end := m[5]
		digits := strings.ReplaceAll(text[m[4]:m[5]], ",", "")
		if m[6] >= 0 {
			digits, end = digits+text[m[6]:m[7]], m[7]
		}
		if !magnitude.MatchString(text[end:]) {
			out = append(out, value{kind: amount, digits: digits, unit: currencyCodes[text[m[2]:m[3]]]})
		}
	}
	for _, m := range shareForm.FindAllStringSubmatch(text, -1) {
		out = append(out, value{kind: share, digits: m[1]})
	}
	for _, m := range durationForm.FindAllStringSubmatch(text, -1) {
		out = append(out, value{kind: duration, digits: m[1], unit: m[2]})
	}
	for _, m := range dateForm.FindAllStringSubmatch(text, -1) {
		v := value{kind: date, m: slices.Index(monthNames, m[1]) + 1}
		v.d, _ = strconv.Atoi(m[2])
		v.y, _ = strconv.Atoi(m[3])
		if v.d >= 1 && v.d <= 31 && v.y < 2200 {
			out = append(out, v)
		}
	}
	return out
}

// answer is the value in the form of a normalised answer.
func (v value) answer() string {
	switch v.kind {
	case amount:
		return v.unit + " " + grouped(v.digits)
	case share:
		return v.digits + " percent"
	case duration:
		if v.digits == "1" {
			return "1 " + v.unit
		}
		return v.digits + " " + v.unit + "s"
	}
	return fmt.Sprintf("%02d/%02d/%04d", v.m, v.d, v.y)
}

// grouped puts commas between thousands.
func grouped(digits string) string {
	whole, frac, hasFrac := strings.Cut(digits, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if hasFrac {
		whole += "." + frac
	}
	return whole
}

var (
	digitRuns = regexp.MustCompile(`\d[\d,.]*`)
	wordRuns  = regexp.MustCompile(`[A-Za-z]+`)
)

// mayState reports whether text may state the value in some form. It errs on the side of yes: an
// altered value of which it says no is surely not there.
func mayState(text string, v value) bool {
	if v.kind == date {
		return mayStateDate(text, v)
	}
	want, _ := strconv.ParseFloat(v.digits, 64)
	for _, run := range digitRuns.FindAllString(text, -1) {
		if n, err := strconv.ParseFloat(strings.Trim(strings.ReplaceAll(run, ",", ""), "."), 64); err != nil || alike(n, want) {
			return true
		}
	}
	for _, w := range wordRuns.FindAllString(text, -1) {
		if n, ok := spelled[strings.ToLower(w)]; ok && alike(n, want) {
			return true
		}
	}
	return false
}

// alike reports whether two numbers are one, or one in units of ten, twelve or a power of ten.
func alike(a, b float64) bool {
	for _, f := range []float64{1, 10, 12, 100, 1e3, 1e6, 1e9, 7, 30, 365, 360, 4} {
		if a == b*f || b == a*f {
			return true
		}
	}
	return false
}

var spelled = map[string]float64{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
	"nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
	"hundred": 100, "annual": 1, "annually": 1, "quarterly": 3, "monthly": 1, "half": 0.5,
}

// mayStateDate reports whether the year, the month and the day may all be there.
func mayStateDate(text string, v value) bool {
	year := strings.Contains(text, strconv.Itoa(v.y)) || strings.Contains(text, fmt.Sprintf("%02d", v.y%100))
	number := func(n int) bool { return regexp.MustCompile(`\b0?` + strconv.Itoa(n) + `(?:\D|$)`).MatchString(text) }
	month := strings.Contains(strings.ToLower(text), strings.ToLower(monthNames[v.m-1][:3])) || number(v.m)
	return year && month && number(v.d)
}
