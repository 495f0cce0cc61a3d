package sim

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
)

// stockOf makes outputs for the contracts of a user's team, as their schemas want them. What the
// gate takes is good, the rest are lies. Contracts for which nothing is good come back by name.
func (i *inspector) stockOf(t *chargehand.Team) (made map[string]stock, unknown []string) {
	made = map[string]stock{"": stocks[""]}
	for c := range t.Contracts {
		k := &t.Contracts[c]
		var s stock
		for _, x := range candidates(k) {
			i.texts[x.hash] = x.body
			task := exampleTask(k.Name)
			if v := i.check(&task, x, nil, chargehand.StatusSucceeded, false); v.Recommendation == chargehand.Accept {
				s.good = append(s.good, x)
			} else {
				s.lies = append(s.lies, x)
			}
		}
		if len(s.good) == 0 {
			s.good = samples(`{}`)
			unknown = append(unknown, k.Name)
		}
		s.lies = append(s.lies, samples(`{"odd":true}`, `[]`)...)
		made[k.Name] = s
	}
	return made, unknown
}

// candidates are outputs that the contract might take.
func candidates(k *chargehand.Contract) []sample {
	var schema any
	if len(k.Schema) > 0 && json.Unmarshal(k.Schema, &schema) != nil {
		return nil
	}
	var texts []string
	for _, full := range []bool{false, true} {
		v := exampleOf(schema, schema, full, 0)
		if k.Items != nil {
			v = withItems(v, k.Items)
		}
		body, err := json.Marshal(v)
		if err == nil && !slices.Contains(texts, string(body)) {
			texts = append(texts, string(body))
		}
	}
	return samples(texts...)
}

// exampleOf is a value that fits a schema, as far as its usual words say: with all its properties,
// or with those that are required.
func exampleOf(schema, root any, full bool, depth int) any {
	s, ok := schema.(map[string]any)
	if !ok || depth > 20 {
		return map[string]any{}
	}
	if ref, ok := s["$ref"].(string); ok {
		return exampleOf(lookup(root, ref), root, full, depth+1)
	}
	for _, word := range []string{"const", "default"} {
		if v, ok := s[word]; ok {
			return v
		}
	}
	for _, word := range []string{"enum", "examples"} {
		if list, ok := s[word].([]any); ok && len(list) > 0 {
			return list[0]
		}
	}
	for _, word := range []string{"anyOf", "oneOf", "allOf"} {
		if list, ok := s[word].([]any); ok && len(list) > 0 {
			return exampleOf(list[0], root, full, depth+1)
		}
	}
	return ofKind(s, root, full, depth)
}

func ofKind(s map[string]any, root any, full bool, depth int) any {
	kind := s["type"]
	if list, ok := kind.([]any); ok && len(list) > 0 {
		kind = list[0]
	}
	number := func(word string, otherwise float64) float64 {
		if n, ok := s[word].(float64); ok {
			return n
		}
		return otherwise
	}
	switch kind {
	case "string":
		return strings.Repeat("fine ", 1+int(number("minLength", 1)/5))
	case "number", "integer":
		return number("minimum", min(1, number("maximum", 1)))
	case "boolean":
		return true
	case "null":
		return nil
	case "array":
		list := []any{}
		for range max(int(number("minItems", 0)), 1) {
			list = append(list, exampleOf(s["items"], root, full, depth+1))
		}
		return list
	}
	out := map[string]any{}
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	for name, p := range properties {
		if full || slices.Contains(required, any(name)) {
			out[name] = exampleOf(p, root, full, depth+1)
		}
	}
	return out
}

// lookup follows a reference within the schema.
func lookup(root any, ref string) any {
	at := root
	for word := range strings.SplitSeq(strings.TrimPrefix(strings.TrimPrefix(ref, "#"), "/"), "/") {
		if m, ok := at.(map[string]any); ok && word != "" {
			at = m[word]
		}
	}
	return at
}

// withItems puts one true finding about the document in the place of the contract's list.
func withItems(v any, r *chargehand.ItemRule) any {
	named := func(name, otherwise string) string {
		if name == "" {
			return otherwise
		}
		return name
	}
	const quote = "The term is 24 months"
	start := strings.Index(source, quote)
	item := map[string]any{
		named(r.Key, "key"): "term", named(r.Present, "present"): true, named(r.Quote, "quote"): quote,
		named(r.Start, "start"): start, named(r.End, "end"): start + len(quote),
	}
	path := strings.Trim(r.Path, "/")
	if path == "" {
		return []any{item}
	}
	out, ok := v.(map[string]any)
	if !ok || strings.Contains(path, "/") {
		return v
	}
	if list, ok := out[path].([]any); ok && len(list) > 0 {
		if sample, ok := list[0].(map[string]any); ok {
			for name, value := range sample {
				if _, set := item[name]; !set {
					item[name] = value
				}
			}
		}
	}
	out[path] = []any{item}
	return out
}
