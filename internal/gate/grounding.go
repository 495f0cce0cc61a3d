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
	texts   []*figures
	sources []*source         // of texts; nil where a text is no document
	byValue map[string][]spot // figures by canonical value
	dates   []spot
	times   []spot
	words   map[string]bool // in lower case
	run     strings.Builder // all words, each between spaces, in order
	work    int             // spent on looking things up, about one comparison each
}

// maxGroundWork bounds the looking up in one grounds. What would cost more is not supported.
const maxGroundWork = 1 << 26

func (g *grounds) afford(n int) bool {
	g.work += n
	return g.work <= maxGroundWork
}

// affordable is n, or nothing if that is too much.
func (g *grounds) affordable(n int) int {
	if g.afford(n) {
		return n
	}
	return 0
}

// says reports whether words stand in the run.
func (g *grounds) says(words string) bool {
	return g.afford(g.run.Len()/8) && strings.Contains(g.run.String(), words)
}

// A spot is one figure of the grounds.
type spot struct {
	text   int
	figure *figure
}

func newGrounds() *grounds {
	return &grounds{byValue: map[string][]spot{}, words: map[string]bool{}}
}

// add puts the figures and words of text into the grounds.
func (g *grounds) add(text string, src *source) {
	fs := readFigures(text)
	g.texts, g.sources = append(g.texts, fs), append(g.sources, src)
	for i := range fs.list {
		f := &fs.list[i]
		if f.kind == kindDate {
			g.dates = append(g.dates, spot{len(g.texts) - 1, f})
			continue
		}
		g.byValue[f.value] = append(g.byValue[f.value], spot{len(g.texts) - 1, f})
		if f.kind == kindTime {
			g.times = append(g.times, spot{len(g.texts) - 1, f})
		}
	}
	g.vocabulary(text)
}

// vocabulary adds the words of text, without its figures.
func (g *grounds) vocabulary(text string) {
	if g.run.Len() == 0 {
		g.run.WriteByte(' ')
	}
	for _, l := range lex(text) {
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
	same := g.byValue[c.value]
	for _, r := range same[:g.affordable(len(same))] {
		if g.carries(r, c) {
			return r, true
		}
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
	years := g.byValue[strconv.Itoa(d.year)]
	if len(years) == 0 {
		return spot{}, false
	}
	return years[0], true
}

// carries reports whether a figure of the same value says the same thing.
func (g *grounds) carries(r spot, c *figure) bool {
	f := r.figure
	switch c.kind {
	case kindMoney:
		return !f.part && (f.kind == kindMoney && f.unit == c.unit || f.kind == kindNumber)
	case kindPercent:
		return !f.part && (f.kind == kindPercent || f.kind == kindNumber)
	case kindTime:
		return f.kind == kindTime && sameLength(f, c) || f.kind == kindNumber && !f.part && g.texts[r.text].units[c.unit]
	}
	return true
}

// derives looks for a length of time in another unit, or between two dates of one text.
func (g *grounds) derives(c *figure) (spot, bool) {
	for _, r := range g.times[:g.affordable(len(g.times))] {
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
	for _, fs := range g.texts {
		if !g.afford(len(fs.list)) {
			return nil
		}
	}
	for t, fs := range g.texts {
		for i := range fs.list {
			f := &fs.list[i]
			if !f.rivals(c) || f.part || f.bare || near && !f.resembles(c) {
				continue
			}
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
	src := g.sources[r.text]
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
	g := newGrounds()
	for _, src := range k.sources.all {
		g.add(src.text, src)
	}
	g.add(string(k.sub.Task.Input), nil)
	asked := append([]string{k.sub.Task.Objective, k.sub.Task.Goal}, k.sub.Task.RequiredAspects...)
	g.vocabulary(strings.Join(asked, "\n"))
	k.inputs = g
	return g
}
