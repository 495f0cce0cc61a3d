package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"

	"github.com/chargehand/chargehand"
)

// readBody reads one JSON value of at most limit bytes into v and refuses fields v does not have.
func readBody(w http.ResponseWriter, r *http.Request, limit int64, v any) error {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, limit))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return badBody(err, limit)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return badBody(errors.New("something follows the JSON value"), limit)
	}
	return nil
}

func badBody(err error, limit int64) error {
	e := &chargehand.Error{Code: chargehand.CodeInvalid, What: "the request's body was refused", Why: err.Error(), Err: err}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		e.Why = fmt.Sprintf("it is larger than %d bytes", limit)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		e.Why, e.Next = "it arrives too slowly", "send it again, faster"
	}
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		e.Problems = []chargehand.Problem{{Path: "$." + t.Field, Message: "cannot be a " + t.Value}}
	}
	return e
}

func answer(w http.ResponseWriter, status int, v any) error {
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false) // raw JSON of a worker stays as it is
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes())
	return nil
}

// list is never null in JSON.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// A query reads parameters and remembers the first that makes no sense.
type query struct {
	values url.Values
	err    error
}

func (q *query) number(name string) int64 {
	text := q.values.Get(name)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		q.fault(name, fmt.Sprintf("%q is not a whole number from 0", text))
	}
	return n
}

func (q *query) yes(name string) bool {
	text := q.values.Get(name)
	if text == "" {
		return false
	}
	b, err := strconv.ParseBool(text)
	if err != nil {
		q.fault(name, fmt.Sprintf("%q is neither true nor false", text))
	}
	return b
}

func (q *query) fault(name, message string) {
	if q.err == nil {
		q.err = &chargehand.Error{
			Code: chargehand.CodeInvalid, What: "the query was refused", Why: name + ": " + message,
			Problems: []chargehand.Problem{{Path: name, Message: message}},
		}
	}
}

// refusal is the first fault, a parameter that is not among the known ones included.
func (q *query) refusal(known ...string) error {
	for name := range q.values {
		if !slices.Contains(known, name) {
			q.fault(name, "there is no such parameter")
		}
	}
	return q.err
}
