package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// An answer's schema says of the output what the contract's own says, wherever its references lead.
func TestEnvelope(t *testing.T) {
	answer := func(output string) string {
		return `{"status":"succeeded","output":` + output + `,"summary":"","confidence":1,"blockers":[],"proposedActions":[]}`
	}
	for _, tt := range []struct{ name, contract, fits, not string }{
		{"none", ``, `{"a":[1]}`, ""},
		{"true", `true`, `"x"`, ""},
		{"plain", `{"type":"object","required":["n"]}`, `{"n":1}`, `{}`},
		{"definitions", `{"$ref":"#/$defs/n","$defs":{"n":{"type":"integer"}}}`, `1`, `"x"`},
		{"old definitions", `{"$ref":"#/definitions/n","definitions":{"n":{"$ref":"#/definitions/m"},"m":{"type":"integer"}}}`, `1`, `"x"`},
		{"itself", `{"type":"object","additionalProperties":{"$ref":"#"}}`, `{"a":{"b":{}}}`, `{"a":{"b":1}}`},
		{"a place within", `{"type":"object","properties":{"a":{"type":"integer"},"b":{"$ref":"#/properties/a"}}}`, `{"b":1}`, `{"b":"x"}`},
		{"an id of its own", `{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://x.test/s","type":"object","properties":{"b":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer"}}}`, `{"b":1}`, `{"b":"x"}`},
		{"what only looks like a reference", `{"enum":[{"$ref":"#/x"}]}`, `{"$ref":"#/x"}`, `{"$ref":"#/properties/output/anyOf/0/x"}`},
		{"a property of that name", `{"type":"object","properties":{"$ref":{"type":"integer"}}}`, `{"$ref":1}`, `{"$ref":"x"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raw, err := envelope([]byte(tt.contract))
			if err != nil {
				t.Fatal(err)
			}
			s := compiled(t, raw)
			if err := s.Validate(value(t, answer(tt.fits))); err != nil {
				t.Errorf("%s: %v", tt.fits, err)
			}
			if tt.not != "" && s.Validate(value(t, answer(tt.not))) == nil {
				t.Errorf("%s passes", tt.not)
			}
			if s.Validate(value(t, `{"output":1}`)) == nil {
				t.Error("an answer without a status passes")
			}
		})
	}
	if _, err := envelope([]byte(`{`)); err == nil {
		t.Error("a broken schema passes")
	}
}

func compiled(t *testing.T, raw json.RawMessage) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:s", value(t, string(raw))); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:s")
	if err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	return s
}

func value(t *testing.T, s string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
