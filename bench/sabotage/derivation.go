package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// An expression is a derivation as annotators write it: "(44.1-56.7)/56.7".
type expression struct {
	op          byte // + - * /, 'n' for a change of sign, 0 for a number
	left, right *expression
	number      float64
	text        string // of a number, as it was written
}

// parseDerivation reads a derivation. Every kind of bracket is one.
func parseDerivation(s string) (*expression, error) {
	clean := strings.NewReplacer("[", "(", "]", ")", "{", "(", "}", ")", "×", "*", "÷", "/", "−", "-", "–", "-", " ", "", "$", "", "%", "").Replace(s)
	p := parser{s: clean}
	e, err := p.sum()
	if err != nil {
		return nil, err
	}
	if p.pos < len(p.s) {
		return nil, fmt.Errorf("%q is left over", p.s[p.pos:])
	}
	return e, nil
}

type parser struct {
	s   string
	pos int
}

func (p *parser) next(set string) byte {
	if p.pos < len(p.s) && strings.IndexByte(set, p.s[p.pos]) >= 0 {
		p.pos++
		return p.s[p.pos-1]
	}
	return 0
}

func (p *parser) sum() (*expression, error) { return p.row("+-", p.product) }

func (p *parser) product() (*expression, error) { return p.row("*/", p.factor) }

func (p *parser) row(ops string, part func() (*expression, error)) (*expression, error) {
	e, err := part()
	for err == nil {
		op := p.next(ops)
		if op == 0 {
			return e, nil
		}
		var right *expression
		right, err = part()
		e = &expression{op: op, left: e, right: right}
	}
	return nil, err
}

func (p *parser) factor() (*expression, error) {
	if p.next("-") != 0 {
		e, err := p.factor()
		if err != nil {
			return nil, err
		}
		if e.op == 0 {
			return &expression{number: -e.number, text: "-" + e.text}, nil
		}
		return &expression{op: 'n', left: e}, nil
	}
	if p.next("(") != 0 {
		e, err := p.sum()
		if err == nil && p.next(")") == 0 {
			err = errors.New("a bracket is not closed")
		}
		return e, err
	}
	start := p.pos
	for p.next("0123456789.,") != 0 {
	}
	text := p.s[start:p.pos]
	f, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil {
		return nil, fmt.Errorf("%q is no number", p.s[start:])
	}
	return &expression{number: f, text: text}, nil
}

// value is what the expression comes to.
func (e *expression) value() float64 {
	switch e.op {
	case '+':
		return e.left.value() + e.right.value()
	case '-':
		return e.left.value() - e.right.value()
	case '*':
		return e.left.value() * e.right.value()
	case '/':
		return e.left.value() / e.right.value()
	case 'n':
		return -e.left.value()
	}
	return e.number
}

// numbers is how many numbers it is made of.
func (e *expression) numbers() int {
	if e == nil {
		return 0
	}
	if e.op == 0 {
		return 1
	}
	return e.left.numbers() + e.right.numbers()
}
