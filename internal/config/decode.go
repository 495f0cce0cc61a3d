package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/chargehand/chargehand"
)

// A decoder fills a value from nodes and keeps where each part of it stands. It goes on after a
// problem, so that all are told.
type decoder struct {
	problems []chargehand.Problem
	places   map[string]place
	wrong    map[string]bool // paths with a problem: what a check says of them follows from it
}

func newDecoder() *decoder {
	return &decoder{places: map[string]place{}, wrong: map[string]bool{}}
}

func (d *decoder) decode(root *node, v any) { d.value("$", root, reflect.ValueOf(v).Elem()) }

// adopt takes over what a check found, and finds its place in the file. What was told already, by
// the reader or an earlier check, is not told again.
func (d *decoder) adopt(problems []chargehand.Problem) {
	before := len(d.problems)
	for _, p := range problems {
		at, known := d.locate(p.Path)
		if known {
			continue
		}
		p.Line, p.Column = at.line, at.column
		d.problems = append(d.problems, p)
	}
	for _, p := range d.problems[before:] {
		d.wrong[p.Path] = true
	}
}

// locate is the place of a path: where it is not in the file, that of what would hold it. It
// also reports whether something there, or around it, is known to be wrong already.
func (d *decoder) locate(path string) (at place, known bool) {
	for n := len(path); n > 0; n-- {
		if n < len(path) && path[n] != '.' && path[n] != '[' {
			continue
		}
		if known = known || d.wrong[path[:n]]; known {
			return at, true
		}
		if p, ok := d.places[path[:n]]; ok && at.line == 0 {
			at = p
		}
	}
	return at, false
}

func (d *decoder) problem(at place, path, message, hint string) {
	p := at.problem(path, message)
	p.Hint = hint
	d.problems = append(d.problems, p)
	d.wrong[path] = true
}

// mismatch says what a value must be, and what it is.
func (d *decoder) mismatch(path string, n *node, want, hint string) {
	d.problem(n.at, path, "must be "+want+", it is "+n.words(), hint)
}

var (
	rawType      = reflect.TypeFor[json.RawMessage]()
	detectorType = reflect.TypeFor[chargehand.DetectorRule]()
	unmarshaller = reflect.TypeFor[json.Unmarshaler]()
)

func (d *decoder) value(path string, n *node, v reflect.Value) {
	d.places[path] = n.at
	switch {
	case v.Type() == rawType:
		d.raw(path, n, v)
	case v.Type() == detectorType && n.kind == isObject:
		d.object(path, n, v)
	case reflect.PointerTo(v.Type()).Implements(unmarshaller):
		d.special(path, n, v)
	case n.kind == isNull:
		d.null(path, n, v)
	default:
		d.ordinary(path, n, v)
	}
}

func (d *decoder) ordinary(path string, n *node, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(path, n, v.Elem())
	case reflect.Struct:
		d.object(path, n, v)
	case reflect.Slice:
		d.list(path, n, v)
	case reflect.Map:
		d.texts(path, n, v)
	case reflect.String:
		d.text(path, n, v)
	case reflect.Bool:
		d.boolean(path, n, v)
	case reflect.Int, reflect.Int64:
		d.integer(path, n, v)
	case reflect.Float64:
		d.float(path, n, v)
	default:
		panic("config: no way to read a " + v.Type().String())
	}
}

// null leaves out what may be left out; a single value must be one.
func (d *decoder) null(path string, n *node, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Struct:
	default:
		d.problem(n.at, path, "has no value", "give it one, or delete the line")
	}
}

func (d *decoder) list(path string, n *node, v reflect.Value) {
	if n.kind != isList {
		hint := ""
		if n.kind == isText {
			hint = "write `[" + strings.Trim(tick(n.text), "`") + "]`"
		}
		d.mismatch(path, n, "a list", hint)
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.items), len(n.items)))
	for i, item := range n.items {
		d.entry(element(path, i), item, v.Index(i))
	}
}

// entry is one value of a list or map, which cannot be left out.
func (d *decoder) entry(path string, n *node, v reflect.Value) {
	if n.kind == isNull && v.Type() != rawType {
		d.places[path] = n.at
		d.problem(n.at, path, "is empty", "fill it in, or delete the line")
		return
	}
	d.value(path, n, v)
}

func (d *decoder) texts(path string, n *node, v reflect.Value) {
	if n.kind != isObject {
		d.mismatch(path, n, "a mapping", "")
		return
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(n.fields)))
	for _, f := range d.once(path, n) {
		item := reflect.New(v.Type().Elem()).Elem()
		d.entry(key(path, f.key), f.value, item)
		v.SetMapIndex(reflect.ValueOf(f.key), item)
	}
}

