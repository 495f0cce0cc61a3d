package excerpt

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// JSON is an error of encoding/json as a clause for people and models, who know nothing of Go: which
// member must be what, and what it is instead. It wraps the error and does not show it. Nil stays nil.
func JSON(err error) error {
	if err == nil {
		return nil
	}
	return plainJSON{clause(err), err}
}

type plainJSON struct {
	clause string
	err    error
}

func (e plainJSON) Error() string { return e.clause }
func (e plainJSON) Unwrap() error { return e.err }

func clause(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "it ends before its JSON does"
	}
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return subject(t.Field) + " must be " + wanted(t.Type) + ", not " + found(t.Value)
	}
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		if strings.HasPrefix(s.Error(), "unexpected end") {
			return "it ends before its JSON does"
		}
		return fmt.Sprintf("it is not JSON: %s (at byte %d)", s, s.Offset)
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return "it has a member " + Of(name, 60) + ", which is not known"
	}
	return Line(strings.TrimPrefix(err.Error(), "json: "))
}

func subject(field string) string {
	if field == "" {
		return "it"
	}
	return strconv.Quote(Of(field, 60))
}

// wanted is what JSON value a Go type is read from.
func wanted(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch k := t.Kind(); {
	case k >= reflect.Int && k <= reflect.Uintptr:
		return "a whole number"
	case k == reflect.Float32 || k == reflect.Float64:
		return "a number"
	case k == reflect.Bool:
		return "true or false"
	case k == reflect.Slice || k == reflect.Array:
		return "a list"
	case k == reflect.Struct || k == reflect.Map:
		return "an object"
	}
	return "a text"
}

// found is a JSON value as encoding/json names it, in other words.
func found(value string) string {
	switch value {
	case "string":
		return "a text"
	case "object":
		return "an object"
	case "array":
		return "a list"
	case "bool":
		return "true or false"
	case "number":
		return "a number"
	}
	return Of(strings.TrimPrefix(value, "number "), 60)
}
