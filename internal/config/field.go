package config

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unicode"

	"github.com/chargehand/chargehand"
)

// A shape is the fields of a struct by the names they are read under.
type shape struct {
	names  []string // as SPEC.md writes them
	byName map[string]target
}

// A target is the field that a name means.
type target struct {
	name  string // as SPEC.md writes it
	index []int
	form  form
}

// A form is how the value under another name differs from the field's own.
type form byte

const (
	same    form = iota
	alone        // a list of one, for a field that holds one
	listed       // one, for a field that holds a list
	orFalse      // false, for a text
)

// An alias is another name of a field (SPEC.md ·1).
type alias struct {
	name, means string
	form        form
}

var aliases = map[reflect.Type][]alias{
	reflect.TypeFor[chargehand.WorkerSpec](): {
		{"worker_name", "workerId", same},
		{"tool_scopes", "toolGrants", same},
		{"input_contracts", "acceptedInputSchema", alone},
		{"outputSchema", "outputContracts", listed},
		{"max_concurrency", "maxConcurrentTasks", same},
	},
	reflect.TypeFor[chargehand.Subtask](): {{"deadline_ms", "timeoutMs", same}},
	reflect.TypeFor[chargehand.Policy]():  {{"reviewer", "reviewer", orFalse}},
}

var shapes sync.Map // reflect.Type to *shape

// shapeOf is the shape of a struct type. Each field is also read under its name in snake_case.
func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	s := &shape{byName: map[string]target{}}
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		s.names = append(s.names, name)
		s.byName[snake(name)] = target{name, f.Index, same}
		s.byName[name] = target{name, f.Index, same}
	}
	for _, a := range aliases[t] {
		means := s.byName[a.means]
		means.form = a.form
		s.byName[a.name] = means
	}
	shapes.Store(t, s)
	return s
}

// snake is maxRiskLevel as max_risk_level, costPerCallEstimateUSD as cost_per_call_estimate_usd.
func snake(name string) string {
	var b strings.Builder
	small := false
	for _, r := range name {
		if small && unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		small = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// object fills a struct. A name that is nearly a field's is told and then read as that field, so
// that one slip is one problem.
func (d *decoder) object(path string, n *node, v reflect.Value) {
	if n.kind != isObject {
		d.mismatch(path, n, "a mapping", "")
		return
	}
	s := shapeOf(v.Type())
	given := make(map[string]field, len(n.fields))
	var strange []field
	for _, f := range n.fields {
		if t, ok := s.byName[f.key]; ok {
			d.field(path, f, t, given, v)
		} else {
			strange = append(strange, f)
		}
	}
	if w, ok := v.Addr().Interface().(*chargehand.WorkerSpec); ok {
		_, priced := given["costPerCallEstimateUSD"]
		w.Free = w.Free || priced && w.CostPerCallEstimateUSD == 0 && !d.wrong[key(path, "costPerCallEstimateUSD")] // declared, as nothing
	}
	if p, ok := v.Addr().Interface().(*chargehand.Planner); ok {
		_, priced := given["estimateUSD"]
		p.Free = p.Free || priced && p.EstimateUSD == 0 && !d.wrong[key(path, "estimateUSD")]
	}
	for _, f := range strange {
		meant := chargehand.Near(f.key, s.names)
		hint := ""
		if meant != "" {
			hint = "did you mean " + tick(meant) + "?"
		}
		d.problem(f.at, key(path, f.key), "unknown field "+tick(f.key), hint)
		if _, ok := given[meant]; meant != "" && !ok {
			d.field(path, f, s.byName[meant], given, v)
		}
	}
}

func (d *decoder) field(path string, f field, t target, given map[string]field, v reflect.Value) {
	if before, ok := given[t.name]; ok {
		message := fmt.Sprintf("is given twice, first in line %d", before.at.line)
		if before.key != f.key {
			message = fmt.Sprintf("is another name of %s, which is given in line %d", tick(before.key), before.at.line)
		}
		d.problem(f.at, key(path, f.key), message, "")
		return
	}
	given[t.name] = f
	d.value(key(path, t.name), t.form.of(f.value), v.FieldByIndex(t.index))
}

// of is the value as the field itself would hold it.
func (m form) of(n *node) *node {
	switch {
	case m == alone && n.kind == isList && len(n.items) == 1:
		return n.items[0]
	case m == listed && n.kind == isText:
		return &node{kind: isList, at: n.at, items: []*node{n}}
	case m == orFalse && n.kind == isBool && n.text == chargehand.NoReviewer:
		return &node{kind: isText, at: n.at, text: n.text}
	}
	return n
}
