package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A forger makes false statements of true ones.
type forger struct {
	rnd       *rand.Rand
	contracts []contract
}

// A forgery is a way of making a false statement about what was marked in a contract; not ok where
// that offers nothing to alter, or what comes out is true after all.
type forgery struct {
	kind  string
	forge func(f *forger, c *contract, m marking) (statement, bool)
}

func forgeries() []forgery {
	var out []forgery
	for _, w := range rewordings {
		out = append(out, forgery{w.name, func(f *forger, c *contract, m marking) (statement, bool) { return f.reword(c, m, w.alter) }})
	}
	return append(out,
		forgery{"quote from another contract", (*forger).foreign},
		forgery{"wrong offsets", (*forger).misplaced},
		forgery{"joined from two places", (*forger).joined},
		forgery{"another document named", (*forger).otherDocument},
		forgery{"invented date", (*forger).inventedDate},
		forgery{"amount changed", func(f *forger, c *contract, m marking) (statement, bool) { return f.misstate(c, m, amount) }},
		forgery{"percentage changed", func(f *forger, c *contract, m marking) (statement, bool) { return f.misstate(c, m, share) }},
		forgery{"length of time changed", func(f *forger, c *contract, m marking) (statement, bool) { return f.misstate(c, m, duration) }},
		forgery{"unit or currency changed", (*forger).otherUnit},
		forgery{"currency given to a count", (*forger).countAsAmount},
		forgery{"name from another contract", (*forger).foreignName},
		forgery{"invented figure in a summary", (*forger).inventedFigure},
		forgery{"invented name in a summary", (*forger).inventedName},
	)
}

// true statements about a marking: the quote itself, and each value it states.
func (f *forger) truths(c *contract, m marking) []statement {
	text := c.text(m.span)
	out := []statement{about(c, quoting(c, m.category, text, m.span.Start, m.span.End, "Yes"))}
	for _, v := range values(text) {
		out = append(out, about(c, quoting(c, m.category, text, m.span.Start, m.span.End, v.answer())))
		out = append(out, summing(c, "The contract says "+v.answer()+"."))
	}
	for i := range out {
		out[i].made = fmt.Sprintf("%s, %s: %s", c.name, m.category, short(text))
	}
	return out
}

// stands is what an altered quote is held to before it counts as altered. It looks at bytes and
// knows nothing of the gate.
func stands(text, quote string, start, end int) bool {
	return start >= 0 && end <= len(text) && start <= end && end-start == len(quote) && strings.HasPrefix(text[start:], quote)
}

// reword alters the words and keeps the place: its beginning, and either its end or its length.
func (f *forger) reword(c *contract, m marking, alter alteration) (statement, bool) {
	text := c.text(m.span)
	quote, ok := alter(f.rnd, text)
	end := m.span.End
	if f.rnd.IntN(2) == 0 {
		end = min(m.span.Start+len(quote), len(c.doc.Text))
	}
	if !ok || blank(quote) || quote == text || stands(c.doc.Text, quote, m.span.Start, end) {
		return statement{}, false
	}
	return f.quote(c, m, quote, m.span.Start, end)
}

func (f *forger) quote(c *contract, m marking, quote string, start, end int) (statement, bool) {
	s := about(c, quoting(c, m.category, quote, start, end, "Yes"))
	s.made = fmt.Sprintf("%s, %s at %d-%d: %s", c.name, m.category, start, end, short(quote))
	return s, true
}

// other is another contract, and something marked in it.
func (f *forger) other(c *contract) (*contract, marking) {
	for {
		o := &f.contracts[f.rnd.IntN(len(f.contracts))]
		if o.name != c.name && len(o.marked) > 0 {
			return o, o.marked[f.rnd.IntN(len(o.marked))]
		}
	}
}

// foreign quotes what stands in another contract, at its place there or at a place here.
func (f *forger) foreign(c *contract, m marking) (statement, bool) {
	o, om := f.other(c)
	quote := o.text(om.span)
	start := om.span.Start
	if f.rnd.IntN(2) == 0 {
		start = m.span.Start
	}
	if stands(c.doc.Text, quote, start, start+len(quote)) {
		return statement{}, false
	}
	return f.quote(c, m, quote, start, start+len(quote))
}

// misplaced gives true words a wrong place.
func (f *forger) misplaced(c *contract, m marking) (statement, bool) {
	start, end := m.span.Start, m.span.End
	switch f.rnd.IntN(6) {
	case 0:
		by := 1 + f.rnd.IntN(40)
		start, end = start+by, end+by
	case 1:
		by := 1 + f.rnd.IntN(40)
		start, end = start-by, end-by
	case 2:
		end += 1 + f.rnd.IntN(10)
	case 3:
		start -= 1 + f.rnd.IntN(10)
	case 4:
		o := c.marked[f.rnd.IntN(len(c.marked))].span
		start, end = o.Start, o.Start+len(c.text(m.span))
	case 5:
		start, end = end, start
	}
	if stands(c.doc.Text, c.text(m.span), start, end) {
		return statement{}, false
	}
	return f.quote(c, m, c.text(m.span), start, end)
}

// joined makes one quote of two passages of the same contract.
func (f *forger) joined(c *contract, m marking) (statement, bool) {
	o := c.marked[f.rnd.IntN(len(c.marked))]
	a, b := c.text(m.span), c.text(o.span)
	if o.span == m.span || len(a) < 8 || len(b) < 8 {
		return statement{}, false
	}
	quote := a[:boundary(a, len(a)/2)] + " " + b[boundary(b, len(b)/2):]
	end := []int{m.span.Start + len(quote), o.span.End}[f.rnd.IntN(2)]
	if stands(c.doc.Text, quote, m.span.Start, end) {
		return statement{}, false
	}
	return f.quote(c, m, quote, m.span.Start, end)
}

// otherDocument names a document that the words are not from; half of the time it is among the
// task's inputs.
func (f *forger) otherDocument(c *contract, m marking) (statement, bool) {
	o, _ := f.other(c)
	if stands(o.doc.Text, c.text(m.span), m.span.Start, m.span.End) {
		return statement{}, false
	}
	it := quoting(o, m.category, c.text(m.span), m.span.Start, m.span.End, "Yes")
	s := about(c, it)
	if f.rnd.IntN(2) == 0 {
		s.docs = append(s.docs, o.doc)
	}
	s.made = fmt.Sprintf("%s said to be %s: %s", c.name, o.name, short(it.Quote))
	return s, true
}

// short is a text on one line, cut.
func short(s string) string {
	line := strings.Join(strings.Fields(s), " ")
	if len(line) > 100 {
		line = strings.ToValidUTF8(line[:100], "") + "..."
	}
	return fmt.Sprintf("%q", line)
}
