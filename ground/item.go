package ground

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
)

// Reason is the field in which a model says why what is absent is not there. It is no part of an
// output: it becomes the reason for which a search passed its hits over.
const Reason = "reason"

// Schema is a contract's schema for a worker that cannot count: its items without the offsets, the
// document and the search record, which Fill adds, and with Reason. A contract without items, or
// whose schema does not say what an item is, has its own.
func Schema(c *chargehand.Contract) json.RawMessage {
	if c.Items == nil || len(c.Schema) == 0 {
		return c.Schema
	}
	var root map[string]any
	if err := decode(c.Schema, &root); err != nil {
		return c.Schema
	}
	it, ok := itemSchema(root, c.Items.Path)
	if !ok {
		return c.Schema
	}
	drop(it, names(c.Items).derived())
	props, _ := it["properties"].(map[string]any)
	if props == nil {
		props = map[string]any{}
		it["properties"] = props
	}
	props[Reason] = map[string]any{"type": "string", "description": "where the item is absent: why no passage is one"}
	out, err := json.Marshal(root)
	if err != nil {
		return c.Schema
	}
	return out
}

// itemSchema is what a schema says of the elements of the list at a pointer.
func itemSchema(root map[string]any, path string) (map[string]any, bool) {
	at := root
	for seg := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if path == "" {
			break
		}
		props, _ := at["properties"].(map[string]any)
		next, ok := props[strings.NewReplacer("~1", "/", "~0", "~").Replace(seg)].(map[string]any)
		if !ok {
			return nil, false
		}
		if at = follow(root, next); at == nil {
			return nil, false
		}
	}
	it, ok := at["items"].(map[string]any)
	if !ok {
		return nil, false
	}
	it = follow(root, it)
	return it, it != nil
}

// follow is what a schema refers to inside its document; nil where that is not there.
func follow(root, s map[string]any) map[string]any {
	ref, ok := s["$ref"].(string)
	if !ok {
		return s
	}
	defs, _ := root["$defs"].(map[string]any)
	to, _ := defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	return to
}

// drop takes properties out of an object's schema, and out of what it says of the same object under
// conditions.
func drop(s map[string]any, gone []string) {
	if props, ok := s["properties"].(map[string]any); ok {
		maps.DeleteFunc(props, func(name string, _ any) bool { return slices.Contains(gone, name) })
	}
	if list, ok := s["required"].([]any); ok {
		s["required"] = slices.DeleteFunc(list, func(v any) bool {
			name, _ := v.(string)
			return slices.Contains(gone, name)
		})
	}
	for _, key := range []string{"if", "then", "else", "not"} {
		if part, ok := s[key].(map[string]any); ok {
			drop(part, gone)
		}
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := s[key].([]any)
		for _, v := range list {
			if part, ok := v.(map[string]any); ok {
				drop(part, gone)
			}
		}
	}
	if says(s["then"]) || says(s["else"]) {
		return
	}
	delete(s, "if")
	delete(s, "then")
	delete(s, "else")
}

