package gate

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A form is a JSON Schema 2020-12 made of the keywords that most schemas are made of, kept so that
// a value can be held against it without noting why it might not fit. It says yes only where the
// validator would accept; everything else is for the validator to tell.
type form struct {
	kinds              kinds // 0 means any
	lengths            limits
	sizes              limits // of a list
	values             limits // of a number
	required           []string
	properties         map[string]*form
	rest               *form // of other keys and their values; nil allows any
	closed             bool  // no other keys
	items              *form // nil allows any
	enum               []any // texts, booleans and null; nil allows any
	pattern            jsonschema.Regexp
	weight             int     // of the pattern
	also               []*form // what the value must fit besides: $ref, allOf
	cond, then, orElse *form   // if, then, else
}

// limits are inclusive. The zero limits allow anything.
type limits struct {
	least, most       int64
	hasLeast, hasMost bool
}

func (l limits) hold(n int64) answer {
	return known(!(l.hasLeast && n < l.least || l.hasMost && n > l.most))
}

// surely reports whether a text of so many bytes has a number of characters within the limits,
// whatever it is made of.
func (l limits) surely(bytes int) bool {
	return l.hold(int64(bytes)) == yes && l.hold(int64(bytes+utf8.UTFMax-1)/utf8.UTFMax) == yes
}

func (l limits) set() bool { return l.hasLeast || l.hasMost }

// kinds are the JSON types that a value may be of.
type kinds uint8

const (
	kindOfObject kinds = 1 << iota
	kindOfList
	kindOfText
	kindOfNumeral
	kindOfWhole
	kindOfBool
	kindOfNull
)

var kindNames = map[string]kinds{
	"object": kindOfObject, "array": kindOfList, "string": kindOfText, "number": kindOfNumeral | kindOfWhole,
	"integer": kindOfWhole, "boolean": kindOfBool, "null": kindOfNull,
}

// simple are the fields of a compiled schema that a form has, or that assert nothing.
var simple = []string{
	"DraftVersion", "Location", "ID", "Anchor", "Title", "Description", "Default", "Comment", "ReadOnly", "WriteOnly",
	"Examples", "Deprecated", "Bool", "Types", "Required", "Properties", "AdditionalProperties", "Items2020", "Enum", "Const",
	"MinLength", "MaxLength", "MinItems", "MaxItems", "Minimum", "Maximum", "Pattern", "Ref", "AllOf", "If", "Then", "Else",
}

// formOf is the form of a schema, nil if the schema says more than a form can.
func formOf(s *jsonschema.Schema) *form {
	r := formReader{made: map[*jsonschema.Schema]*form{}}
	f := r.read(s)
	if r.more {
		return nil
	}
	return f
}

type formReader struct {
	made map[*jsonschema.Schema]*form
	more bool // some part says more than a form can
}

func (r *formReader) read(s *jsonschema.Schema) *form {
	if s == nil || r.more {
		return nil
	}
	if f := r.made[s]; f != nil {
		return f
	}
	f := &form{}
	r.made[s] = f
	if r.more = s.DraftVersion != 2020 || !onlySimple(s); r.more {
		return nil
	}
	if s.Bool != nil {
		if !*s.Bool {
			f.enum = []any{}
		}
		return f
	}
	if s.Types != nil {
		for _, t := range s.Types.ToStrings() {
			f.kinds |= kindNames[t]
		}
	}
	f.lengths, f.sizes = limitsOf(s.MinLength, s.MaxLength), limitsOf(s.MinItems, s.MaxItems)
	f.required, f.pattern, f.items = s.Required, s.Pattern, r.read(s.Items2020)
	if f.pattern != nil {
		f.weight = new(grapher).weight(f.pattern)
	}
	r.numbers(f, s)
	r.constants(f, s)
	r.keys(f, s)
	if s.Ref != nil {
		f.also = append(f.also, r.read(s.Ref))
	}
	for _, part := range s.AllOf {
		f.also = append(f.also, r.read(part))
	}
	f.cond, f.then, f.orElse = r.read(s.If), r.read(s.Then), r.read(s.Else)
	return f
}

// onlySimple reports whether s uses nothing that a form does not know, whatever else a schema may
// have now or in times to come.
func onlySimple(s *jsonschema.Schema) bool {
	v := reflect.ValueOf(*s)
	for i := range v.NumField() {
		name := v.Type().Field(i)
		if name.IsExported() && !v.Field(i).IsZero() && !slices.Contains(simple, name.Name) {
			return false
		}
	}
	return true
}

func limitsOf(least, most *int) limits {
	var l limits
	if least != nil {
		l.least, l.hasLeast = int64(*least), true
	}
	if most != nil {
		l.most, l.hasMost = int64(*most), true
	}
	return l
}

// numbers reads limits that are whole.
func (r *formReader) numbers(f *form, s *jsonschema.Schema) {
	if s.Minimum != nil {
		r.more = r.more || !s.Minimum.IsInt() || !s.Minimum.Num().IsInt64()
		f.values.least, f.values.hasLeast = s.Minimum.Num().Int64(), true
	}
	if s.Maximum != nil {
		r.more = r.more || !s.Maximum.IsInt() || !s.Maximum.Num().IsInt64()
		f.values.most, f.values.hasMost = s.Maximum.Num().Int64(), true
	}
}

