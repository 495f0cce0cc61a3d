package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var tContext = context.Background()

func TestClean(t *testing.T) {
	key := "sk-secret"
	c := &Client{Secret: &key}
	for in, want := range map[string]string{
		"key sk-secret is wrong":             "key *** is wrong",
		"two\nlines\x1b[31m\tand\u202eturns": "two lines [31m and turns",
		"bad \xff bytes":                     "bad ? bytes",
		strings.Repeat("ä", 400):             strings.Repeat("ä", 150) + "…",
		strings.Repeat("x", 295) + key:       strings.Repeat("x", 295) + "***",
	} {
		if got := c.clean(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestStrict(t *testing.T) {
	for _, c := range []struct {
		schema string
		want   bool
	}{
		{`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`, true},
		{`{"type":"object","properties":{"a":{"type":["string","null"]}},"required":["a"],"additionalProperties":false}`, true},
		{`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["a"],"additionalProperties":false}`, true},
		{`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, false},
		{`{"type":"object","properties":{"a":{"type":"string"}},"required":[],"additionalProperties":false}`, false},
		{`{"type":"object","properties":{"a":{"type":"object"}},"required":["a"],"additionalProperties":false}`, false},
		{`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}},"required":["a"],"additionalProperties":false}`, false},
		{`{"type":"object","properties":{"a":{"type":"string","maxLength":3}},"required":["a"],"additionalProperties":false}`, false},
		{`{"type":"object","properties":{"a":{"type":"string","format":"iban"}},"required":["a"],"additionalProperties":false}`, false},
		{`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"required":["a"],"additionalProperties":false,"$defs":{"x":{"not":{}}}}`, false},
		{`{"type":"array","items":{"type":"string"}}`, false},
		{`{`, false},
	} {
		if got := Strict(json.RawMessage(c.schema)); got != c.want {
			t.Errorf("%s: %v", c.schema, got)
		}
	}
}

func TestClosed(t *testing.T) {
	got := Closed(json.RawMessage(`{"$schema":"x","type":"object","properties":{
		"a":{"type":"string","maxLength":3,"description":"A."},
		"b":{"type":"array","minItems":2,"items":{"type":"object","properties":{"c":{"oneOf":[{"type":"null"},{"type":"integer","minimum":1}]}}}}},
		"required":["a"]}`))
	want := map[string]any{
		"type": "object", "additionalProperties": false, "required": []any{"a"},
		"properties": map[string]any{
			"a": map[string]any{"type": "string", "description": `A. {"maxLength":3}`},
			"b": map[string]any{"type": "array", "description": `{"minItems":2}`, "items": map[string]any{
				"type": "object", "additionalProperties": false, "properties": map[string]any{
					"c": map[string]any{"anyOf": []any{map[string]any{"type": "null"}, map[string]any{"type": "integer", "description": `{"minimum":1}`}}},
				},
			}},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestArguments(t *testing.T) {
	for in, want := range map[string]string{
		"": "{}", " {\"a\":1} ": `{"a":1}`, "[1]": `{"arguments":"[1]"}`, `{"a":`: `{"arguments":"{\"a\":"}`, "null": `{"arguments":"null"}`,
	} {
		if got := string(Arguments(in)); got != want {
			t.Errorf("%q became %s, want %s", in, got, want)
		}
	}
}

// TestMalformed: an answer of another form is told in words, not in Go's types.
func TestMalformed(t *testing.T) {
	var v struct {
		Usage struct {
			Prompt int `json:"prompt_tokens"`
		} `json:"usage"`
	}
	err := json.Unmarshal([]byte(`{"usage":{"prompt_tokens":"many"}}`), &v)
	got := (&Client{Provider: "here"}).Call(false).malformed("", fmt.Errorf("read: %w", err))
	if want := `of the answer, "usage.prompt_tokens" must be a whole number, not a text`; got.Message != want || !errors.Is(got, err) {
		t.Errorf("%v, want %s", got, want)
	}
}
