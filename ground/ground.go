// Package ground is how a worker shows where its words stand: the places of quotes, and the search
// behind an absence, as a contract's items want them (SPEC.md ·63, ·64). A model cannot count bytes;
// what it quotes is looked up here, by the same rules for every worker. Whether it is right is for
// the gate to say, which does not rely on any of this.
package ground

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
)

// Place is where a quote stands in a text, as half-open byte offsets: the first place from byte
// from on, or else the first of all. A quote that stands nowhere as it is may differ in white space,
// since a text breaks its lines where it likes. It is -1, -1 for a quote that is not there.
func Place(text, quote string, from int) (start, end int) {
	if strings.TrimSpace(quote) == "" {
		return -1, -1
	}
	from = min(max(from, 0), len(text))
	for _, at := range []int{from, 0} {
		if i := strings.Index(text[at:], quote); i >= 0 {
			return at + i, at + i + len(quote)
		}
	}
	return placeOfWords(text, strings.Fields(quote), from)
}

// placeOfWords is where words stand one after the other with nothing but white space between.
func placeOfWords(text string, words []string, from int) (start, end int) {
	start, end = -1, -1
	for at := 0; at <= len(text)-len(words[0]); {
		i := strings.Index(text[at:], words[0])
		if i < 0 {
			break
		}
		i += at
		if e := after(text, i, words); e >= 0 {
			if i >= from {
				return i, e
			}
			if start < 0 {
				start, end = i, e
			}
		}
		at = i + len(words[0])
	}
	return start, end
}

// after is where the words end that begin at start, -1 where others stand there.
func after(text string, start int, words []string) int {
	at := start
	for i, w := range words {
		if i > 0 {
			next := at
			for next < len(text) {
				r, n := utf8.DecodeRuneInString(text[next:])
				if !unicode.IsSpace(r) {
					break
				}
				next += n
			}
			if next == at {
				return -1
			}
			at = next
		}
		if !strings.HasPrefix(text[at:], w) {
			return -1
		}
		at += len(w)
	}
	return at
}

// MostHits bounds the hits of a search; neighbours are told as one.
const MostHits = 200

// Search is the record of a search that read all of a text: each match of a pattern lies in a hit.
// The given passages are hits as they are, where they hold a match; every other match becomes one,
// passed over for the reason why. A pattern that does not compile is an error.
func Search(text string, patterns []string, passages []chargehand.SearchHit, why string) (*chargehand.Search, error) {
	s := &chargehand.Search{Spans: []chargehand.SearchSpan{{Start: 0, End: len(text)}}, Patterns: patterns}
	var matches [][2]int
	for _, p := range patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			return nil, fmt.Errorf("search for %q: %w", p, err)
		}
		for _, m := range re.FindAllStringIndex(text, -1) {
			if m[0] < m[1] {
				matches = append(matches, [2]int{m[0], m[1]})
			}
		}
	}
	all := slices.Clone(matches)
	for _, h := range passages {
		all = append(all, [2]int{h.Start, h.End})
	}
	byStart := func(a, b [2]int) int { return a[0] - b[0] }
	slices.SortFunc(all, byStart)
	slices.SortFunc(matches, byStart)
	for _, p := range merged(all) {
		if n := len(s.Hits); n >= MostHits {
			s.Hits[n-1].End = p[1]
		} else if holds(p, matches) {
			s.Hits = append(s.Hits, chargehand.SearchHit{Start: p[0], End: p[1], Why: why})
		}
	}
	return s, nil
}

// merged joins passages, in order of their starts, that overlap.
func merged(passages [][2]int) [][2]int {
	var out [][2]int
	for _, p := range passages {
		if n := len(out); n > 0 && p[0] < out[n-1][1] {
			out[n-1][1] = max(out[n-1][1], p[1])
			continue
		}
		out = append(out, p)
	}
	return out
}

// holds reports whether one of the matches, in order of their starts, lies in the passage.
func holds(p [2]int, matches [][2]int) bool {
	i, _ := slices.BinarySearchFunc(matches, p[0], func(m [2]int, start int) int { return m[0] - start })
	return i < len(matches) && matches[i][1] <= p[1]
}
