package term

import (
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// WriteJSON writes v as one line of JSON. Characters that could not be seen are escaped, raw JSON
// within v is otherwise left as it is.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(escaper{w})
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// An escaper escapes what Hidden finds in JSON; such characters can only stand in its strings. It
// is written whole values, as an encoder does.
type escaper struct{ w io.Writer }

func (e escaper) Write(b []byte) (int, error) {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r < ' ' || !Hidden(r):
			out = append(out, b[i:i+n]...)
		case r > 0xFFFF:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += n
	}
	if _, err := e.w.Write(out); err != nil {
		return 0, err
	}
	return len(b), nil
}
