package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// The types of this file read a value in each of the forms that servers give it, and never fail: one odd
// member must not cost a whole answer.

// A Word is a short text: a string, or a number or a truth value as it is written. Null is empty.
type Word string

// UnmarshalJSON reads any value.
func (w *Word) UnmarshalJSON(b []byte) error {
	var v any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	switch v := v.(type) {
	case string:
		*w = Word(v)
	case json.Number:
		*w = Word(v)
	case bool:
		*w = Word(strconv.FormatBool(v))
	}
	return nil
}

// Words are the text of an answer and, apart from it, what the model thought: a string, or a list of
// strings and of parts with a type.
type Words struct{ Text, Thought string }

// UnmarshalJSON reads any value. What is neither text nor thought is left out.
func (w *Words) UnmarshalJSON(b []byte) error {
	*w = Words{}
	w.add(b, 0)
	return nil
}

const deepestPart = 4 // of parts within parts: a thought is a list within a part

func (w *Words) add(b []byte, depth int) {
	b = bytes.TrimSpace(b)
	if len(b) == 0 || depth > deepestPart {
		return
	}
	switch b[0] {
	case '"':
		var s string
		_ = json.Unmarshal(b, &s)
		w.Text += s
	case '[':
		var parts []json.RawMessage
		_ = json.Unmarshal(b, &parts)
		for _, p := range parts {
			w.add(p, depth+1)
		}
	case '{':
		w.part(b, depth)
	}
}

// part is one part with a type: text, output_text, thinking, reasoning and the like.
func (w *Words) part(b []byte, depth int) {
	var p struct {
		Type, Text, Content, Thinking, Reasoning json.RawMessage
	}
	if json.Unmarshal(b, &p) != nil {
		return
	}
	var inner Words
	for _, v := range []json.RawMessage{p.Text, p.Content, p.Thinking, p.Reasoning} {
		inner.add(v, depth+1)
	}
	kind := strings.ToLower(string(p.Type))
	switch {
	case strings.Contains(kind, "think"), strings.Contains(kind, "reason"), len(p.Type) == 0 && len(p.Text)+len(p.Content) == 0:
		w.Thought += inner.Text + inner.Thought
	case strings.Contains(kind, "text"), len(p.Type) == 0:
		w.Text += inner.Text
		w.Thought += inner.Thought
	}
}

// An Argued is the arguments of a call: a string of JSON, or the JSON itself.
type Argued string

// UnmarshalJSON reads any value. Null is empty.
func (a *Argued) UnmarshalJSON(b []byte) error {
	var s string
	switch {
	case string(b) == "null":
	case json.Unmarshal(b, &s) == nil:
		*a = Argued(s)
	default:
		var compact bytes.Buffer
		_ = json.Compact(&compact, b)
		*a = Argued(compact.String())
	}
	return nil
}

// A Count is a number of tokens: a whole number, a decimal one, which is rounded up, or a string of
// either. What is no such number is -1, which no usage may have.
type Count int64

// Most is the most that a Count is, so that several can be added up.
const Most Count = 1 << 60

// UnmarshalJSON reads any value. Null is zero.
func (c *Count) UnmarshalJSON(b []byte) error {
	text := strings.Trim(string(b), `" `)
	if text == "null" || text == "" {
		return nil
	}
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil, n < 0, math.IsNaN(n):
		*c = -1
	case n >= float64(Most):
		*c = Most
	default:
		*c = Count(math.Ceil(n))
	}
	return nil
}

// A List is the elements of a list that can be read, the only one where an object stands in its place, or
// none.
type List[T any] []T

// UnmarshalJSON reads any value.
func (l *List[T]) UnmarshalJSON(b []byte) error {
	*l = nil
	raw := []json.RawMessage{b}
	if b = bytes.TrimSpace(b); len(b) == 0 || b[0] != '{' && json.Unmarshal(b, &raw) != nil {
		return nil
	}
	for _, r := range raw {
		var v T
		if r = bytes.TrimSpace(r); len(r) > 0 && r[0] == '{' && json.Unmarshal(r, &v) == nil {
			*l = append(*l, v)
		}
	}
	return nil
}
