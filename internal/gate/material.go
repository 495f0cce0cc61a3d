package gate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// material is what statements may rest on: the accepted results among a task's inputs, by subtask.
type material struct {
	results map[string]*accepted
	skip    map[string]bool     // members that say where and who, not what
	read    map[[2]string]*bear // by subtask and key, what statements have named so far
}

// A bear is a text that statements rest on, read once.
type bear struct {
	text    string
	grounds *grounds
}

// An accepted is one subtask's accepted result.
type accepted struct {
	attempt int      // zero: not known
	parts   []string // all that it says
	items   []acceptedItem
	byKey   map[string][]int // places in items
}

// say adds what the result says.
func (r *accepted) say(words string) {
	if words != "" {
		r.parts = append(r.parts, words)
	}
}

// words are all that the result says, put together once.
func (r *accepted) words() string {
	if len(r.parts) > 1 {
		r.parts = []string{strings.Join(r.parts, "\n")}
	}
	return strings.Join(r.parts, "")
}

func (r *accepted) add(it acceptedItem) {
	if r.byKey == nil {
		r.byKey = map[string][]int{}
	}
	r.byKey[it.key] = append(r.byKey[it.key], len(r.items))
	r.items = append(r.items, it)
}

// An acceptedItem is one finding of it.
type acceptedItem struct{ key, words string }

// lastStep is the engine's own subtask, whose input is the aggregate of all accepted outputs. No
// plan can have a subtask of that name.
const lastStep = "_synthesis"

func (k *check) material() *material {
	m := &material{results: map[string]*accepted{}, read: map[[2]string]*bear{}, skip: map[string]bool{
		"start": true, "end": true, "document": true, "search": true,
		"subtask": true, "attempt": true, "worker": true, "verdict": true, "confirmedBy": true,
	}}
	for _, c := range k.gate.contracts {
		if r := c.items; r != nil {
			m.skip[r.start], m.skip[r.end], m.skip[r.document], m.skip[r.search] = true, true, true, true
		}
	}
	for _, src := range k.sources.all {
		if src.ref.From == "" {
			continue
		}
		v, bad := decode([]byte(src.text))
		switch {
		case bad != nil:
		case k.sub.Task.TaskID == lastStep && src.ref.From == "aggregate":
			m.aggregate(k.gate, v)
		default:
			m.output(k.gate, src.ref.From, v)
		}
	}
	return m
}

func (m *material) result(subtask string) *accepted {
	if m.results[subtask] == nil {
		m.results[subtask] = &accepted{}
	}
	return m.results[subtask]
}

// output takes up one accepted output, and the lists in it that a contract says are items.
func (m *material) output(g *Gate, subtask string, v any) {
	r := m.result(subtask)
	r.say(m.words(v))
	for _, rule := range g.itemRules() {
		if list, ok := lookup(v, rule.path); ok {
			elements, _ := list.([]any)
			for _, e := range elements {
				m.item(r, rule.key, e)
			}
		}
	}
}

func (m *material) item(r *accepted, field string, v any) {
	fields, _ := v.(map[string]any)
	if key, ok := fields[field].(string); ok && strings.TrimSpace(key) != "" {
		r.add(acceptedItem{strings.TrimSpace(key), m.words(v)})
	}
}

// itemRules are the ways in which the team's contracts have items, each once and in one order.
func (g *Gate) itemRules() []*itemRule {
	var out []*itemRule
	for _, name := range sortedNames(g.contracts) {
		r := g.contracts[name].items
		if r == nil || slices.ContainsFunc(out, func(o *itemRule) bool { return o.key == r.key && slices.Equal(o.path, r.path) }) {
			continue
		}
		out = append(out, r)
	}
	return out
}

func sortedNames(m map[string]*contract) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// aggregate takes up what the engine put together of all accepted outputs. A finding that several
// agree on is listed once, and is each one's.
func (m *material) aggregate(g *Gate, v any) {
	whole, _ := v.(map[string]any)
	keys := []string{}
	for _, r := range g.itemRules() {
		keys = append(keys, r.key)
	}
	listed, _ := whole["items"].([]any)
	for _, e := range listed {
		fields, _ := e.(map[string]any)
		r := m.of(fields)
		r.say(m.words(e))
		for _, key := range keys {
			m.item(r, key, e)
		}
	}
	outputs, _ := whole["outputs"].([]any)
	for _, e := range outputs {
		fields, _ := e.(map[string]any)
		r := m.of(fields)
		r.say(m.words(fields["output"]))
	}
	m.agreed(whole)
}

