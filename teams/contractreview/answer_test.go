package contractreview

import (
	"slices"
	"strings"
	"testing"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

func TestAnswer(t *testing.T) {
	const law = "This Agreement is governed by the laws of the Province of Ontario and of Canada."
	for _, tt := range []struct{ category, stated, quote, want string }{
		{"Cap on Liability", "Yes", "shall not exceed $5", "Yes"},
		{"Document Name", "RESELLER AGREEMENT", "RESELLER\nAGREEMENT", "RESELLER AGREEMENT"},
		{"Parties", `Acme, Inc. ("Acme"); Beta LLC`, "Beta  LLC", "Beta LLC"},

		{"Agreement Date", "08/09/1999", "August 9, 1999", "08/09/1999"},
		{"Agreement Date", "01/15/2018", "15t h day of January 2018", "01/15/2018"},
		{"Agreement Date", "03/24/2006", "03/24/06", "03/24/2006"},
		{"Agreement Date", "[]/[]/2004", "_________, 2004", "[]/[]/2004"},
		{"Agreement Date", "[]/[]/2004", "________, 2005", "________, 2005"},
		{"Effective Date", "", "commences upon execution of this document.", "commences upon execution of this document."},

		{"Expiration Date", "12/31/2018", "from the Effective Date until December 31, 2018", "12/31/2018"},
		{"Expiration Date", "02/01/2021", "will be in effect for three (3) years from the Effective Date", "3 years"},
		{"Expiration Date", "05/17/2022", "remain in effect for the five (5) year term", "5 years"},
		{"Expiration Date", "12/31/2012", "if the breach remains uncured for a period of thirty (30) days", "if the breach remains uncured for a period of thirty (30) days"},
		{"Expiration Date", "12/31/2012", "it is adjudicated as insolvent", "it is adjudicated as insolvent"},

		{"Renewal Term", "successive 1 year", "renews annually", "successive 1 year"},
		{"Renewal Term", "successive 2 years", "renews for successive two-year terms", "successive 2 years"},
		{"Renewal Term", "successive 1 year", "renews from time to time", "renews from time to time"},
		{"Renewal Term", "0.5 year", "a period of half a year", "0.5 year"},
		{"Warranty Duration", "90 days", "for ninety (90) calendar days after delivery", "90 days"},

		{"Governing Law", "Ontario, Canada", law, "Ontario, Canada"},
		{"Governing Law", "Alberta, Canada", law, unnamed},
		{"Governing Law", "England", "English law applies.", unnamed},
		{"Governing Law", "", law, unnamed},
	} {
		c, ok := clause.Lookup(tt.category)
		if !ok {
			t.Fatal(tt.category)
		}
		if got := answer(c, tt.stated, tt.quote); got != tt.want {
			t.Errorf("%s, %q in %q: %q, want %q", tt.category, tt.stated, tt.quote, got, tt.want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    int
		want string
	}{
		{"", 10, ""},
		{" all  of\nit ", 10, "all of it"},
		{"one two three", 8, "one"}, // may be half of a number, but something has to stand
		{"within thirty (30) days", 19, "within"},
		{"pays $5 million now", 8, "pays"},
		{strings.Repeat("ü", 20), 5, "üü"},
	} {
		if got := excerpt(tt.text, tt.n); got != tt.want {
			t.Errorf("%q to %d: %q, want %q", tt.text, tt.n, got, tt.want)
		}
	}
}

func TestClausesWithoutAPlaceAreLeftOutWhereOthersNameOne(t *testing.T) {
	doc := document("c.txt", "Law of Ohio. Law of the land.")
	quote := func(start, end int) clause.Quote { return clause.Quote{Span: clause.Span{Start: start, End: end}} }
	c, _ := clause.Lookup("Governing Law")
	for _, tt := range []struct {
		quotes []clause.Quote
		want   []string
	}{
		{[]clause.Quote{quote(0, 12), quote(13, 29)}, []string{"Ohio"}},
		{[]clause.Quote{quote(13, 29)}, []string{unnamed}},
	} {
		var got []string
		for _, it := range presentItems(c, doc, clause.Found{Answer: "Ohio", Quotes: tt.quotes}) {
			got = append(got, it.Answer)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v, want %v", got, tt.want)
		}
	}
}

func TestShorten(t *testing.T) {
	text := strings.Repeat("ü", longestQuote)
	s := shorten(text, clause.Span{Start: 2, End: len(text)})
	if n := s.End - s.Start; n > longestQuote || n < longestQuote-4 || strings.Trim(text[s.Start:s.End], "ü") != "" {
		t.Errorf("span %v", s)
	}
}
