package term

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	goccy "github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

func TestYAML(t *testing.T) {
	value := json.RawMessage(`{"z":"run_1","a":{"b":[1,2.50,{"c":true,"d":[]},[[3],{}],null]},"no":{},"two words":"x","list":[]}`)
	want := `z: "run_1"
a:
  b:
    - 1
    - 2.50
    - c: true
      d: []
    - - - 3
      - {}
    - null
"no": {}
"two words": "x"
list: []
`
	var b strings.Builder
	if err := WriteYAML(&b, value); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// What a worker wrote reads as itself, whatever it looks like, and controls no terminal.
func TestYAMLOfAnything(t *testing.T) {
	for _, text := range []string{
		"", "yes", "null", "0x1F", "1e3", "2026-11-22", "- a", "a: b", "# c", "%d", "a\nb\n", "tab\there", `"q"\`, "'", "{{", "&x *y !z |",
		"\x1b[2J", "\u202e", "\U000e0041", "\u2028", "\ufeff", "\uffff", "日本 🙂", " ends ", "...\n---",
	} {
		for _, v := range []any{text, []any{text}, map[string]any{"k": text}, map[string]any{text + "!": []any{map[string]any{"x": text}}}} {
			var b bytes.Buffer
			if err := WriteYAML(&b, v); err != nil {
				t.Fatal(err)
			}
			for _, r := range b.String() {
				if r != '\n' && Hidden(r) {
					t.Errorf("%q is written with %U", text, r)
				}
			}
			var got any
			if err := goccy.Unmarshal(b.Bytes(), &got); err != nil {
				t.Errorf("%q is written as %q: %v", text, b.String(), err)
			} else if diff := cmp.Diff(v, got); diff != "" {
				t.Errorf("%q is written as %q: %s", text, b.String(), diff)
			}
		}
	}
}
