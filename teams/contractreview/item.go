package contractreview

import (
	"strings"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// clauses is the output of a reader.
type clauses struct {
	Items []item `json:"items"`
}

// An item is one passage that answers a category, or the search behind an absent one. A category
// with several passages has several items.
type item struct {
	Category string `json:"category"`
	Present  bool   `json:"present"`
	Document string `json:"document"` // content hash
	Quote    string `json:"quote"`    // verbatim; empty when absent
	*clause.Span
	Answer     string             `json:"answer"`
	Confidence float64            `json:"confidence"` // 0..1, the reader's own
	Search     *chargehand.Search `json:"search,omitempty"`
}

func presentItems(c clause.Category, doc chargehand.InputRef, f clause.Found) []item {
	var out []item
	for _, q := range f.Quotes {
		span := shorten(doc.Text, q.Span)
		quote := doc.Text[span.Start:span.End]
		out = append(out, item{
			Category: c.Name, Present: true, Document: doc.Hash, Quote: quote, Span: &span,
			Answer: answer(c, f.Answer, quote), Confidence: min(1, max(0, q.Confidence)),
		})
	}
	if c.Answer == clause.Place {
		return named(out)
	}
	return out
}

// longestQuote is the most of a passage that is quoted, in bytes.
const longestQuote = 4 << 10

// shorten ends a span early, between characters, where it is too long to be shown.
func shorten(text string, s clause.Span) clause.Span {
	if s.End-s.Start <= longestQuote {
		return s
	}
	for s.End = s.Start + longestQuote; !utf8.RuneStart(text[s.End]); {
		s.End--
	}
	s.End = s.Start + len(strings.TrimRight(text[s.Start:s.End], " \t\r\n"))
	return s
}

// named leaves out passages that name no place where others do: they speak of the law and do not
// choose it.
func named(items []item) []item {
	var out []item
	for _, it := range items {
		if it.Answer != unnamed {
			out = append(out, it)
		}
	}
	if len(out) == 0 {
		return items
	}
	return out
}

// How sure a reader is of an absence: less so where trigger words occur and were passed over.
const (
	absentUnmentioned = 0.9
	absentPassedOver  = 0.7
)

func absentItem(c clause.Category, doc chargehand.InputRef, s clause.Search) item {
	it := item{Category: c.Name, Document: doc.Hash, Confidence: absentUnmentioned, Search: record(doc.Text, c.Name, s)}
	if c.Answer == clause.YesNo {
		it.Answer = "No"
	}
	if len(it.Search.Hits) > 0 {
		it.Confidence = absentPassedOver
	}
	return it
}
