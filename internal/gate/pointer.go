package gate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxPointer bounds the pointer of a finding, in bytes: keys are the worker's words.
const maxPointer = 1 << 10

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// pointerOf is the JSON pointer (RFC 6901) made of tokens; one that is too long names the nearest
// value above that is not.
func pointerOf(tokens []string) string {
	size := 0
	for _, t := range tokens {
		size += 1 + len(t)
	}
	var b strings.Builder
	b.Grow(min(size, maxPointer))
	for _, t := range tokens {
		if b.Len()+len(t) > maxPointer {
			break
		}
		b.WriteByte('/')
		b.WriteString(pointerEscape.Replace(t))
	}
	return b.String()
}

// A pattern is a JSON pointer in which a token * stands for each element of a list.
type pattern []string

// parsePattern reads "/rows/*/total". "" is the whole value.
func parsePattern(s string) (pattern, error) {
	if s == "" {
		return nil, nil
	}
	if s[0] != '/' {
		return nil, fmt.Errorf("a JSON pointer begins with /: want /%s", s)
	}
	tokens := strings.Split(s[1:], "/")
	for i, t := range tokens {
		bad := strings.NewReplacer("~0", "", "~1", "").Replace(t)
		if strings.Contains(bad, "~") {
			return nil, fmt.Errorf("~ in a JSON pointer is written ~0")
		}
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
	}
	return tokens, nil
}

// A place is one value that a pattern leads to.
type place struct {
	path  []string
	value any
	item  any // the nearest list element on the way, the whole output if there is none
}

// places lists the values p leads to in v, in document order. What is not there is left out.
func (p pattern) places(v any) []place {
	if !slices.Contains(p, "*") {
		if there, ok := lookup(v, p); ok {
			return []place{{slices.Clip(p), there, v}}
		}
		return nil
	}
	return p.walk(place{value: v, item: v}, nil)
}

func (p pattern) walk(at place, out []place) []place {
	if len(p) == 0 {
		return append(out, at)
	}
	switch v := at.value.(type) {
	case map[string]any:
		if child, ok := v[p[0]]; ok {
			return p[1:].walk(at.child(p[0], child), out)
		}
	case []any:
		if p[0] == "*" {
			for i, child := range v {
				next := at.child(strconv.Itoa(i), child)
				next.item = child
				out = p[1:].walk(next, out)
			}
			return out
		}
		if i, err := strconv.Atoi(p[0]); err == nil && 0 <= i && i < len(v) {
			return p[1:].walk(at.child(p[0], v[i]), out)
		}
	}
	return out
}

func (at place) child(token string, v any) place {
	return place{path: append(slices.Clip(at.path), token), value: v, item: at.item}
}

// lookup is the value at the path of plain tokens.
func lookup(v any, path []string) (any, bool) {
	for _, token := range path {
		switch in := v.(type) {
		case map[string]any:
			child, ok := in[token]
			if !ok {
				return nil, false
			}
			v = child
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(in) {
				return nil, false
			}
			v = in[i]
		default:
			return nil, false
		}
	}
	return v, true
}
