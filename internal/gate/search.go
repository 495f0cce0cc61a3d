package gate

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
)

// Bounds of one search record, and of the document text that all searches of a submission read.
const (
	maxPatterns    = 200
	maxPatternSize = 2_000 // bytes
	maxPassages    = 10_000
	maxSearched    = 16 << 20 // bytes read by regular expressions, those of large ones counted more than once
	patternCost    = 2 << 10  // of reading one pattern, in bytes
	matchCostBytes = 16       // of looking at one match
	maxProgram     = 500      // instructions of one pattern, compiled
	plainProgram   = 32       // instructions of one that counts once
)

// A searchFault is why a search does not show an absence.
type searchFault struct {
	path   []string // beneath the item
	clause string
	where  *chargehand.Passage
}

func searchProblem(path []string, format string, args ...any) *searchFault {
	return &searchFault{path: path, clause: fmt.Sprintf(format, args...)}
}

// An absence is what is said not to be in a document.
type absence struct {
	key      string
	document string
	record   any // of the search
	field    string
	at       []string   // what the record belongs to
	triggers []*trigger // of the contract, for the key
}

// searchFault repeats the search behind an absence. Nil means that it shows the absence: all of the
// document was read, and whatever a pattern matches was seen and passed over for a stated reason.
func (k *check) searchFault(a *absence) *searchFault {
	if a.record == nil {
		return searchProblem(nil, "there is no search record (%s)", quoted(a.field))
	}
	src, missing := k.sources.of(a.document)
	if src == nil {
		return searchProblem(nil, "%s", strings.TrimSuffix(missing, "."))
	}
	s, fault := readSearch(a.record)
	if fault == nil {
		fault = covers(s, src.text)
	}
	if fault == nil {
		fault = k.repeat(a, s, src)
	}
	return fault
}

// readSearch reads a search record out of an item.
func readSearch(raw any) (*chargehand.Search, *searchFault) {
	fields, ok := raw.(map[string]any)
	if !ok {
		return nil, searchProblem(nil, "the record must be an object with spans, patterns and hits; it is %s", literal(raw))
	}
	s := &chargehand.Search{}
	patterns, ok := fields["patterns"].([]any)
	if !ok || len(patterns) == 0 {
		return nil, searchProblem([]string{"patterns"}, "it names no pattern that was looked for")
	}
	if len(patterns) > maxPatterns {
		return nil, searchProblem([]string{"patterns"}, "it has %d patterns; at most %d are allowed", len(patterns), maxPatterns)
	}
	for i, p := range patterns {
		text, ok := p.(string)
		if !ok {
			return nil, searchProblem([]string{"patterns", strconv.Itoa(i)}, "a pattern must be a text; it is %s", literal(p))
		}
		s.Patterns = append(s.Patterns, text)
	}
	spans, fault := readPassages(fields, "spans")
	if fault != nil {
		return nil, fault
	}
	for _, p := range spans {
		s.Spans = append(s.Spans, chargehand.SearchSpan{Start: p.Start, End: p.End})
	}
	s.Hits, fault = readPassages(fields, "hits")
	return s, fault
}

func readPassages(fields map[string]any, name string) ([]chargehand.SearchHit, *searchFault) {
	if fields[name] == nil {
		return nil, nil
	}
	list, ok := fields[name].([]any)
	if !ok || len(list) > maxPassages {
		return nil, searchProblem([]string{name}, "%s must be a list of at most %d passages", name, maxPassages)
	}
	out := make([]chargehand.SearchHit, 0, len(list))
	for i, v := range list {
		fields, _ := v.(map[string]any)
		start, ok1 := wholeNumber(fields["start"])
		end, ok2 := wholeNumber(fields["end"])
		if !ok1 || !ok2 {
			return nil, searchProblem([]string{name, strconv.Itoa(i)}, "a passage must have a start and an end, in bytes")
		}
		why, _ := fields["why"].(string)
		out = append(out, chargehand.SearchHit{Start: start, End: end, Why: why})
	}
	return out, nil
}

func wholeNumber(v any) (int, bool) {
	n, ok := v.(json.Number)
	i, err := strconv.Atoi(n.String())
	return i, ok && err == nil
}