// says reports whether a schema asks for anything.
func says(v any) bool {
	s, ok := v.(map[string]any)
	if !ok {
		return v == false
	}
	for _, part := range s {
		switch part := part.(type) {
		case []any:
			if len(part) > 0 {
				return true
			}
		case map[string]any:
			if len(part) > 0 {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// fields are an item's names, each filled in.
type fields struct{ key, present, quote, start, end, document, search string }

func names(r *chargehand.ItemRule) fields {
	or := func(given, name string) string {
		if given != "" {
			return given
		}
		return name
	}
	return fields{
		or(r.Key, "key"), or(r.Present, "present"), or(r.Quote, "quote"), or(r.Start, "start"), or(r.End, "end"),
		or(r.Document, "document"), or(r.Search, "search"),
	}
}

// derived are the fields that Fill adds.
func (f fields) derived() []string { return []string{f.start, f.end, f.document, f.search} }

// A Filling is what Fill did.
type Filling struct {
	Output  json.RawMessage
	Spaced  int // quotes whose white space is now the document's
	Missing int // quotes that stand in no document
}

// Fill adds to the items of an output what Schema left out: where each quote stands, and for what is
// absent the search of every document by the contract's triggers. Where a quote stands nowhere it is
// said to stand at a document's beginning, and the gate finds that it does not. An output that is
// not as the contract has it is left as it is: the gate says what is wrong with it.
func Fill(c *chargehand.Contract, docs []chargehand.InputRef, output json.RawMessage) Filling {
	out := Filling{Output: output}
	if c.Items == nil || len(docs) == 0 {
		return out
	}
	var root any
	if err := decode(output, &root); err != nil {
		return out
	}
	f := &filler{contract: c, names: names(c.Items), docs: docs, next: map[string]int{}, out: &out}
	f.closed, f.known = itemFields(c)
	done, ok := f.at(root, c.Items.Path)
	if !ok {
		return out
	}
	if body, err := json.Marshal(done); err == nil {
		out.Output = body
	}
	return out
}

type filler struct {
	contract *chargehand.Contract
	names    fields
	docs     []chargehand.InputRef
	next     map[string]int // by key and document: where the next quote is looked for first
	closed   bool           // an item has no fields but the known ones
	known    map[string]any // by name
	out      *Filling
}

// itemFields are the fields that a contract's schema names for an item, and whether it has others.
func itemFields(c *chargehand.Contract) (closed bool, known map[string]any) {
	var root map[string]any
	if decode(c.Schema, &root) != nil {
		return false, nil
	}
	it, _ := itemSchema(root, c.Items.Path)
	known, _ = it["properties"].(map[string]any)
	return it["additionalProperties"] == false, known
}

// set sets a field, unless items do not have it.
func (f *filler) set(it map[string]any, name string, v any) {
	if _, ok := f.known[name]; ok || !f.closed {
		it[name] = v
	}
}

// at fills the list at a pointer, and answers what holds it.
func (f *filler) at(v any, path string) (any, bool) {
	if path == "" {
		list, ok := v.([]any)
		if !ok {
			return v, false
		}
		return f.list(list), true
	}
	seg, rest, more := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if more {
		rest = "/" + rest
	}
	object, ok := v.(map[string]any)
	seg = strings.NewReplacer("~1", "/", "~0", "~").Replace(seg)
	if !ok || object[seg] == nil {
		return v, false
	}
	object[seg], ok = f.at(object[seg], rest)
	return object, ok
}

func (f *filler) list(list []any) []any {
	out := []any{}
	for _, v := range list {
		it, ok := v.(map[string]any)
		if !ok {
			out = append(out, v)
			continue
		}
		quote, _ := it[f.names.quote].(string)
		present, told := it[f.names.present].(bool)
		if !told {
			present = strings.TrimSpace(quote) != ""
		}
		why, _ := it[Reason].(string)
		if f.known[Reason] == nil {
			delete(it, Reason)
		}
		if present {
			f.place(it, quote)
			out = append(out, it)
			continue
		}
		for _, doc := range f.docs {
			out = append(out, f.absent(it, doc, why))
		}
	}
	return out
}

func (f *filler) place(it map[string]any, quote string) {
	key, _ := it[f.names.key].(string)
	for _, doc := range f.docs {
		cursor := key + "\x00" + doc.Hash
		start, end := Place(doc.Text, quote, f.next[cursor])
		if start < 0 {
			continue
		}
		f.next[cursor] = end
		if doc.Text[start:end] != quote {
			f.out.Spaced++
			it[f.names.quote] = doc.Text[start:end]
		}
		f.stands(it, doc, start, end)
		return
	}
	if strings.TrimSpace(quote) == "" {
		return
	}
	f.out.Missing++
	f.stands(it, f.docs[0], 0, min(len(quote), len(f.docs[0].Text)))
}

func (f *filler) stands(it map[string]any, doc chargehand.InputRef, start, end int) {
	f.set(it, f.names.start, start)
	f.set(it, f.names.end, end)
	f.set(it, f.names.document, doc.Hash)
}

func (f *filler) absent(it map[string]any, doc chargehand.InputRef, why string) map[string]any {
	it = maps.Clone(it)
	key, _ := it[f.names.key].(string)
	if strings.TrimSpace(why) == "" {
		why = "The reader passed it over and gave no reason."
	}
	delete(it, f.names.start)
	delete(it, f.names.end)
	f.set(it, f.names.document, doc.Hash)
	if s, err := Search(doc.Text, f.patterns(key), nil, why); err == nil {
		f.set(it, f.names.search, s)
	}
	return it
}

var word = regexp.MustCompile(`[\pL\pN]{4,}`)

// patterns are what to search for under a key: the contract's triggers, or else the key's own words.
func (f *filler) patterns(key string) []string {
	if p := f.contract.Items.Triggers[key]; len(p) > 0 {
		return p
	}
	var out []string
	for _, w := range word.FindAllString(key, -1) {
		out = append(out, `(?i)\b`+regexp.QuoteMeta(w))
	}
	if len(out) == 0 {
		out = append(out, `(?i)`+regexp.QuoteMeta(key))
	}
	return out
}

// decode reads JSON with its numbers as they are written.
func decode(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode(v)
}
