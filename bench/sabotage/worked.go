package main

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// A worked answer is the output under the contract "worked": the cells it rests on, the steps from
// them to the answer, and the answer.
type worked struct {
	Cells  []cited `json:"cells"`
	Steps  []step  `json:"steps"`
	Answer number  `json:"answer"`
	Scale  string  `json:"scale"`  // thousand, million, billion, percent or nothing
	Factor float64 `json:"factor"` // 100 where a quotient is stated in percent
}

// A number is written as its digits are given.
type number = json.Number

// A cited cell quotes the whole row of a table, and says which column is meant; or a number in the
// text. The cell with the key "scale" quotes what the figures are counted in.
type cited struct {
	Key    string  `json:"key"`
	Quote  string  `json:"quote"`
	Start  int     `json:"start"`
	End    int     `json:"end"`
	Column *int    `json:"column,omitempty"`
	Value  *number `json:"value,omitempty"`
}

// A step is one operation on what comes before it.
type step struct {
	ID    int     `json:"id"` // its place in the list
	Op    string  `json:"op"` // + - * / or neg
	A     operand `json:"a"`
	B     operand `json:"b"`
	Value float64 `json:"value"`
}

// An operand is one of the three.
type operand struct {
	Cell     *int     `json:"cell,omitempty"`
	Step     *int     `json:"step,omitempty"`
	Constant *float64 `json:"constant,omitempty"`
}

// redo computes every step and the answer anew from the cells, as an honest calculator would.
func (w *worked) redo() {
	of := func(o operand) float64 {
		switch {
		case o.Cell != nil:
			f, _ := w.Cells[*o.Cell].Value.Float64()
			return f
		case o.Step != nil:
			return w.Steps[*o.Step].Value
		}
		return *o.Constant
	}
	for i := range w.Steps {
		s := &w.Steps[i]
		e := expression{op: s.Op[0], left: &expression{number: of(s.A)}, right: &expression{number: of(s.B)}}
		s.Value = e.value()
	}
	w.Answer = number(strconv.FormatFloat(w.Steps[len(w.Steps)-1].Value*w.Factor, 'f', 2, 64))
}

func write(f float64, like number) number {
	_, frac, _ := strings.Cut(like.String(), ".")
	return number(strconv.FormatFloat(f, 'f', len(frac), 64))
}

func (w *worked) stated() float64 {
	f, _ := w.Answer.Float64()
	return f
}

func (w *worked) exact() float64 { return w.Steps[len(w.Steps)-1].Value * w.Factor }

func (w worked) clone() worked {
	w.Cells, w.Steps = slices.Clone(w.Cells), slices.Clone(w.Steps)
	return w
}

// same reports whether an alteration left everything as it was, by value.
func (w *worked) same(o *worked) bool {
	a, _ := w.Answer.Float64()
	b, _ := o.Answer.Float64()
	return a == b && w.Scale == o.Scale && w.Factor == o.Factor && sameJSON(w.Cells, o.Cells) && sameJSON(w.Steps, o.Steps)
}

func sameJSON(a, b any) bool {
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && string(x) == string(y)
}