// covers checks that the spans lie in the text and leave out nothing but white space.
func covers(s *chargehand.Search, text string) *searchFault {
	spans := slices.Clone(s.Spans)
	for i, sp := range spans {
		if sp.Start < 0 || sp.Start > sp.End || sp.End > len(text) {
			return searchProblem([]string{"spans", strconv.Itoa(i)}, "the span %s lies outside the document, which ends at %s", span(sp.Start, sp.End), grouped(len(text)))
		}
	}
	slices.SortFunc(spans, func(a, b chargehand.SearchSpan) int { return a.Start - b.Start })
	read := 0
	for _, sp := range append(spans, chargehand.SearchSpan{Start: len(text), End: len(text)}) {
		if sp.Start > read && strings.TrimFunc(text[read:sp.Start], unicode.IsSpace) != "" {
			return searchProblem([]string{"spans"}, "the document was not read at %s", span(read, sp.Start))
		}
		read = max(read, sp.End)
	}
	return nil
}

// repeat runs every pattern over the document, and those of the contract: each match must lie in a
// hit, and each hit must hold a match and say why it was passed over.
func (k *check) repeat(a *absence, s *chargehand.Search, src *source) *searchFault {
	if fault := readHits(s.Hits, src.text); fault != nil {
		return fault
	}
	cover := coverOf(s.Hits)
	var all [][2]int
	for i, p := range s.Patterns {
		at := []string{"patterns", strconv.Itoa(i)}
		found, why := k.matches(p, src)
		if why != "" {
			return searchProblem(at, "the pattern %s %s", quoted(p), why)
		}
		for _, m := range found {
			if !cover.holds(m) {
				fault := searchProblem(at, "the pattern %s matches %s at %s, which no hit accounts for", quoted(p), quoted(src.text[m[0]:m[1]]), span(m[0], m[1]))
				fault.where = src.passage(m[0], m[1])
				return fault
			}
		}
		all = append(all, found...)
	}
	expected, fault := k.passedOver(a, cover, src)
	if fault != nil {
		return fault
	}
	all = append(all, expected...)
	if i := idleHit(s.Hits, all); i >= 0 {
		return searchProblem([]string{"hits", strconv.Itoa(i)}, "no pattern matches inside the hit at %s", span(s.Hits[i].Start, s.Hits[i].End))
	}
	return nil
}

// passedOver looks for the words that, by the contract, may speak of the key. Where they are,
// the search must have seen them.
func (k *check) passedOver(a *absence, cover cover, src *source) ([][2]int, *searchFault) {
	var all [][2]int
	for _, t := range a.triggers {
		found, why := k.matches(t.source, src)
		if why != "" {
			return nil, searchProblem([]string{"patterns"}, "the contract's pattern %s %s", quoted(t.source), why)
		}
		for _, m := range found {
			if !cover.holds(m) {
				fault := searchProblem([]string{"hits"}, "the document says %s at %s, which may speak of it, and no hit accounts for that", quoted(src.text[m[0]:m[1]]), span(m[0], m[1]))
				fault.where = src.passage(m[0], m[1])
				return nil, fault
			}
		}
		all = append(all, found...)
	}
	return all, nil
}

func readHits(hits []chargehand.SearchHit, text string) *searchFault {
	for i, h := range hits {
		at := []string{"hits", strconv.Itoa(i)}
		switch {
		case h.Start < 0 || h.Start >= h.End || h.End > len(text):
			return searchProblem(at, "the hit %s is no passage of the document, which ends at %s", span(h.Start, h.End), grouped(len(text)))
		case strings.TrimSpace(h.Why) == "":
			return searchProblem(at, "the hit at %s does not say why it was passed over", span(h.Start, h.End))
		}
	}
	return nil
}

// A cover answers whether some hit holds a match.
type cover struct {
	starts []int // of the hits, rising
	reach  []int // the greatest end among the hits up to here
}

func coverOf(hits []chargehand.SearchHit) cover {
	sorted := slices.Clone(hits)
	slices.SortFunc(sorted, func(a, b chargehand.SearchHit) int { return a.Start - b.Start })
	var c cover
	far := 0
	for _, h := range sorted {
		far = max(far, h.End)
		c.starts, c.reach = append(c.starts, h.Start), append(c.reach, far)
	}
	return c
}

