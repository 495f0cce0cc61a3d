package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/chargehand/chargehand"
)

const maxDepth = 64 // of values within values

// fromJSON reads a JSON text.
func fromJSON(data []byte) (*node, []chargehand.Problem) {
	at := &cursor{data: data, place: place{1, 1}}
	var all json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, []chargehand.Problem{jsonProblem(at, err)}
	}
	r := jsonReader{json.NewDecoder(bytes.NewReader(data)), at, nil}
	r.dec.UseNumber()
	n := r.value("$", 1)
	return n, r.problems
}

func jsonProblem(at *cursor, err error) chargehand.Problem {
	offset := len(at.data)
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = max(0, int(e.Offset)-1)
	}
	why := strings.TrimPrefix(err.Error(), "json: ")
	if why == "unexpected end of JSON input" {
		return at.to(len(at.data)).problem("$", "is not JSON: the file ends in the middle of a value")
	}
	return at.to(offset).problem("$", "is not JSON: "+clean(why))
}

// A jsonReader walks a text that is known to be valid.
type jsonReader struct {
	dec      *json.Decoder
	at       *cursor
	problems []chargehand.Problem
}

// next is the next token and its place.
func (r *jsonReader) next() (json.Token, place) {
	at := r.here()
	tok, _ := r.dec.Token() // the whole text has been parsed before
	return tok, at
}

// here is where the next token begins.
func (r *jsonReader) here() place {
	i := int(r.dec.InputOffset())
	for i < len(r.at.data) && strings.IndexByte(" \t\r\n,:", r.at.data[i]) >= 0 {
		i++
	}
	return r.at.to(i)
}

func (r *jsonReader) value(path string, depth int) *node {
	if depth > maxDepth {
		return r.tooDeep(path)
	}
	tok, at := r.next()
	n := &node{at: at}
	switch tok := tok.(type) {
	case bool:
		n.kind, n.text = isBool, fmt.Sprint(tok)
	case json.Number:
		n.kind, n.text = isNumber, tok.String()
	case string:
		n.kind, n.text = isText, tok
	case json.Delim:
		if tok == '[' {
			r.list(path, n, depth)
		} else {
			r.object(path, n, depth)
		}
	}
	return n
}

func (r *jsonReader) list(path string, n *node, depth int) {
	n.kind = isList
	for r.dec.More() {
		n.items = append(n.items, r.value(element(path, len(n.items)), depth+1))
	}
	r.next()
}

func (r *jsonReader) object(path string, n *node, depth int) {
	n.kind = isObject
	for r.dec.More() {
		name, at := r.next()
		text, _ := name.(string) // a key always is
		n.fields = append(n.fields, field{text, at, r.value(key(path, text), depth+1)})
	}
	r.next()
}

func (r *jsonReader) tooDeep(path string) *node {
	at := r.here()
	r.problems = append(r.problems, at.problem(path, tooDeep))
	var skipped json.RawMessage
	_ = r.dec.Decode(&skipped) // the whole text has been parsed before
	return &node{at: at}
}

var tooDeep = fmt.Sprintf("is nested more than %d deep", maxDepth)
