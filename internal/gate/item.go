package gate

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/chargehand/chargehand"
)

// An itemRule is a chargehand.ItemRule with every field name filled in.
type itemRule struct {
	path                                                      pattern
	key, present, quote, start, end, document, answer, search string
	grounded, facts, searchPath                               []string
	triggers, cues                                            map[string][]*trigger // by key
}

// An item is one finding about a source, as the worker states it.
type item struct {
	path    []string
	fields  map[string]any
	key     string
	present bool
	quote   string
	answer  string

	document   string
	start, end int
	located    bool // start and end were given

	source   *source // what the quote was compared with
	verbatim bool    // the quote stands where it is said to
	claim    *chargehand.Claim
}

// name is the item for a sentence.
func (it *item) name() string { return quoted(it.key) }

// at is the path of one of its fields.
func (it *item) at(field string) []string { return append(slices.Clip(it.path), field) }

// An itemList is room for the items of an output, to be used again.
type itemList struct {
	room []item
	all  []*item
}

func (l *itemList) empty() { l.room, l.all = emptied(l.room), emptied(l.all) }

// read lists the items of an output in an empty list, or says what is wrong with their form.
func (r *itemRule) read(output any, into *itemList) ([]*item, []fault) {
	v, ok := lookup(output, r.path)
	list, isList := v.([]any)
	if !ok || !isList {
		return nil, []fault{{r.path, "must be the list of items"}}
	}
	into.room = slices.Grow(into.room, len(list))[:len(list)]
	var faults []fault
	for i, v := range list {
		it := &into.room[i]
		it.path = append(slices.Clip([]string(r.path)), strconv.Itoa(i))
		fields, ok := v.(map[string]any)
		if !ok {
			faults = append(faults, fault{it.path, "must be an object; it is " + literal(v)})
			continue
		}
		it.fields = fields
		faults = append(faults, r.fill(it)...)
		into.all = append(into.all, it)
	}
	return into.all, faults
}

// fill reads an item's fields and says which have the wrong form. Null counts as not given.
func (r *itemRule) fill(it *item) []fault {
	rd := fieldReader{it: it}
	it.key = strings.TrimSpace(rd.text(r.key))
	if it.key == "" && len(rd.faults) == 0 {
		rd.fault(r.key, "must say what the item is about")
	}
	it.quote, it.document = rd.text(r.quote), rd.text(r.document)
	it.answer = wordsOf(it.fields[r.answer])
	start, hasStart := rd.offset(r.start)
	end, hasEnd := rd.offset(r.end)
	it.start, it.end, it.located = start, end, hasStart && hasEnd
	switch v := it.fields[r.present].(type) {
	case nil:
		it.present = it.quote != ""
	case bool:
		it.present = v
	default:
		rd.fault(r.present, "must be true or false; it is "+literal(v))
	}
	return rd.faults
}

type fieldReader struct {
	it     *item
	faults []fault
}

func (rd *fieldReader) fault(field, clause string) {
	rd.faults = append(rd.faults, fault{rd.it.at(field), clause})
}

func (rd *fieldReader) text(field string) string {
	switch v := rd.it.fields[field].(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		rd.fault(field, "must be a text; it is "+literal(v))
		return ""
	}
}

func (rd *fieldReader) offset(field string) (int, bool) {
	v := rd.it.fields[field]
	if v == nil {
		return 0, false
	}
	n, isNumber := v.(json.Number)
	i, err := strconv.Atoi(n.String())
	if !isNumber || err != nil {
		rd.fault(field, "must be a whole number of bytes; it is "+literal(v))
		return 0, false
	}
	return i, true
}

// wordsOf is a value as the words a reader would see; the elements of a list are set apart by "; ".
func wordsOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		if v {
			return "Yes"
		}
		return "No"
	case []any:
		parts := make([]string, 0, len(v))
		for _, e := range v {
			parts = append(parts, wordsOf(e))
		}
		return strings.Join(parts, "; ")
	case map[string]any:
		parts := make([]string, 0, len(v))
		for _, key := range sortedKeys(v) {
			parts = append(parts, wordsOf(v[key]))
		}
		return strings.Join(parts, "; ")
	}
	return ""
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
