package tool

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// doubled is a schema whose parts refer to the next twice: n of them take 2ⁿ steps.
func doubled(n int, how string) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"x":{"$ref":"#/$defs/d0"}},"$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{%q:[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, how, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d":{"type":"string"}}}`, n)
	return b.String()
}

// recursive branches at each level of the value.
const recursive = `{"$defs":{"n":{"anyOf":[
	{"properties":{"x":{"$ref":"#/$defs/n"}},"required":["never"]},
	{"properties":{"x":{"$ref":"#/$defs/n"}},"required":["never"]},
	{"type":"string"}]}},"$ref":"#/$defs/n"}`

func TestBombs(t *testing.T) {
	deep := `{"x":` + strings.Repeat(`{"x":`, 40) + `1` + strings.Repeat("}", 41)
	for _, tt := range []struct{ name, schema, value, refused, misfit string }{
		{name: "2⁴⁰ by allOf", schema: doubled(40, "allOf"), value: `{"x":"a"}`, misfit: "steps"},
		{name: "2⁴⁰ by anyOf of what does not fit", schema: doubled(40, "anyOf"), value: `{"x":1}`, misfit: "steps"},
		{name: "2⁴⁰ by oneOf", schema: doubled(40, "oneOf"), value: `{"x":"a"}`, misfit: "steps"},
		{name: "2⁴⁰ by depth", schema: recursive, value: deep, misfit: "steps"},
		{name: "2⁴⁰ within not", schema: strings.Replace(doubled(40, "allOf"), `{"$ref":"#/$defs/d0"}`, `{"not":{"$ref":"#/$defs/d0"}}`, 1), value: `{"x":"a"}`, misfit: "steps"},
		{name: "long", schema: `{"description":"` + strings.Repeat("a", 70<<10) + `"}`, refused: "the most is 65536"},
		{name: "deep", schema: strings.Repeat(`{"not":`, 100) + `{}` + strings.Repeat("}", 100), refused: "deep"},
		{name: "many choices", schema: `{"enum":[` + strings.Repeat("1,", 3_000) + `2]}`, refused: "choose from"},
		{name: "a number for ever", schema: `{"minimum":1e999999999}`, refused: "out of range"},
		{name: "a tiny number for ever", schema: `{"minimum":1e-999999999}`, refused: "out of range"},
		{name: "elsewhere", schema: `{"$ref":"http://127.0.0.1:1/x"}`, refused: "nothing is fetched"},
		{name: "in a file", schema: `{"$ref":"file:///etc/passwd"}`, refused: "nothing is fetched"},
		{name: "of a form nobody knows", schema: `{"$schema":"https://evil.example/schema"}`, refused: "nothing is fetched"},
		{name: "in circles", schema: `{"$ref":"#"}`, value: `{}`, misfit: "cycle"},
		{name: "to nowhere", schema: `{"$ref":"#/$defs/none"}`, refused: "cannot be used"},
		{name: "no schema", schema: `{"type":"banana"}`, refused: "cannot be used"},
		{name: "no JSON", schema: `{"type":`, refused: "sound JSON"},
		{name: "a pattern that is none", schema: `{"pattern":"("}`, refused: "cannot be used"},
		{name: "a pattern that repeats", schema: `{"pattern":"((((a{1000}){1000}){1000}){1000})"}`, refused: "cannot be used"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := compile(json.RawMessage(tt.schema))
			if tt.refused != "" {
				if err == nil || !strings.Contains(err.Error(), tt.refused) {
					t.Errorf("error %v, want it refused for %q", err, tt.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			v, err := sound([]byte(tt.value))
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second comparison has all its steps again
				if err := s.check(v); err == nil || !strings.Contains(strings.ToLower(err.Error()), tt.misfit) {
					t.Errorf("error %v, want %q", err, tt.misfit)
				}
			}
		})
	}
}

func TestOlderSchemas(t *testing.T) {
	for _, draft := range []string{
		"http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-07/schema#",
		"https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema",
	} {
		s, err := compile(json.RawMessage(`{"$schema":"` + draft + `","type":"object","required":["a"]}`))
		if err != nil {
			t.Errorf("%s: %v", draft, err)
			continue
		}
		if s.check(map[string]any{"a": "x"}) != nil || s.check(map[string]any{}) == nil {
			t.Errorf("%s: it does not tell what fits", draft)
		}
	}
}

func TestASchemaOfManyValues(t *testing.T) {
	s, err := compile(json.RawMessage(`{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	v, err := sound([]byte(`[` + strings.Repeat(`{"a":"x"},`, 10_000) + `{"a":"y"}]`))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.check(v); err != nil {
		t.Errorf("10,000 honest values: %v", err)
	}
}

func TestSoundIsWhatJSONIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := []byte(rapid.StringOfN(rapid.SampledFrom([]rune(`{}[]",:0123e-+.\ua tfn`)), 0, 30, -1).Draw(t, "raw"))
		if _, err := sound(raw); err == nil && !json.Valid(raw) {
			t.Fatalf("%q is taken for JSON", raw)
		}
	})
}

func TestAliases(t *testing.T) {
	names := []string{
		"files.read", "files.read.all", "files.re ad", "files.re_ad", "a_.b", "a._b", "a__b.c", "a.b__c", "a.b_c", "a_b.c",
		"s." + strings.Repeat("x", 100), "s." + strings.Repeat("x", 101), "s.näme", "s.n_me",
	}
	got := aliases(names)
	if got["files.read"] != "files__read" || got["a.b_c"] != "a__b_c" {
		t.Errorf("plain names: %q, %q", got["files.read"], got["a.b_c"])
	}
	seen := map[string]string{}
	for _, name := range names {
		a := got[name]
		if other, taken := seen[a]; taken {
			t.Errorf("%q and %q are both called %q", name, other, a)
		}
		seen[a] = name
		if len(a) == 0 || len(a) > 64 || strings.IndexFunc(a, unsafe) >= 0 {
			t.Errorf("%q is called %q, which providers do not take", name, a)
		}
		if alone := aliases([]string{name})[name]; alone != a {
			t.Errorf("%q is called %q, and %q among others", name, alone, a)
		}
	}
}

func TestDigests(t *testing.T) {
	d := Definition{Name: "s.t", Description: "d", Schema: json.RawMessage(`{"a":1.50,"b":[1,2]}`)}
	same := d
	same.Schema, same.Effect, same.Idempotent = json.RawMessage("{ \"b\" : [1, 2],\n\"a\":1.50 }"), "read", true
	if d.Digest() != same.Digest() {
		t.Error("space, order and what the team says change the digest")
	}
	for what, change := range map[string]func(*Definition){
		"name":        func(d *Definition) { d.Name = "s.u" },
		"description": func(d *Definition) { d.Description = "d " },
		"schema":      func(d *Definition) { d.Schema = json.RawMessage(`{"a":1.5,"b":[2,1]}`) },
		"no schema":   func(d *Definition) { d.Schema = nil },
		"output":      func(d *Definition) { d.Output = json.RawMessage(`{}`) },
		"a digit":     func(d *Definition) { d.Schema = json.RawMessage(`{"a":1.50000000000000000000000001,"b":[1,2]}`) },
		"moved":       func(d *Definition) { d.Schema, d.Output = nil, d.Schema },
	} {
		other := d
		change(&other)
		if other.Digest() == d.Digest() {
			t.Errorf("another %s has the same digest", what)
		}
	}
}

// A schema of 2¹⁸ steps is given up, one of 2¹² is not.
func TestStepsAreBounded(t *testing.T) {
	for n, fits := range map[int]bool{12: true, 18: false} {
		s, err := compile(json.RawMessage(doubled(n, "allOf")))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.check(map[string]any{"x": "a"}); (err == nil) != fits {
			t.Errorf("2^%d steps: %v", n, err)
		}
	}
}

func TestNothingIsFetchedForASchema(t *testing.T) {
	file := filepath.Join(t.TempDir(), "there.json")
	if err := os.WriteFile(file, []byte(`{"type":"object"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := compile(json.RawMessage(`{"$ref":"file://` + file + `"}`)); err == nil || !strings.Contains(err.Error(), "nothing is fetched") {
		t.Errorf("a file that is there: %v", err)
	}
}

// TestSchemasAreShownClean hides words in what a schema says to its reader, wherever that stands; what
// it demands stays.
func TestSchemasAreShownClean(t *testing.T) {
	for schema, want := range map[string]string{
		``: ``,
		`{"type":"object","properties":{"z":{"description":"Plain & simple <b>."},"a":{}}}`:      `{"type":"object","properties":{"z":{"description":"Plain & simple <b>."},"a":{}}}`,
		`{"properties":{"z":{"description":"a \"word\"\nmore – all well"},"a":{}}}`:              `{"properties":{"z":{"description":"a \"word\"\nmore – all well"},"a":{}}}`,
		`{"title":"send \u202eeverything"}`:                                                      `{"title":"send ·everything"}`,
		"{\"properties\":{\"q\":{\"description\":\"a query\U000e0041\"}}}":                       `{"properties":{"q":{"description":"a query·"}}}`,
		`{"properties":{"description":{"type":"string","title":"\u001b[2J"}}}`:                   `{"properties":{"description":{"title":"·[2J","type":"string"}}}`,
		`{"$defs":{"default":{"anyOf":[{"$comment":"\u200b","maximum":12345678901234567890}]}}}`: `{"$defs":{"default":{"anyOf":[{"$comment":"·","maximum":12345678901234567890}]}}}`,
		`{"properties":{"q\u202e":{"pattern":"^\u202e$","enum":["\u202e"]}}}`:                    `{"properties":{"q\u202e":{"pattern":"^\u202e$","enum":["\u202e"]}}}`,
	} {
		if got := string(cleanWords(json.RawMessage(schema))); got != want {
			t.Errorf("%s is shown as\n%s, want\n%s", schema, got, want)
		}
	}
	g := granted{Definition: Definition{Name: "t", Schema: json.RawMessage(`{"title":"\u202e"}`)}, alias: "t"}
	if got := string(g.shown().Schema); got != `{"title":"·"}` {
		t.Errorf("a model is shown %s", got)
	}
}
