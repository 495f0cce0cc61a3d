package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/chargehand/chargehand"
)

// fromYAML reads a YAML text of one document; noun says what the document is.
func fromYAML(text, noun string) (*node, []chargehand.Problem) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	if p := tooMany(text); p != nil {
		return nil, []chargehand.Problem{*p}
	}
	tokens := lexer.Tokenize(text)
	if problems := refused(tokens, text, noun); len(problems) > 0 {
		return nil, problems
	}
	body, p := parseYAML(tokens)
	if p != nil {
		return nil, []chargehand.Problem{*p}
	}
	r := yamlReader{}
	n := r.node("$", body, place{1, 1}, 1)
	return n, r.problems
}

// parseYAML is the one document among the tokens.
func parseYAML(tokens token.Tokens) (body ast.Node, p *chargehand.Problem) {
	// The parser takes a nil token for a token in some broken texts; that must not end the program.
	defer func() {
		if recover() != nil {
			body, p = nil, &chargehand.Problem{Path: "$", Message: "is not valid YAML", Hint: "look for a key or a bracket without its end"}
		}
	}()
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, syntaxProblem(err)
	}
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if body != nil {
			p := placeOf(doc.Body, place{1, 1}).problem("$", "something follows the end of the document")
			return nil, &p
		}
		body = doc.Body
	}
	if body == nil {
		return nil, &chargehand.Problem{Path: "$", Message: "the file has only comments", Hint: "make a first team with: chargehand init"}
	}
	return body, nil
}

// plainWords say what the parser's sentences mean, and what to do.
var plainWords = []struct{ sentence, message, hint string }{
	{"mapping value is not allowed", "`: ` is not allowed here", "put text that holds `: ` in quotes, and indent the keys of one mapping alike"},
	{"sequence end token ']' not found", "the `[` is not closed", ""},
	{"mapping end token '}'", "the `{` is not closed", ""},
	{"could not find end character of", "the quote is not closed", ""},
	{"is a reserved character", "text cannot begin with this character", "put it in quotes"},
	{"',' or ']' must be specified", "a `,` or a `]` is missing before this", ""},
	{"',' or '}' must be specified", "a `,` or a `}` is missing before this", ""},
	{"unexpected scalar value type", "a value is missing, or not allowed here", "look for a `,` too many"},
	{"non-map value is specified", "this line is not `key: value`", ""},
	{"unexpected key name", "a key must stand in one line", "end it with `: `"},
}

func syntaxProblem(err error) *chargehand.Problem {
	p := chargehand.Problem{Path: "$", Message: "is not YAML"}
	e, ok := errors.AsType[yaml.Error](err)
	if !ok {
		return &p
	}
	if t := e.GetToken(); t != nil && t.Position != nil {
		p.Line, p.Column = t.Position.Line, t.Position.Column
	}
	p.Message, p.Hint = inPlainWords(e.GetMessage())
	return &p
}

func inPlainWords(sentence string) (message, hint string) {
	for _, w := range plainWords {
		if strings.Contains(sentence, w.sentence) {
			return "is not YAML: " + w.message, w.hint
		}
	}
	return "is not YAML: " + clean(sentence), ""
}

// A yamlReader turns the parser's tree into nodes.
type yamlReader struct{ problems []chargehand.Problem }

func (r *yamlReader) problem(at place, path, message, hint string) {
	p := at.problem(path, message)
	p.Hint = hint
	r.problems = append(r.problems, p)
}

// node is one value; above is the place to name where the value itself has none.
func (r *yamlReader) node(path string, value ast.Node, above place, depth int) *node {
	at := placeOf(value, above)
	n := &node{at: at}
	if depth > maxDepth {
		r.problem(at, path, tooDeep, "")
		return n
	}
	switch value := value.(type) {
	case nil, *ast.NullNode:
	case *ast.BoolNode:
		n.kind, n.text = isBool, fmt.Sprint(value.Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		n.kind, n.text = isNumber, value.GetToken().Value
	case *ast.StringNode:
		n.kind, n.text = isText, value.Value
		if value.Token.Type == token.StringType && plain(value.Value) { // too long, or with an exponent
			n.kind = isNumber
		}
	case *ast.LiteralNode:
		n.kind, n.text = isText, value.Value.Value
	case *ast.SequenceNode:
		n.kind = isList
		for i, item := range value.Values {
			n.items = append(n.items, r.node(element(path, i), item, tokenPlace(item, at), depth+1))
		}
	case ast.MapNode:
		n.kind = isObject
		r.fields(path, n, value, depth)
	default:
		r.problem(at, path, "this kind of YAML is not supported here", "write it as plain text, a list or a mapping")
	}
	return n
}

func (r *yamlReader) fields(path string, n *node, m ast.MapNode, depth int) {
	for entries := m.MapRange(); entries.Next(); {
		name, at := entries.Key().GetToken().Value, placeOf(entries.Key(), n.at)
		if s, ok := entries.Key().(*ast.StringNode); ok {
			name = s.Value
		}
		n.fields = append(n.fields, field{name, at, r.node(key(path, name), entries.Value(), at, depth+1)})
	}
}

// placeOf is where a value begins: for a mapping that is its first key.
func placeOf(value ast.Node, above place) place {
	switch v := value.(type) {
	case nil:
		return above
	case *ast.MappingNode:
		if !v.IsFlowStyle && len(v.Values) > 0 {
			return placeOf(v.Values[0].Key, above)
		}
	case *ast.MappingValueNode:
		return placeOf(v.Key, above)
	}
	if t := value.GetToken(); t != nil && t.Type == token.ImplicitNullType {
		return above
	}
	return tokenPlace(value, above)
}

func tokenPlace(value ast.Node, above place) place {
	if value == nil || value.GetToken() == nil || value.GetToken().Position == nil {
		return above
	}
	p := value.GetToken().Position
	return place{p.Line, p.Column}
}