// of is the result that an element of the aggregate belongs to.
func (m *material) of(fields map[string]any) *accepted {
	subtask, _ := fields["subtask"].(string)
	r := m.result(subtask)
	if n, ok := fields["attempt"].(interface{ String() string }); ok {
		r.attempt, _ = strconv.Atoi(n.String())
	}
	return r
}

// agreed gives each subtask what the aggregate says that it found like the others.
func (m *material) agreed(whole map[string]any) {
	points, _ := whole["consistentPoints"].([]any)
	for _, p := range points {
		fields, _ := p.(map[string]any)
		key, _ := fields["key"].(string)
		all, _ := fields["subtasks"].([]any)
		var shown *acceptedItem
		for _, s := range all {
			name, _ := s.(string)
			shown = orItem(shown, m.results[name], key)
		}
		for _, s := range all {
			name, _ := s.(string)
			if r := m.result(name); shown != nil && orItem(nil, r, key) == nil {
				r.add(*shown)
				r.say(shown.words)
			}
		}
	}
}

// orItem is found, or the first item of a result under the key.
func orItem(found *acceptedItem, r *accepted, key string) *acceptedItem {
	if found != nil || r == nil || len(r.byKey[key]) == 0 {
		return found
	}
	return &r.items[r.byKey[key][0]]
}

// words are what a value says to a reader, without the members that say where and who.
func (m *material) words(v any) string {
	var b strings.Builder
	m.write(&b, v)
	return b.String()
}

func (m *material) write(b *strings.Builder, v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range sortedKeys(v) {
			if !m.skip[key] {
				m.write(b, v[key])
			}
		}
	case []any:
		for _, e := range v {
			m.write(b, e)
		}
	default:
		if s := wordsOf(v); s != "" {
			b.WriteString(s + "\n")
		}
	}
}

// named is what an evidence names, or why there is no such thing.
func (k *check) named(m *material, e *evidence) ([]*grounds, string) {
	r := m.results[e.subtask]
	switch {
	case e.subtask == "":
		return nil, "The evidence does not say which subtask it is from."
	case r == nil:
		return nil, "There is no accepted result of a subtask " + quoted(e.subtask) + " among the inputs."
	case e.attempt > 0 && r.attempt > 0 && e.attempt != r.attempt:
		return nil, fmt.Sprintf("The accepted result of %s is attempt %d, not %d.", quoted(e.subtask), r.attempt, e.attempt)
	}
	b := k.bear(m, r, e.subtask, strings.TrimSpace(e.key))
	switch {
	case b.text != "":
	case e.key == "":
		return nil, "The accepted result of " + quoted(e.subtask) + " says nothing."
	default:
		return nil, "The accepted result of " + quoted(e.subtask) + " has nothing under " + quoted(e.key) + "."
	}
	quote, why := k.quotedFrom(b.text, e)
	if quote == "" {
		return []*grounds{b.grounds}, why
	}
	g := &grounds{slab: &k.slab, effort: &k.effort}
	g.add(quote, nil)
	return []*grounds{b.grounds, g}, why
}

// bear is what a result says under a key, or in all where the key is empty.
func (k *check) bear(m *material, r *accepted, subtask, key string) *bear {
	at := [2]string{subtask, key}
	if m.read[at] == nil {
		b := &bear{text: r.words(), grounds: &grounds{slab: &k.slab, effort: &k.effort}}
		if key != "" {
			var parts []string
			for _, i := range r.byKey[key] {
				parts = append(parts, r.items[i].words)
			}
			b.text = strings.Join(parts, "\n")
		}
		b.grounds.add(b.text, nil)
		m.read[at] = b
	}
	return m.read[at]
}

// quotedFrom is what an evidence quotes from a document at its place, or why it cannot. Words
// without a place stand in the result itself.
func (k *check) quotedFrom(text string, e *evidence) (quote, why string) {
	switch {
	case e.quote == "" && !e.located && e.document == "":
		return "", ""
	case e.quote == "":
		return "", "The evidence names a place and does not quote what stands there."
	case !e.located && e.document == "":
		if k.effort.lookups += len(text) / 8; k.effort.lookups > maxLookups || !strings.Contains(text, e.quote) {
			return "", "The words " + quoted(e.quote) + " do not stand in the accepted result of " + quoted(e.subtask) + "."
		}
		return "", ""
	}
	src, missing := k.sources.of(e.document)
	if missing != "" {
		return "", missing
	}
	if !e.located || e.start < 0 || e.start >= e.end || e.end > len(src.text) || src.text[e.start:e.end] != e.quote {
		return "", fmt.Sprintf("The words %s do not stand at %s of %s.", quoted(e.quote), span(e.start, e.end), quoted(src.ref.Name))
	}
	return e.quote, ""
}
