package gate

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
)

//guard:schema
func TestSchemaSentences(t *testing.T) {
	const schema = `{"type":"object","required":["items"],"additionalProperties":false,"properties":{
		"items":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"object","required":["key"],"properties":{
			"key":{"type":"string","minLength":2,"enum":["Law","Term"]},"present":{"type":"boolean"},
			"score":{"type":"number","minimum":0,"maximum":1},"n":{"type":["integer","null"],"multipleOf":5}}}},
		"kind":{"const":"review"},"id":{"pattern":"^[a-z]+$"},"tags":{"uniqueItems":true},
		"either":{"anyOf":[{"type":"string"},{"type":"object","required":["id"]}]}}}`
	g := gateOf(t, chargehand.Contract{Schema: json.RawMessage(schema)})
	for _, tt := range []struct {
		in   string
		want []string
	}{
		{`{"items":[{"key":"Law","present":true,"score":0.5,"n":10}],"kind":"review","id":"ab","tags":[1,2],"either":{"id":1}}`, nil},
		{`[]`, []string{`The output must be an object; it is a list.`}},
		{`{}`, []string{`The output lacks "items".`}},
		{`{"items":[],"extra":1,"\u202e":2}`, []string{
			`The output has "extra", "\u202e", which the contract does not know.`, `/items must have at least 1 element; it has 0.`,
		}},
		{`{"items":[{"key":"Law","present":"yes"},{"key":"x"},{"present":1}]}`, []string{
			`/items/0/present must be true or false; it is the text "yes".`,
			`/items/1/key must be the text "Law" or the text "Term"; it is the text "x".`,
			`/items/2 lacks "key".`, `/items/2/present must be true or false; it is 1.`,
		}},
		{`{"items":[{"key":"Law","score":1.5,"n":7}],"kind":"other","id":"A1","tags":[1,1],"either":3}`, []string{
			`/either fits none of the forms it may have: must be a text; it is 3; or must be an object; it is 3.`,
			`/id must match the pattern "^[a-z]+$"; it is the text "A1".`,
			`/items/0/n must be a multiple of 5; it is 7.`,
			`/items/0/score must be at most 1; it is 1.5.`,
			`/kind must be the text "review"; it is the text "other".`,
			`/tags holds the same value twice, as elements 0 and 1.`,
		}},
	} {
		v := g.Check(submit(chargehand.WorkerTask{}, tt.in))
		var got []string
		for _, f := range v.Issues {
			got = append(got, f.Message)
			if f.Layer != chargehand.LayerSchema || f.Severity != chargehand.SeverityError {
				t.Errorf("%s: finding %+v", tt.in, f)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.in, diff)
		}
		if ok := len(tt.want) == 0; v.SchemaPass != ok || (v.Rework == chargehand.Redo) == ok || (v.Score == 1) != ok {
			t.Errorf("%s: schemaPass %v, rework %q, score %v", tt.in, v.SchemaPass, v.Rework, v.Score)
		}
	}
}

func TestSchemaRefused(t *testing.T) {
	for _, tt := range []struct{ schema, want string }{
		{`{"$ref":"https://example.com/other.json"}`, `$ref to "https://example.com/other.json": a schema may only refer to itself`},
		{`{"$ref":"file:///etc/passwd"}`, `$ref to "file:///etc/passwd": a schema may only refer to itself`},
		{`{"type":"strin"}`, `not a JSON Schema: /type `},
		{`{"pattern":"("}`, `not a JSON Schema: /pattern`},
		{`{"type":1,"type":2}`, `the key "type" occurs twice`},
	} {
		_, err := compileSchema(json.RawMessage(tt.schema))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.schema, err, tt.want)
		}
	}
}
