package gate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// schemaURL is the address a schema is known by inside the validator. Nothing is fetched from it.
const schemaURL = "contract:///schema.json"

// A schema is a compiled JSON Schema 2020-12 (SPEC.md ·61). The nil schema accepts anything.
type schema struct {
	compiled *jsonschema.Schema
	form     *form // the same in short, nil if it has none
	root     *node // the same as far as it decides what comparing a value takes
	nodes    int
}

// compileSchema reads a schema that stands on its own: a $ref to another document is refused.
func compileSchema(raw json.RawMessage) (*schema, error) { return compileWith(raw, refuser{}) }

// compileWith reads a schema whose references to other documents l resolves.
func compileWith(raw json.RawMessage, l jsonschema.URLLoader) (*schema, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	doc, bad := decode(raw)
	if bad != nil {
		return nil, fmt.Errorf("the schema is not sound JSON: %s, at line %d, column %d", bad.message, bad.line, bad.column)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(l)
	if err := c.AddResource(schemaURL, doc); err != nil {
		return nil, fmt.Errorf("the schema cannot be used: %w", err)
	}
	compiled, err := c.Compile(schemaURL)
	if err != nil {
		return nil, schemaError(err, doc)
	}
	form := formOf(compiled)
	g := &grapher{made: map[*jsonschema.Schema]*node{}}
	if bytes.Contains(raw, []byte("Anchor")) {
		g.anchors = anchorsOf(c, doc)
	}
	root := g.node(compiled)
	if g.large != "" {
		return nil, fmt.Errorf("the pattern %s is too large: write it with smaller repetitions", quoted(g.large))
	}
	return &schema{compiled, form, root, len(g.made)}, nil
}

// A refuser loads no other document.
type refuser struct{}

var errRemote = errors.New("a schema may only refer to itself")

func (refuser) Load(string) (any, error) { return nil, errRemote }

// schemaError says in one line why the schema doc does not compile.
func schemaError(err error, doc any) error {
	if load, ok := errors.AsType[*jsonschema.LoadURLError](err); ok && errors.Is(load.Err, errRemote) {
		return fmt.Errorf("$ref to %q: %w", load.URL, errRemote)
	}
	if bad, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		if v, ok := errors.AsType[*jsonschema.ValidationError](bad.Err); ok {
			faults := faultsOf(v, doc)
			return fmt.Errorf("not a JSON Schema: %s", faults[0].sentence("The schema"))
		}
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(strings.ReplaceAll(line, schemaURL, ""))
}

// A fault is one thing a schema says against a value.
type fault struct {
	path   []string
	clause string // what follows the pointer: "must be true or false; it is null"
}

// sentence is the fault with its place as the subject; root names the whole.
func (f fault) sentence(root string) string {
	if len(f.path) > 0 {
		root = visible(pointerOf(f.path), maxShown)
	}
	return root + " " + f.clause + "."
}

// check lists every fault of v, which has so many values, in the order of its parts. Where comparing
// them takes more steps than it may, nothing is compared and enough is false.
func (s *schema) check(v any, values int) (faults []fault, enough bool) {
	if s == nil {
		return nil, true
	}
	most := allowance(values)
	if s.form != nil && (&trial{left: most}).judge(s.form, v, 0) == yes {
		return nil, true
	}
	if !(&stepCounter{left: most, nodes: s.nodes, known: map[stepKey]int{}}).enough(s.root, v) {
		return nil, false
	}
	err := s.compiled.Validate(v)
	if err == nil {
		return nil, true
	}
	bad, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return []fault{{clause: "could not be compared with the schema"}}, true
	}
	return faultsOf(bad, v), true
}

// faultsOf reads the validator's tree of errors about root.
func faultsOf(err *jsonschema.ValidationError, root any) []fault {
	faults := faultReader{root}.leaves(err, nil)
	slices.SortStableFunc(faults, func(a, b fault) int {
		return cmp.Or(comparePaths(a.path, b.path), cmp.Compare(a.clause, b.clause))
	})
	return slices.CompactFunc(faults, func(a, b fault) bool {
		return a.clause == b.clause && slices.Equal(a.path, b.path)
	})
}

// comparePaths orders list elements by number and everything else by name.
func comparePaths(a, b []string) int {
	return slices.CompareFunc(a, b, func(x, y string) int {
		i, err1 := strconv.Atoi(x)
		j, err2 := strconv.Atoi(y)
		if err1 == nil && err2 == nil {
			return cmp.Compare(i, j)
		}
		return cmp.Compare(x, y)
	})
}

type faultReader struct{ root any }

// leaves collects the faults beneath err. A choice is one fault: its branches contradict each other.
func (r faultReader) leaves(err *jsonschema.ValidationError, out []fault) []fault {
	switch k := err.ErrorKind.(type) {
	case *kind.AnyOf:
		return append(out, fault{err.InstanceLocation, "fits none of the forms it may have" + r.branches(err)})
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return append(out, fault{err.InstanceLocation, "fits none of the forms it may have" + r.branches(err)})
		}
	case *kind.Type:
		got, _ := lookup(r.root, err.InstanceLocation)
		return append(out, fault{err.InstanceLocation, "must be " + typeNames(k.Want) + "; it is " + literal(got)})
	case *kind.Contains, *kind.MinContains, *kind.PropertyNames, *kind.ContentSchema:
	default:
		if len(err.Causes) > 0 {
			for _, cause := range err.Causes {
				out = r.leaves(cause, out)
			}
			return out
		}
	}
	return append(out, fault{err.InstanceLocation, clause(err.ErrorKind)})
}

