package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/chargehand/chargehand/internal/excerpt"
)

// members are the members of one JSON object and nothing around it, by their exact names, each of
// which occurs once: encoding/json alone would take "Output" for "output", and the last of two.
func members(b []byte) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		if w := wrappedIn(string(b)); w != "" {
			return nil, errors.New("it is not a JSON object, " + wrappings[w] + ": " + onlyObject)
		}
		return nil, errors.New("it is not a JSON object: " + onlyObject)
	}
	out := map[string]json.RawMessage{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, notJSON(err)
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, notJSON(err)
		}
		key := name.(string) // a decoder takes nothing else there
		if _, twice := out[key]; twice {
			return nil, fmt.Errorf("the member %q occurs twice", excerpt.Of(key, 40))
		}
		out[key] = v
	}
	if _, err := d.Token(); err != nil {
		return nil, notJSON(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("something follows the JSON object: " + onlyObject)
	}
	return out, nil
}

// onlyObject is what to leave away: none of it is taken off.
const onlyObject = "write the object only, no code fence (```), no word before it or after it, no <think>"

func notJSON(err error) error { return excerpt.JSON(err) }

// plain reports whether a JSON value says the same to every reader: no member of it occurs twice,
// and no character of it is half of one. Only such a value can be written anew and stay what it is.
func plain(b []byte) bool {
	again, err := rewritten(b)
	return err == nil && tokens(b) == tokens(again) && !bytes.Contains(again, []byte("\ufffd"))
}

// rewritten is a value as it is written after it was read.
func rewritten(b []byte) ([]byte, error) {
	var v any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return plainJSON(v)
}

func tokens(b []byte) int {
	d := json.NewDecoder(bytes.NewReader(b))
	for n := 0; ; n++ {
		if _, err := d.Token(); err != nil {
			return n
		}
	}
}
