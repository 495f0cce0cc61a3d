package gate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

// A suiteGroup is a schema of the JSON-Schema-Test-Suite, with values that fit it or do not.
type suiteGroup struct {
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Tests       []struct {
		Description string          `json:"description"`
		Data        json.RawMessage `json:"data"`
		Valid       bool            `json:"valid"`
	} `json:"tests"`
}

// inapplicable are optional parts of the suite that the gate does not promise, with the reason.
var inapplicable = map[string]string{
	"optional/format/":               "format is a note (docs/contracts.md); the suite wants it enforced",
	"optional/format-assertion.json": "likewise, by a metaschema of its own",
	"optional/ecmascript-regex.json": "patterns are RE2, which decides in linear time; ECMA 262 has \\c and other white space",
	"optional/content.json":          "contentMediaType and contentEncoding are notes",
}

// TestSchemaSuite puts every test of the suite through the schema layer. Schemas that refer to other
// documents are refused by Compile; their tests are run with a loader that reads the suite's folder.
func TestSchemaSuite(t *testing.T) {
	for _, draft := range []string{"draft2020-12", "draft7"} {
		t.Run(draft, func(t *testing.T) {
			s := suite{remotes: dataPath(t, "json-schema-test-suite", "remotes"), draft: draft}
			root := dataPath(t, "json-schema-test-suite", "tests", draft)
			err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				name, err := filepath.Rel(root, path)
				s.file(t, filepath.ToSlash(name), path)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if s.total < 1500 || s.quick == 0 || s.remote == 0 {
				t.Error("the suite was not run")
			}
			t.Logf("%d of %d tests pass; %d by the form alone, %d through Check, %d with other documents, which Compile refuses; %d do not apply",
				s.passed, s.total, s.quick, s.checked, s.remote, s.left)
		})
	}
}

// A suite runs the tests of one draft and counts them.
type suite struct {
	remotes, draft                              string
	passed, total, quick, checked, remote, left int
}

func (s *suite) file(t *testing.T, name, path string) {
	var groups []suiteGroup
	body, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(body, &groups)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		s.group(t, name, g)
	}
}

func (s *suite) group(t *testing.T, name string, g suiteGroup) {
	why, excused := excuse(name)
	compiled, err := compileWith(s.drafted(g.Schema), s)
	if err != nil && excused {
		s.leave(t, len(g.Tests), name, g.Description, err.Error())
		return
	}
	if err != nil {
		t.Errorf("%s, %s: %v", name, g.Description, err)
		return
	}
	gate, problems := Compile(&chargehand.Team{Contracts: []chargehand.Contract{{Name: "c", Schema: s.drafted(g.Schema)}}})
	for _, tt := range g.Tests {
		v, bad := decode(tt.Data)
		if bad != nil {
			t.Errorf("%s, %s: %s", name, tt.Description, bad.sentence())
			continue
		}
		faults, enough := compiled.check(v, 1000)
		if !enough {
			t.Errorf("%s, %s, %s: the layer gave up", name, g.Description, tt.Description)
		}
		got := len(faults) == 0
		if excused && got != tt.Valid {
			s.leave(t, 1, name, g.Description+", "+tt.Description, why)
			continue
		}
		s.total++
		if got != tt.Valid {
			t.Errorf("%s, %s, %s: valid is %v, want %v", name, g.Description, tt.Description, got, tt.Valid)
			continue
		}
		s.passed++
		s.short(t, fmt.Sprintf("%s, %s, %s", name, g.Description, tt.Description), compiled, v, tt.Valid)
		if len(problems) > 0 {
			s.remote++
			continue
		}
		s.checked++
		verdict := gate.Check(Submission{Contract: "c", Result: chargehand.WorkerResult{Output: tt.Data}})
		if verdict.SchemaPass != tt.Valid || (verdict.Recommendation == chargehand.Accept) != tt.Valid {
			t.Errorf("%s, %s, %s: Check says %s", name, g.Description, tt.Description, verdict.Recommendation)
		}
	}
}

// short holds the form to the suite: whatever it is sure of must be right.
func (s *suite) short(t *testing.T, name string, compiled *schema, v any, valid bool) {
	if compiled.form == nil {
		return
	}
	switch a := (&trial{left: allowance(1000)}).judge(compiled.form, v, 0); {
	case a == unsure:
	case (a == yes) != valid:
		t.Errorf("%s: the form is sure of the wrong answer", name)
	default:
		s.quick++
	}
}

// leave counts tests that do not apply, and lists them with -v.
func (s *suite) leave(t *testing.T, n int, name, what, why string) {
	s.left += n
	if testing.Verbose() {
		t.Logf("%s, %s: does not apply: %s", name, what, why)
	}
}

func excuse(name string) (string, bool) {
	for prefix, why := range inapplicable {
		if strings.HasPrefix(name, prefix) {
			return why, true
		}
	}
	return "", false
}

// drafted names the draft in a schema that names none.
func (s *suite) drafted(raw json.RawMessage) json.RawMessage {
	var object map[string]json.RawMessage
	if s.draft != "draft7" || json.Unmarshal(raw, &object) != nil || object["$schema"] != nil {
		return raw
	}
	object["$schema"] = json.RawMessage(`"http://json-schema.org/draft-07/schema#"`)
	out, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return out
}

// Load reads the suite's other documents from its folder. Nothing is fetched.
func (s *suite) Load(address string) (any, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host != "localhost:1234" {
		return nil, errors.Join(fmt.Errorf("%s is not in the suite's folder", address), err)
	}
	body, err := os.ReadFile(filepath.Join(s.remotes, filepath.FromSlash(u.Path)))
	if err != nil {
		return nil, err
	}
	v, bad := decode(s.drafted(body))
	if bad != nil {
		return nil, errors.New(bad.sentence())
	}
	return v, nil
}