func (r *formReader) constants(f *form, s *jsonschema.Schema) {
	if s.Enum != nil {
		f.enum = append([]any{}, s.Enum.Values...)
	}
	if s.Const != nil {
		r.more = r.more || s.Enum != nil
		f.enum = []any{*s.Const}
	}
	for _, v := range f.enum {
		switch v.(type) {
		case string, bool, nil:
		default:
			r.more = true // numbers are equal by value, lists by their parts
		}
	}
}

func (r *formReader) keys(f *form, s *jsonschema.Schema) {
	if len(s.Properties) > 0 {
		f.properties = make(map[string]*form, len(s.Properties))
	}
	for name, part := range s.Properties {
		f.properties[name] = r.read(part)
	}
	switch rest := s.AdditionalProperties.(type) {
	case bool:
		f.closed = !rest
	case *jsonschema.Schema:
		f.rest = r.read(rest)
	}
}

// An answer is whether a value fits: no is certain too.
type answer int8

const (
	unsure answer = iota
	no
	yes
)

func known(b bool) answer {
	if b {
		return yes
	}
	return no
}

// mostHops bounds how many schemas may be applied to one value before a form gives up: some refer
// to themselves.
const mostHops = 50

// A trial holds one value against a form, in no more steps than are left.
type trial struct{ left int }

// judge holds v against f. Hops counts the forms above that were applied to the same value.
func (t *trial) judge(f *form, v any, hops int) answer {
	if t.left--; t.left < 0 || hops > mostHops {
		return unsure
	}
	if a := t.own(f, v); a != yes {
		return a
	}
	for _, part := range f.also {
		if a := t.judge(part, v, hops+1); a != yes {
			return a
		}
	}
	if f.cond == nil {
		return yes
	}
	next := f.then
	switch t.judge(f.cond, v, hops+1) {
	case unsure:
		return unsure
	case no:
		next = f.orElse
	}
	if next == nil {
		return yes
	}
	return t.judge(next, v, hops+1)
}

// own applies the keywords about v and its parts.
func (t *trial) own(f *form, v any) answer {
	if f.enum != nil {
		t.left -= len(f.enum)
		if !f.listed(v) {
			return no
		}
	}
	switch v := v.(type) {
	case map[string]any:
		return t.object(f, v)
	case []any:
		return t.list(f, v)
	case string:
		t.left -= len(v) * f.weight / stepBytes
		if t.left < 0 {
			return unsure
		}
		return f.text(v)
	case json.Number:
		return f.number(v)
	case bool:
		return f.is(kindOfBool)
	case nil:
		return f.is(kindOfNull)
	}
	return unsure
}

func (f *form) is(k kinds) answer { return known(f.kinds == 0 || f.kinds&k != 0) }

// listed reports whether v is one of the enum, which holds nothing but texts, booleans and null.
func (f *form) listed(v any) bool {
	for _, e := range f.enum {
		switch e := e.(type) {
		case string:
			if s, ok := v.(string); ok && s == e {
				return true
			}
		case bool:
			if b, ok := v.(bool); ok && b == e {
				return true
			}
		case nil:
			if v == nil {
				return true
			}
		}
	}
	return false
}

func (t *trial) object(f *form, v map[string]any) answer {
	if f.is(kindOfObject) != yes {
		return no
	}
	for _, name := range f.required {
		if _, ok := v[name]; !ok {
			return no
		}
	}
	if f.properties == nil && !f.closed && f.rest == nil {
		return yes
	}
	for name, value := range v {
		part, known := f.properties[name]
		switch {
		case !known && f.closed:
			return no
		case !known:
			part = f.rest
		}
		if part != nil {
			if a := t.judge(part, value, 0); a != yes {
				return a
			}
		}
	}
	return yes
}

func (t *trial) list(f *form, v []any) answer {
	if f.is(kindOfList) != yes || f.sizes.hold(int64(len(v))) != yes {
		return no
	}
	if f.items != nil {
		for _, e := range v {
			if a := t.judge(f.items, e, 0); a != yes {
				return a
			}
		}
	}
	return yes
}

func (f *form) text(v string) answer {
	if f.is(kindOfText) != yes || !f.lengths.surely(len(v)) && f.lengths.hold(int64(utf8.RuneCountInString(v))) != yes {
		return no
	}
	return known(f.pattern == nil || f.pattern.MatchString(v))
}

// number knows whole numbers in plain digits; of the others only that they are numbers.
func (f *form) number(v json.Number) answer {
	if f.is(kindOfNumeral|kindOfWhole) != yes {
		return no
	}
	i, err := strconv.ParseInt(v.String(), 10, 64)
	if err == nil {
		return f.values.hold(i)
	}
	if f.kinds == 0 || f.kinds&kindOfNumeral != 0 {
		if !f.values.set() {
			return yes
		}
	}
	return unsure
}
