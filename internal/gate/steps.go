package gate

import (
	"encoding/json"
	"maps"
	"math/big"
	"net/url"
	"reflect"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// What comparing a value with a schema may take, in steps: one part of the schema applied to one part
// of the value. The allowance depends on nothing but the value, so that every machine gives up at the
// same output. A step takes the validator some two microseconds and at most a kilobyte.
const (
	freeSteps     = 100_000
	stepsPerValue = 4  // besides, for each value of a JSON text
	stepBytes     = 64 // of text that a plain pattern reads in one step
)

// allowance is how many steps a text of so many values may take.
func allowance(values int) int { return freeSteps + stepsPerValue*values }

// maxSchemaPattern bounds one pattern of a schema, in instructions.
const maxSchemaPattern = 5_000

// A node is a part of a compiled schema as far as it decides which parts are applied to which values.
type node struct {
	kinds kinds // of values it looks into; 0 means any
	fixed int   // steps on any value besides the first: values to compare with
	text  int   // weight of the pattern that a text is read by; 0 means none

	self         []*node // applied to the same value
	then, orElse *node   // one of them is, too
	loose        []*node // applied to the same value, perhaps: targets of $dynamicRef

	properties map[string]*node
	patterns   []patternNode
	rest, name *node      // of other keys: their values, and every key itself
	calls      []callNode // applied to the same value where it has a key
	prefix     []*node
	each       []*node // applied to every element or member
	unique     bool
}

type patternNode struct {
	expr   jsonschema.Regexp
	weight int
	node   *node
}

type callNode struct {
	key  string
	node *node
}

// A grapher makes nodes of a compiled schema.
type grapher struct {
	made    map[*jsonschema.Schema]*node
	anchors map[string][]*jsonschema.Schema // by $dynamicAnchor; "" for $recursiveAnchor
	large   string                          // a pattern that is too large
}

// anchorsOf lists what $dynamicRef and $recursiveRef may lead to: it depends on the way there, so all
// of them count.
func anchorsOf(c *jsonschema.Compiler, doc any) map[string][]*jsonschema.Schema {
	out := map[string][]*jsonschema.Schema{}
	var walk func(v any, at string)
	walk = func(v any, at string) {
		switch v := v.(type) {
		case []any:
			for i, e := range v {
				walk(e, at+"/"+strconv.Itoa(i))
			}
		case map[string]any:
			name, dynamic := v["$dynamicAnchor"].(string)
			if dynamic || v["$recursiveAnchor"] == true {
				if s, err := c.Compile(schemaURL + (&url.URL{Fragment: at}).String()); err == nil {
					out[name] = append(out[name], s)
				}
			}
			for _, key := range sortedKeys(v) {
				walk(v[key], at+"/"+pointerEscape.Replace(key))
			}
		}
	}
	walk(doc, "")
	return out
}

func (g *grapher) node(s *jsonschema.Schema) *node {
	if s == nil {
		return nil
	}
	if n := g.made[s]; n != nil {
		return n
	}
	n := &node{}
	g.made[s] = n
	if s.Types != nil {
		for _, t := range s.Types.ToStrings() {
			n.kinds |= kindNames[t]
		}
	}
	if s.Enum != nil {
		n.fixed = len(s.Enum.Values)
	}
	if s.Const != nil {
		n.fixed++
	}
	if s.Pattern != nil {
		n.text = g.weight(s.Pattern)
	}
	g.applied(n, s)
	g.members(n, s)
	g.elements(n, s)
	return n
}

// weight is how much more than a plain pattern one costs to run.
func (g *grapher) weight(p jsonschema.Regexp) int {
	tree, err := syntax.Parse(p.String(), syntax.Perl)
	if err != nil {
		return 1
	}
	n := size(tree)
	if n > maxSchemaPattern {
		g.large = p.String()
	}
	return 1 + n/plainProgram
}

func (g *grapher) add(list *[]*node, schemas ...*jsonschema.Schema) {
	for _, s := range schemas {
		if n := g.node(s); n != nil {
			*list = append(*list, n)
		}
	}
}

// applied takes up what is applied to the value itself.
func (g *grapher) applied(n *node, s *jsonschema.Schema) {
	g.add(&n.self, s.Ref, s.Not, s.If, s.ContentSchema)
	n.then, n.orElse = g.node(s.Then), g.node(s.Else)
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		g.add(&n.self, list...)
	}
	if s.RecursiveRef != nil {
		g.add(&n.loose, append(g.anchors[""], s.RecursiveRef)...)
	}
	if s.DynamicRef != nil {
		g.add(&n.loose, append(g.anchors[s.DynamicRef.Anchor], s.DynamicRef.Ref)...)
	}
	for _, key := range slices.Sorted(maps.Keys(s.DependentSchemas)) {
		n.calls = append(n.calls, callNode{key, g.node(s.DependentSchemas[key])})
	}
	for _, key := range slices.Sorted(maps.Keys(s.Dependencies)) {
		if part, ok := s.Dependencies[key].(*jsonschema.Schema); ok {
			n.calls = append(n.calls, callNode{key, g.node(part)})
		}
	}
}

