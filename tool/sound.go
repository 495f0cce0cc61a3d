package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of one JSON text. They bound the memory and the time that a model or a server can cost.
const (
	maxDepth  = 64      // of lists and objects in one another
	maxValues = 100_000 // in all
	maxDigits = 400     // of one number, as it is written
)

// sound reads exactly one JSON value, more strictly than encoding/json: keys are unique, text is
// valid UTF-8, and numbers are such that a float64 holds them. Numbers stay json.Number.
func sound(raw []byte) (any, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("there are bytes that are not UTF-8")
	}
	r := &reader{d: json.NewDecoder(bytes.NewReader(raw))}
	r.d.UseNumber()
	v, err := r.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := r.d.Token(); err != io.EOF {
		return nil, errors.New("something follows the first value")
	}
	return v, nil
}

type reader struct {
	d    *json.Decoder
	seen int
}

func (r *reader) value(depth int) (any, error) {
	t, err := r.d.Token()
	if err != nil {
		return nil, unreadable(err)
	}
	if r.seen++; r.seen > maxValues {
		return nil, fmt.Errorf("there are more than %d values", maxValues)
	}
	switch t := t.(type) {
	case json.Delim:
		if depth == maxDepth {
			return nil, fmt.Errorf("it is nested more than %d deep", maxDepth)
		}
		if t == '{' {
			return r.object(depth + 1)
		}
		return r.list(depth + 1)
	case json.Number:
		return t, plausible(t)
	}
	return t, nil
}

func unreadable(err error) error {
	if at, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("at byte %d: %s", at.Offset, at.Error())
	}
	return errors.New("it ends too early")
}

func (r *reader) object(depth int) (any, error) {
	o := map[string]any{}
	for r.d.More() {
		t, err := r.d.Token()
		if err != nil {
			return nil, unreadable(err)
		}
		key, ok := t.(string)
		if !ok {
			return nil, errors.New("a key is not a text")
		}
		if _, twice := o[key]; twice {
			return nil, fmt.Errorf("the key %s occurs twice", quoted(key))
		}
		if o[key], err = r.value(depth); err != nil {
			return nil, err
		}
	}
	_, err := r.d.Token()
	if err != nil {
		return nil, unreadable(err)
	}
	return o, nil
}

func (r *reader) list(depth int) (any, error) {
	l := []any{}
	for r.d.More() {
		v, err := r.value(depth)
		if err != nil {
			return nil, err
		}
		l = append(l, v)
	}
	if _, err := r.d.Token(); err != nil {
		return nil, unreadable(err)
	}
	return l, nil
}

// plausible refuses numbers that take a validator's exact arithmetic for ever, such as 1e999999999.
func plausible(n json.Number) error {
	if len(n) > maxDigits {
		return fmt.Errorf("a number is longer than %d characters", maxDigits)
	}
	if f, err := n.Float64(); err != nil {
		return fmt.Errorf("the number %s is out of range", n)
	} else if _, exponent, ok := strings.Cut(strings.ToLower(n.String()), "e"); ok && f == 0 {
		if e, err := strconv.Atoi(exponent); err != nil || e < -400 {
			return fmt.Errorf("the number %s is out of range", n)
		}
	}
	return nil
}
