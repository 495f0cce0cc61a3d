// Package pattern is the primary extractor of contract review: it answers the 41 questions of
// package clause with hand-written patterns over the sentences of a contract.
//
// Read lays the text out (layout.go) and cuts it into sentences (sentence.go). Find runs the
// triggers of one category over the text as given (trigger.go), judges the sentences they fall in
// by the category's rule (rule.go and the rules_*.go tables), and either quotes those sentences or
// returns the search that found nothing (search.go). Names, dates and terms, which are not whole
// sentences, have extractors of their own (title.go, parties.go, dates.go, term.go).
package pattern

import (
	"fmt"
	"strings"

	"github.com/chargehand/chargehand/teams/contractreview/clause"
)

// A Document is a contract laid out for extraction. It is immutable, so any number of goroutines
// may call Find.
type Document struct {
	text      string     // as given; every offset is into it
	lower     string     // text with ASCII letters in lower case, byte for byte
	folds     bool       // text has a letter outside ASCII that equals an ASCII one when case is ignored
	sentences []sentence // in document order, not overlapping
}

// Read lays out text, which is valid UTF-8. It accepts any text, the empty one included.
func Read(text string) *Document {
	d := &Document{
		text:  text,
		lower: lowerASCII(text),
		folds: strings.ContainsAny(text, "\u017f\u212a"), // the long s and the kelvin sign
	}
	var in section
	for _, p := range paragraphs(text) {
		d.sentences = append(d.sentences, p.sentences(&in)...)
	}
	return d
}

// Find answers one of clause.Categories. It returns an error for any other name, and for nothing
// else.
func (d *Document) Find(category string) (clause.Found, error) {
	r, ok := readers()[category]
	if !ok {
		return clause.Found{}, fmt.Errorf("find %q: no such category", category)
	}
	f := r.find(d)
	f.Category = category
	return f, nil
}

// at returns the index of the first sentence that ends after the byte offset.
func (d *Document) at(offset int) int {
	lo, hi := 0, len(d.sentences)
	for lo < hi {
		if mid := (lo + hi) / 2; d.sentences[mid].End > offset {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// lowerASCII keeps offsets: strings.ToLower can change the length of a letter.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
