package gate

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"cel.dev/cel-go/cel"

	"github.com/chargehand/chargehand"
)

// A calculation is a compiled chargehand.Calculation.
type calculation struct {
	id        string
	path      pattern
	tolerance float64
	program   cel.Program
}

// calculations redoes every figure that must follow from others.
func (k *check) calculations() {
	for _, c := range k.contract.calculations {
		for _, at := range c.path.places(k.output) {
			k.recompute(c, at)
		}
	}
}

func (k *check) recompute(c *calculation, at place) {
	claim := k.claim(c.id+": "+literal(at.value), at.path)
	stated, digits, ok := statedFigure(at.value)
	if !ok {
		claim.Support = chargehand.Unsupported
		k.contradict(c.id, at.path).Message = "A figure was expected here, which the calculation " + quoted(c.id) + " gives; it is " + literal(at.value) + "."
		return
	}
	v, err := k.evaluate(c.program, at.item)
	var computed float64
	if err == nil {
		if computed, ok = float(v); !ok {
			err = fmt.Errorf("it comes to no number")
		}
	}
	if k.tooCostly(chargehand.LayerConsistency, "the calculation "+quoted(c.id), err) {
		return
	}
	if err != nil {
		claim.Support = chargehand.Unsupported
		k.contradict(c.id, at.path).Message = fmt.Sprintf("The calculation %s could not be done: %s.", quoted(c.id), visible(err.Error(), maxShown))
		return
	}
	claim.Support = chargehand.Supported
	if !agrees(stated, computed, digits, c.tolerance) {
		claim.Support = chargehand.Contradicted
		f := k.contradict(c.id, at.path)
		f.Message = fmt.Sprintf("Output says %s; the calculation %s gives %s.", literalFigure(at.value), quoted(c.id), plainFloat(computed))
		f.Quote = literalFigure(at.value)
	}
}

// agrees reports whether the stated figure is the computed one: within the tolerance, or, where
// there is none, rounded to as many digits as were stated.
func agrees(stated, computed float64, digits int, tolerance float64) bool {
	slack := tolerance
	if slack == 0 {
		slack = 0.5 * math.Pow10(-digits)
	}
	return math.Abs(stated-computed) <= slack+1e-9*math.Max(1, math.Abs(computed))
}

// statedFigure reads a number, or a text that is one figure ("$1,250.50"), and how many digits
// stand after its point.
func statedFigure(v any) (value float64, digits int, ok bool) {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		return f, fraction(v.String()), err == nil
	case string:
		figures := new(slab).read(v).list
		if len(figures) != 1 || figures[0].kind == kindDate {
			return 0, 0, false
		}
		f, err := strconv.ParseFloat(figures[0].value, 64)
		if negative(v[:figures[0].start], v[figures[0].end:]) {
			f = -f
		}
		return f, figures[0].places, err == nil
	}
	return 0, 0, false
}

// negative reports whether what stands around a figure makes it negative: a minus before it, or
// brackets about it, as in accounts. A dash after a word is no minus.
func negative(before, after string) bool {
	tight := strings.TrimRight(before, "$€£¥")
	before = strings.TrimRightFunc(tight, unicode.IsSpace)
	if strings.HasSuffix(before, "(") {
		return strings.Contains(after, ")")
	}
	lead := strings.TrimRight(before, "-−–")
	if lead == before {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(lead)
	return strings.Trim(lead, "$€£¥ ") == "" || before == tight && (unicode.IsSpace(r) || r == '(')
}

// fraction is how many digits s states after the point; negative for one rounded to tens and more
// by its exponent.
func fraction(s string) int {
	m, exp, _ := strings.Cut(strings.ToLower(s), "e")
	_, after, _ := strings.Cut(m, ".")
	n, _ := strconv.Atoi(exp)
	return len(after) - n
}

func literalFigure(v any) string {
	if s, ok := v.(string); ok {
		return visible(s, 60)
	}
	return literal(v)
}

// plainFloat is f without an exponent, to at most six places, with commas.
func plainFloat(f float64) string {
	if n := int(f); float64(n) == f && -1e9 < f && f < 1e9 {
		return grouped(n)
	}
	s := strconv.FormatFloat(f, 'f', 6, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	sign := ""
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		sign, s = "-", rest
	}
	whole, frac, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if frac != "" {
		whole += "." + frac
	}
	return sign + whole
}
