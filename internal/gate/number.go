package gate

import (
	"strconv"
	"strings"
)

// numberWords are the numbers English spells out below a hundred.
var numberWords = map[string]int{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
	"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
	"seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40,
	"fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

// ordinalWords are the days of a month as words; "twenty-first" is two words.
var ordinalWords = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
	"tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16,
	"seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30,
}

// magnitudes are the powers of ten that words and letters after a number stand for.
var magnitudes = map[string]int{
	"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12,
	"mn": 6, "mm": 6, "mio": 6, "bn": 9, "k": 3, "m": 6, "b": 9,
}

// units are lengths of time in minutes, or in months where a calendar is needed.
var units = map[string]struct {
	base  string
	count float64
}{
	"minute": {"minute", 1}, "hour": {"minute", 60}, "day": {"minute", 1440}, "week": {"minute", 10080},
	"month": {"month", 1}, "quarter": {"month", 3}, "year": {"month", 12},
}

// adverbs are lengths of time in one word.
var adverbs = map[string]figure{
	"annual": {value: "1", unit: "year"}, "annually": {value: "1", unit: "year"}, "yearly": {value: "1", unit: "year"},
	"anniversary": {value: "1", unit: "year"}, "biennial": {value: "2", unit: "year"},
	"monthly": {value: "1", unit: "month"}, "quarterly": {value: "3", unit: "month"},
	"weekly": {value: "1", unit: "week"}, "daily": {value: "1", unit: "day"}, "semiannual": {value: "6", unit: "month"},
	"semiannually": {value: "6", unit: "month"}, "fortnight": {value: "2", unit: "week"},
}

// between are words that may stand between a number and its unit: "two (2) full calendar years".
var between = map[string]bool{
	"calendar": true, "full": true, "consecutive": true, "successive": true, "additional": true, "further": true,
	"business": true, "working": true, "more": true, "renewal": true, "contract": true, "fiscal": true, "one": true,
	"prior": true, "other": true, "extra": true, "bank": true, "banking": true, "complete": true, "whole": true,
}

// currencies are signs, codes and names of money.
var currencies = map[string]string{
	"$": "USD", "us$": "USD", "usd": "USD", "dollar": "USD", "dollars": "USD", "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR",
	"£": "GBP", "gbp": "GBP", "sterling": "GBP", "¥": "JPY", "jpy": "JPY", "yen": "JPY", "chf": "CHF", "francs": "CHF",
	"cad": "CAD", "aud": "AUD", "nzd": "NZD", "hkd": "HKD", "sgd": "SGD", "inr": "INR", "₹": "INR", "rupees": "INR",
	"cny": "CNY", "rmb": "CNY", "yuan": "CNY", "renminbi": "CNY", "sek": "SEK", "nok": "NOK", "dkk": "DKK", "₩": "KRW", "krw": "KRW",
}

// singular is the name of a unit of time, "" for any other word.
func singular(word string) string {
	w := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s"), "s")
	if _, ok := units[w]; ok {
		return w
	}
	return ""
}

// spelled reads a number in words from l[i]: "twenty-five", "one hundred and fifty thousand",
// "half". It returns the canonical number and the lexeme after it; none means no number.
func spelled(l []lexeme, i int) (string, int) {
	if i < len(l) && l[i].is("half") {
		return "0.5", i + 1
	}
	total, group, seen, start := 0, 0, false, i
	for i < len(l) && total < 1e15 {
		w := l[i].lower
		n, isNumber := numberWords[w]
		power, isPower := magnitudes[w]
		switch {
		case isNumber && (!seen || joins(group, n)):
			group, seen = group+n, true
		case isPower && seen && len(w) > 3:
			group *= pow10(power)
			if power > 2 {
				total, group = total+group, 0
			}
		case seen && (w == "-" || w == "and") && i+1 < len(l) && follows(l[i+1].lower, w, group):
		default:
			return finish(total+group, seen, start, i)
		}
		i++
	}
	return finish(total+group, seen, start, i)
}

func finish(n int, seen bool, start, i int) (string, int) {
	if !seen {
		return "", start
	}
	return strconv.Itoa(n), i
}

// joins reports whether n can follow what was said of the group: five after twenty, fifty after
// two hundred.
func joins(group, n int) bool {
	return group%100 == 0 || group%10 == 0 && group%100 >= 20 && 0 < n && n < 10
}

// follows reports whether the word after a hyphen or "and" goes on with the same number.
func follows(word, mark string, group int) bool {
	n, ok := numberWords[word]
	if mark == "-" {
		return ok && group%100 >= 20 && joins(group, n)
	}
	return ok && group >= 100 && joins(group, n)
}

func pow10(n int) int {
	out := 1
	for range n {
		out *= 10
	}
	return out
}

// figureWords are the words and marks with which a figure can begin, or which count time. A text
// has few of them, and every other word is passed over after one look.
var figureWords = func() map[string]bool {
	out := wordSet(`half a an each every per another any additional successive us c ca a au nz hk s [ _
		% percent percentage cent`)
	add := func(word string) { out[word] = true }
	for w := range numberWords {
		add(w)
	}
	for w := range ordinalWords {
		add(w)
	}
	for w := range monthNames {
		add(w)
	}
	for w := range adverbs {
		add(w)
	}
	for w := range currencies {
		add(w)
	}
	for w := range units {
		for _, many := range []string{w, w + "s"} {
			for _, whose := range []string{many, many + "’s"} {
				add(whose)
				add(whose + "'s")
			}
		}
	}
	return out
}()
