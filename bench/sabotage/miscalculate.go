package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A miscalculator makes false answers of worked ones.
type miscalculator struct{ rnd *rand.Rand }

// A miscalculation is one way of doing so; not ok where there is nothing to alter.
type miscalculation struct {
	kind  string
	alter func(f *miscalculator, x *exercise, w *worked) bool
}

// miscalculations must be refused.
var miscalculations = []miscalculation{
	{"scale: answer by a power of ten", (*miscalculator).wrongPower},
	{"scale: another word", (*miscalculator).wrongScale},
	{"sign of the answer", (*miscalculator).wrongSign},
	{"sign of a cell, recomputed", (*miscalculator).wrongCellSign},
	{"value of another row, recomputed", (*miscalculator).valueOfRow},
	{"another row cited, recomputed", (*miscalculator).otherRow},
	{"value of another column, recomputed", (*miscalculator).valueOfColumn},
	{"rounding: last digit", (*miscalculator).lastDigit},
	{"rounding: cut off", (*miscalculator).cutOff},
	{"operator, value kept", (*miscalculator).operator},
	{"operands swapped, value kept", (*miscalculator).swapped},
	{"number that is not in the source", (*miscalculator).invented},
	{"constant", (*miscalculator).wrongConstant},
	{"step left out", (*miscalculator).stepLeftOut},
}

// misreadings are right calculations of something else: quotes and figures hold.
var misreadings = []miscalculation{
	{"another operator, recomputed", func(f *miscalculator, x *exercise, w *worked) bool {
		ok := f.operator(x, w)
		w.redo()
		return ok
	}},
	{"operands swapped, recomputed", func(f *miscalculator, x *exercise, w *worked) bool {
		ok := f.swapped(x, w)
		w.redo()
		return ok
	}},
	{"another column cited, recomputed", (*miscalculator).otherColumn},
}

func (f *miscalculator) wrongPower(_ *exercise, w *worked) bool {
	w.Answer = number(strconv.FormatFloat(w.stated()*math.Pow10([]int{-3, -2, -1, 1, 2, 3}[f.rnd.IntN(6)]), 'f', 6, 64))
	return w.stated() != 0
}

func (f *miscalculator) wrongScale(_ *exercise, w *worked) bool {
	all := []string{"", "percent", "thousand", "million", "billion"}
	was := w.Scale
	w.Scale = all[1+f.rnd.IntN(4)]
	return w.Scale != was
}

func (f *miscalculator) wrongSign(_ *exercise, w *worked) bool {
	w.Answer = write(-w.stated(), w.Answer)
	return w.stated() != 0
}

// aCell is one of the cited cells that have a value.
func (f *miscalculator) aCell(w *worked) *cited {
	for {
		if c := &w.Cells[f.rnd.IntN(len(w.Cells))]; c.Value != nil {
			return c
		}
	}
}

func (c *cited) set(v float64) {
	n := number(strconv.FormatFloat(v, 'f', -1, 64))
	c.Value = &n
}

func (c *cited) value() float64 {
	f, _ := c.Value.Float64()
	return f
}

func (w *worked) recomputed() bool {
	w.redo()
	return !math.IsNaN(w.exact()) && !math.IsInf(w.exact(), 0)
}

func (f *miscalculator) wrongCellSign(_ *exercise, w *worked) bool {
	c := f.aCell(w)
	was := c.value()
	c.set(-was)
	return was != 0 && w.recomputed()
}

// another is a number cell that differs from c, in another row or another column.
func (f *miscalculator) another(x *exercise, c *cited, row bool) (tableCell, bool) {
	if c.Column == nil {
		return tableCell{}, false
	}
	for _, i := range f.rnd.Perm(len(x.page.cells)) {
		t := x.page.cells[i]
		n, ok := t.number()
		sameRow := t.start == c.Start
		if !ok || n == c.value() || t.column == 0 || sameRow == row || row && t.column != *c.Column || t.label == "" {
			continue
		}
		return t, true
	}
	return tableCell{}, false
}

func (f *miscalculator) valueOfRow(x *exercise, w *worked) bool {
	c := f.aCell(w)
	t, ok := f.another(x, c, true)
	if ok {
		n, _ := t.number()
		c.set(n)
	}
	return ok && w.recomputed()
}

