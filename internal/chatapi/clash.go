package chatapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// clash says why no value that satisfies the schema has also satisfies want, and is empty where there
// may be one. It looks at types, members and elements; what it does not understand, it lets pass: the
// result is compared with the schema in the end.
func clash(has, want json.RawMessage) string {
	c := &clasher{}
	if json.Unmarshal(has, &c.has) != nil || json.Unmarshal(want, &c.want) != nil {
		return ""
	}
	return c.compare(c.has, c.want, "", 0)
}

type clasher struct {
	has, want any // the documents, for references
}

const maxClash = 32 // levels compared

func (c *clasher) compare(has, want any, at string, depth int) string {
	place := at
	if place == "" {
		place = "the output"
	}
	if has == false || want == false {
		return place + " is nothing that there is"
	}
	h, w := resolve(c.has, has), resolve(c.want, want)
	if depth > maxClash || h == nil || w == nil {
		return ""
	}
	types := shared(typesOf(h), typesOf(w))
	if len(types) == 0 {
		return fmt.Sprintf("%s is %s in the team's contract and %s in the schema", place, strings.Join(typesOf(h), " or "), strings.Join(typesOf(w), " or "))
	}
	if len(types) > 1 {
		return ""
	}
	switch types[0] {
	case "object":
		return c.members(h, w, at, depth)
	case "array":
		hi, has := h["items"]
		wi, asks := w["items"]
		if has && asks {
			return c.compare(hi, wi, at+"/0", depth+1)
		}
	}
	return ""
}

// members compares what two schemas say of an object's members.
func (c *clasher) members(h, w map[string]any, at string, depth int) string {
	hp, wp := object(h["properties"]), object(w["properties"])
	has, asks := required(h), required(w)
	for _, name := range asks {
		if _, known := hp[name]; !known && closed(h) {
			return fmt.Sprintf("%s/%s is required, and the team's contract has no such member", at, name)
		}
	}
	for _, name := range has {
		if _, known := wp[name]; !known && closed(w) {
			return fmt.Sprintf("%s/%s is always there in the team's contract, and the schema allows no such member", at, name)
		}
	}
	both := slices.Concat(has, asks)
	slices.Sort(both)
	for _, name := range slices.Compact(both) {
		inHas, ok1 := hp[name]
		inWant, ok2 := wp[name]
		if ok1 && ok2 {
			if why := c.compare(inHas, inWant, at+"/"+name, depth+1); why != "" {
				return why
			}
		}
	}
	return ""
}

// resolve follows references within a document. It is nil for a schema that says more than is
// understood here.
func resolve(doc, schema any) map[string]any {
	for range maxClash {
		s, ok := schema.(map[string]any)
		if !ok {
			return nil
		}
		for _, word := range []string{"anyOf", "oneOf", "allOf", "not", "if", "$dynamicRef", "$id", "patternProperties", "dependentSchemas", "unevaluatedProperties"} {
			if _, is := s[word]; is {
				return nil
			}
		}
		ref, is := s["$ref"].(string)
		if !is {
			return s
		}
		rest, local := strings.CutPrefix(ref, "#/")
		if !local {
			return nil
		}
		schema = doc
		for step := range strings.SplitSeq(rest, "/") {
			schema = object(schema)[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]
		}
	}
	return nil
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

var allTypes = []string{"array", "boolean", "null", "number", "object", "string"}

// typesOf are the types that a schema allows; an integer is a number.
func typesOf(s map[string]any) []string {
	var all []string
	switch t := s["type"].(type) {
	case string:
		all = []string{t}
	case []any:
		for _, one := range t {
			if name, ok := one.(string); ok {
				all = append(all, name)
			}
		}
	default:
		return allTypes
	}
	for i := range all {
		if all[i] == "integer" {
			all[i] = "number"
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func shared(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(t string) bool { return !slices.Contains(b, t) })
}

func required(s map[string]any) []string {
	list, _ := s["required"].([]any)
	var all []string
	for _, one := range list {
		if name, ok := one.(string); ok {
			all = append(all, name)
		}
	}
	return all
}

func closed(s map[string]any) bool { return s["additionalProperties"] == false }
