package gate

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Limits of one JSON text. They bound the memory and the time an output can cost.
const (
	maxDepth   = 100     // of lists and objects in one another
	maxValues  = 250_000 // in all
	maxDigits  = 400     // of one number, as it is written
	defaultMax = 4 << 20 // bytes, where a contract sets none
)

// A decodeError says what is wrong with a JSON text, and where.
type decodeError struct {
	offset  int    // byte offset
	line    int    // from 1
	column  int    // bytes, from 1
	pointer string // of the value that could not be read
	message string // a clause: "the key … occurs twice"
}

// sentence is the error for a reader.
func (e *decodeError) sentence() string {
	at := fmt.Sprintf("line %d, column %d", e.line, e.column)
	if e.pointer != "" {
		at += " (" + visible(e.pointer, maxShown) + ")"
	}
	return fmt.Sprintf("The output is not sound JSON: %s, at %s.", e.message, at)
}

// decode reads exactly one JSON value (RFC 8259), more strictly than encoding/json: keys are
// unique, text is valid UTF-8 without lone surrogates, and every number fits a float64. Numbers
// stay json.Number, so that no digit is lost.
func decode(data []byte) (any, *decodeError) {
	return (&decoder{data: data, copy: string(data)}).whole()
}

// decodeList is decode, and the elements of the list at a path as they were written.
func decodeList(data []byte, path pattern) (any, []json.RawMessage, *decodeError) {
	d := &decoder{data: data, copy: string(data), wanted: path, wants: true}
	v, err := d.whole()
	return v, d.elements, err
}

func (d *decoder) whole() (any, *decodeError) {
	if i := invalidUTF8(d.data); i >= 0 {
		return nil, d.fail(i, "a byte that is not UTF-8")
	}
	d.space()
	v, err := d.value()
	if err != nil {
		return nil, err
	}
	d.space()
	if d.pos < len(d.data) {
		d.path = nil
		return nil, d.fail(d.pos, "something follows the first value")
	}
	return v, nil
}

func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

type decoder struct {
	data   []byte
	copy   string // of data; texts without escapes are parts of it
	pos    int
	path   []string // tokens from the root to the value being read
	values int

	wants    bool // the elements of the list at the path wanted
	wanted   pattern
	elements []json.RawMessage
}

func (d *decoder) fail(at int, message string) *decodeError {
	before := d.data[:at]
	line := bytes.Count(before, []byte("\n"))
	return &decodeError{
		offset: at, line: line + 1, column: at - bytes.LastIndexByte(before, '\n'),
		pointer: pointerOf(d.path), message: message,
	}
}

func (d *decoder) space() {
	for d.pos < len(d.data) {
		switch d.data[d.pos] {
		case ' ', '\t', '\n', '\r':
			d.pos++
		default:
			return
		}
	}
}

func (d *decoder) peek() byte {
	if d.pos < len(d.data) {
		return d.data[d.pos]
	}
	return 0
}

func (d *decoder) value() (any, *decodeError) {
	if d.values++; d.values > maxValues {
		return nil, d.fail(d.pos, fmt.Sprintf("it holds more than %d values", maxValues))
	}
	if d.pos >= len(d.data) {
		return nil, d.fail(d.pos, "it ends before the value does")
	}
	switch c := d.data[d.pos]; {
	case c == '{':
		return d.object()
	case c == '[':
		return d.list()
	case c == '"':
		return boxed(d.text())
	case c == '-' || '0' <= c && c <= '9':
		return d.number()
	}
	for _, w := range words {
		if bytes.HasPrefix(d.data[d.pos:], w.text) {
			d.pos += len(w.text)
			return w.value, nil
		}
	}
	return nil, d.fail(d.pos, "a value was expected, not "+d.here())
}

var words = []struct {
	text  []byte
	value any
}{{[]byte("true"), true}, {[]byte("false"), false}, {[]byte("null"), nil}}

// boxed makes a text a value; an error keeps its nil.
func boxed(s string, err *decodeError) (any, *decodeError) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// here shows what stands at the position.
func (d *decoder) here() string {
	if d.pos >= len(d.data) {
		return "the end"
	}
	r, _ := utf8.DecodeRune(d.data[d.pos:])
	return `"` + visible(string(r), 8) + `"`
}

func (d *decoder) enter() *decodeError {
	if len(d.path) >= maxDepth {
		return d.fail(d.pos, fmt.Sprintf("lists and objects are nested more than %d deep", maxDepth))
	}
	d.pos++
	d.space()
	return nil
}

func (d *decoder) object() (any, *decodeError) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	out := map[string]any{}
	if d.peek() == '}' {
		d.pos++
		return out, nil
	}
	for {
		key, err := d.key(out)
		if err != nil {
			return nil, err
		}
		d.path = append(d.path, key)
		v, err := d.value()
		if err != nil {
			return nil, err
		}
		d.path = d.path[:len(d.path)-1]
		out[key] = v
		if done, err := d.next('}'); done || err != nil {
			return out, err
		}
	}
}

// key reads a key that out does not hold yet, and the colon after it.
func (d *decoder) key(out map[string]any) (string, *decodeError) {
	at := d.pos
	if d.peek() != '"' {
		return "", d.fail(at, "a key in quotation marks was expected, not "+d.here())
	}
	key, err := d.text()
	if err != nil {
		return "", err
	}
	if _, twice := out[key]; twice {
		return "", d.fail(at, `the key "`+visible(key, 60)+`" occurs twice`)
	}
	d.space()
	if d.peek() != ':' {
		return "", d.fail(d.pos, "a colon was expected, not "+d.here())
	}
	d.pos++
	d.space()
	return key, nil
}

