package gate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/chargehand/chargehand"
)

// grounds are the figures and words that claims may rest on: of one quote, or of all a task's
// inputs.
type grounds struct {
	slab   *slab
	effort *effort
	texts  []groundText
	count  int // figures that are no dates
	dates  []spot
	times  []spot

	byValue map[string][]spot // figures that are no dates by canonical value; nil until there are many
	found   [fewFigures]spot  // room for the answer of same
	heard   int               // texts whose words are in words and run
	words   map[string]bool   // in lower case; nil until asked for
	run     strings.Builder   // all words, each between spaces, in order
}

// A groundText is one text of the grounds.
type groundText struct {
	*figures
	source *source // nil where the text is no document
}

// maxLookups bounds the looking up for one submission. The layer gives up what would take more.
const maxLookups = 1 << 26

func (g *grounds) afford(n int) bool {
	g.effort.lookups += n
	return g.effort.lookups <= maxLookups && !g.effort.halted(n)
}

// affordable is n, or nothing if that is too much.
func (g *grounds) affordable(n int) int {
	if g.afford(n) {
		return n
	}
	return 0
}

// runs reports whether words stand in the run.
func (g *grounds) runs(words string) bool {
	g.readWords()
	return g.afford(g.run.Len()/8) && strings.Contains(g.run.String(), words)
}

// A spot is one figure of the grounds.
type spot struct {
	text   int
	figure *figure
}

// add puts the figures and words of text into the grounds.
func (g *grounds) add(text string, src *source) {
	fs := g.slab.read(text)
	g.texts = append(g.texts, groundText{fs, src})
	for i := range fs.list {
		f, at := &fs.list[i], spot{len(g.texts) - 1, &fs.list[i]}
		switch f.kind {
		case kindDate:
			g.dates = append(g.dates, at)
			continue
		case kindTime:
			g.times = append(g.times, at)
		}
		g.count++
	}
	g.byValue = nil
}

// vocabulary adds the words of text, without its figures.
func (g *grounds) vocabulary(text string) {
	g.texts = append(g.texts, groundText{&figures{text: text, split: g.slab.lex(text)}, nil})
}

// readWords takes up the words of every text that was added.
func (g *grounds) readWords() {
	if g.words == nil {
		g.words = map[string]bool{}
		g.run.WriteByte(' ')
	}
	for ; g.heard < len(g.texts); g.heard++ {
		g.take(g.texts[g.heard].split)
	}
}

func (g *grounds) take(text []lexeme) {
	for _, l := range text {
		if l.kind == lexMark {
			continue
		}
		w := possessive(l.lower)
		g.words[w] = true
		g.run.WriteString(w)
		g.run.WriteByte(' ')
	}
}

// possessive is a word without the "'s" at its end.
func possessive(w string) string {
	return strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
}

// supports reports whether the claimed figure stands in the grounds, or follows from what does.
func (g *grounds) supports(c *figure) (spot, bool) {
	if c.kind == kindDate {
		for _, r := range g.dates[:g.affordable(len(g.dates))] {
			if slices.ContainsFunc(r.figure.dates, func(d date) bool { return d.says(c.dates[0]) }) {
				return r, true
			}
		}
		return g.yearAlone(c)
	}
	var bare spot
	loose, contrary := false, false
	for _, r := range g.same(c.value) {
		switch g.relation(r, c) {
		case says:
			return r, true
		case mayMean:
			if !loose {
				bare, loose = r, true
			}
		case saysOther:
			contrary = true
		}
	}
	if loose && !contrary {
		return bare, true
	}
	if c.kind == kindTime {
		return g.derives(c)
	}
	return spot{}, false
}

// yearAlone supports a date that claims no more than a year, or nothing at all, by that number.
func (g *grounds) yearAlone(c *figure) (spot, bool) {
	d := c.dates[0]
	if d.month > 0 || d.day > 0 {
		return spot{}, false
	}
	if d.year <= 0 {
		return spot{}, true
	}
	years := g.same(strconv.Itoa(d.year))
	if len(years) == 0 {
		return spot{}, false
	}
	return years[0], true
}

// fewFigures are found by looking through them.
const fewFigures = 16

// same are the figures of a value that are no dates, in order. They stand until the next call.
func (g *grounds) same(value string) []spot {
	if g.count <= fewFigures {
		out := g.found[:0]
		g.each(func(r spot) {
			if r.figure.value == value {
				out = append(out, r)
			}
		})
		return out
	}
	if g.byValue == nil {
		g.byValue = map[string][]spot{}
		g.each(func(r spot) { g.byValue[r.figure.value] = append(g.byValue[r.figure.value], r) })
	}
	same := g.byValue[value]
	return same[:g.affordable(len(same))]
}

// each visits the figures that are no dates, in order.
func (g *grounds) each(visit func(spot)) {
	for t := range g.texts {
		list := g.texts[t].list
		for i := range list {
			if list[i].kind != kindDate {
				visit(spot{t, &list[i]})
			}
		}
	}
}

