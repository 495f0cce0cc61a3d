package secret

import (
	"bytes"
	"encoding/json"
)

// RedactJSON is Redact for JSON, and leaves sound JSON sound. A value is found in a string, the name of
// a member included, however the string spells it, and where it stands alone as a number, which becomes
// a string. What holds no value keeps its bytes. Of what is not JSON, only whole strings and numbers
// are looked at.
func (v *Values) RedactJSON(raw json.RawMessage) json.RawMessage {
	forms := v.forms()
	if len(forms) == 0 {
		return raw
	}
	var out []byte
	kept := 0 // bytes of raw that out has taken in
	for i := 0; i < len(raw); {
		n := literal(raw[i:])
		if with := renamed(raw[i:i+n], forms); with != nil {
			out = append(append(out, raw[kept:i]...), with...)
			kept = i + n
		}
		i += n
	}
	if kept == 0 {
		return raw
	}
	return append(out, raw[kept:]...)
}

// literal is the length of the string or the number that b begins with; one for anything else.
func literal(b []byte) int {
	if b[0] != '"' {
		return max(1, len(b)-len(bytes.TrimLeft(b, "+-.0123456789Ee")))
	}
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 1
}

// renamed is a string or a number with the names of values in their place; nil where it holds none.
func renamed(token []byte, forms []form) []byte {
	text := string(token)
	switch {
	case len(token) < short:
		return nil
	case token[0] != '"':
		if !alone(text, forms) {
			return nil
		}
	case bytes.IndexByte(token, '\\') < 0:
		text = text[1 : len(text)-1]
	case json.Unmarshal(token, &text) != nil:
		return nil
	}
	if said := redact(text, forms); said != text {
		return spelled(said, false)
	}
	return nil
}

func alone(text string, forms []form) bool {
	for _, f := range forms {
		if f.text == text {
			return true
		}
	}
	return false
}

// spelled is a text as a string of JSON, with what means something in HTML escaped or not.
func spelled(text string, html bool) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	_ = e.Encode(text) // a text always has a form, and a buffer takes all
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
