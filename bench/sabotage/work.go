package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// An exercise is a question whose derivation can be put as a worked answer.
type exercise struct {
	page   *page
	asked  question
	answer worked
	rows   []string // that are asked for: the aspects of the task
}

// work turns a derivation into a worked answer, or says why it cannot.
func work(p *page, q question) (*exercise, string) {
	e, err := parseDerivation(q.Derivation)
	if err != nil {
		return nil, "derivation cannot be read"
	}
	if e.op == 0 {
		return nil, "no calculation: one number"
	}
	x := &exercise{page: p, asked: q}
	if _, why := x.put(e); why != "" {
		return nil, why
	}
	return x, x.finish(q)
}

// put adds the step of an expression and answers how a later one refers to it.
func (x *exercise) put(e *expression) (operand, string) {
	if e.op == 0 {
		return x.cell(e)
	}
	var s step
	var why string
	if s.A, why = x.put(e.left); why != "" {
		return operand{}, why
	}
	s.B = s.A
	if e.op == 'n' {
		s.Op = "neg"
	} else {
		s.Op = string(e.op)
		if n, ok := constant(e); ok {
			s.B = operand{Constant: &n}
		} else if s.B, why = x.put(e.right); why != "" {
			return operand{}, why
		}
	}
	s.ID, s.Value = len(x.answer.Steps), e.value()
	if math.IsInf(s.Value, 0) || math.IsNaN(s.Value) {
		return operand{}, "it divides by nothing"
	}
	x.answer.Steps = append(x.answer.Steps, s)
	return operand{Step: &s.ID}, ""
}

// constant is the right side of an expression where it is a count of what stands left, or 1 or 100.
func constant(e *expression) (float64, bool) {
	n := e.right.number
	whole := e.right.op == 0 && n == math.Trunc(n)
	count := e.op == '/' && n >= 2 && n <= 12 && n == float64(e.left.numbers())
	return n, whole && (count || n == 100 && e.op == '*' || n == 1 && (e.op == '-' || e.op == '+'))
}

// cell cites where the source has a number.
func (x *exercise) cell(e *expression) (operand, string) {
	for _, c := range x.page.cells {
		f, ok := c.number()
		if !ok || c.column == 0 || f != e.number || c.label == "" {
			continue
		}
		v := number(strconv.FormatFloat(f, 'f', -1, 64))
		return x.cite(cited{Key: c.label, Quote: c.line, Start: c.start, End: c.end, Column: &c.column, Value: &v}), ""
	}
	if op, ok := x.inProse(e); ok {
		return op, ""
	}
	for _, c := range x.page.cells {
		if f, ok := c.number(); ok && c.column > 0 && f == -e.number && c.label != "" {
			v := number(strconv.FormatFloat(f, 'f', -1, 64))
			at := x.cite(cited{Key: c.label, Quote: c.line, Start: c.start, End: c.end, Column: &c.column, Value: &v})
			return x.negated(at, e), ""
		}
	}
	return operand{}, "a number is neither in the table nor in the text"
}

func (x *exercise) negated(at operand, e *expression) operand {
	s := step{ID: len(x.answer.Steps), Op: "neg", A: at, B: at, Value: e.number}
	x.answer.Steps = append(x.answer.Steps, s)
	return operand{Step: &s.ID}
}

func (x *exercise) cite(c cited) operand {
	n := len(x.answer.Cells)
	x.answer.Cells = append(x.answer.Cells, c)
	if c.Column != nil {
		x.rows = append(x.rows, c.Key)
	}
	return operand{Cell: &n}
}

// inProse cites a number of the paragraphs.
func (x *exercise) inProse(e *expression) (operand, bool) {
	digits := strings.TrimPrefix(e.text, "-")
	re := regexp.MustCompile(`(?:^|[^\d.,])(` + regexp.QuoteMeta(digits) + `)(?:[^\d.,]|[.,](?:\D|$)|$)`)
	m := re.FindStringSubmatchIndex(x.page.text[x.page.prose:])
	if m == nil {
		return operand{}, false
	}
	start, end := x.page.prose+m[2], x.page.prose+m[3]
	v := number(strings.ReplaceAll(digits, ",", ""))
	at := x.cite(cited{Key: "text", Quote: x.page.text[start:end], Start: start, End: end, Value: &v})
	if e.number < 0 {
		at = x.negated(at, e)
	}
	return at, true
}

var scaleForm = map[string]*regexp.Regexp{
	"thousand": regexp.MustCompile(`(?i)thousands?`), "million": regexp.MustCompile(`(?i)millions?`), "billion": regexp.MustCompile(`(?i)billions?`),
}

// finish states the answer as the annotators do.
func (x *exercise) finish(q question) string {
	stated, err := q.Answer.Float64()
	if err != nil {
		return "the annotated answer is no number"
	}
	last := x.answer.Steps[len(x.answer.Steps)-1].Value
	x.answer.Answer, x.answer.Factor = q.Answer, 1
	if q.Scale == "percent" {
		x.answer.Scale = q.Scale
		if !x.percentages() {
			x.answer.Factor = 100
		}
	}
	if !rounded(stated, last*x.answer.Factor, q.Answer) {
		if rounded(stated, last*(101-x.answer.Factor), q.Answer) {
			return "whether figures are percentages is not said beside them"
		}
		return "the annotated answer does not follow from its derivation"
	}
	if re := scaleForm[q.Scale]; re != nil {
		if m := re.FindStringIndex(x.page.text); m != nil {
			x.answer.Scale = q.Scale
			x.cite(cited{Key: "scale", Quote: x.page.text[m[0]:m[1]], Start: m[0], End: m[1]})
		}
	}
	return ""
}

// percentages reports whether the cells cited are percentages themselves.
func (x *exercise) percentages() bool {
	for _, c := range x.answer.Cells {
		text := c.Quote
		if c.Column != nil {
			text = strings.Split(text, columnMark)[*c.Column]
		}
		if strings.Contains(text, "%") {
			return true
		}
	}
	return false
}

// rounded reports whether stated is exact to as many digits as it has.
func rounded(stated, exact float64, written number) bool {
	_, frac, _ := strings.Cut(written.String(), ".")
	return math.Abs(stated-exact) <= 0.5*math.Pow10(-len(frac))+1e-9*math.Max(1, math.Abs(exact))
}

func (x *exercise) String() string {
	return fmt.Sprintf("%s [%s = %s %s]", short(x.asked.Text), x.asked.Derivation, x.answer.Answer, x.answer.Scale)
}