func (g *grapher) members(n *node, s *jsonschema.Schema) {
	n.properties = map[string]*node{}
	for key, part := range s.Properties {
		n.properties[key] = g.node(part)
	}
	for expr, part := range s.PatternProperties {
		n.patterns = append(n.patterns, patternNode{expr, g.weight(expr), g.node(part)})
	}
	if rest, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		n.rest = g.node(rest)
	}
	n.name = g.node(s.PropertyNames)
}

func (g *grapher) elements(n *node, s *jsonschema.Schema) {
	g.add(&n.each, s.UnevaluatedProperties, s.UnevaluatedItems, s.Contains, s.Items2020)
	switch items := s.Items.(type) {
	case *jsonschema.Schema:
		g.add(&n.each, items)
	case []*jsonschema.Schema:
		g.add(&n.prefix, items...)
	}
	if rest, ok := s.AdditionalItems.(*jsonschema.Schema); ok {
		g.add(&n.each, rest)
	}
	g.add(&n.prefix, s.PrefixItems...)
	if s.UniqueItems {
		// The validator's own search is quadratic where values hash alike, which nested lists can be made to do.
		s.UniqueItems, n.unique = false, true
		s.Extensions = append(s.Extensions, uniqueItems{})
	}
}

// A stepCounter counts the steps that a schema and a value take at most, whatever order the validator
// goes in. Counting looks at each pair of a node and a value once.
type stepCounter struct {
	left  int // of the allowance
	nodes int // of the schema: a longer row of nodes on one value is a circle
	known map[stepKey]int
}

type stepKey struct {
	node  *node
	value uintptr // of an object or a list that is not empty
}

const underWay = -1

// enough reports whether comparing v with n takes no more steps than are left.
func (c *stepCounter) enough(n *node, v any) bool {
	allowed := c.left
	return c.steps(n, v, 0, 0) <= allowed && c.left >= 0
}

// steps counts what n costs on v, which stands so deep and to which so many nodes above were applied.
func (c *stepCounter) steps(n *node, v any, depth, row int) int {
	if n == nil {
		return 0
	}
	key := stepKey{n, addressOf(v)}
	if key.value != 0 {
		if k, seen := c.known[key]; seen {
			if k == underWay {
				c.left = -1 // a circle
				return 0
			}
			return k
		}
		c.known[key] = underWay
	}
	if !c.spend(1) || row > c.nodes {
		c.left = -1
		return 0
	}
	total := 1 + depth/8 + n.fixed
	if n.looksInto(v) {
		total += c.inside(n, v, depth, row+1)
	}
	total = min(total, 1<<40)
	if key.value != 0 {
		c.known[key] = total
	}
	return total
}

// spend takes n steps of counting from what is left.
func (c *stepCounter) spend(n int) bool {
	if c.left -= n; c.left < 0 {
		c.left = -1
	}
	return c.left >= 0
}

// addressOf tells apart the objects and lists of one value; zero for everything else.
func addressOf(v any) uintptr {
	switch v := v.(type) {
	case map[string]any:
		return reflect.ValueOf(v).Pointer()
	case []any:
		if len(v) > 0 {
			return reflect.ValueOf(v).Pointer()
		}
	}
	return 0
}