// once is the fields of an object without those whose key was there before.
func (d *decoder) once(path string, n *node) []field {
	first := make(map[string]place, len(n.fields))
	var out []field
	for _, f := range n.fields {
		if at, twice := first[f.key]; twice {
			d.problem(f.at, key(path, f.key), fmt.Sprintf("is given twice, first in line %d", at.line), "")
			continue
		}
		first[f.key] = f.at
		out = append(out, f)
	}
	return out
}

func (d *decoder) text(path string, n *node, v reflect.Value) {
	switch n.kind {
	case isText:
		v.SetString(n.text)
	case isNumber, isBool:
		d.mismatch(path, n, "text", "put it in quotes: \""+clean(n.text)+"\"")
	default:
		d.mismatch(path, n, "text", "")
	}
}

// otherwise are words that were true and false in YAML once.
var otherwise = map[string]string{
	"yes": "write `true`", "on": "write `true`", "no": "write `false`", "off": "write `false`",
}

func (d *decoder) boolean(path string, n *node, v reflect.Value) {
	if n.kind != isBool {
		d.mismatch(path, n, "true or false", otherwise[strings.ToLower(n.text)])
		return
	}
	v.SetBool(n.text == "true")
}

func (d *decoder) integer(path string, n *node, v reflect.Value) {
	i, err := strconv.ParseInt(n.text, 10, 64)
	switch {
	case n.kind != isNumber || !plain(n.text):
		d.mismatch(path, n, "a whole number", "")
	case err != nil && strings.ContainsAny(n.text, ".eE"):
		d.mismatch(path, n, "a whole number", "")
	case err != nil || v.OverflowInt(i):
		d.problem(n.at, path, "is too large a number", "")
	default:
		v.SetInt(i)
	}
}

func (d *decoder) float(path string, n *node, v reflect.Value) {
	f, err := strconv.ParseFloat(n.text, 64)
	if n.kind != isNumber || !plain(n.text) || err != nil || math.IsInf(f, 0) {
		d.mismatch(path, n, "a number", "")
		return
	}
	v.SetFloat(f)
}

// notations say how the types that read themselves are written.
var notations = map[reflect.Type]struct{ want, hint string }{
	reflect.TypeFor[chargehand.Duration](): {"a length of time", "such as `90s`, `30m` or `1h15m`"},
	detectorType:                           {"a detector", "such as `secrets` or `{detector: personal_data, severity: error}`"},
	reflect.TypeFor[chargehand.Micros]():   {"an amount of dollars", "such as `0.50`, at most six places"},
}

func (d *decoder) special(path string, n *node, v reflect.Value) {
	form := notations[v.Type()]
	var b bytes.Buffer
	switch n.kind {
	case isText:
		jsonText(&b, n.text)
	case isNumber:
		b.WriteString(n.text)
	default:
		d.mismatch(path, n, form.want, form.hint)
		return
	}
	if err := v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(b.Bytes()); err != nil {
		d.mismatch(path, n, form.want, form.hint)
	}
}

// raw keeps a value as JSON, such as a schema.
func (d *decoder) raw(path string, n *node, v reflect.Value) {
	if n.kind == isNull {
		return
	}
	var b bytes.Buffer
	before := len(d.problems)
	d.json(path, n, &b)
	if len(d.problems) == before {
		v.SetBytes(b.Bytes())
	}
}

func (d *decoder) json(path string, n *node, b *bytes.Buffer) {
	d.places[path] = n.at
	switch n.kind {
	case isNull:
		b.WriteString("null")
	case isBool:
		b.WriteString(n.text)
	case isNumber:
		if !plain(n.text) {
			d.mismatch(path, n, "a plain number", "such as 1, 0.5 or 2e6; put text in quotes")
		}
		b.WriteString(n.text)
	case isText:
		jsonText(b, n.text)
	case isList:
		d.jsonList(path, n, b)
	case isObject:
		d.jsonObject(path, n, b)
	}
}

func (d *decoder) jsonList(path string, n *node, b *bytes.Buffer) {
	b.WriteByte('[')
	for i, item := range n.items {
		if i > 0 {
			b.WriteByte(',')
		}
		d.json(element(path, i), item, b)
	}
	b.WriteByte(']')
}

func (d *decoder) jsonObject(path string, n *node, b *bytes.Buffer) {
	b.WriteByte('{')
	for i, f := range d.once(path, n) {
		if i > 0 {
			b.WriteByte(',')
		}
		jsonText(b, f.key)
		b.WriteByte(':')
		d.json(key(path, f.key), f.value, b)
	}
	b.WriteByte('}')
}
