package config

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/chargehand/chargehand"
)

// Schema is the JSON Schema (2020-12) of a team file, for editors. It accepts every file that Parse
// accepts, and refuses unknown fields and values of the wrong kind. What only a check of the whole team
// finds, it does not know.
func Schema() ([]byte, error) {
	w := schemaWriter{defs: map[string]*jsonschema.Schema{}}
	root := w.object(reflect.TypeFor[chargehand.Team]())
	root.Schema, root.Title, root.Defs = "https://json-schema.org/draft/2020-12/schema", "Chargehand team", w.defs
	b, err := json.MarshalIndent(root, "", "  ")
	return append(b, '\n'), err
}

// A schemaWriter describes types as the decoder reads them. It goes the decoder's way: what a package
// infers from the types alone lacks the other names and forms of fields.
type schemaWriter struct {
	defs map[string]*jsonschema.Schema // by the name of a struct
}

// field is what may stand under a name: a value that the decoder may leave out may be null.
func (w *schemaWriter) field(t reflect.Type) *jsonschema.Schema {
	s := w.value(t)
	switch {
	case t == rawType || reflect.PointerTo(t).Implements(unmarshaller):
		return s
	case slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map, reflect.Struct}, t.Kind()):
		return either(s, &jsonschema.Schema{Type: "null"})
	}
	return s
}

func (w *schemaWriter) value(t reflect.Type) *jsonschema.Schema {
	switch {
	case t == rawType:
		return &jsonschema.Schema{}
	case t == detectorType:
		return either(&jsonschema.Schema{Type: "string"}, w.named(t))
	case t == reflect.TypeFor[chargehand.Micros]():
		return either(&jsonschema.Schema{Type: "number"}, &jsonschema.Schema{Type: "string", Pattern: `^-?[0-9]+(\.[0-9]{1,6})?$`})
	case reflect.PointerTo(t).Implements(unmarshaller):
		return &jsonschema.Schema{Type: "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return w.value(t.Elem())
	case reflect.Struct:
		return w.named(t)
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: w.value(t.Elem())}
	case reflect.Map:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: w.value(t.Elem())}
	}
	kinds := map[reflect.Kind]string{
		reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer", reflect.Int64: "integer", reflect.Float64: "number",
	}
	if kinds[t.Kind()] == "" {
		panic("config: no schema of a " + t.String())
	}
	return &jsonschema.Schema{Type: kinds[t.Kind()]}
}

// named refers to a struct's definition, which it makes where it is not there yet.
func (w *schemaWriter) named(t reflect.Type) *jsonschema.Schema {
	if w.defs[t.Name()] == nil {
		w.defs[t.Name()] = &jsonschema.Schema{} // a type that holds itself refers to it
		*w.defs[t.Name()] = *w.object(t)
	}
	return &jsonschema.Schema{Ref: "#/$defs/" + t.Name()}
}

// object is a struct. Other names of a field are patterns, which editors do not offer; a field that has
// any is not required, because it may stand under each of them.
func (w *schemaWriter) object(t reflect.Type) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{}, PatternProperties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	shape, several := shapeOf(t), map[string]bool{}
	for name, target := range shape.byName {
		f := target.form.schema(w.field(t.FieldByIndex(target.index).Type))
		if name == target.name && target.form == same || slices.Contains(shape.names, name) {
			s.Properties[name] = f
			continue
		}
		s.PatternProperties["^"+regexp.QuoteMeta(name)+"$"] = f
		several[target.name] = true
	}
	s.PropertyOrder = shape.names
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.Anonymous && options == "" && !several[name] && name != "path" { // no path is the whole value
			s.Required = append(s.Required, name)
		}
	}
	return s
}

// schema is what may stand under a name of this form, s being the field's own.
func (m form) schema(s *jsonschema.Schema) *jsonschema.Schema {
	one := 1
	switch m {
	case alone:
		return either(s, &jsonschema.Schema{Type: "array", Items: s, MinItems: &one, MaxItems: &one})
	case listed:
		return either(s, &jsonschema.Schema{Type: "string"})
	case orFalse:
		return either(s, &jsonschema.Schema{Enum: []any{false}})
	}
	return s
}

func either(of ...*jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{AnyOf: of} }
