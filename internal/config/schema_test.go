package config

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/chargehand/chargehand"
)

func TestSchemaIsUpToDate(t *testing.T) {
	got, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"../../docs/team.schema.json", "../scaffold/files/team.schema.json"} {
		golden(t, file, string(got))
	}
}

// against validates a file's content; a text that cannot be read has no value to validate.
func against(t *testing.T, schema *jsonschema.Schema, name string, data []byte) (valid, readable bool) {
	t.Helper()
	root, problems := tree(document{name, "team", data})
	if len(problems) > 0 {
		return false, false
	}
	var b bytes.Buffer
	newDecoder().json("$", root, &b)
	value, err := jsonschema.UnmarshalJSON(&b)
	if err != nil {
		return false, false
	}
	if err = schema.Validate(value); err != nil {
		t.Logf("%s: %v", name, err)
	}
	return err == nil, true
}

func teamSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("team.json", value); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("team.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// What the decoder takes, the schema takes: the scaffold's team, those of testdata and of the documents.
func TestSchemaTakesTeams(t *testing.T) {
	schema, seen := teamSchema(t), 0
	check := func(name string, data []byte) {
		if _, err := Parse(name, data); err != nil {
			return // a part of a team
		}
		seen++
		if valid, _ := against(t, schema, name, data); !valid {
			t.Errorf("%s is refused", name)
		}
	}
	fence := regexp.MustCompile("(?ms)^```yaml[^\n]*\n(.*?)^```")
	for _, pattern := range []string{"testdata/right/*", "../scaffold/files/team.yaml", "../../docs/*.md", "../../README.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Ext(file) != ".md" {
				check(file, data)
			}
			for _, block := range fence.FindAllSubmatch(data, -1) {
				check(file+".yaml", block[1])
			}
		}
	}
	if seen < 4 {
		t.Errorf("only %d teams", seen)
	}
}

// Where the decoder and the checks can do without a field, the schema can.
func TestSchemaTakesTeamsWithoutAField(t *testing.T) {
	schema, taken := teamSchema(t), 0
	text, err := os.ReadFile("testdata/right/full.json")
	if err != nil {
		t.Fatal(err)
	}
	var team any
	if err := json.Unmarshal(text, &team); err != nil {
		t.Fatal(err)
	}
	without(team, func(where string) {
		data, err := json.Marshal(team)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse("team.json", data); err != nil {
			return
		}
		taken++
		if valid, _ := against(t, schema, where, data); !valid {
			t.Errorf("a team without %s is refused", where)
		}
	})
	if taken < 50 {
		t.Errorf("only %d teams", taken)
	}
}

// without calls try with each member of v missing in turn.
func without(v any, try func(where string)) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			without(item, try)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			member := v[name]
			delete(v, name)
			try(name)
			v[name] = member
			without(member, try)
		}
	}
}

// The schema refuses what is wrong with a single field. Other files of testdata/wrong are no YAML, or
// wrong only as a whole.
func TestSchemaRefuses(t *testing.T) {
	schema := teamSchema(t)
	for _, name := range []string{
		"empty_values.yaml", "json_problems.json", "no_name.yaml",
		"not_a_mapping.yaml", "text_for_schema.yaml", "typo_in_field.yaml", "unknown_field.yaml",
	} {
		data, err := os.ReadFile("testdata/wrong/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if valid, readable := against(t, schema, name, data); valid || !readable {
			t.Errorf("%s: valid %v, readable %v", name, valid, readable)
		}
	}
}

// A field has the other names and forms that the decoder reads.
func TestSchemaOfOtherNames(t *testing.T) {
	schema := teamSchema(t)
	for text, want := range map[string]bool{
		`{"name":"t","workers":[{"worker_name":"w","capabilities":["c"],"outputSchema":"c","input_contracts":[{"type":"object"}]}]}`: true,
		`{"name":"t","workers":[],"policy":{"reviewer":false,"detectors":["secrets",{"detector":"injection"}]}}`:                     true,
		`{"name":"t","workers":[],"policy":{"reviewer":true}}`:                                                                       false,
		`{"name":"t","workers":[],"budget":{"usd":0.5},"deadline":"30m","planner":null}`:                                             true,
		`{"name":"t","workers":[],"deadline":30}`:                                                                                    false,
		`{"name":"t","workers":[null]}`:                                                                                              false,
	} {
		if valid, _ := against(t, schema, "team.json", []byte(text)); valid != want {
			t.Errorf("%s: valid %v, want %v", text, valid, want)
		}
		d := newDecoder()
		root, _ := tree(document{"team.json", "team", []byte(text)})
		if d.decode(root, new(chargehand.Team)); (len(d.problems) == 0) != want {
			t.Errorf("%s: the decoder says %v", text, d.problems)
		}
	}
}
