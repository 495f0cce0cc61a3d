package chatapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
)

// A form is what an answer is to look like. The zero form is text.
type form struct {
	kind   formKind
	name   string // of the schema, or of the function
	schema json.RawMessage
	strict json.RawMessage // as asked
	about  string          // the schema's description
	param  string          // where the request has the schema
	forced bool            // the function was named, and not only required

	// faults says what is wrong with a value.
	faults func(json.RawMessage) []string
}

type formKind int

const (
	asText   formKind = iota
	asResult          // the whole result as JSON
	asSchema          // a value that satisfies the schema
	asCall            // the same, as the arguments of a call of a function
)

// exact reports whether the answer is a value and nothing else: there is no room for words.
func (f *form) exact() bool { return f.kind == asSchema || f.kind == asCall }

const maxSchema = 256 << 10 // bytes

// A function is a tool of the caller. No team calls one: it can be the form of an answer.
type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      json.RawMessage `json:"strict"`
}

const noTools = "is not supported: a team calls the tools of its own file, and no tools of its caller. " +
	"One function that tool_choice names, or requires, is taken as the form of the answer"

// call is the form that a choice among functions asks for. at is the parameter that holds the schema of the i-th.
func call(tools []function, choice json.RawMessage, at func(i int) string) (form, *failure) {
	var word string
	var named struct {
		Type     string   `json:"type"`
		Name     string   `json:"name"`
		Function function `json:"function"`
	}
	if len(choice) > 0 && json.Unmarshal(choice, &word) != nil {
		if f := decode(choice, &named, "tool_choice"); f != nil {
			return form{}, f
		}
		if named.Function.Name != "" {
			named.Name = named.Function.Name
		}
		if named.Type != "function" || named.Name == "" {
			return form{}, unsupported("tool_choice", noTools)
		}
	}
	i := 0
	switch {
	case named.Name != "":
		i = slices.IndexFunc(tools, func(t function) bool { return t.Name == named.Name })
		if i < 0 {
			return form{}, wrong("tool_choice", fmt.Sprintf("there is no function %q among the tools", excerpt.Of(named.Name, 100)))
		}
	case word == "none", len(tools) == 0 && (word == "" || word == "auto"):
		return form{}, nil
	case word == "required" && len(tools) == 1:
	case word == "required" || len(tools) == 0:
		return form{}, unsupported("tool_choice", noTools)
	default:
		return form{}, unsupported("tools", noTools)
	}
	t := tools[i]
	if t.Name == "" {
		return form{}, wrong("tools", "a function has no name")
	}
	if len(t.Parameters) == 0 || string(t.Parameters) == "null" {
		t.Parameters = json.RawMessage(`{"type":"object"}`)
	}
	return form{kind: asCall, name: t.Name, about: t.Description, schema: t.Parameters, strict: t.Strict, param: at(i), forced: named.Name != ""}, nil
}

// compile makes the form ready for a team, or says why no result of the team can have it.
func (s *server) compile(f *form, m *Model) *failure {
	if !f.exact() {
		return nil
	}
	if s.opt.Schema == nil {
		return unsupported(f.param, "is not supported here")
	}
	if len(f.schema) > maxSchema {
		return wrong(f.param, fmt.Sprintf("is larger than %d bytes", maxSchema))
	}
	if len(f.schema) == 0 || f.schema[0] != '{' {
		return wrong(f.param, "want a JSON Schema that is an object")
	}
	var err error
	if f.faults, err = s.opt.Schema(f.schema); err != nil {
		return wrong(f.param, err.Error())
	}
	why := clash(m.shape(), f.schema)
	if m.Team.Synthesis == nil && !slices.ContainsFunc(m.Team.Contracts, func(c chargehand.Contract) bool { return c.Items != nil }) {
		why = "the team has neither a synthesis nor a contract with items, so its result is no value"
	}
	if why != "" {
		return &failure{
			status: http.StatusBadRequest, Kind: invalid, Param: f.param, Code: "schema_not_satisfiable",
			Message: fmt.Sprintf("%s: no result of the team %s can satisfy it: %s. Ask for a schema that fits %s", f.param, m.Team.Name, why, m.yields()),
		}
	}
	return nil
}

// shape is the schema of the value that the team's result is, as far as the team declares it.
func (m *Model) shape() json.RawMessage {
	if m.Team.Synthesis == nil {
		return json.RawMessage(`{"type":"object","properties":{"items":{"type":"array"}},"required":["items"],"additionalProperties":false}`)
	}
	for i := range m.Team.Contracts {
		if c := &m.Team.Contracts[i]; c.Name == m.Team.Synthesis.OutputContract {
			return c.Schema
		}
	}
	return nil
}

func (m *Model) yields() string {
	if m.Team.Synthesis == nil {
		return `{"items": […]}, the items of its result, which has no synthesis`
	}
	return fmt.Sprintf("the contract %q of its synthesis", m.Team.Synthesis.OutputContract)
}

// value is the result as one value: the synthesis, or the items as their workers wrote them where the
// team has none.
func value(team *chargehand.Team, res *chargehand.Result) json.RawMessage {
	if team.Synthesis != nil {
		return bytes.TrimSpace(res.Output)
	}
	items := []json.RawMessage{}
	for _, it := range res.Items {
		if len(it.Fields) > 0 {
			items = append(items, it.Fields)
		}
	}
	return encode(map[string]any{"items": items})
}

// exact is the result in the form that was asked for, or why it has not that form. Status 400 is the one
// that no client asks again after: that would be a run more.
func (j *job) exact(res *chargehand.Result) (string, *failure) {
	f := &j.asked.Form
	fail := func(code, message string) *failure {
		return &failure{status: http.StatusBadRequest, Kind: invalid, Param: f.param, Code: code, Message: message, final: true, Run: j.run}
	}
	if res.Status != chargehand.RunCompleted && !j.asked.Extra.Partial {
		return "", fail("result_partial", fmt.Sprintf("%s has ended (%s), and its result is not complete, which the schema has no room to say. "+
			"Send \"chargehand\": {\"partial\": true} to have it as it is, or read all of it with: chargehand runs result %s%s",
			j.run, plain(string(res.StopReason)), j.run, gaps(res.Gaps, 10)))
	}
	v := value(&j.order.Team, res)
	if len(v) == 0 {
		return "", fail("result_mismatch", fmt.Sprintf("%s has ended without an output; read what it has with: chargehand runs result %s", j.run, j.run))
	}
	if faults := f.faults(v); len(faults) > 0 {
		if more := len(faults) - 5; more > 0 {
			faults = append(faults[:5:5], fmt.Sprintf("%d more.", more))
		}
		return "", fail("result_mismatch", fmt.Sprintf("the result of %s has passed the team's checks and does not satisfy the schema: %s "+
			"Ask for a schema that fits the team's contract; read the result with: chargehand runs result %s", j.run, strings.Join(faults, " "), j.run))
	}
	return string(v), nil
}
