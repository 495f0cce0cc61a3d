// Package compare says in what two JSON documents differ, and two runs.
package compare

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A Kind is what became of a value.
type Kind string

// The kinds.
const (
	Added   Kind = "added"
	Removed Kind = "removed"
	Changed Kind = "changed"
)

// A Change is one value that two documents do not share.
type Change struct {
	Kind Kind            `json:"kind"`
	Path string          `json:"path"` // a JSON pointer; into the second document, of what was removed into the first
	From json.RawMessage `json:"from,omitempty"`
	To   json.RawMessage `json:"to,omitempty"`
}

// JSON is what changed from one document to another, in the order of their members' names. What is no
// JSON is taken as text. Values are compared as numbers, texts and so on, not as they are written.
func JSON(from, to []byte) []Change {
	var c comparison
	c.values("", data(from), data(to))
	return c.changes
}

func data(b []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if d.Decode(&v) != nil || d.More() {
		return string(b)
	}
	return v
}

type comparison struct{ changes []Change }

func (c *comparison) add(kind Kind, path string, from, to any) {
	change := Change{Kind: kind, Path: path}
	if kind != Added {
		change.From = raw(from)
	}
	if kind != Removed {
		change.To = raw(to)
	}
	c.changes = append(c.changes, change)
}

// raw is a value as JSON; what was read from JSON can be written.
func raw(v any) json.RawMessage {
	b, _ := json.Marshal(v)
	return b
}

func (c *comparison) values(path string, from, to any) {
	switch a := from.(type) {
	case map[string]any:
		if b, ok := to.(map[string]any); ok {
			c.objects(path, a, b)
			return
		}
	case []any:
		if b, ok := to.([]any); ok {
			c.lists(path, a, b)
			return
		}
	}
	if !reflect.DeepEqual(from, to) {
		c.add(Changed, path, from, to)
	}
}

func (c *comparison) objects(path string, from, to map[string]any) {
	for _, name := range members(from, to) {
		a, had := from[name]
		b, has := to[name]
		at := path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		switch {
		case !had:
			c.add(Added, at, nil, b)
		case !has:
			c.add(Removed, at, a, nil)
		default:
			c.values(at, a, b)
		}
	}
}

func members(objects ...map[string]any) []string {
	var names []string
	for _, o := range objects {
		for name := range o {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// lists compares elements between those that both lists have, in the same order: as many as there are
// on both sides one by one, and the rest as added or removed.
func (c *comparison) lists(path string, from, to []any) {
	i, j := 0, 0
	for _, m := range append(common(from, to), [2]int{len(from), len(to)}) {
		for ; i < m[0] && j < m[1]; i, j = i+1, j+1 {
			c.values(path+"/"+strconv.Itoa(j), from[i], to[j])
		}
		for ; i < m[0]; i++ {
			c.add(Removed, path+"/"+strconv.Itoa(i), from[i], nil)
		}
		for ; j < m[1]; j++ {
			c.add(Added, path+"/"+strconv.Itoa(j), nil, to[j])
		}
		i, j = m[0]+1, m[1]+1
	}
}

// longest is how many elements two lists may have for their order to be looked at.
const longest = 1000

// common is the longest sequence of equal elements, as places in both lists. Lists that are too long
// share what stands at the same place.
func common(a, b []any) (pairs [][2]int) {
	x, y := keys(a), keys(b)
	if len(x) > longest || len(y) > longest {
		for i := range min(len(x), len(y)) {
			if x[i] == y[i] {
				pairs = append(pairs, [2]int{i, i})
			}
		}
		return pairs
	}
	// n[i][j] is the length of the longest sequence in x[i:] and y[j:].
	n := make([][]int, len(x)+1)
	for i := range n {
		n[i] = make([]int, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if n[i][j] = max(n[i+1][j], n[i][j+1]); x[i] == y[j] {
				n[i][j] = n[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] == y[j]:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case n[i+1][j] >= n[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

func keys(list []any) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(raw(v))
	}
	return out
}