func (d *decoder) list() (any, *decodeError) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	out := []any{}
	if d.peek() == ']' {
		d.pos++
		return out, nil
	}
	wanted := d.wants && slices.Equal(d.path, d.wanted)
	for {
		d.path = append(d.path, strconv.Itoa(len(out)))
		start := d.pos
		v, err := d.value()
		if err != nil {
			return nil, err
		}
		d.path = d.path[:len(d.path)-1]
		out = append(out, v)
		if wanted {
			d.elements = append(d.elements, d.data[start:d.pos:d.pos])
		}
		if done, err := d.next(']'); done || err != nil {
			return out, err
		}
	}
}

// next steps over a comma, or over the closing mark and reports the end.
func (d *decoder) next(closing byte) (bool, *decodeError) {
	d.space()
	switch d.peek() {
	case closing:
		d.pos++
		return true, nil
	case ',':
		d.pos++
		d.space()
		return false, nil
	}
	return false, d.fail(d.pos, fmt.Sprintf("a comma or %q was expected, not %s", closing, d.here()))
}

func (d *decoder) text() (string, *decodeError) {
	start := d.pos + 1
	for i := start + plainBytes(d.data[start:]); i < len(d.data); i++ {
		switch c := d.data[i]; {
		case c == '"':
			d.pos = i + 1
			return d.copy[start:i], nil
		case c == '\\':
			return d.escaped(start, i)
		case c < ' ':
			return "", d.fail(i, "a control character stands inside a text")
		}
	}
	return "", d.fail(len(d.data), "a text has no end")
}

// plainBytes is how many bytes at the start of b are surely neither a quotation mark nor a backslash
// nor a control character. It looks at eight at a time.
func plainBytes(b []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		quote, slash := w^ones*'"', w^ones*'\\'
		if ((w-ones*' ')&^w|(quote-ones)&^quote|(slash-ones)&^slash)&highs != 0 {
			break
		}
	}
	return i
}

// escaped reads the rest of a text whose first backslash stands at i.
func (d *decoder) escaped(start, i int) (string, *decodeError) {
	out := append([]byte(nil), d.data[start:i]...)
	for i < len(d.data) {
		switch c := d.data[i]; {
		case c == '"':
			d.pos = i + 1
			return string(out), nil
		case c < ' ':
			return "", d.fail(i, "a control character stands inside a text")
		case c != '\\':
			out = append(out, c)
			i++
		default:
			r, n := unescape(d.data[i:])
			if n == 0 {
				return "", d.fail(i, "an escape that JSON does not know, or half of a surrogate pair")
			}
			out = utf8.AppendRune(out, r)
			i += n
		}
	}
	return "", d.fail(len(d.data), "a text has no end")
}

// unescape reads the escape at the start of b. No bytes read means that it is not one.
func unescape(b []byte) (rune, int) {
	if len(b) < 2 {
		return 0, 0
	}
	if i := strings.IndexByte(`"\/bfnrt`, b[1]); i >= 0 {
		return rune("\"\\/\b\f\n\r\t"[i]), 2
	}
	r, ok := hex4(b)
	if !ok || utf16.IsSurrogate(r) && len(b) < 12 {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	low, ok := hex4(b[6:])
	if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
		return 0, 0
	}
	return r, 12
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[2:6]), 16, 32)
	return rune(v), err == nil
}

// number reads a number that a float64 can hold, neither overflowing nor vanishing.
func (d *decoder) number() (any, *decodeError) {
	start := d.pos
	end := start + numberLen(d.data[start:])
	if end == start {
		return nil, d.fail(start, "this is not a number as JSON writes it")
	}
	if end-start > maxDigits {
		return nil, d.fail(start, fmt.Sprintf("a number has more than %d characters", maxDigits))
	}
	s := d.copy[start:end]
	d.pos = end
	if plainWhole(s) {
		return json.Number(s), nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) || f == 0 && strings.ContainsAny(mantissa(s), "123456789") || hugeExponent(s) {
		return nil, d.fail(start, "the number "+visible(s, 40)+" is out of range")
	}
	return json.Number(s), nil
}

// plainWhole reports whether a number is a whole one of so few digits that a float64 holds it.
func plainWhole(s string) bool {
	if len(s) > 15 {
		return false
	}
	for i := range len(s) {
		if (s[i] < '0' || s[i] > '9') && s[i] != '-' {
			return false
		}
	}
	return true
}

func mantissa(s string) string {
	m, _, _ := strings.Cut(strings.ToLower(s), "e")
	return m
}

// hugeExponent guards the exact arithmetic of the schema layer, to which 0e999999 is costly.
func hugeExponent(s string) bool {
	if !strings.ContainsAny(s, "eE") {
		return false
	}
	_, exp, ok := strings.Cut(strings.ToLower(s), "e")
	n, err := strconv.Atoi(exp)
	return ok && (err != nil || n > maxDigits || n < -maxDigits)
}

// numberLen is how many bytes at the start of b are a number: -?int frac? exp?
func numberLen(b []byte) int {
	at := func(i int) byte {
		if i < len(b) {
			return b[i]
		}
		return 0
	}
	digits := func(i int) int {
		for '0' <= at(i) && at(i) <= '9' {
			i++
		}
		return i
	}
	i := 0
	if at(i) == '-' {
		i++
	}
	whole := digits(i)
	if whole == i || at(i) == '0' && whole > i+1 {
		return 0
	}
	i = whole
	if at(i) == '.' {
		frac := digits(i + 1)
		if frac == i+1 {
			return 0
		}
		i = frac
	}
	if at(i) == 'e' || at(i) == 'E' {
		i++
		if at(i) == '+' || at(i) == '-' {
			i++
		}
		exp := digits(i)
		if exp == i {
			return 0
		}
		i = exp
	}
	return i
}