func (c cover) holds(m [2]int) bool {
	n, _ := slices.BinarySearch(c.starts, m[0]+1)
	return n > 0 && c.reach[n-1] >= m[1]
}

// idleHit is the first hit without a match inside, -1 if there is none.
func idleHit(hits []chargehand.SearchHit, found [][2]int) int {
	slices.SortFunc(found, func(a, b [2]int) int { return a[0] - b[0] })
	ends := make([]int, len(found)) // the least end among the matches from here on
	least := math.MaxInt
	for i := len(found) - 1; i >= 0; i-- {
		least = min(least, found[i][1])
		ends[i] = least
	}
	return slices.IndexFunc(hits, func(h chargehand.SearchHit) bool {
		i, _ := slices.BinarySearchFunc(found, h.Start, func(m [2]int, start int) int { return m[0] - start })
		return i == len(found) || ends[i] > h.End
	})
}

type searchKey struct {
	pattern string
	src     *source
}

// matches are the places where a pattern matches a source, or why it cannot be run.
type matches struct {
	found [][2]int
	why   string
}

// matches runs a pattern over a source once, however many items name it.
func (k *check) matches(pattern string, src *source) ([][2]int, string) {
	key := searchKey{pattern, src}
	m := k.searches[key]
	if m == nil {
		m = &matches{}
		m.found, m.why = k.run(pattern, src)
		if k.searches == nil {
			k.searches = map[searchKey]*matches{}
		}
		k.searches[key] = m
	}
	if !k.search(len(m.found) * matchCostBytes) {
		return nil, tooMuch // each item goes through all matches again
	}
	return m.found, m.why
}

func (k *check) run(pattern string, src *source) ([][2]int, string) {
	if !k.search(patternCost) {
		return nil, tooMuch
	}
	p, why := k.gate.patterns.trigger(pattern)
	if why != "" {
		return nil, why
	}
	index := src.index()
	if len(p.openings) == 0 || src.oddFold {
		if !k.search(len(src.text) * p.weight) {
			return nil, tooMuch
		}
		return allMatches(p, src.text)
	}
	return k.led(p, src.text, index.findAny(p.openings))
}

// search takes n bytes from what searches may read.
func (k *check) search(n int) bool {
	k.searched += n
	return k.searched <= maxSearched && !k.effort.halted(n)
}

const tooLarge = "is too large; write it with smaller repetitions"

// tooMuch is why a pattern was not run where the layer gave up.
const tooMuch = "comes after more searching than is repeated for one output"

// searchBudget is the budget of searches in words.
func searchBudget() string {
	return "the searches of one output read at most " + grouped(maxSearched) + " bytes; fewer or plainer patterns would do"
}

// led finds every match by trying the pattern only where a match can begin. What it finds is what
// FindAllStringIndex finds: leftmost, not overlapping, the first alternative preferred.
func (k *check) led(p *trigger, text string, starts []int) ([][2]int, string) {
	var out [][2]int
	var in strings.Reader
	end := 0
	for _, at := range starts {
		if at < end {
			continue
		}
		from := at
		if at > 0 {
			_, size := utf8.DecodeLastRuneInString(text[:at])
			from -= size
		}
		re, err := p.anchored(at > 0)
		if err != nil {
			return nil, tooLarge
		}
		in.Reset(text[from:])
		m := re.FindReaderIndex(&in)
		if !k.search(int(in.Size()-int64(in.Len())) * p.weight) {
			return nil, tooMuch
		}
		if m != nil {
			end = from + m[1]
			out = append(out, [2]int{at, end})
		}
	}
	return out, ""
}

// allMatches runs a pattern that was read the plain way.
func allMatches(p *trigger, text string) ([][2]int, string) {
	re, err := p.whole()
	if err != nil {
		return nil, tooLarge
	}
	var out [][2]int
	for _, m := range re.FindAllStringIndex(text, -1) {
		out = append(out, [2]int{m[0], m[1]})
	}
	return out, ""
}