func (f *miscalculator) valueOfColumn(x *exercise, w *worked) bool {
	c := f.aCell(w)
	t, ok := f.another(x, c, false)
	if ok {
		n, _ := t.number()
		c.set(n)
	}
	return ok && w.recomputed()
}

// otherRow cites another row, truly. It must be one that was not asked for.
func (f *miscalculator) otherRow(x *exercise, w *worked) bool {
	c := f.aCell(w)
	t, ok := f.another(x, c, true)
	if !ok || slices.Contains(x.rows, t.label) {
		return false
	}
	n, _ := t.number()
	c.Key, c.Quote, c.Start, c.End = t.label, t.line, t.start, t.end
	c.set(n)
	return w.recomputed()
}

func (f *miscalculator) otherColumn(x *exercise, w *worked) bool {
	c := f.aCell(w)
	t, ok := f.another(x, c, false)
	if !ok {
		return false
	}
	n, _ := t.number()
	c.Column = &t.column
	c.set(n)
	return w.recomputed()
}

func (f *miscalculator) lastDigit(_ *exercise, w *worked) bool {
	_, frac, _ := strings.Cut(w.Answer.String(), ".")
	w.Answer = write(w.stated()+float64(1-2*f.rnd.IntN(2))*math.Pow10(-len(frac)), w.Answer)
	return !rounded(w.stated(), w.exact(), w.Answer)
}

// cutOff states two digits that were cut, not rounded.
func (f *miscalculator) cutOff(_ *exercise, w *worked) bool {
	w.Answer = number(strconv.FormatFloat(math.Trunc(w.exact()*100)/100, 'f', 2, 64))
	return !rounded(w.stated(), w.exact(), w.Answer)
}

func (f *miscalculator) aStep(w *worked) *step {
	for _, i := range f.rnd.Perm(len(w.Steps)) {
		if w.Steps[i].Op != "neg" {
			return &w.Steps[i]
		}
	}
	return nil
}

func (f *miscalculator) operator(_ *exercise, w *worked) bool {
	s := f.aStep(w)
	if s == nil {
		return false
	}
	was := s.Value
	s.Op = strings.ReplaceAll("+-*/", s.Op, "")[f.rnd.IntN(3):][:1]
	now := w.clone()
	now.redo()
	return differs(was, now.Steps[s.ID].Value)
}

func differs(a, b float64) bool {
	return math.Abs(a-b) > 1e-6*math.Max(1, math.Abs(a)) && !math.IsNaN(b) && !math.IsInf(b, 0)
}

func (f *miscalculator) swapped(_ *exercise, w *worked) bool {
	s := f.aStep(w)
	if s == nil || s.Op == "+" || s.Op == "*" {
		return false
	}
	was := s.Value
	s.A, s.B = s.B, s.A
	now := w.clone()
	now.redo()
	return differs(was, now.Steps[s.ID].Value)
}

func (f *miscalculator) invented(x *exercise, w *worked) bool {
	c := f.aCell(w)
	v := float64(1000+f.rnd.IntN(9_000_000)) / 10
	if mayState(x.page.text, value{kind: share, digits: strconv.FormatFloat(v, 'f', -1, 64)}) {
		return false
	}
	c.set(v)
	if f.rnd.IntN(2) == 0 && c.Column == nil {
		c.Quote = c.Value.String()
	}
	return w.recomputed()
}

func (f *miscalculator) wrongConstant(_ *exercise, w *worked) bool {
	for i := range w.Steps {
		if s := &w.Steps[i]; s.B.Constant != nil {
			n := *s.B.Constant + []float64{0.5, 1, 2, 13}[f.rnd.IntN(4)]
			s.B = operand{Constant: &n}
			if n != math.Trunc(n) || n > 12 {
				w.redo()
			}
			return true
		}
	}
	return false
}

// stepLeftOut states the answer of the step before the last.
func (f *miscalculator) stepLeftOut(_ *exercise, w *worked) bool {
	n := len(w.Steps)
	if n < 2 {
		return false
	}
	was := w.exact()
	w.Answer = write(w.Steps[n-2].Value*w.Factor, "0.00")
	return differs(was, w.Steps[n-2].Value*w.Factor) && !rounded(w.stated(), was, w.Answer)
}
