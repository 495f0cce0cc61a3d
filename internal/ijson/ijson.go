// Package ijson holds JSON that strangers wrote to what every reader understands the same way, as
// RFC 7493 (I-JSON) has it.
package ijson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/chargehand/chargehand/internal/excerpt"
)

// maxDepth is how deep arrays and objects may nest.
const maxDepth = 100

// Check reports why b is not one JSON value that every reader understands the same way, and where:
// two readers may differ on duplicate keys, on numbers beyond float64, on half a surrogate pair and
// on bytes that are not UTF-8, so none of them passes, and no more than 100 levels do. The message
// is one line fit to be shown, and speaks of the value as "it". Time and memory are linear in b.
func Check(b []byte) error {
	if sound(b) {
		return nil
	}
	return unsound(b)
}

// unsound is Check the long way, which can tell what is wrong, and where.
func unsound(b []byte) error {
	if len(bytes.TrimSpace(b)) == 0 {
		return errors.New("it is empty")
	}
	if !utf8.Valid(b) {
		return errors.New("it is not UTF-8")
	}
	var whole json.RawMessage
	if err := json.Unmarshal(b, &whole); err != nil {
		return notJSON(err)
	}
	if halfSurrogate(b) {
		return errors.New("a string holds half a surrogate pair")
	}
	s := scan{json.NewDecoder(bytes.NewReader(b))}
	s.UseNumber()
	return s.value(0)
}

func notJSON(err error) error {
	return excerpt.JSON(err)
}

// halfSurrogate looks for \ud800 to \udfff outside a pair. In valid JSON a backslash stands only
// in a string and always begins an escape.
func halfSurrogate(b []byte) bool {
	for i := bytes.IndexByte(b, '\\'); i >= 0 && i < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		switch u := unit(b[i:]); {
		case u >= 0xdc00 && u <= 0xdfff:
			return true
		case u >= 0xd800 && u <= 0xdbff:
			if low := unit(b[i+6:]); low < 0xdc00 || low > 0xdfff {
				return true
			}
			i += 6 + 5
		default:
			i++ // over the character escaped, which may be a backslash
		}
	}
	return false
}

// unit is the code unit that b begins with as \uXXXX, zero if it begins with something else.
func unit(b []byte) uint64 {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0
	}
	u, _ := strconv.ParseUint(string(b[2:6]), 16, 16)
	return u
}

// A scan walks one valid JSON value.
type scan struct{ *json.Decoder }

func (s scan) value(depth int) error {
	token, err := s.Token()
	if err != nil {
		return notJSON(err)
	}
	switch v := token.(type) {
	case json.Number:
		return number(v)
	case json.Delim:
		if depth == maxDepth {
			return fmt.Errorf("it nests deeper than %d levels", maxDepth)
		}
		if v == '{' {
			return s.object(depth + 1)
		}
		return s.array(depth + 1)
	}
	return nil
}

func (s scan) object(depth int) error {
	seen := map[string]bool{}
	for s.More() {
		token, err := s.Token()
		if err != nil {
			return notJSON(err)
		}
		key, _ := token.(string)
		if seen[key] {
			return at(key, errors.New("the key occurs twice"))
		}
		seen[key] = true
		if err := s.value(depth); err != nil {
			return at(key, err)
		}
	}
	return s.end()
}

func (s scan) array(depth int) error {
	for i := 0; s.More(); i++ {
		if err := s.value(depth); err != nil {
			return at(strconv.Itoa(i), err)
		}
	}
	return s.end()
}

func (s scan) end() error {
	if _, err := s.Token(); err != nil {
		return notJSON(err)
	}
	return nil
}

func number(n json.Number) error {
	if _, err := strconv.ParseFloat(string(n), 64); err != nil {
		return fmt.Errorf("the number %s is out of range", excerpt.Of(string(n), 20))
	}
	return nil
}

// A placeError is something wrong at a JSON pointer.
type placeError struct {
	pointer string
	err     error
}

func (e *placeError) Error() string { return "at " + excerpt.Line(e.pointer) + ": " + e.err.Error() }

// at puts one step in front of the pointer of err.
func at(key string, err error) error {
	step := "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(excerpt.Of(key, 40))
	if e, ok := errors.AsType[*placeError](err); ok {
		return &placeError{step + e.pointer, e.err}
	}
	return &placeError{step, err}
}
