package config

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/token"

	"github.com/chargehand/chargehand"
)

const (
	maxMarks  = 120_000 // lines and brackets of one file
	maxKeys   = 1_000   // of one mapping; the parser's work grows with their square
	maxHollow = 1_000   // keys and entries without a value; each makes the parser move all that follow
)

// tooMany bounds what reading a file costs.
func tooMany(text string) *chargehand.Problem {
	n := 0
	for i := range len(text) {
		switch text[i] {
		case '\n', ',', '[', ']', '{', '}':
			n++
		}
	}
	if n <= maxMarks {
		return nil
	}
	return &chargehand.Problem{Path: "$", Message: fmt.Sprintf("the file has more than %d lines and brackets", maxMarks), Hint: "write it as JSON"}
}

// refusals are the parts of YAML that make a file hard to judge by eye.
var refusals = map[token.Type]struct{ message, hint string }{
	token.AnchorType:     {"anchors (&name) are not supported here", "write the value where it is needed; put text in quotes"},
	token.AliasType:      {"aliases (*name) are not supported here", "write the value where it is needed; put text in quotes"},
	token.MergeKeyType:   {"merge keys (<<) are not supported here", "write the fields where they are needed"},
	token.TagType:        {"tags (!name) are not supported here", "put text in quotes"},
	token.MappingKeyType: {"keys that begin with `?` are not supported here", "write `key: value`; put text in quotes"},
	token.DirectiveType:  {"directives (%name) are not supported here", "delete the line; put text in quotes"},
}

// refused is what is wrong with the tokens before any parsing, all of it. A text without such a
// problem is nested so little that the parser, which calls itself, stays small.
func refused(tokens token.Tokens, text, noun string) []chargehand.Problem {
	s := tokenScan{lines: strings.Split(text, "\n"), noun: noun}
	for _, t := range tokens {
		if t.Type == token.CommentType || t.Position == nil {
			continue
		}
		s.token(t)
		if s.stop || len(s.problems) == maxProblems {
			break
		}
	}
	return s.problems
}

// A tokenScan goes through tokens once.
type tokenScan struct {
	lines    []string
	noun     string
	before   *token.Token
	flow     []token.Type // the open brackets, outermost first
	columns  []column     // the open block collections, outermost first
	hollow   int
	problems []chargehand.Problem
	stop     bool
}

// A column is a block collection by where it begins, with the keys it has.
type column struct{ at, keys int }

func (s *tokenScan) token(t *token.Token) {
	if r, ok := refusals[t.Type]; ok {
		s.problem(t, r.message, r.hint)
	}
	s.indent(t)
	s.empty(t)
	switch t.Type {
	case token.InvalidType:
		s.invalid(t)
	case token.DirectiveType:
		s.stop = true
	case token.DocumentHeaderType:
		if s.before != nil {
			s.refuse(t, "a second document begins here", "one file holds one "+s.noun)
		}
		return
	case token.SequenceStartType, token.MappingStartType:
		s.flow = append(s.flow, t.Type)
	case token.SequenceEndType, token.MappingEndType:
		s.flow = s.flow[:max(0, len(s.flow)-1)]
	}
	s.nest(t)
	s.before = t
}

func (s *tokenScan) invalid(t *token.Token) {
	if len(s.problems) == 0 { // else a tab is the reason, not one more problem
		message, hint := inPlainWords(t.Error)
		s.problem(t, message, hint)
	}
	s.stop = true
}

// indent refuses tabs before the first token of a line.
func (s *tokenScan) indent(t *token.Token) {
	line := t.Position.Line
	if s.before != nil && s.before.Position.Line == line || line > len(s.lines) || afterHeader(t) {
		return
	}
	text := s.lines[line-1]
	blank := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	if i := strings.IndexByte(blank, '\t'); i >= 0 {
		p := place{line, i + 1}.problem("$", "the line is indented with a tab")
		p.Hint = "YAML is indented with spaces"
		s.problems = append(s.problems, p)
	}
}

// afterHeader reports whether a token is the text of a block that begins with | or >.
func afterHeader(t *token.Token) bool {
	return t.Prev != nil && (t.Prev.Type == token.LiteralType || t.Prev.Type == token.FoldedType)
}

// empty counts the keys and entries that have no value because of what t is.
func (s *tokenScan) empty(t *token.Token) {
	b := s.before
	if b == nil || b.Type != token.MappingValueType && b.Type != token.SequenceEntryType || !s.leaves(b, t) {
		return
	}
	if s.hollow++; s.hollow > maxHollow {
		s.refuse(t, fmt.Sprintf("more than %d keys have no value", maxHollow), "delete them")
	}
}

// leaves reports whether t stands outside of the value that b begins.
func (s *tokenScan) leaves(b, t *token.Token) bool {
	switch t.Type {
	case token.CollectEntryType, token.MappingEndType, token.SequenceEndType, token.DocumentHeaderType:
		return true
	}
	at := columnOf(b)
	lists := b.Type == token.MappingValueType && t.Type == token.SequenceEntryType
	return len(s.flow) == 0 && t.Position.Line > b.Position.Line && (t.Position.Column < at || t.Position.Column == at && !lists)
}

// columnOf is where an entry of a block collection begins: at its dash, or its key.
func columnOf(t *token.Token) int {
	if t.Type == token.MappingValueType && t.Prev != nil && t.Prev.Position != nil {
		return t.Prev.Position.Column
	}
	return t.Position.Column
}

// nest keeps the open block collections, and refuses too many of them within each other.
func (s *tokenScan) nest(t *token.Token) {
	switch {
	case t.Type == token.MappingValueType && len(s.flow) > 0:
		if s.flow[len(s.flow)-1] == token.SequenceStartType {
			s.refuse(t, "a key cannot stand in a `[` list", "close the list with `]` before it, or write `[{key: value}]`")
		}
	case len(s.flow) > 0:
	case t.Type == token.SequenceEntryType, t.Type == token.MappingValueType:
		s.open(t)
	}
	if len(s.columns)+len(s.flow) > maxDepth {
		s.refuse(t, tooDeep, "")
	}
}

func (s *tokenScan) open(t *token.Token) {
	at, n := columnOf(t), len(s.columns)
	for n > 0 && s.columns[n-1].at > at {
		n--
	}
	s.columns = s.columns[:n]
	if n == 0 || s.columns[n-1].at < at {
		s.columns = append(s.columns, column{at, 0})
	}
	c := &s.columns[len(s.columns)-1]
	if c.keys++; t.Type == token.SequenceEntryType {
		c.keys = 0
	}
	if c.keys > maxKeys {
		s.refuse(t, fmt.Sprintf("a mapping has more than %d keys", maxKeys), "write the file as JSON")
	}
}

// refuse tells a problem after which nothing is worth telling.
func (s *tokenScan) refuse(t *token.Token, message, hint string) {
	s.problem(t, message, hint)
	s.stop = true
}

func (s *tokenScan) problem(t *token.Token, message, hint string) {
	p := place{t.Position.Line, t.Position.Column}.problem("$", message)
	p.Hint = hint
	s.problems = append(s.problems, p)
}
