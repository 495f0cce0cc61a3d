package wire

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// Arguments is a call's arguments as an object, which providers insist on when they get them back. What is
// none is put into one, so that the model sees what it wrote.
func Arguments(s string) json.RawMessage {
	b := bytes.TrimSpace([]byte(s))
	if len(b) == 0 {
		return json.RawMessage("{}")
	}
	if b[0] == '{' && json.Valid(b) {
		return b
	}
	b, _ = json.Marshal(map[string]string{"arguments": s})
	return b
}

// SchemaPrompt asks for an answer of a schema in words, for models that can be asked in no other way.
func SchemaPrompt(system string, schema json.RawMessage) string {
	if system != "" {
		system += "\n\n"
	}
	return system + "Answer with one JSON value and nothing else: no code fence (```), no word before it or after it, no <think>. It must be valid against this JSON Schema:\n" + string(schema)
}

// Object is a schema as a map; an object of anything if it is none.
func Object(schema json.RawMessage) map[string]any {
	var s map[string]any
	if json.Unmarshal(schema, &s) != nil || s == nil {
		s = map[string]any{}
	}
	return s
}

// Closed is a schema in the part of JSON Schema that Anthropic's structured outputs take: objects are closed,
// and the limits that are not known stand in the descriptions. The answer is held to the whole schema by
// whoever asked.
// Source: platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema limitations".
func Closed(schema json.RawMessage) map[string]any {
	s := Object(schema)
	closed(s)
	return s
}

// taken are the keywords that Anthropic's structured outputs take as they are.
var taken = []string{
	"$ref", "$defs", "definitions", "type", "properties", "required", "additionalProperties", "items", "enum", "const",
	"anyOf", "allOf", "description", "title", "default", "format", "minItems",
}

var formats = []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}

func closed(s map[string]any) {
	if one, ok := s["oneOf"]; ok && s["anyOf"] == nil {
		s["anyOf"] = one
	}
	lost := map[string]any{}
	for key, v := range s {
		known := slices.Contains(taken, key)
		switch n, number := v.(float64); {
		case key == "format":
			f, _ := v.(string)
			known = slices.Contains(formats, f)
		case key == "minItems":
			known = number && n <= 1
		case key == "$schema", key == "$id", key == "$comment", key == "oneOf", key == "examples":
			delete(s, key) // says nothing of the answer, or is said otherwise
			continue
		}
		if !known {
			lost[key] = v
			delete(s, key)
		}
	}
	if s["type"] == "object" {
		s["additionalProperties"] = false
	}
	each(s, closed)
	if len(lost) > 0 {
		b, _ := json.Marshal(lost)
		d, _ := s["description"].(string)
		if d != "" {
			d += " "
		}
		s["description"] = d + string(b)
	}
}

// each calls f on the schemas directly below one.
func each(s map[string]any, f func(map[string]any)) {
	sub := func(v any) {
		if m, ok := v.(map[string]any); ok {
			f(m)
		}
	}
	for _, key := range []string{"properties", "$defs", "definitions"} {
		m, _ := s[key].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(m)) {
			sub(m[name])
		}
	}
	for _, key := range []string{"anyOf", "allOf"} {
		list, _ := s[key].([]any)
		for _, v := range list {
			sub(v)
		}
	}
	sub(s["items"])
}

// Strict reports whether OpenAI's structured outputs take a schema as one that the answer is held to: closed
// objects all of whose properties are required, and no keyword that is not known. Others are a hint only.
// Source: platform.openai.com/docs/guides/structured-outputs, "Supported schemas".
func Strict(schema json.RawMessage) bool {
	s := Object(schema)
	return s["type"] == "object" && strict(s)
}

var strictly = append([]string{
	"pattern", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "minItems", "maxItems",
}, slices.DeleteFunc(slices.Clone(taken), func(k string) bool { return k == "allOf" || k == "default" })...)

func strict(s map[string]any) bool {
	for key, v := range s {
		if f, _ := v.(string); !slices.Contains(strictly, key) || key == "format" && !slices.Contains(formats, f) {
			return false
		}
	}
	props, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	if s["type"] == "object" && (s["additionalProperties"] != false || len(required) != len(props)) {
		return false
	}
	ok := true
	each(s, func(sub map[string]any) { ok = ok && strict(sub) })
	return ok
}
