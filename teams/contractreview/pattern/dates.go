package pattern

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// Parts of a date, each with the blanks that forms leave.
const (
	month = `(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?`
	blank = `(?:_+|\[[\s\w*●•_.-]{0,12}\]|\*{2,}|\.{3,}|●)`
	dayOf = `(\d{1,2}|` + blank + `)(?:\s*(?:s\s?t|n\s?d|r\s?d|t\s?h)\b)?`
	year  = `((?:19|20)\s?\d\s?\d|(?:19|20)?_+\d{0,2}|` + blank + `)`
)

// date has, for each way to write one, groups for month, day and year in some order.
var date = regexp.MustCompile(
	`(` + month + `|` + blank + `)\s*` + dayOf + `\s*,?\s*` + year + `|` + // May 1st, 2019
		dayOf + `\s*(?:day\s+)?(?:of\s+)?(` + month + `|` + blank + `)\s*,?\s*(?:of\s+)?(?:in the year\s+)?` + year + `|` + // 1st day of May, 2019
		`\b(\d{1,2})[/-](\d{1,2})[/-]((?:19|20)?\d\d)\b|` + // 5/1/2019
		`(` + month + `|` + blank + `)\s*,\s*()((?:19|20)\d\d)`) // ________, 2015

// A day is a date as written, any part of which may be blank.
type day struct {
	clause.Span
	month, day, year int // zero is blank
}

// days returns the dates in text[start:end]. At least one part of each is filled in, and page
// footers do not count.
func (d *Document) days(start, end int) []day {
	var out []day
	for _, m := range date.FindAllStringSubmatchIndex(d.text[start:end], -1) {
		part := func(g int) string {
			if m[2*g] < 0 {
				return ""
			}
			return d.text[start+m[2*g] : start+m[2*g+1]]
		}
		x := day{Span: clause.Span{Start: start + m[0], End: start + m[1]}}
		x.month = monthNumber(part(1) + part(5) + part(10))
		x.day = number(part(2) + part(4))
		x.year = number(part(3) + part(6) + part(12))
		if m[14] >= 0 {
			x.month, x.day, x.year = number(part(7)), number(part(8)), number(part(9))
		}
		if x = x.checked(); (x.month > 0 || x.year > 0) && !d.inFurniture(x.Start) {
			out = append(out, x)
		}
	}
	return out
}

// checked completes two-digit years and blanks what is out of range.
func (x day) checked() day {
	switch {
	case x.year > 0 && x.year < 50:
		x.year += 2000
	case x.year >= 50 && x.year < 100:
		x.year += 1900
	}
	if x.year < 1900 || x.year > 2100 {
		x.year = 0
	}
	if x.month > 12 || x.day > 31 {
		x.month, x.day = 0, 0
	}
	return x
}

// String writes x as mm/dd/yyyy, with [] for what is blank.
func (x day) String() string {
	part := func(n int, layout string) string {
		if n == 0 {
			return "[]"
		}
		return fmt.Sprintf(layout, n)
	}
	return part(x.month, "%02d") + "/" + part(x.day, "%02d") + "/" + part(x.year, "%04d")
}

func monthNumber(s string) int {
	const names = "janfebmaraprmayjunjulaugsepoctnovdec"
	if len(s) < 3 {
		return 0
	}
	at := strings.Index(names, lowerASCII(s[:3]))
	if at < 0 || at%3 != 0 {
		return 0
	}
	return at/3 + 1
}

func number(s string) int {
	n, err := strconv.Atoi(strings.Join(strings.Fields(s), ""))
	if err != nil {
		return 0 // a blank
	}
	return n
}

// inFurniture reports whether offset is on a line that is no part of the contract.
func (d *Document) inFurniture(offset int) bool {
	start := strings.LastIndexByte(d.text[:offset], '\n') + 1
	end := len(d.text)
	if i := strings.IndexByte(d.text[offset:], '\n'); i >= 0 {
		end = offset + i
	}
	if end-start > 160 {
		return false
	}
	line := strings.TrimSpace(d.text[start:end])
	return strings.HasPrefix(lowerASCII(line), "source:")
}

var (
	// entered is what introduces the date of a contract.
	entered = regexp.MustCompile(`(?i)\b(?:dated|made|entered|executed|effective|as\s+of|date|day)\b[^.;]{0,80}$`)

	// effective marks a date as the one the contract takes effect on.
	effective = regexp.MustCompile(`(?i)^[^.;]{0,60}effective\s*date`)

	// undated is a sentence that defines the effective date by an event.
	undated = regexp.MustCompile(`\((?:the )?"effective date"\)|"effective date" (?:means|shall mean|is)\b|\b(?:commences?|effective) (?:up)?on (?:the )?(?:execution|signature|signing)`)

	// begins is a sentence that says when the contract takes effect.
	begins = regexp.MustCompile(`"effective date"|\b(?:agreement|contract|term|promotion|license)\b[^;]{0,120}\b(?:(?:be|is|are|become|becomes|made) effective|commences?|begins?|starts?|take effect|enter into force)\b[^;]{0,60}\b(?:on|as of|upon|from|at|date|with|beginning)\b|\b(?:commences?|effective) (?:up)?on (?:the )?(?:execution|signature|signing)|^(?:contract start|effective date)\b`)
)

// agreementDate returns the date in the contract's opening, or else the first one at its end.
func (d *Document) agreementDate() (day, bool) {
	head := d.days(0, min(len(d.text), opening/2))
	for _, x := range head {
		if entered.MatchString(d.text[max(0, x.Start-120):x.Start]) {
			return x, true
		}
	}
	if len(head) > 0 && head[0].Start < opening/4 {
		return head[0], true
	}
	tail := d.days(max(0, len(d.text)*2/3, len(d.text)-opening), len(d.text))
	for _, x := range tail {
		if x.month > 0 && x.day > 0 && x.year > 0 {
			return x, true
		}
	}
	return day{}, false
}

func agreementQuotes(d *Document, _ []clause.Span) []clause.Quote {
	if x, ok := d.agreementDate(); ok {
		return []clause.Quote{{Span: x.Span}}
	}
	return nil
}

// effectiveQuotes quotes the date of the opening if that is called effective; else the sentence
// that says when the contract begins; else the date of the contract.
func effectiveQuotes(d *Document, _ []clause.Span) []clause.Quote {
	made, ok := d.agreementDate()
	if ok && effective.MatchString(d.text[made.End:min(len(d.text), made.End+120)]) {
		return []clause.Quote{{Span: made.Span}}
	}
	for _, s := range d.sentences {
		if !s.endless && begins.MatchString(s.lower) && s.Start > made.End && (undated.MatchString(s.lower) || len(d.days(s.Start, s.End)) > 0) {
			return []clause.Quote{{Span: d.dayOrAll(s)}}
		}
	}
	if ok {
		return []clause.Quote{{Span: made.Span}}
	}
	return nil
}

// dayOrAll returns the date that s gives before it names the parties; all of s if it names none.
func (d *Document) dayOrAll(s sentence) clause.Span {
	parties := between.FindStringIndex(d.text[s.Start:s.End])
	if parties == nil {
		return s.Span
	}
	ds := d.days(s.Start, s.Start+parties[0])
	if len(ds) == 0 {
		return s.Span
	}
	return ds[len(ds)-1].Span
}

// dateAnswer normalises the first date of the first quote.
func dateAnswer(d *Document, quotes []clause.Quote) string {
	if ds := d.days(quotes[0].Start, quotes[0].End); len(ds) > 0 {
		return ds[0].String()
	}
	return ""
}
