package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/chargehand/chargehand/internal/excerpt"
)

// Limits of one schema.
const (
	maxSchema = 64 << 10 // bytes
	maxSteps  = 50_000   // schemas compared with a value, each as often as it is
	maxChoice = 2_000    // values that enums list, in all
	maxFaults = 8        // told of one value
)

// A schema is a compiled JSON Schema of a server's. What it costs to compare a value with it is
// bounded, whatever it says. The nil schema accepts anything.
type schema struct {
	mu       sync.Mutex // of one comparison: steps are its own
	steps    int
	compiled *jsonschema.Schema
}

// compile reads a schema that stands on its own. An empty one is the nil schema.
func compile(raw json.RawMessage) (*schema, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	if len(raw) > maxSchema {
		return nil, fmt.Errorf("its schema has %d bytes, the most is %d", len(raw), maxSchema)
	}
	doc, err := sound(raw)
	if err != nil {
		return nil, fmt.Errorf("its schema is not sound JSON: %w", err)
	}
	s := &schema{}
	if n := choices(doc); n > maxChoice {
		return nil, fmt.Errorf("its schema lists %d values to choose from, the most is %d", n, maxChoice)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(refuser{})
	c.RegisterVocabulary(&jsonschema.Vocabulary{URL: "chargehand:steps", Compile: s.counted})
	c.AssertVocabs()
	const here = "tool:///schema.json"
	if err := c.AddResource(here, doc); err != nil {
		return nil, fmt.Errorf("its schema cannot be used: %w", firstLine(err))
	}
	if s.compiled, err = c.Compile(here); err != nil {
		return nil, fmt.Errorf("its schema cannot be used: %w", firstLine(err))
	}
	return s, nil
}

func firstLine(err error) error {
	if load, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		return fmt.Errorf("it refers to %s, and nothing is fetched for a schema", quoted(load.URL))
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(excerpt.Head(clean(line), 300))
}

// A refuser loads no other document.
type refuser struct{}

func (refuser) Load(string) (any, error) { return nil, errors.New("a schema may only refer to itself") }

// choices is how many values the enums in a schema list.
func choices(doc any) (n int) {
	switch doc := doc.(type) {
	case map[string]any:
		if list, ok := doc["enum"].([]any); ok {
			n = len(list)
		}
		for _, v := range doc {
			n += choices(v)
		}
	case []any:
		for _, v := range doc {
			n += choices(v)
		}
	}
	return n
}

// counted has every part of the schema counted each time a value is compared with it. Schemas can
// be written whose comparison takes 2ⁿ steps, and the validator cannot be told to stop.
func (s *schema) counted(_ *jsonschema.CompilerContext, part map[string]any) (jsonschema.SchemaExt, error) {
	c := counter{s, 1}
	for _, name := range []string{"allOf", "anyOf", "oneOf"} {
		if list, ok := part[name].([]any); ok {
			c.weight += len(list) // of them, one that does not fit at first sight is not counted itself
		}
	}
	return c, nil
}

// A counter stands in every part of a schema.
type counter struct {
	schema *schema
	weight int
}

type exhausted struct{}

// Validate counts, and breaks off where it is too much.
func (c counter) Validate(*jsonschema.ValidatorContext, any) {
	if c.schema.steps += c.weight; c.schema.steps > maxSteps {
		panic(exhausted{})
	}
}

// check says how v does not fit the schema; nil if it does.
func (s *schema) check(v any) (err error) {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() {
		switch r := recover().(type) {
		case nil:
		case exhausted:
			err = fmt.Errorf("to compare it with the schema takes more than %d steps", maxSteps)
		default:
			panic(r)
		}
	}()
	s.steps = 0
	return told(s.compiled.Validate(v))
}

// told is a validator's error in one line, its first faults with their places.
func told(err error) error {
	bad, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return err
	}
	var faults []string
	for _, leaf := range leaves(bad, nil) {
		at := "/" + strings.Join(leaf.InstanceLocation, "/")
		faults = append(faults, at+": "+excerpt.Head(clean(leaf.ErrorKind.LocalizedString(english)), 200))
	}
	return errors.New(strings.Join(faults, "; "))
}

var english = message.NewPrinter(language.English)

func leaves(e *jsonschema.ValidationError, out []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 && len(out) < maxFaults {
		return append(out, e)
	}
	for _, c := range e.Causes {
		out = leaves(c, out)
	}
	return out
}
