package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
)

// A field is one member of a JSON object, in the order it was written.
type field struct {
	name  string
	value json.RawMessage
}

// fieldsOf is the members of an object; nil for anything else.
func fieldsOf(object json.RawMessage) []field {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	fields := []field{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil
		}
		fields = append(fields, field{fmt.Sprint(name), value})
	}
	return fields
}

// text is a string's content, strings of a list one after the other, and any other value as JSON.
func (f field) text() string {
	var s string
	if json.Unmarshal(f.value, &s) == nil {
		return s
	}
	var list []string
	if json.Unmarshal(f.value, &list) == nil && len(list) > 0 {
		return strings.Join(list, ", ")
	}
	var b bytes.Buffer
	if json.Compact(&b, f.value) != nil {
		return string(f.value)
	}
	return b.String()
}

// rowsOf is the elements of a list of objects; nil for anything else.
func rowsOf(list json.RawMessage) [][]field {
	var elements []json.RawMessage
	if json.Unmarshal(list, &elements) != nil || len(elements) == 0 {
		return nil
	}
	rows := make([][]field, len(elements))
	for i, e := range elements {
		if rows[i] = fieldsOf(e); rows[i] == nil {
			return nil
		}
	}
	return rows
}

// maxColumns of a table made of objects.
const maxColumns = 6

// columns are the names of fields that fit into a cell, in the order they come.
func columns(rows [][]field) []string {
	var names []string
	for _, row := range rows {
		for _, f := range row {
			if f.cell() && !slices.Contains(names, f.name) && len(names) < maxColumns {
				names = append(names, f.name)
			}
		}
	}
	return names
}

// cell reports whether the value is text, a number, true or false, or a list of texts.
func (f field) cell() bool {
	switch f.value[0] {
	case '{':
		return false
	case '[':
		var list []string
		return json.Unmarshal(f.value, &list) == nil
	}
	return true
}

// cells are the row's values under the columns; what it does not have is empty.
func cells(row []field, names []string) []string {
	out := make([]string, len(names))
	for _, f := range row {
		if i := slices.Index(names, f.name); i >= 0 && string(f.value) != "null" && string(f.value) != "[]" {
			out[i] = f.text()
		}
	}
	return out
}

// outputOf is what a result's own output says besides its findings: those are listed as items,
// with who found them and what checked them.
func outputOf(r *chargehand.Result) []field {
	if len(r.Output) == 0 || string(r.Output) == "null" {
		return nil
	}
	fields := fieldsOf(r.Output)
	if fields == nil {
		return []field{{"summary", r.Output}}
	}
	return slices.DeleteFunc(fields, func(f field) bool { return len(r.Items) > 0 && findings(f.value) })
}

func findings(list json.RawMessage) bool {
	var elements []json.RawMessage
	if json.Unmarshal(list, &elements) != nil || len(elements) == 0 {
		return false
	}
	for _, e := range elements {
		if _, ok := findingOf(&chargehand.Item{Fields: e}); !ok {
			return false
		}
	}
	return true
}
