package chargehand

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"time"
)

// A source is JSON being read that a sink has written. It takes nothing that is written in another
// way, which is for json to read or to refuse.
type source struct {
	in []byte
	at int // what precedes it has been read
}

// readAll reads all of b into v, which is zero. Where it reports false v is spoilt.
func (c codec) readAll(b []byte, v reflect.Value) bool {
	s := source{in: b}
	return c.read(&s, v) && s.at == len(b)
}

// skip takes text, if it is next.
func (s *source) skip(text string) bool {
	if rest := s.in[s.at:]; len(rest) < len(text) || string(rest[:len(text)]) != text {
		return false
	}
	s.at += len(text)
	return true
}

// members takes a struct's members, in the order in which they are written.
func (s *source) members(members []member, v reflect.Value) bool {
	for i := range members {
		m := &members[i]
		if (m.key == "" || s.key(m.key)) && !m.read(s, v.Field(m.field)) {
			return false
		}
	}
	return true
}

func (s *source) key(key string) bool {
	start := s.at
	if s.in[start-1] != '{' && !s.skip(",") {
		return false
	}
	if !s.skip(key) {
		s.at = start
		return false
	}
	return true
}

// quoted takes a string, and is what stands between its marks.
func (s *source) quoted() ([]byte, bool) {
	if !s.skip(`"`) {
		return nil, false
	}
	n := bytes.IndexByte(s.in[s.at:], '"')
	if n < 0 {
		return nil, false
	}
	text := s.in[s.at : s.at+n]
	s.at += n + 1
	return text, true
}

func (s *source) string(v reflect.Value) bool {
	start := s.at
	text, ok := s.quoted()
	if !ok {
		return false
	}
	if plainText(text) {
		v.SetString(string(text))
		return true
	}
	for escaped(s.in[start+1 : s.at-1]) { // the mark is part of the text
		n := bytes.IndexByte(s.in[s.at:], '"')
		if n < 0 {
			return false
		}
		s.at += n + 1
	}
	var plain string
	err := json.Unmarshal(s.in[start:s.at], &plain)
	v.SetString(plain)
	return err == nil
}

// escaped reports whether what follows text is escaped by its end.
func escaped(text []byte) bool {
	return (len(text)-len(bytes.TrimRight(text, `\`)))%2 == 1
}

func (s *source) bool(v reflect.Value) bool {
	yes := s.skip("true")
	v.SetBool(yes)
	return yes || s.skip("false")
}

// number takes a number without an exponent; it is empty where there is none.
func (s *source) number() []byte {
	start := s.at
	s.skip("-")
	whole := s.digits()
	if whole == 0 || whole > 1 && s.in[s.at-whole] == '0' || s.skip(".") && s.digits() == 0 {
		return nil
	}
	return s.in[start:s.at]
}

func (s *source) digits() (n int) {
	for ; s.at < len(s.in) && '0' <= s.in[s.at] && s.in[s.at] <= '9'; s.at++ {
		n++
	}
	return n
}

func (s *source) int(v reflect.Value) bool {
	n, err := strconv.ParseInt(string(s.number()), 10, v.Type().Bits())
	v.SetInt(n)
	return err == nil
}

func (s *source) float(v reflect.Value) bool {
	f, err := strconv.ParseFloat(string(s.number()), 64)
	v.SetFloat(f)
	return err == nil
}

func (s *source) micros(v reflect.Value) bool {
	text, _ := s.quoted()
	m, err := ParseMicros(string(text))
	v.SetInt(int64(m))
	return err == nil
}

func (s *source) time(v reflect.Value) bool {
	text, _ := s.quoted()
	t, _ := reflect.TypeAssert[*time.Time](v.Addr())
	return t.UnmarshalText(text) == nil
}
