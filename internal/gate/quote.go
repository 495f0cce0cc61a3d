package gate

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
)

// maxScanned bounds how much source text one submission may have read to explain its faults. Past
// it a wrong quote is still refused, without saying where it might have come from.
const maxScanned = 64 << 20

// compareQuotes settles for each present item whether its words stand where it says (SPEC.md ·64).
// It only looks; quoteFault tells.
func (k *check) compareQuotes() {
	for _, it := range k.items {
		if !it.present {
			continue
		}
		it.source, _ = k.sources.of(it.document)
		//guard:quotes off=it.verbatim = it.source != nil && it.located
		it.verbatim = it.source != nil && it.located && it.quote != "" &&
			0 <= it.start && it.start < it.end && it.end <= len(it.source.text) &&
			it.source.text[it.start:it.end] == it.quote && whole(it.source.text, it.start) && whole(it.source.text, it.end)
	}
}

// whole reports whether no character of s straddles offset i.
func whole(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

// quoteFault adds the finding about an item whose quote does not hold.
func (k *check) quoteFault(it *item) {
	rule, field := "quote", k.contract.items.quote
	message := ""
	var where *chargehand.Passage
	_, missing := k.sources.of(it.document)
	switch {
	case missing != "":
		rule, field, message = "document", k.contract.items.document, missing
	case strings.TrimSpace(it.quote) == "":
		message = "It is said to be present, and the quote that shows it is empty."
	case !it.located:
		message = fmt.Sprintf("The quote has no place: give %s and %s, as byte offsets into the document.", quoted(k.contract.items.start), quoted(k.contract.items.end))
	default:
		message, where = k.misplaced(it)
	}
	f := k.contradict(rule, it.at(field))
	f.Message = it.name() + ": " + message
	f.Quote, f.Source = visible(it.quote, maxShown), where
}

// misplaced says what is wrong with a quote or its offsets, and where the words really stand.
func (k *check) misplaced(it *item) (string, *chargehand.Passage) {
	src := it.source
	at := -1
	if k.effort.scan(len(src.text)) {
		at = nearest(src.text, it.quote, it.start)
	}
	problem := ""
	switch n := len(src.text); {
	case it.start < 0 || it.end > n || it.start > n:
		problem = fmt.Sprintf("The offsets %s lie outside the document, which ends at %s.", span(it.start, it.end), grouped(n))
	case it.start >= it.end:
		problem = fmt.Sprintf("The offsets %s hold nothing: the end must come after the start.", span(it.start, it.end))
	case !whole(src.text, it.start) || !whole(src.text, it.end):
		problem = fmt.Sprintf("The offsets %s cut a character in two; they count bytes of UTF-8.", span(it.start, it.end))
	}
	if at >= 0 {
		if problem == "" {
			problem = fmt.Sprintf("The quoted words do not stand at %s.", span(it.start, it.end))
		}
		end := at + len(it.quote)
		return problem + fmt.Sprintf(" They stand at %s; offsets count bytes of UTF-8.", span(at, end)), src.passage(at, end)
	}
	if problem != "" {
		return problem, nil
	}
	return k.altered(it)
}

// scan takes n bytes from what may be read to explain faults.
func (e *effort) scan(n int) bool {
	e.scanned += n
	return e.scanned <= maxScanned && !e.halted(n)
}

// nearest is where quote stands in text, closest to start if it does so more than once; -1 if not
// at all.
func nearest(text, quote string, start int) int {
	start = max(0, min(start, len(text)))
	after := strings.Index(text[start:], quote)
	before := strings.LastIndex(text[:min(len(text), start+len(quote)-1)], quote)
	switch {
	case after < 0:
		return before
	case before < 0 || after <= start-before:
		return start + after
	}
	return before
}

// leastShared is how many bytes a quote must share with a passage to be called its altered form.
const leastShared = 12

const nowhere = "The quoted words are not in the document. Quote it character for character, line breaks included."

// altered says where a quote that is nowhere in the document departs from the closest passage.
func (k *check) altered(it *item) (string, *chargehand.Passage) {
	text, quote := it.source.text, it.quote
	if !k.effort.scan(16 * len(text)) {
		return nowhere, nil
	}
	n := sort.Search(len(quote), func(n int) bool { return !strings.Contains(text, quote[:n+1]) })
	for n > 0 && n < len(quote) && !utf8.RuneStart(quote[n]) {
		n--
	}
	if word := strings.LastIndexAny(quote[:n], " \t\n") + 1; word >= leastShared {
		n = word // both differing words are shown whole
	}
	if n < leastShared {
		return ending(it)
	}
	at := strings.Index(text, quote[:n])
	end := boundary(text, min(len(text), at+len(quote)))
	return fmt.Sprintf("The quoted words are not in the document. After %s the quote goes on with %s, the document with %s.",
		tail(quote[:n]), head(quote[n:]), head(text[at+n:])), it.source.passage(at, end)
}

// ending is altered for a quote that departs near its beginning.
func ending(it *item) (string, *chargehand.Passage) {
	text, quote := it.source.text, it.quote
	n := boundary(quote, sort.Search(len(quote), func(n int) bool { return strings.Contains(text, quote[n:]) }))
	if len(quote)-n < leastShared {
		return nowhere, nil
	}
	at := strings.Index(text, quote[n:])
	start := boundary(text, max(0, at-n))
	return fmt.Sprintf("The quoted words are not in the document. Before %s the quote has %s, the document has %s.",
		head(quote[n:]), tail(quote[:n]), tail(text[start:at])), it.source.passage(start, at+len(quote)-n)
}

// boundary is the first offset from i on that cuts no character.
func boundary(s string, i int) int {
	for !whole(s, i) {
		i++
	}
	return i
}

const glimpse = 40 // characters shown on either side of a departure

func head(s string) string {
	if len(s) > glimpse*utf8.UTFMax {
		s = s[:boundary(s, glimpse*utf8.UTFMax)]
	}
	return `"` + visible(s, glimpse) + `"`
}

func tail(s string) string {
	if n := utf8.RuneCountInString(s); n > glimpse {
		for range n - glimpse {
			_, size := utf8.DecodeRuneInString(s)
			s = s[size:]
		}
		return `"…` + visible(s, 2*glimpse) + `"`
	}
	return `"` + visible(s, 2*glimpse) + `"`
}
