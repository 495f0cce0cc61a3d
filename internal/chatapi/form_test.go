package chatapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/chatapi"
)

const fits = `{"type":"object","properties":{"answer":{"type":"string"},"n":{"$ref":"#/$defs/count"}},"required":["answer","n"],"additionalProperties":false,"$defs":{"count":{"type":"integer"}}}`

// forms are the parameters that ask a completion, and a response, for a schema.
func forms(schema string) map[string][2]string {
	return map[string][2]string{
		"format":   {`"response_format":{"type":"json_schema","json_schema":{"name":"a","strict":true,"schema":` + schema + `}}`, "response_format.json_schema.schema"},
		"named":    {`"tools":[{"type":"function","function":{"name":"f"}},{"type":"function","function":{"name":"a","description":"d","strict":true,"parameters":` + schema + `}}],"tool_choice":{"type":"function","function":{"name":"a"}}`, "tools[1].function.parameters"},
		"required": {`"parallel_tool_calls":false,"tools":[{"type":"function","function":{"name":"a","parameters":` + schema + `}}],"tool_choice":"required"`, "tools[0].function.parameters"},
	}
}

// A value is what a completion says, whole or in a stream, as text or as arguments.
func valueOf(t *testing.T, got said) (value, name, finish string) {
	t.Helper()
	bodies := []string{got.body}
	if strings.HasPrefix(got.header.Get("Content-Type"), "text/event-stream") {
		bodies, _ = events(got.body)
		bodies = bodies[:len(bodies)-1]
	}
	type spoken struct {
		Content *string
		Calls   []struct {
			ID, Type string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	for _, b := range bodies {
		var r struct {
			Choices []struct {
				Message, Delta spoken
				Finish         string `json:"finish_reason"`
			}
		}
		if err := json.Unmarshal([]byte(b), &r); err != nil || len(r.Choices) == 0 {
			t.Fatalf("%v: %s", err, b)
		}
		for _, m := range []spoken{r.Choices[0].Message, r.Choices[0].Delta} {
			if m.Content != nil {
				value += *m.Content
			}
			for _, c := range m.Calls {
				value += c.Function.Arguments
				name += c.Function.Name
			}
		}
		finish += r.Choices[0].Finish
	}
	return value, name, finish
}

func TestAnAnswerUnderASchema(t *testing.T) {
	s := stage(t, nil)
	for kind, form := range forms(fits) {
		for _, more := range []string{"", `,"stream":true`} {
			got := s.post(t.Context(), t, chat("answers", "Greet.", form[0]+more))
			if got.status != 200 {
				t.Fatalf("%s: %d %s", kind, got.status, got.body)
			}
			value, name, finish := valueOf(t, got)
			wantName, wantFinish := map[string]string{"format": ""}[kind], "stop"
			if kind != "format" {
				wantName = "a"
			}
			if kind == "required" {
				wantFinish = "tool_calls"
			}
			if value != `{"answer":"Hello <world>.","n":1}` || name != wantName || finish != wantFinish {
				t.Errorf("%s%s: %q of %q, %q", kind, more, value, name, finish)
			}
		}
	}
}

// What the team's contract excludes is refused before a run begins.
func TestASchemaThatCannotBeSatisfied(t *testing.T) {
	s := stage(t, func(o *chatapi.Options) {
		list := team("list")
		list.Synthesis = nil
		closed := team("closed")
		closed.Contracts[0].Schema = json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"},"n":{"type":"integer"},"rows":{"type":"array","items":{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}}},"required":["answer","rows"],"additionalProperties":false}`)
		rows := team("rows")
		rows.Synthesis, rows.Contracts[0].Items = nil, &chargehand.ItemRule{Path: "/rows"}
		o.Models = append(o.Models, chatapi.Model{Team: rows}, chatapi.Model{Team: list}, chatapi.Model{Team: closed})
	})
	for _, tt := range []struct{ model, schema, want string }{
		{"answers", `{"type":"array"}`, "the output is object in the team's contract and array in the schema"},
		{"answers", `{"type":"object","required":["answer"],"properties":{"answer":{"type":["number","null"]}}}`, "/answer is string in the team's contract and null or number"},
		{"closed", `{"type":"object","required":["verdict"]}`, "/verdict is required, and the team's contract has no such member"},
		{"closed", `{"type":"object","properties":{"n":{}},"additionalProperties":false}`, "/answer is always there in the team's contract"},
		{"closed", `{"$ref":"#/$defs/top","$defs":{"top":{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"a":{"type":"boolean"}}}}}}}}`, "/rows/0/a is string"},
		{"list", `{"type":"object","properties":{"items":{"type":"array"}}}`, "the team has neither a synthesis nor a contract with items"},
		{"rows", `{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"]}`, `/answer is required`},
	} {
		for kind, form := range forms(tt.schema) {
			got := s.post(t.Context(), t, chat(tt.model, "Greet.", form[0]))
			r := got.reply(t)
			if got.status != 400 || r.Error == nil || *r.Error.Code != "schema_not_satisfiable" || *r.Error.Param != form[1] || !strings.Contains(r.Error.Message, tt.want) {
				t.Errorf("%s %s: %d %s, want %s", kind, tt.schema, got.status, got.body, tt.want)
			}
		}
	}
	for _, tt := range []struct{ more, param, want string }{
		{forms(`{"type":"strin"}`)["format"][0], "response_format.json_schema.schema", "not a JSON Schema"},
		{forms(`{"$ref":"http://127.0.0.1/x"}`)["format"][0], "response_format.json_schema.schema", "may only refer to itself"},
		{forms(`{"description":"` + strings.Repeat("x", 50<<10) + `"}`)["format"][0] + `,"stream":7`, "stream", "cannot be a number"},
		{`"tools":[{"type":"function","function":{"name":"a"}}]`, "tools", "One function that tool_choice names"},
		{`"tools":[{"type":"function","function":{"name":"a"}}],"tool_choice":{"type":"function","function":{"name":"b"}}`, "tool_choice", `no function "b"`},
		{`"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b"}}],"tool_choice":"required"`, "tool_choice", "One function"},
		{forms(fits)["format"][0] + `,` + forms(fits)["required"][0], "tool_choice", "an answer has one form"},
	} {
		got := s.post(t.Context(), t, chat("answers", "Greet.", tt.more))
		if r := got.reply(t); got.status != 400 || r.Error == nil || *r.Error.Param != tt.param || !strings.Contains(r.Error.Message, tt.want) {
			t.Errorf("%.200s: %d %s", tt.more, got.status, got.body)
		}
	}
	if runs, err := s.engine.Runs(t.Context(), chargehand.Filter{}); err != nil || len(runs) != 0 {
		t.Errorf("%d runs were begun, %v", len(runs), err)
	}
	if got := s.post(t.Context(), t, chat("answers", "Greet.", `"tools":[{"type":"function","function":{"name":"a"}}],"tool_choice":"none"`)); got.status != 200 {
		t.Errorf("tools that are not to be called: %d %s", got.status, got.body)
	}
}

// A result is compared with the schema, whatever its contract promises; no client asks again by itself.
func TestAResultThatDoesNotSatisfyTheSchema(t *testing.T) {
	s := stage(t, nil)
	schema := `{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"],"additionalProperties":false}`
	for kind, form := range forms(schema) {
		got := s.post(t.Context(), t, chat("answers", "Greet.", form[0]))
		r := got.reply(t)
		if got.status != 400 || *r.Error.Code != "result_mismatch" || r.Error.Run == "" || !strings.Contains(r.Error.Message, "n") || got.header.Get("X-Should-Retry") != "false" {
			t.Errorf("%s: %d %s", kind, got.status, got.body)
		}
		data, _ := events(s.post(t.Context(), t, chat("answers", "Greet.", form[0]+`,"stream":true`)).body)
		if last := (said{body: data[len(data)-1]}).reply(t); last.Error == nil || *last.Error.Code != "result_mismatch" {
			t.Errorf("%s: a stream ends with %s", kind, data[len(data)-1])
		}
		got = s.post(t.Context(), t, chat("answers", "lie", form[0]))
		if r := got.reply(t); got.status != 400 || *r.Error.Code != "run_needs_human" || !strings.Contains(r.Error.Message, "chargehand review show") {
			t.Errorf("%s: a run that waits: %d %s", kind, got.status, got.body)
		}
	}
}

// A team without a synthesis answers with its items. What is not complete is no answer, unless the
// caller takes it.
func TestPartialResultsUnderASchema(t *testing.T) {
	s := stage(t, func(o *chatapi.Options) {
		two := team("two")
		two.Synthesis = nil
		plan := *two.Planner.Template
		plan.Subtasks = append(append([]chargehand.Subtask(nil), plan.Subtasks...), chargehand.Subtask{ID: "s2", Label: "fail", Goal: "fail", Capability: "answer", OutputContract: "answer"})
		two.Planner.Template = &plan
		plan.Subtasks[0].Goal, plan.Subtasks[0].OutputContract = "list", "rows"
		two.Contracts = append(two.Contracts, chargehand.Contract{Name: "rows", Items: &chargehand.ItemRule{Path: "/rows"}})
		two.Workers[0].OutputContracts = append(two.Workers[0].OutputContracts, "rows")
		two.Policy.WhenOnlyWaits = chargehand.ReturnPartial
		o.Models = []chatapi.Model{{Team: two}}
	})
	form := forms(`{"type":"object","properties":{"items":{"type":"array"}},"required":["items"],"additionalProperties":false}`)["format"][0]
	ask := func(more string) said {
		return s.post(t.Context(), t, `{"model":"two","messages":[{"role":"user","content":[{"type":"text","text":"Greet."},{"type":"file","file":{"filename":"a","file_data":"data:,Clause%201."}}]}],`+form+more+`}`)
	}
	got := ask("")
	if r := got.reply(t); got.status != 400 || *r.Error.Code != "result_partial" || !strings.Contains(r.Error.Message, "fail") {
		t.Fatalf("%d %s", got.status, got.body)
	}
	got = ask(`,"chargehand":{"partial":true}`)
	if value, _, _ := valueOf(t, got); got.status != 200 || !strings.HasPrefix(value, `{"items":[{"key":"a","present":true,"quote":"Clause 1"`) || !strings.Contains(got.body, `"gaps":["`) {
		t.Errorf("%d %s", got.status, got.body)
	}
}
