package tool

import (
	"bytes"
	"encoding/json"

	"github.com/chargehand/chargehand"
)

// Digest names what a server says of its tool by content: name, description and both schemas, as
// canonical JSON. What the team says of it does not count.
func (d *Definition) Digest() string {
	b, err := json.Marshal([]any{d.Name, d.Description, canonical(d.Schema), canonical(d.Output)})
	if err != nil {
		panic("tool: canonical JSON cannot be written: " + err.Error())
	}
	return chargehand.Hash(b)
}

// ActionDigest names what a call does: the tool and its arguments, however they are written.
func ActionDigest(name string, arguments json.RawMessage) string {
	b, err := json.Marshal([]any{name, canonical(arguments)})
	if err != nil {
		panic("tool: canonical JSON cannot be written: " + err.Error())
	}
	return chargehand.Hash(b)
}

// canonical is raw with its keys in order and no space, every digit kept. What is no JSON counts as
// the text it is.
func canonical(raw json.RawMessage) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if len(raw) == 0 || d.Decode(&v) != nil {
		return string(raw)
	}
	return []any{v} // told apart from the text
}
