package contractreview

import (
	"regexp"
	"strconv"
	"strings"
)

const monthName = `(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?`

var (
	monthFirst = regexp.MustCompile(`\b` + monthName + `\s*(\d{1,2})?(?:\s*(?:st|nd|rd|th|t\s?h))?\s*,?\s*(\d{4})\b`)
	dayFirst   = regexp.MustCompile(`\b(\d{1,2})(?:\s*(?:st|nd|rd|th|t\s?h)\b)?\s*(?:day\s+of\s+|of\s+)?` + monthName + `\s*,?\s*(\d{4})\b`)
	inFigures  = regexp.MustCompile(`\b(\d{1,2})/(\d{1,2})/((?:19|20)?\d\d)\b`)
	openDate   = regexp.MustCompile(`[_\[\]●*]`)
)

// dateStands reports whether a date written mm/dd/yyyy stands in the quote. A part left blank is
// written [] and stands where the quote has a blank.
func dateStands(stated, quote string) bool {
	parts := strings.Split(stated, "/")
	if len(parts) != 3 {
		return false
	}
	lower := strings.ToLower(quote)
	if strings.Contains(stated, "[]") {
		return openDate.MatchString(quote) && (parts[2] == "[]" || strings.Contains(lower, parts[2]))
	}
	for _, d := range datesIn(lower) {
		if d == stated {
			return true
		}
	}
	return false
}

// datesIn lists the full dates of a text in lower case as mm/dd/yyyy.
func datesIn(lower string) []string {
	var out []string
	for _, m := range monthFirst.FindAllStringSubmatch(lower, -1) {
		out = append(out, written(monthNumber(m[1]), m[2], m[3]))
	}
	for _, m := range dayFirst.FindAllStringSubmatch(lower, -1) {
		out = append(out, written(monthNumber(m[2]), m[1], m[3]))
	}
	for _, m := range inFigures.FindAllStringSubmatch(lower, -1) {
		n, _ := strconv.Atoi(m[1]) // two digits at most
		out = append(out, written(n, m[2], m[3]))
	}
	return out
}

func monthNumber(name string) int {
	return strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", name[:3])/3 + 1
}

func written(month int, day, year string) string {
	two := func(s string) string {
		if len(s) < 2 {
			return strings.Repeat("0", 2-len(s)) + s
		}
		return s
	}
	switch {
	case len(year) == 4:
	case year < "50":
		year = "20" + year
	default:
		year = "19" + year
	}
	return two(strconv.Itoa(month)) + "/" + two(day) + "/" + year
}
