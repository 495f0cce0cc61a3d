package main

import (
	"fmt"
	"regexp"
	"strings"
)

// answering puts a false answer beside a true quote.
func (f *forger) answering(c *contract, m marking, answer string) (statement, bool) {
	s := about(c, quoting(c, m.category, c.text(m.span), m.span.Start, m.span.End, answer))
	s.made = fmt.Sprintf("%s, %s: %q beside %s", c.name, m.category, answer, short(c.text(m.span)))
	return s, true
}

func (f *forger) pick(text string, kinds ...valueKind) (value, bool) {
	var fit []value
	for _, v := range values(text) {
		for _, k := range kinds {
			if v.kind == k {
				fit = append(fit, v)
			}
		}
	}
	if len(fit) == 0 {
		return value{}, false
	}
	return fit[f.rnd.IntN(len(fit))], true
}

// inventedDate answers with a date that the quote does not state.
func (f *forger) inventedDate(c *contract, m marking) (statement, bool) {
	v := f.anyDate()
	if mayState(c.text(m.span), v) || mayState(c.text(m.span), value{kind: date, y: v.y, m: min(v.d, 12), d: v.m}) {
		return statement{}, false
	}
	return f.answering(c, m, v.answer())
}

func (f *forger) anyDate() value {
	return value{kind: date, y: 1990 + f.rnd.IntN(40), m: 1 + f.rnd.IntN(12), d: 1 + f.rnd.IntN(28)}
}

// misstate changes a value of the quote in a digit, an order of magnitude or altogether.
func (f *forger) misstate(c *contract, m marking, kind valueKind) (statement, bool) {
	v, ok := f.pick(c.text(m.span), kind)
	if !ok {
		return statement{}, false
	}
	if v, ok = f.varied(v); !ok || mayState(c.text(m.span), v) {
		return statement{}, false
	}
	return f.answering(c, m, v.answer())
}

func (f *forger) varied(v value) (value, bool) {
	was := v.digits
	switch f.rnd.IntN(4) {
	case 0:
		v.digits += "0"
	case 1:
		v.digits, _ = transposeDigits(f.rnd, v.digits)
	default:
		v.digits, _ = changeDigit(f.rnd, v.digits)
	}
	ok := v.digits != "" && v.digits != was && v.digits[0] != '0'
	return v, ok
}

// otherUnit keeps the number and changes what it counts.
func (f *forger) otherUnit(c *contract, m marking) (statement, bool) {
	text := c.text(m.span)
	v, ok := f.pick(text, amount, duration)
	if !ok {
		return statement{}, false
	}
	units := []string{"USD", "EUR", "GBP", "CHF"}
	if v.kind == duration {
		units = []string{"day", "month", "year"}
	}
	was := v
	v.unit = units[f.rnd.IntN(len(units))]
	for _, other := range values(text) {
		if v == other {
			return statement{}, false
		}
	}
	if v == was || v.kind == duration && strings.Contains(strings.ToLower(text), v.unit) {
		return statement{}, false // the other unit is there as well, perhaps with the same number
	}
	return f.answering(c, m, v.answer())
}

var countForm = regexp.MustCompile(`(?:^|[\s(])(\d{1,3}(?:,\d{3})+|\d{2,})[\s)]+[A-Za-z]`)

// countAsAmount makes money of a number in a quote that speaks of none.
func (f *forger) countAsAmount(c *contract, m marking) (statement, bool) {
	text := c.text(m.span)
	n, ok := at(f.rnd, countForm, text)
	if !ok || currency.MatchString(text) {
		return statement{}, false
	}
	return f.answering(c, m, []string{"USD ", "EUR ", "£"}[f.rnd.IntN(3)]+text[n[2]:n[3]])
}

// foreignName answers with a name from another contract.
func (f *forger) foreignName(c *contract, m marking) (statement, bool) {
	name, ok := f.nameElsewhere(c)
	if !ok || anyWordIn(name, c.text(m.span)) {
		return statement{}, false
	}
	return f.answering(c, m, name)
}

// nameElsewhere is a party of another contract, in two words at least.
func (f *forger) nameElsewhere(c *contract) (string, bool) {
	o, _ := f.other(c)
	for _, i := range f.rnd.Perm(len(o.marked)) {
		if m := o.marked[i]; m.category == "Parties" {
			name := properName.FindString(o.text(m.span))
			return name, strings.Contains(name, " ") && name == o.text(m.span)
		}
	}
	return "", false
}

// anyWordIn reports whether any word of a name stands in text, whatever its case.
func anyWordIn(name, text string) bool {
	for _, w := range word.FindAllString(name, -1) {
		if strings.Contains(strings.ToLower(text), strings.ToLower(w)) {
			return true
		}
	}
	return false
}

// inventedFigure states in words a value that is nowhere in the contract.
func (f *forger) inventedFigure(c *contract, m marking) (statement, bool) {
	v := f.anyDate()
	if f.rnd.IntN(2) == 0 {
		v = value{kind: amount, unit: "USD", digits: fmt.Sprint(10_000 + f.rnd.IntN(9_990_000))}
	}
	if mayState(c.doc.Text, v) || v.kind == date && mayState(c.doc.Text, value{kind: date, y: v.y, m: min(v.d, 12), d: v.m}) {
		return statement{}, false
	}
	return summing(c, "Under "+m.category+" the contract says "+v.answer()+"."), true
}

// inventedName states in words a party that is nowhere in the contract.
func (f *forger) inventedName(c *contract, _ marking) (statement, bool) {
	name, ok := f.nameElsewhere(c)
	if !ok || anyWordIn(name, c.doc.Text) {
		return statement{}, false
	}
	return summing(c, "The obligations of this contract bind "+name+" as well."), true
}
