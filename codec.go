package chargehand

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// A codec is how values of one type are written and read quickly, made once from the type. What one
// has no way for, or no quick one, is left to encoding/json, with which it agrees in every byte.
type codec struct {
	write func(*sink, reflect.Value)        // never nil
	read  func(*source, reflect.Value) bool // reports false for what json has to read
	slow  bool                              // writing is left to json
}

var slow = codec{write: (*sink).any, read: func(*source, reflect.Value) bool { return false }, slow: true}

// codecOf is the codec of a type that does not hold itself.
func codecOf(t reflect.Type) codec {
	switch t {
	case reflect.TypeFor[time.Time]():
		return codec{write: (*sink).time, read: (*source).time}
	case reflect.TypeFor[Micros]():
		return codec{write: (*sink).micros, read: (*source).micros}
	case reflect.TypeFor[json.RawMessage]():
		return codec{write: (*sink).raw, read: slow.read}
	}
	if codesItself(t) {
		return slow
	}
	switch t.Kind() {
	case reflect.String:
		return codec{write: (*sink).string, read: (*source).string}
	case reflect.Bool:
		return codec{write: (*sink).bool, read: (*source).bool}
	case reflect.Int, reflect.Int64:
		return codec{write: (*sink).int, read: (*source).int}
	case reflect.Float64:
		return codec{write: (*sink).float, read: (*source).float}
	case reflect.Pointer:
		return pointerCodec(codecOf(t.Elem()))
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return slow // in base64
		}
		return listCodec(codecOf(t.Elem()))
	case reflect.Struct:
		return structCodec(t)
	}
	return slow
}

func codesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Marshaler]()) || p.Implements(reflect.TypeFor[encoding.TextMarshaler]()) ||
		p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

func pointerCodec(elem codec) codec {
	return codec{
		write: func(s *sink, v reflect.Value) {
			if v.IsNil() {
				s.out = append(s.out, "null"...)
				return
			}
			elem.write(s, v.Elem())
		},
		read: func(s *source, v reflect.Value) bool {
			if s.skip("null") {
				return true
			}
			v.Set(reflect.New(v.Type().Elem()))
			return elem.read(s, v.Elem())
		},
	}
}

func listCodec(elem codec) codec {
	return codec{
		write: func(s *sink, v reflect.Value) {
			if v.IsNil() {
				s.out = append(s.out, "null"...)
				return
			}
			s.out = append(s.out, '[')
			for i := range v.Len() {
				if i > 0 {
					s.out = append(s.out, ',')
				}
				elem.write(s, v.Index(i))
			}
			s.out = append(s.out, ']')
		},
		read: func(s *source, v reflect.Value) bool {
			if s.skip("null") {
				return true
			}
			if !s.skip("[") {
				return false
			}
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
			for i := 0; !s.skip("]"); i++ {
				if i > 0 && !s.skip(",") {
					return false
				}
				v.Grow(1)
				v.SetLen(i + 1)
				if !elem.read(s, v.Index(i)) {
					return false
				}
			}
			return true
		},
	}
}

// A member is one field of a struct, as its tag says.
type member struct {
	field int
	key   string                   // with its marks and colon; empty for an embedded struct, whose members are the outer one's
	omit  func(reflect.Value) bool // nil: never
	codec
}

func structCodec(t reflect.Type) codec {
	members, ok := membersOf(t, map[string]bool{})
	if !ok {
		return slow
	}
	return codec{
		write: func(s *sink, v reflect.Value) {
			s.out = append(s.out, '{')
			s.members(members, v)
			s.out = append(s.out, '}')
		},
		read: func(s *source, v reflect.Value) bool {
			return s.skip("{") && s.members(members, v) && s.skip("}")
		},
	}
}

// membersOf are a struct's members. It reports false for one whose tags ask for more than is known
// here; keys are those met so far.
func membersOf(t reflect.Type, keys map[string]bool) (members []member, ok bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		m := member{field: i}
		switch {
		case f.Anonymous && tag == "" && f.Type.Kind() == reflect.Struct:
			inner, known := membersOf(f.Type, keys)
			if !known {
				return nil, false
			}
			m.write = func(s *sink, v reflect.Value) { s.members(inner, v) }
			m.read = func(s *source, v reflect.Value) bool { return s.members(inner, v) }
		case f.Anonymous:
			return nil, false
		case !f.IsExported():
			continue
		default:
			name, options, _ := strings.Cut(tag, ",")
			if m.omit, ok = omission(f.Type, options); !ok || keys[name] || !plainKey(name) {
				return nil, false
			}
			keys[name] = true
			m.key, m.codec = `"`+name+`":`, codecOf(f.Type)
		}
		members = append(members, m)
	}
	return members, true
}

func plainKey(name string) bool {
	for _, c := range name {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
			return false
		}
	}
	return name != ""
}

// omission says when a field with these options is left out.
func omission(t reflect.Type, options string) (omit func(reflect.Value) bool, ok bool) {
	switch options {
	case "":
		return nil, true
	case "omitempty":
		return empty, true
	case "omitzero":
		if t == reflect.TypeFor[time.Time]() {
			return func(v reflect.Value) bool { t, _ := reflect.TypeAssert[time.Time](v); return t.IsZero() }, true
		}
		own := reflect.PointerTo(t).Implements(reflect.TypeFor[interface{ IsZero() bool }]())
		return reflect.Value.IsZero, !own
	}
	return nil, false
}

// empty is what json calls empty.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String, reflect.Slice, reflect.Map, reflect.Array:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}
