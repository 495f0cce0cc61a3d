package ijson

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"sync"
	"unicode/utf8"
)

// sound reports whether b surely is what Check wants, which is the case of nearly every answer. It
// reads b once and keeps nothing. What it is not sure of is for unsound to tell.
func sound(b []byte) bool {
	s := walkers.Get().(*walker)
	s.b = b
	ok := utf8.Valid(b) && s.whole()
	*s = walker{keys: s.keys[:0]}
	walkers.Put(s)
	return ok
}

// walkers are those that have arrived: their room is used again.
var walkers = sync.Pool{New: func() any { return new(walker) }}

// A walker steps over one JSON value (RFC 8259).
type walker struct {
	b    []byte
	pos  int
	keys []stretch // of the objects that are open, innermost last
}

// A stretch is b[from:to] of a walker.
type stretch struct{ from, to int }

// whole steps over one value and the space about it, and reports whether that was all.
func (s *walker) whole() bool {
	s.space()
	if !s.value(0) {
		return false
	}
	s.space()
	return s.pos == len(s.b)
}

// mostKeys is how many keys of one object are compared one by one.
const mostKeys = 32

// peek is the next byte, zero at the end.
func (s *walker) peek() byte {
	if s.pos < len(s.b) {
		return s.b[s.pos]
	}
	return 0
}

// take steps over c, if it is next.
func (s *walker) take(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.pos++
	return true
}

func (s *walker) space() {
	for s.pos < len(s.b) {
		switch s.b[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

func (s *walker) value(depth int) bool {
	switch s.peek() {
	case '{':
		return depth < maxDepth && s.object(depth+1)
	case '[':
		return depth < maxDepth && s.list(depth+1)
	case '"':
		_, ok := s.text()
		return ok
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	return s.number()
}

// HasOnly reports whether b, a value that Check lets pass, surely is an object with no other members
// than these. What it is not sure of is for a decoder to tell.
func HasOnly(b []byte, names map[string]bool) bool {
	s := walker{b: b}
	s.space()
	if !s.take('{') {
		return false
	}
	s.space()
	for !s.take('}') {
		key, ok := s.text()
		if !ok || !names[string(key)] {
			return false
		}
		s.space()
		if !s.take(':') {
			return false
		}
		s.space()
		if !s.value(1) {
			return false
		}
		s.space()
		if s.take(',') {
			s.space()
		}
	}
	return true
}

func (s *walker) word(w string) bool {
	if !bytes.HasPrefix(s.b[s.pos:], []byte(w)) {
		return false
	}
	s.pos += len(w)
	return true
}

func (s *walker) object(depth int) bool {
	s.pos++
	s.space()
	if s.take('}') {
		return true
	}
	first := len(s.keys)
	for {
		key, ok := s.text()
		if !ok || !s.fresh(key, first) {
			return false
		}
		s.space()
		if !s.take(':') {
			return false
		}
		s.space()
		if !s.value(depth) {
			return false
		}
		s.space()
		if s.take('}') {
			s.keys = s.keys[:first]
			return true
		}
		if !s.take(',') {
			return false
		}
		s.space()
	}
}

// fresh notes the key it stands behind, of the object whose keys begin at first, unless that is
// there or may be.
func (s *walker) fresh(key []byte, first int) bool {
	if len(s.keys)-first >= mostKeys || bytes.IndexByte(key, '\\') >= 0 {
		return false
	}
	for _, k := range s.keys[first:] {
		if bytes.Equal(s.b[k.from:k.to], key) {
			return false
		}
	}
	s.keys = append(s.keys, stretch{s.pos - 1 - len(key), s.pos - 1})
	return true
}

func (s *walker) list(depth int) bool {
	s.pos++
	s.space()
	if s.take(']') {
		return true
	}
	for {
		if !s.value(depth) {
			return false
		}
		s.space()
		if s.take(']') {
			return true
		}
		if !s.take(',') {
			return false
		}
		s.space()
	}
}

// text steps over a text and returns what stands between its quotation marks.
func (s *walker) text() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	start := s.pos
	s.pos += plainBytes(s.b[s.pos:])
	for s.pos < len(s.b) {
		switch c := s.b[s.pos]; {
		case c == '"':
			s.pos++
			return s.b[start : s.pos-1], true
		case c == '\\':
			if !s.escape() {
				return nil, false
			}
		case c < ' ':
			return nil, false
		default:
			s.pos++
		}
	}
	return nil, false
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

// escape steps over one escape that is no part of a surrogate pair.
func (s *walker) escape() bool {
	s.pos++
	if c := s.peek(); c != 'u' {
		s.pos++
		return c != 0 && bytes.IndexByte([]byte(`"\/bfnrt`), c) >= 0
	}
	if len(s.b) < s.pos+5 {
		return false
	}
	u, err := strconv.ParseUint(string(s.b[s.pos+1:s.pos+5]), 16, 16)
	s.pos += 5
	return err == nil && (u < 0xd800 || u > 0xdfff)
}

// plainDigits is how long a number may be that no reader has trouble with.
const plainDigits = 15

func (s *walker) number() bool {
	start := s.pos
	s.take('-')
	if !s.take('0') && !s.digits() {
		return false
	}
	if s.take('.') && !s.digits() {
		return false
	}
	if s.take('e') || s.take('E') {
		if !s.take('+') {
			s.take('-')
		}
		if !s.digits() {
			return false
		}
	} else if s.pos-start <= plainDigits {
		return true
	}
	f, err := strconv.ParseFloat(string(s.b[start:s.pos]), 64)
	return err == nil && !math.IsInf(f, 0)
}

// digits steps over at least one.
func (s *walker) digits() bool {
	start := s.pos
	for '0' <= s.peek() && s.peek() <= '9' {
		s.pos++
	}
	return s.pos > start
}