// branches tells why each form of a choice was not met, the first three of them.
func (r faultReader) branches(err *jsonschema.ValidationError) string {
	var why []string
	for _, cause := range err.Causes {
		for _, f := range r.leaves(cause, nil) {
			if len(why) == 3 {
				return ": " + strings.Join(why, "; or ") + "; or more"
			}
			rel := f.path[min(len(err.InstanceLocation), len(f.path)):]
			why = append(why, strings.TrimSpace(visible(pointerOf(rel), 60)+" "+shortened(f.clause)))
		}
	}
	if len(why) == 0 {
		return ""
	}
	return ": " + strings.Join(why, "; or ")
}

// shortened is a clause as it may stand in another one: choices lie in one another, and their clauses
// would grow with each.
func shortened(clause string) string {
	if len(clause) <= 4*maxShown {
		return clause
	}
	return clause[:boundary(clause, 4*maxShown)] + "…"
}

// clause is a fault in words.
func clause(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Required:
		return "lacks " + names(k.Missing)
	case *kind.Dependency:
		return "lacks " + names(k.Missing) + ", which " + quoted(k.Prop) + " calls for"
	case *kind.DependentRequired:
		return "lacks " + names(k.Missing) + ", which " + quoted(k.Prop) + " calls for"
	case *kind.AdditionalProperties:
		return "has " + names(slices.Sorted(slices.Values(k.Properties))) + ", which the contract does not know"
	case *kind.AdditionalItems:
		return "has " + counted(k.Count, "element") + " too many"
	case *kind.PropertyNames:
		return "has the key " + quoted(k.Property) + ", which is not an allowed name"
	case *kind.FalseSchema:
		return "must not be there"
	case *kind.Enum:
		return "must be " + choice(k.Want) + "; it is " + literal(k.Got)
	case *kind.Const:
		return "must be " + literal(k.Want) + "; it is " + literal(k.Got)
	case *kind.Not:
		return "has a form that is not allowed"
	case *kind.OneOf:
		return "fits more than one of the forms of which it must have one"
	case *kind.UniqueItems:
		return fmt.Sprintf("holds the same value twice, as elements %d and %d", k.Duplicates[0], k.Duplicates[1])
	}
	return measure(k)
}

// measure is a fault of length, size or form in words.
func measure(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.MinProperties:
		return fmt.Sprintf("must have at least %s; it has %d", counted(k.Want, "key"), k.Got)
	case *kind.MaxProperties:
		return fmt.Sprintf("must have at most %s; it has %d", counted(k.Want, "key"), k.Got)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %s; it has %d", counted(k.Want, "element"), k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %s; it has %d", counted(k.Want, "element"), k.Got)
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %s; it has %d", counted(k.Want, "character"), k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %s; it has %d", counted(k.Want, "character"), k.Got)
	case *kind.Minimum:
		return "must be at least " + decimal(k.Want) + "; it is " + decimal(k.Got)
	case *kind.Maximum:
		return "must be at most " + decimal(k.Want) + "; it is " + decimal(k.Got)
	case *kind.ExclusiveMinimum:
		return "must be more than " + decimal(k.Want) + "; it is " + decimal(k.Got)
	case *kind.ExclusiveMaximum:
		return "must be less than " + decimal(k.Want) + "; it is " + decimal(k.Got)
	case *kind.MultipleOf:
		return "must be a multiple of " + decimal(k.Want) + "; it is " + decimal(k.Got)
	case *kind.Pattern:
		return "must match the pattern " + quoted(k.Want) + "; it is " + literal(k.Got)
	case *kind.Contains:
		return "has no element of the form that one must have"
	case *kind.MinContains:
		return fmt.Sprintf("must have at least %s of a certain form; it has %d", counted(k.Want, "element"), len(k.Got))
	case *kind.MaxContains:
		return fmt.Sprintf("may have at most %s of a certain form; it has %d", counted(k.Want, "element"), len(k.Got))
	}
	return "does not fit the schema: " + visible(k.LocalizedString(message.NewPrinter(language.English)), maxShown)
}

var typeWords = map[string]string{
	"object": "an object", "array": "a list", "string": "a text", "boolean": "true or false",
	"number": "a number", "integer": "a whole number", "null": "null",
}

// typeName is one JSON type in words; what is of type boolean is "true or false".
func typeName(t string) string {
	if w, ok := typeWords[t]; ok {
		return w
	}
	return t
}

func typeNames(ts []string) string {
	out := make([]string, len(ts))
	for i, t := range ts {
		out[i] = typeName(t)
	}
	return strings.Join(out, " or ")
}

func names(keys []string) string {
	out := make([]string, 0, len(keys))
	for i, k := range keys {
		if i == 10 {
			out = append(out, fmt.Sprintf("%d more", len(keys)-i))
			break
		}
		out = append(out, `"`+visible(k, 60)+`"`)
	}
	return strings.Join(out, ", ")
}

func choice(vs []any) string {
	out := make([]string, 0, len(vs))
	for i, v := range vs {
		if i == 10 {
			out = append(out, fmt.Sprintf("one of %d more", len(vs)-i))
			break
		}
		out = append(out, literal(v))
	}
	return strings.Join(out, " or ")
}

// literal is a JSON value for a sentence.
func literal(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return visible(v.String(), 40)
	case string:
		return "the text " + quoted(v)
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return fmt.Sprint(v)
}

func decimal(r *big.Rat) string {
	if r.IsInt() {
		return visible(r.Num().String(), 40)
	}
	return strings.TrimRight(r.FloatString(6), "0")
}
