package ground_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/ground"
)

func TestPlace(t *testing.T) {
	const text = "Fees are due\nwithin  30 days. Fees are due. FEES"
	for _, tt := range []struct {
		quote      string
		from       int
		start, end int
	}{
		{"Fees", 0, 0, 4},
		{"Fees", 1, 30, 34},
		{"Fees", 31, 0, 4},
		{"Fees", 1000, 0, 4},
		{"due within 30 days", 0, 9, 28},
		{"due   within\t30\ndays.", 0, 9, 29},
		{"Fees are due", 1, 30, 42},
		{"fees", 0, -1, -1},
		{"due within 30 weeks", 0, -1, -1},
		{"30days", 0, -1, -1},
		{" \n", 0, -1, -1},
		{"", 0, -1, -1},
	} {
		if start, end := ground.Place(text, tt.quote, tt.from); start != tt.start || end != tt.end {
			t.Errorf("%q from %d stands at %d-%d, want %d-%d", tt.quote, tt.from, start, end, tt.start, tt.end)
		}
	}
}

// What is cut out of a text is found there again, however its white space is changed, and the words
// at the place are the same.
func TestPlaceFindsWhatIsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab é🙂\n\t .")), 1, 60, -1).Draw(t, "text")
		words := strings.Fields(text)
		if len(words) == 0 {
			return
		}
		i := rapid.IntRange(0, len(words)-1).Draw(t, "first")
		j := rapid.IntRange(i, len(words)-1).Draw(t, "last")
		quote := strings.Join(words[i:j+1], rapid.SampledFrom([]string{" ", "\n", "  "}).Draw(t, "space"))
		start, end := ground.Place(text, quote, rapid.IntRange(0, len(text)).Draw(t, "from"))
		if start < 0 {
			t.Fatalf("%q is not found in %q", quote, text)
		}
		if d := cmp.Diff(strings.Fields(quote), strings.Fields(text[start:end])); d != "" {
			t.Fatal(d)
		}
	})
}

const schema = `{
  "type": "object", "required": ["items"], "additionalProperties": false,
  "properties": {"items": {"type": "array", "items": {"$ref": "#/$defs/item"}}},
  "$defs": {"item": {
    "type": "object", "additionalProperties": false, "required": ["key", "present", "quote", "start", "end"],
    "properties": {
      "key": {"type": "string"}, "present": {"type": "boolean"}, "quote": {"type": "string"}, "start": {"type": "integer"},
      "end": {"type": "integer"}, "document": {"type": "string"}, "search": {"type": "object"}
    },
    "if": {"properties": {"present": {"const": true}}},
    "then": {"required": ["start", "end"], "properties": {"search": false}},
    "else": {"required": ["search"]}
  }}
}`

func contract() *chargehand.Contract {
	return &chargehand.Contract{
		Name: "c", Schema: json.RawMessage(schema),
		Items: &chargehand.ItemRule{Path: "/items", Triggers: map[string][]string{"Fees": {`(?i)fees?`}}},
	}
}

func TestSchema(t *testing.T) {
	var got map[string]any
	if err := json.Unmarshal(ground.Schema(contract()), &got); err != nil {
		t.Fatal(err)
	}
	it := got["$defs"].(map[string]any)["item"].(map[string]any)
	want := map[string]any{
		"type": "object", "additionalProperties": false, "required": []any{"key", "present", "quote"},
		"properties": map[string]any{
			"key": map[string]any{"type": "string"}, "present": map[string]any{"type": "boolean"}, "quote": map[string]any{"type": "string"},
			"reason": map[string]any{"type": "string", "description": "where the item is absent: why no passage is one"},
		},
	}
	if d := cmp.Diff(want, it); d != "" {
		t.Error(d)
	}
	for name, c := range map[string]*chargehand.Contract{
		"no items":     {Schema: json.RawMessage(schema)},
		"no schema":    {Items: &chargehand.ItemRule{Path: "/items"}},
		"other place":  {Schema: json.RawMessage(schema), Items: &chargehand.ItemRule{Path: "/rows"}},
		"not a schema": {Schema: json.RawMessage(`[`), Items: &chargehand.ItemRule{}},
	} {
		if got := ground.Schema(c); string(got) != string(c.Schema) {
			t.Errorf("%s: the schema has become %s", name, got)
		}
	}
}

func TestFill(t *testing.T) {
	docs := []chargehand.InputRef{
		{Hash: "sha256:a", Name: "a", Text: "No fee is due. The fees are 5."},
		{Hash: "sha256:b", Name: "b", Text: "Fees are due\nwithin 30 days."},
	}
	for _, tt := range []struct {
		name, give, want string
		spaced, missing  int
	}{
		{
			"present, in another white space", `{"items":[{"key":"Fees","present":true,"quote":"due within 30 days","reason":"so"}]}`,
			`{"items":[{"document":"sha256:b","end":27,"key":"Fees","present":true,"quote":"due\nwithin 30 days","start":9}]}`, 1, 0,
		},
		{
			"the second of two", `{"items":[{"key":"Fees","present":true,"quote":"fee"},{"key":"Fees","present":true,"quote":"fee","start":99}]}`,
			`{"items":[{"document":"sha256:a","end":6,"key":"Fees","present":true,"quote":"fee","start":3},` +
				`{"document":"sha256:a","end":22,"key":"Fees","present":true,"quote":"fee","start":19}]}`, 0, 0,
		},
		{
			"nowhere", `{"items":[{"key":"Fees","present":true,"quote":"a fee of 6"}]}`,
			`{"items":[{"document":"sha256:a","end":10,"key":"Fees","present":true,"quote":"a fee of 6","start":0}]}`, 0, 1,
		},
		{
			"absent", `{"items":[{"key":"Fees","present":false,"quote":"","reason":"They are another's."}]}`,
			`{"items":[{"document":"sha256:a","key":"Fees","present":false,"quote":"","search":{"spans":[{"start":0,"end":30}],` +
				`"patterns":["(?i)fees?"],"hits":[{"start":3,"end":6,"why":"They are another's."},{"start":19,"end":23,"why":"They are another's."}]}},` +
				`{"document":"sha256:b","key":"Fees","present":false,"quote":"","search":{"spans":[{"start":0,"end":28}],` +
				`"patterns":["(?i)fees?"],"hits":[{"start":0,"end":4,"why":"They are another's."}]}}]}`, 0, 0,
		},
		{"not the list", `{"items":7}`, `{"items":7}`, 0, 0},
		{"not JSON", `{"items":[`, `{"items":[`, 0, 0},
		{"not an item", `{"items":[7,{"key":"Fees"}],"n":1e400}`, "", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ground.Fill(contract(), docs, json.RawMessage(tt.give))
			if got.Spaced != tt.spaced || got.Missing != tt.missing {
				t.Errorf("%d quotes spaced anew and %d missing, want %d and %d", got.Spaced, got.Missing, tt.spaced, tt.missing)
			}
			if tt.want == "" {
				if !strings.Contains(string(got.Output), "1e400") {
					t.Errorf("a number has changed: %s", got.Output)
				}
				return
			}
			if d := cmp.Diff(tt.want, string(got.Output)); d != "" {
				t.Error(d)
			}
		})
	}
}
