package a2a_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// data is a file of the specification's, or empty where it is not at hand.
func data(name string) string {
	dir := os.Getenv("CHARGEHAND_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	path := filepath.Join(dir, "a2a-tck-requirements", name)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// schemas are the specification's own schemas of every object, by name; nil where they are not at
// hand.
var schemas = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	path := data("a2a.json")
	if path == "" {
		return nil, nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var bundle struct {
		Definitions map[string]json.RawMessage `json:"definitions"`
	}
	if err := json.Unmarshal(b, &bundle); err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	address := func(title string) string {
		name := strings.ReplaceAll(title, " ", "")
		for _, google := range []string{"Struct", "Timestamp", "Value"} {
			if name == google {
				return "https://schema/google.protobuf." + name + ".jsonschema.json"
			}
		}
		return "https://schema/lf.a2a.v1." + name + ".jsonschema.json"
	}
	for title, raw := range bundle.Definitions {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
		if err != nil {
			return nil, err
		}
		if err := c.AddResource(address(title), v); err != nil {
			return nil, err
		}
	}
	all := map[string]*jsonschema.Schema{}
	for title := range bundle.Definitions {
		s, err := c.Compile(address(title))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", title, err)
		}
		all[title] = s
	}
	return all, nil
})

// answers are the specification's names of what operations answer with.
var answers = map[string]string{
	"SendMessage": "Send Message Response", "GetTask": "Task", "CancelTask": "Task", "ListTasks": "List Tasks Response",
	"GetExtendedAgentCard": "Agent Card", "SendStreamingMessage": "Stream Response", "SubscribeToTask": "Stream Response",
}

// conforms holds an object to the specification's schema of its kind. Every answer of the suite
// goes through it.
func conforms(t *testing.T, kind string, v any) {
	t.Helper()
	all, err := schemas()
	if err != nil {
		t.Fatal(err)
	}
	if all == nil || kind == "" {
		return
	}
	if err := all[kind].Validate(v); err != nil {
		b, _ := json.Marshal(v)
		t.Errorf("this is no %s: %v\n%s", kind, err, b)
	}
}
