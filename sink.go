package chargehand

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// A sink collects what is written to it: byte for byte what encoding/json writes without escaping
// HTML, since records are hashed as they are written. What it has no quick way for is json's work.
type sink struct {
	out  []byte
	err  error         // the first; what follows it is not to be used
	json *json.Encoder // writes to the sink
}

var sinks = sync.Pool{New: func() any { return newSink() }}

func newSink() *sink {
	s := &sink{}
	s.json = json.NewEncoder(s)
	s.json.SetEscapeHTML(false)
	return s
}

// release gives the sink back, and what was written to it to the caller. An encoder that has failed
// is not used again.
func (s *sink) release() ([]byte, error) {
	out, err := s.out, s.err
	if s.out = nil; err == nil {
		sinks.Put(s)
	}
	return out, err
}

// Write takes what the encoder writes.
func (s *sink) Write(b []byte) (int, error) {
	s.out = append(s.out, b...)
	return len(b), nil
}

// value writes any value, by json.
func (s *sink) value(v any) {
	switch err := s.json.Encode(v); {
	case err == nil:
		s.out = s.out[:len(s.out)-1] // the encoder's line break
	case s.err == nil:
		s.err = err
	}
}

func (s *sink) any(v reflect.Value) {
	if v.CanAddr() {
		v = v.Addr() // methods of the pointer count where json could call them
	}
	s.value(v.Interface())
}

// moment writes a record's own time, in TimeLayout.
func (s *sink) moment(t time.Time) {
	out := t.UTC().AppendFormat(s.out, time.RFC3339) // many times as quick as any other layout
	point := len(out) - len("Z")
	out = strconv.AppendInt(out[:point], int64(1_000_000+t.Nanosecond()/1000), 10)
	out[point] = '.'
	s.out = append(out, 'Z')
}

// members writes a struct's members; none ends in the bracket that precedes the first.
func (s *sink) members(members []member, v reflect.Value) {
	for i := range members {
		m := &members[i]
		f := v.Field(m.field)
		if m.omit != nil && m.omit(f) {
			continue
		}
		if m.key != "" {
			if s.out[len(s.out)-1] != '{' {
				s.out = append(s.out, ',')
			}
			s.out = append(s.out, m.key...)
		}
		m.write(s, f)
	}
}

func (s *sink) string(v reflect.Value) { s.text(v.String()) }

func (s *sink) text(v string) {
	if !plainText(v) {
		s.value(v)
		return
	}
	s.out = append(s.out, '"')
	s.out = append(s.out, v...)
	s.out = append(s.out, '"')
}

// plainText reports whether a string stands for itself in JSON.
func plainText[T string | []byte](s T) bool {
	ascii := true
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c == '"' || c == '\\' {
			return false
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	return ascii || plainUnicode(string(s))
}

func plainUnicode(s string) bool {
	return utf8.ValidString(s) && !strings.Contains(s, "\u2028") && !strings.Contains(s, "\u2029")
}

func (s *sink) bool(v reflect.Value) { s.out = strconv.AppendBool(s.out, v.Bool()) }

func (s *sink) int(v reflect.Value) { s.out = strconv.AppendInt(s.out, v.Int(), 10) }

func (s *sink) float(v reflect.Value) {
	f := v.Float()
	if abs := math.Abs(f); abs != 0 && !(1e-6 <= abs && abs < 1e21) {
		s.value(f) // with an exponent, or not a number
		return
	}
	s.out = strconv.AppendFloat(s.out, f, 'f', -1, 64)
}

func (s *sink) micros(v reflect.Value) {
	s.out = append(s.out, '"')
	s.out = Micros(v.Int()).append(s.out)
	s.out = append(s.out, '"')
}

func (s *sink) time(v reflect.Value) {
	t, _ := reflect.TypeAssert[time.Time](v)
	out, err := t.AppendText(append(s.out, '"'))
	if err != nil {
		s.value(t)
		return
	}
	s.out = append(out, '"')
}

func (s *sink) raw(v reflect.Value) {
	b := bytes.NewBuffer(s.out)
	if json.Compact(b, v.Bytes()) != nil {
		s.value(v.Interface()) // nil, or not JSON
		return
	}
	s.out = b.Bytes()
}

// room is dst with room for n more bytes. It doubles what it has to move: lines and items are
// appended to lists of many megabytes, which append alone lets grow by a quarter at a time.
func room(dst []byte, n int) []byte {
	if cap(dst)-len(dst) >= n {
		return dst
	}
	return slices.Grow(dst, len(dst)+n)
}
