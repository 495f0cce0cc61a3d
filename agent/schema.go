package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

type object = map[string]any

// envelope is the JSON Schema of an answer whose output is of the contract's schema. All members
// are required, since not every provider can hold a model to a schema with optional ones.
func envelope(contract json.RawMessage) (json.RawMessage, error) {
	output, err := inner(contract, "#/properties/output/anyOf/0")
	if err != nil {
		return nil, err
	}
	root := object{
		"type": "object", "additionalProperties": false,
		"required": []string{"status", "output", "summary", "confidence", "blockers", "proposedActions"},
		"properties": object{
			"status":          object{"type": "string", "enum": []string{"succeeded", "partial", "blocked"}},
			"output":          object{"anyOf": []any{output.schema, object{"type": "null"}}},
			"summary":         object{"type": "string"},
			"confidence":      object{"type": "number", "minimum": 0, "maximum": 1},
			"blockers":        texts(),
			"proposedActions": texts(),
		},
	}
	for name, defs := range output.defs {
		root[name] = defs
	}
	return json.Marshal(root)
}

func texts() object { return object{"type": "array", "items": object{"type": "string"}} }

// An innerSchema is a schema that is to stand inside another, and the definitions it brings to the root.
type innerSchema struct {
	schema any
	defs   object
}

// inner makes a schema fit to stand at a place within another: definitions move to the root, where
// the references to them find them, and other references from the root lead through the place. A
// schema with an $id is a resource of its own and stays as it is.
func inner(raw json.RawMessage, place string) (innerSchema, error) {
	out := innerSchema{schema: object{}, defs: object{}}
	if len(bytes.TrimSpace(raw)) == 0 {
		return out, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&out.schema); err != nil {
		return out, fmt.Errorf("read the contract's schema: %w", err)
	}
	root, ok := out.schema.(object)
	if !ok {
		if out.schema == true {
			out.schema = object{}
		}
		return out, nil
	}
	delete(root, "$schema")
	if _, resource := root["$id"]; resource {
		return out, nil
	}
	redirect(root, place)
	for _, name := range []string{"$defs", "definitions"} {
		if defs, ok := root[name]; ok {
			out.defs[name] = defs
			delete(root, name)
		}
	}
	return out, nil
}

// redirect leads the references of a schema through the place it will stand at. What a schema only
// compares with is no schema, whatever it looks like.
func redirect(v any, place string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			redirect(e, place)
		}
	case object:
		for key, e := range v {
			ref, isText := e.(string)
			switch {
			case (key == "$ref" || key == "$dynamicRef") && isText:
				v[key] = through(ref, place)
			case key == "const" || key == "enum" || key == "default" || key == "examples":
			default:
				redirect(e, place)
			}
		}
	}
}

func through(ref, place string) string {
	switch {
	case strings.HasPrefix(ref, "#/$defs/"), strings.HasPrefix(ref, "#/definitions/"):
		return ref
	case ref == "#", strings.HasPrefix(ref, "#/"):
		return place + ref[1:]
	}
	return ref
}
