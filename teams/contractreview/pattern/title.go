package pattern

import (
	"regexp"
	"strings"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// opening is how far into a contract its title, date and parties are looked for, in bytes.
const opening = 10000

// kind are the nouns a contract calls itself by.
const kind = `AGREEMENT|Agreement|CONTRACT|Contract|LEASE|Lease|ADDENDUM|Addendum|AMENDMENT|Amendment|` +
	`MEMORANDUM OF UNDERSTANDING|Memorandum of Understanding|TERMS AND CONDITIONS|Terms and Conditions|` +
	`LICENSE|UNDERTAKING|Undertaking|STATEMENT OF WORK|Statement of Work|LETTER OF INTENT|Letter of Intent`

var (
	// title is a run of capitalised words on one line that ends in a kind of contract.
	title = regexp.MustCompile(`(?:[A-Za-z0-9][\w'’/&-]*,?[ \t\f\v]+|&[ \t]+|[-–—][ \t]+|\(?[A-Z]{2,6}\)?[ \t]+){0,12}(?:` + kind + `)\b`)

	// lead is what stands before a title on its line without belonging to it.
	lead = regexp.MustCompile(`^(?:(?i:(?:exhibit|ex|no|page)\b|execution (?:version|copy)|confidential|(?:this|the|that|attachment|annex|schedule|appendix)\b)[\s:]*|[\d-][\w/-]*\s+|[A-Z]?\d+\s+|[a-z][\w'’-]*,?\s+|[-–—&]\s+|\(\w*\)\s+)`)

	// preamble is a title that the first words of the contract follow on the same line.
	preamble = regexp.MustCompile(`^(.*?\b(?:` + kind + `))\s+(?:THIS|This)\b`)

	lowly   = regexp.MustCompile(`\b([a-z][\w'’-]*)\b`)
	joining = map[string]bool{"of": true, "and": true, "for": true, "the": true, "to": true, "a": true, "an": true, "with": true, "on": true, "in": true, "e": true, "business": true, "s": true, "or": true, "by": true}
)

// titleQuotes quotes the first title of the contract.
func titleQuotes(d *Document, _ []clause.Span) []clause.Quote {
	head := d.text[:min(len(d.text), opening)]
	var second []clause.Quote
	for _, m := range title.FindAllStringIndex(head, -1) {
		s := clause.Span{Start: m[0], End: m[1]}
		if at := preamble.FindStringSubmatchIndex(head[m[0]:m[1]]); at != nil {
			s.End = m[0] + at[3]
		}
		s.Start = titleStart(d.text, s)
		text := d.text[s.Start:s.End]
		alone := !strings.ContainsAny(text, " \t")
		switch {
		case s.Start >= s.End || alone && !onOwnLine(d.text, s):
		case alone:
			if second == nil {
				second = []clause.Quote{{Span: s}}
			}
		default:
			return []clause.Quote{{Span: s}}
		}
	}
	return second
}

// titleStart moves past what leads the title, and past the last word that no title contains.
func titleStart(text string, s clause.Span) int {
	start := s.Start
	for _, w := range lowly.FindAllStringIndex(text[s.Start:s.End], -1) {
		if !joining[text[s.Start+w[0]:s.Start+w[1]]] {
			start = s.Start + w[1]
		}
	}
	start = skipBlank(text, start, s.End)
	for start < s.End {
		n := len(lead.FindString(text[start:s.End]))
		if n == 0 {
			break
		}
		start = skipBlank(text, start+n, s.End)
	}
	return start
}

func skipBlank(text string, start, end int) int {
	for start < end && strings.IndexByte(" \t\f\v,", text[start]) >= 0 {
		start++
	}
	return start
}

func onOwnLine(text string, s clause.Span) bool {
	before := strings.TrimRight(text[:s.Start], " \t")
	after := strings.TrimLeft(text[s.End:], " \t\r")
	return (before == "" || before[len(before)-1] == '\n') && (after == "" || after[0] == '\n')
}

// first returns the first quote as one line of text.
func first(d *Document, quotes []clause.Quote) string {
	return strings.Join(strings.Fields(d.text[quotes[0].Start:quotes[0].End]), " ")
}
