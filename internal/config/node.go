package config

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// A node is one value of a file, with its place: what YAML and JSON have in common.
type node struct {
	kind   kind
	at     place
	text   string // of a text, a number or a boolean, as written
	items  []*node
	fields []field
}

// A field is one key of an object with its value.
type field struct {
	key   string
	at    place
	value *node
}

type kind byte

const (
	isNull kind = iota
	isBool
	isNumber
	isText
	isList
	isObject
)

// words says what a value is, for "must be …, it is …".
func (n *node) words() string {
	switch n.kind {
	case isBool:
		return n.text
	case isNumber:
		return "the number " + clean(n.text)
	case isText:
		return "the text " + quoted(n.text)
	case isList:
		return "a list"
	case isObject:
		return "a mapping"
	}
	return "empty"
}

func clean(s string) string { return strings.Trim(quoted(s), `"`) }

// plain reports whether a number is written as JSON writes it, so that there is one way to read it.
func plain(number string) bool {
	return number != "" && (number[0] == '-' || number[0] >= '0' && number[0] <= '9') && json.Valid([]byte(number))
}

const maxKey = 100 // bytes of a key that a path repeats

// key is how a path names an entry of an object.
func key(path, name string) string {
	if len(name) > maxKey {
		name = cut(name, maxKey)
	}
	for i := range len(name) {
		b := name[i]
		if b != '_' && b != '-' && b != '$' && (b|0x20 < 'a' || b|0x20 > 'z') && (b < '0' || b > '9') {
			return path + "[" + strconv.Quote(name) + "]"
		}
	}
	if name == "" {
		return path + `[""]`
	}
	return path + "." + name
}

func element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func jsonText(b *bytes.Buffer, s string) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string into a buffer
	b.Truncate(b.Len() - 1)
}