// looksInto reports whether a value is of the types that n allows; of any other nothing more is asked.
func (n *node) looksInto(v any) bool {
	if n.kinds == 0 {
		return true
	}
	switch v.(type) {
	case map[string]any:
		return n.kinds&kindOfObject != 0
	case []any:
		return n.kinds&kindOfList != 0
	case string:
		return n.kinds&kindOfText != 0
	case json.Number:
		return n.kinds&(kindOfNumeral|kindOfWhole) != 0
	case bool:
		return n.kinds&kindOfBool != 0
	}
	return n.kinds&kindOfNull != 0
}

func (c *stepCounter) inside(n *node, v any, depth, row int) int {
	total := 0
	for _, part := range n.self {
		total += c.steps(part, v, depth, row)
	}
	for _, part := range n.loose {
		if k, seen := c.known[stepKey{part, addressOf(v)}]; !seen || k != underWay {
			total += c.steps(part, v, depth, row)
		}
	}
	total += max(c.steps(n.then, v, depth, row), c.steps(n.orElse, v, depth, row))
	switch v := v.(type) {
	case map[string]any:
		total += c.object(n, v, depth, row)
	case []any:
		total += c.list(n, v, depth)
	case string:
		total += len(v) * n.text / stepBytes
	}
	return total
}

func (c *stepCounter) object(n *node, v map[string]any, depth, row int) int {
	total := len(v) / 8
	for _, call := range n.calls {
		if _, there := v[call.key]; there {
			total += c.steps(call.node, v, depth, row)
		}
	}
	for key, value := range v {
		part, listed := n.properties[key]
		total += c.steps(part, value, depth+1, 0)
		for _, p := range n.patterns {
			cost := 1 + len(key)*p.weight/stepBytes
			total += cost
			if c.spend(cost) && p.expr.MatchString(key) {
				listed = true
				total += c.steps(p.node, value, depth+1, 0)
			}
		}
		if !listed {
			total += c.steps(n.rest, value, depth+1, 0)
		}
		total += c.steps(n.name, key, depth+1, 0)
		for _, part := range n.each {
			total += c.steps(part, value, depth+1, 0)
		}
	}
	return total
}

func (c *stepCounter) list(n *node, v []any, depth int) int {
	total := len(v) / 8
	for i, value := range v {
		if i < len(n.prefix) {
			total += c.steps(n.prefix[i], value, depth+1, 0)
		}
		for _, part := range n.each {
			total += c.steps(part, value, depth+1, 0)
		}
	}
	if n.unique && c.spend(len(v)) {
		cost := written(v)
		c.spend(cost)
		total += cost
	}
	return total
}

// written is how many steps it takes to write a value down.
func written(v any) int {
	total := 1
	switch v := v.(type) {
	case map[string]any:
		for key, e := range v {
			total += len(key)/stepBytes + written(e)
		}
	case []any:
		for _, e := range v {
			total += written(e)
		}
	case string:
		total += len(v) / stepBytes
	}
	return total
}

// uniqueItems is the keyword of that name, in time that the length of the list bounds.
type uniqueItems struct{}

// Validate implements jsonschema.SchemaExt.
func (uniqueItems) Validate(ctx *jsonschema.ValidatorContext, v any) {
	list, _ := v.([]any)
	at := make(map[string]int, len(list))
	var b strings.Builder
	for i, e := range list {
		b.Reset()
		canonicalValue(&b, e)
		if first, twice := at[b.String()]; twice {
			ctx.AddError(&kind.UniqueItems{Duplicates: [2]int{first, i}})
			return
		}
		at[b.String()] = i
	}
}

// canonicalValue writes a value so that two are written alike exactly where JSON Schema calls them equal.
func canonicalValue(b *strings.Builder, v any) {
	switch v := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		for _, key := range sortedKeys(v) {
			b.WriteString(strconv.Itoa(len(key)) + ":" + key)
			canonicalValue(b, v[key])
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for _, e := range v {
			canonicalValue(b, e)
		}
		b.WriteByte(']')
	case string:
		b.WriteString(strconv.Itoa(len(v)) + `"` + v)
	case json.Number:
		b.WriteString("#" + canonicalNumber(v.String()))
	case bool:
		b.WriteString(strconv.FormatBool(v))
	default:
		b.WriteByte('0')
	}
}

func canonicalNumber(s string) string {
	if r, ok := new(big.Rat).SetString(s); ok && (!plainWhole(s) || s[0] == '-') {
		return r.RatString()
	}
	return s
}
