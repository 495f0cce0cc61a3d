package excerpt

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

// What encoding/json says reaches people and models without Go's words, and is still the same error.
func TestJSON(t *testing.T) {
	type inner struct {
		N  int     `json:"n"`
		F  float64 `json:"f"`
		OK *bool   `json:"ok"`
	}
	type outer struct {
		Name  string            `json:"name"`
		In    inner             `json:"in"`
		List  []inner           `json:"list"`
		Table map[string]string `json:"table"`
	}
	for text, want := range map[string]string{
		`{"in":{"n":8.0}}`:  `"in.n" must be a whole number, not 8.0`,
		`{"in":{"n":"8"}}`:  `"in.n" must be a whole number, not a text`,
		`{"in":{"f":true}}`: `"in.f" must be a number, not true or false`,
		`{"in":{"ok":1}}`:   `"in.ok" must be true or false, not a number`,
		`{"list":{}}`:       `"list" must be a list, not an object`,
		`{"table":[]}`:      `"table" must be an object, not a list`,
		`{"name":3}`:        `"name" must be a text, not a number`,
		`[]`:                `it must be an object, not a list`,
		``:                  `it ends before its JSON does`,
		`{"name":`:          `it ends before its JSON does`,
		`{"name" 3}`:        "it is not JSON: invalid character '3' after object key (at byte 9)",
		`{"name":"","x":1}`: `it has a member "x", which is not known`,
	} {
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		var v outer
		err := d.Decode(&v)
		if got := JSON(err); got == nil || got.Error() != want || !errors.Is(got, err) {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
	var v outer
	if got := JSON(json.Unmarshal([]byte(`{"name":`), &v)); got.Error() != "it ends before its JSON does" {
		t.Errorf("%v", got)
	}
	if JSON(nil) != nil || JSON(io.ErrUnexpectedEOF).Error() != "it ends before its JSON does" {
		t.Error("an end is told otherwise")
	}
}
