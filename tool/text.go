package tool

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"

	"github.com/chargehand/chargehand/internal/excerpt"
)

// clean is untrusted text as a model or a person may be shown it: valid UTF-8, without characters
// that steer a terminal, reorder text or hide in it. Line breaks and tabs stay.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "�")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == ' ':
			return r
		case r == '\r':
			return -1
		case unicode.Is(unicode.Zs, r):
			return ' '
		case unicode.IsGraphic(r):
			return r
		}
		return '·'
	}, s)
}

// quoted is the start of an untrusted name, fit for a message of one line.
func quoted(s string) string {
	return strconv.QuoteToGraphic(clean(excerpt.Of(s, 100)))
}

// annotations are the keywords of a schema that only say something to whoever reads it.
var annotations = map[string]bool{"title": true, "description": true, "$comment": true}

// cleanWords is a schema as a model may be shown it, its annotations clean. One that needs no cleaning
// stays as it is, byte for byte. Arguments are compared with the server's own.
func cleanWords(schema json.RawMessage) json.RawMessage {
	if !bytes.ContainsFunc(schema, func(r rune) bool { return r == '\\' || r < ' ' || r > '~' }) {
		return schema
	}
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber()
	var doc any
	if d.Decode(&doc) != nil || !cleanIn(doc) {
		return schema
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(doc) != nil {
		return schema
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// cleanIn cleans the annotations within a value, and reports whether any was not.
func cleanIn(v any) (changed bool) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			changed = cleanIn(x) || changed
		}
	case map[string]any:
		for k, x := range v {
			if text, ok := x.(string); ok && annotations[k] {
				v[k] = clean(text)
				changed = changed || v[k] != text
				continue
			}
			changed = cleanIn(x) || changed
		}
	}
	return changed
}