// relation is what a figure of the same value says of a claim.
type relation int8

const (
	saysNothing relation = iota
	says
	mayMean   // a bare number in a text that counts by the claim's unit somewhere, and nothing says otherwise
	saysOther // in another unit
)

func (g *grounds) relation(r spot, c *figure) relation {
	f := r.figure
	bare := f.kind == kindNumber && !f.part
	switch {
	case c.kind == kindNumber:
		return says
	case bare && slices.Contains(g.texts[r.text].units, c.counts()):
		return mayMean
	case bare:
		return saysNothing
	case f.kind != c.kind || f.part:
		return saysNothing
	case c.kind == kindTime && !sameLength(f, c), c.kind == kindMoney && f.unit != c.unit:
		return saysOther
	}
	return says
}

// lengthCost is what comparing two lengths of time costs, in lookups.
const lengthCost = 16

// derives looks for a length of time in another unit, or between two dates of one text.
func (g *grounds) derives(c *figure) (spot, bool) {
	if !g.afford(lengthCost * len(g.times)) {
		return spot{}, false
	}
	for _, r := range g.times {
		if sameLength(r.figure, c) {
			return r, true
		}
	}
	if len(g.dates) > 20 || !g.afford(len(g.dates)*len(g.dates)) {
		return spot{}, false
	}
	for _, a := range g.dates {
		for _, b := range g.dates {
			if a.text == b.text && apart(a.figure.dates[0], b.figure.dates[0], c) {
				return b, true
			}
		}
	}
	return spot{}, false
}

// apart reports whether b comes the length c after a, a day more or less.
func apart(a, b date, c *figure) bool {
	from, ok1 := a.time()
	to, ok2 := b.time()
	base, n := c.length()
	if !ok1 || !ok2 || n != float64(int(n)) || n <= 0 || n > 1e8 {
		return false
	}
	until := from.AddDate(0, int(n), 0)
	if base == "minute" {
		until = from.AddDate(0, 0, int(n)/1440)
	}
	days := to.Sub(until).Hours() / 24
	return -1 <= days && days <= 1
}

// rival is the figure of the same kind that c most looks like; nil if there is none. Where near is
// set it must differ in a digit or two only.
func (g *grounds) rival(c *figure, near bool) *spot {
	var best *spot
	least := 1 << 30
	for t, fs := range g.texts {
		for i := range fs.list {
			f := &fs.list[i]
			if !g.effort.scan(1) {
				return best
			}
			if !f.rivals(c) || f.part || f.bare || near && !f.resembles(c) {
				continue
			}
			g.effort.scan(len(f.value) * len(c.value) / 2)
			d := editDistance(digitsOf(f), digitsOf(c))
			if d < least && (!near || d <= 1) {
				best, least = &spot{t, f}, d
			}
		}
	}
	return best
}

// rivals reports whether f and c answer the same kind of question.
func (f *figure) rivals(c *figure) bool {
	number := func(k figureKind) bool { return k == kindNumber || k == kindMoney }
	return f.kind == c.kind || c.kind == kindNumber && number(f.kind)
}

// resembles rules out the figures that cannot be c with a digit more, less or other.
func (f *figure) resembles(c *figure) bool {
	n := len(f.value) - len(c.value)
	return f.kind == c.kind && f.unit == c.unit && len(f.value) >= 3 && -1 <= n && n <= 1
}

func digitsOf(f *figure) string {
	if f.kind == kindDate {
		return f.dates[0].String()
	}
	return f.value
}

// editDistance counts the characters to insert, remove or change to make a into b. Long texts are
// only told apart.
func editDistance(a, b string) int {
	if len(a) > 40 || len(b) > 40 {
		return 100
	}
	var row [41]int
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := last
			if a[i] != b[j] {
				cost = 1 + min(last, row[j], row[j+1])
			}
			last, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// passageOf is where a figure stands; offset is where its text begins in the source.
func (g *grounds) passageOf(r spot, offset int) *chargehand.Passage {
	src := g.texts[r.text].source
	if src == nil || r.figure == nil {
		return nil
	}
	return src.passage(offset+r.figure.start, offset+r.figure.end)
}

// wordsOf is a figure as its text states it.
func (g *grounds) wordsOf(r spot) string {
	return visible(g.texts[r.text].text[r.figure.start:r.figure.end], 60)
}

// inputGrounds are the grounds of Contract.Grounded: every input text, the task's own input, and
// the words, not the figures, of what was asked.
func (k *check) inputGrounds() *grounds {
	if k.inputs != nil {
		return k.inputs
	}
	g := &grounds{slab: &k.slab, effort: &k.effort}
	for _, src := range k.sources.all {
		g.add(src.text, src)
	}
	g.add(string(k.sub.Task.Input), nil)
	asked := append([]string{k.sub.Task.Objective, k.sub.Task.Goal}, k.sub.Task.RequiredAspects...)
	g.vocabulary(strings.Join(asked, "\n"))
	k.inputs = g
	return g
}
