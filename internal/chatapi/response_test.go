package chatapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/chatapi"
	"github.com/chargehand/chargehand/internal/gate"
)

// A response is what the door says of one.
type response struct {
	ID, Object, Status, Model string
	Background                bool
	Instructions, Previous    *string
	Metadata                  map[string]string
	Incomplete                *struct{ Reason string } `json:"incomplete_details"`
	Output                    []struct {
		Type, Name, Arguments string
		CallID                string `json:"call_id"`
		Content               []struct{ Type, Text, Refusal string }
	}
	Text  json.RawMessage
	Usage *struct {
		Input  int `json:"input_tokens"`
		Output int `json:"output_tokens"`
		Total  int `json:"total_tokens"`
	}
	Error      *struct{ Code, Message, Param string }
	Chargehand struct {
		Run string `json:"run_id"`
	}
}

func (r response) text() string {
	if len(r.Output) == 0 {
		return ""
	}
	if o := r.Output[0]; len(o.Content) > 0 {
		return o.Content[0].Text + o.Content[0].Refusal
	}
	return r.Output[0].Arguments
}

// call asks the door at a path; an empty body is a GET.
func (s *scene) call(t *testing.T, path, body string, headers ...string) (said, response) {
	t.Helper()
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	r, err := http.NewRequestWithContext(t.Context(), method, s.server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	got := s.do(t, r, headers...)
	var o response
	if strings.HasPrefix(got.header.Get("Content-Type"), "application/json") {
		if err := json.Unmarshal([]byte(got.body), &o); err != nil {
			t.Fatalf("%v: %s", err, got.body)
		}
	}
	return got, o
}

// respond is a body that asks a model for a response, with further members.
func respond(model, text, more string) string {
	if more != "" {
		more = "," + more
	}
	return fmt.Sprintf(`{"model":%q,"input":%q%s}`, model, text, more)
}

func TestAResponseIsTheCheckedResult(t *testing.T) {
	s := stage(t, nil)
	got, r := s.call(t, "/v1/responses", respond("answers", "Greet.", `"temperature":1,"store":true,"tools":[],"include":[],"chargehand":{"title":"T"}`))
	if got.status != 200 || r.Status != "completed" || r.text() != "Hello <world>." || r.Object != "response" || r.Usage.Input != 20 || r.Usage.Total != 26 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	run := got.header.Get("X-Chargehand-Run")
	if r.ID != "resp_"+run || s.view(t, run).Title != "T" {
		t.Errorf("%s of %s", r.ID, run)
	}
	again, _ := s.call(t, "/v1/responses/"+r.ID, "")
	if again.status != 200 || again.body != got.body {
		t.Errorf("it is retrieved as %s\nand was %s", again.body, got.body)
	}
}

func TestItemsOfAResponse(t *testing.T) {
	s := stage(t, nil)
	got, r := s.call(t, "/v1/responses", `{"model":"answers","instructions":"Be kind.","metadata":{"a":"b"},"input":[
		{"role":"system","content":"Be brief."},
		{"type":"message","role":"user","content":[{"type":"input_file","filename":"a.txt","file_data":"data:text/plain,Clause%201."},{"type":"input_text","text":"Read this."}]},
		{"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Read.","annotations":[],"logprobs":[]}]},
		{"role":"user","content":"Greet."}]}`)
	if got.status != 200 || *r.Instructions != "Be kind." || r.Metadata["a"] != "b" {
		t.Fatalf("%d %s", got.status, got.body)
	}
	v := s.view(t, r.Chargehand.Run)
	if v.Objective.Goal != "Greet." || len(v.Objective.Documents) != 2 {
		t.Fatalf("%+v", v.Objective)
	}
	text, err := s.engine.Blob(t.Context(), v.Objective.Documents[1].Hash)
	if want := "[developer]\nBe kind.\n\n[system]\nBe brief.\n\n[user]\nRead this.\n\n[assistant]\nRead.\n\n"; err != nil || string(text) != want {
		t.Errorf("before: %q, %v", text, err)
	}
}

func TestAStreamOfAResponse(t *testing.T) {
	s := stage(t, nil)
	schema := `"text":{"format":{"type":"json_schema","name":"a","schema":` + fits + `}}`
	tool := `"tools":[{"type":"function","name":"a","parameters":` + fits + `}],"tool_choice":{"type":"function","name":"a"}`
	body := []string{"response.created", "response.in_progress", "response.output_item.added"}
	text := []string{"response.content_part.added", "response.output_text.delta", "response.output_text.done", "response.content_part.done", "response.output_item.done"}
	args := []string{"response.function_call_arguments.delta", "response.function_call_arguments.done", "response.output_item.done"}
	refusal := []string{"response.content_part.added", "response.refusal.delta", "response.refusal.done", "response.content_part.done", "response.output_item.done"}
	join := func(lists ...[]string) (all []string) {
		for _, l := range lists {
			all = append(all, l...)
		}
		return all
	}
	for _, tt := range []struct {
		goal, more string
		want       []string
		status     string
	}{
		{"long", "", join(body, text, []string{"response.completed"}), "completed"},
		{"Greet.", schema, join(body, text, []string{"response.completed"}), "completed"},
		{"Greet.", tool, join(body, args, []string{"response.completed"}), "completed"},
		{"lie", "", join(body, text, []string{"response.incomplete"}), "incomplete"},
		{"lie", schema, join(body, refusal, []string{"response.incomplete"}), "incomplete"},
		{"Greet.", strings.ReplaceAll(schema, `"n":{"$ref":"#/$defs/count"}`, `"n":{"const":2}`), []string{"response.created", "response.in_progress", "response.failed"}, "failed"},
	} {
		more := `"stream":true`
		if tt.more != "" {
			more += "," + tt.more
		}
		got, _ := s.call(t, "/v1/responses", respond("answers", tt.goal, more))
		data, comments := events(got.body)
		var kinds []string
		said := ""
		var last struct {
			Type     string
			Seq      int `json:"sequence_number"`
			Delta    string
			Response response
		}
		for i, d := range data {
			last.Delta = ""
			if err := json.Unmarshal([]byte(d), &last); err != nil || last.Seq != i || !strings.Contains(got.body, "event: "+last.Type+"\ndata: "+d) {
				t.Fatalf("event %d: %v, %s", i, err, d)
			}
			if said += last.Delta; len(kinds) == 0 || kinds[len(kinds)-1] != last.Type {
				kinds = append(kinds, last.Type)
			}
		}
		if strings.Join(kinds, " ") != strings.Join(tt.want, " ") || last.Response.Status != tt.status || said != last.Response.text() || len(comments) == 0 {
			t.Errorf("%s %.40s: %v, %s\n%.3000s", tt.goal, tt.more, kinds, last.Response.Status, got.body)
		}
		again, r := s.call(t, "/v1/responses/"+last.Response.ID, "")
		if again.status != 200 || r.Status != tt.status || r.text() != said {
			t.Errorf("%s: retrieved: %d %s", tt.goal, again.status, again.body)
		}
	}
}

func TestAResponseGoesOnFromAnother(t *testing.T) {
	s := stage(t, nil)
	_, first := s.call(t, "/v1/responses", `{"model":"answers","input":[{"role":"user","content":[{"type":"input_text","text":"Greet."},{"type":"input_file","filename":"a","file_data":"data:,Clause%201."}]}]}`)
	_, second := s.call(t, "/v1/responses", respond("answers", "Again.", `"previous_response_id":"`+first.ID+`"`))
	got, third := s.call(t, "/v1/responses", respond("answers", "Once more.", `"previous_response_id":"`+second.ID+`"`))
	if third.Status != "completed" {
		t.Fatalf("%d %s", got.status, got.body)
	}
	docs := s.view(t, third.Chargehand.Run).Objective.Documents
	if len(docs) != 2 || docs[0].Name != "a" {
		t.Fatalf("%+v", docs)
	}
	text, err := s.engine.Blob(t.Context(), docs[1].Hash)
	if want := "[user]\nGreet.\n\n[assistant]\nHello <world>.\n\n[user]\nAgain.\n\n[assistant]\nHello <world>.\n\n"; err != nil || string(text) != want {
		t.Errorf("before: %q, %v", text, err)
	}
	_, waits := s.call(t, "/v1/responses", respond("answers", "lie", ""))
	for id, code := range map[string]string{waits.ID: "previous_response_not_completed", "resp_none": "response_not_found", first.ID + "_m": "response_forgotten"} {
		got, r := s.call(t, "/v1/responses", respond("answers", "x", `"previous_response_id":"`+id+`"`))
		if got.status != 400 || r.Error == nil || r.Error.Code != code || r.Error.Param != "previous_response_id" {
			t.Errorf("%s: %d %s", id, got.status, got.body)
		}
	}
}

func TestAResponseInTheBackground(t *testing.T) {
	s := stage(t, nil)
	got, r := s.call(t, "/v1/responses", respond("answers", "wait", `"background":true`))
	if got.status != 200 || r.Status != "in_progress" || !r.Background || r.Usage != nil {
		t.Fatalf("%d %s", got.status, got.body)
	}
	<-s.entered
	if got, now := s.call(t, "/v1/responses/"+r.ID, ""); now.Status != "in_progress" || now.ID != r.ID || !now.Background {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got, now := s.call(t, "/v1/responses/"+r.ID+"/cancel", "{}"); now.Status != "cancelled" || len(now.Output) != 0 {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got, now := s.call(t, "/v1/responses/"+r.ID+"/cancel", "{}"); got.status != 200 || now.Status != "cancelled" {
		t.Errorf("twice: %d %s", got.status, got.body)
	}
}

// A response is its caller's own. What no record has is told as long as it is known, and then refused.
func TestWhoseResponseItIs(t *testing.T) {
	callers := map[string]chatapi.Caller{"a": {Name: "ana"}, "b": {Name: "ben"}, "c": {Name: "ana", Tenant: "t"}}
	o := chatapi.Options{
		Models: []chatapi.Model{{Team: team("answers")}}, Schema: gate.Schema, Log: slog.New(slog.DiscardHandler),
		Caller: func(r *http.Request) (chatapi.Caller, bool) {
			c, ok := callers[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
			return c, ok
		},
	}
	s := stage(t, func(given *chatapi.Options) { *given = o })
	_, plain := s.call(t, "/v1/responses", respond("answers", "Greet.", ""), "Authorization", "Bearer a")
	_, kept := s.call(t, "/v1/responses", respond("answers", "Greet.", `"metadata":{"a":"b"}`), "Authorization", "Bearer a")
	for who, want := range map[string]int{"a": 200, "b": 404, "c": 404, "": 401} {
		for _, path := range []string{"", "/cancel"} {
			body := map[string]string{"/cancel": "{}"}[path]
			if got, _ := s.call(t, "/v1/responses/"+plain.ID+path, body, "Authorization", "Bearer "+who); got.status != want {
				t.Errorf("%q%s: %d %s", who, path, got.status, got.body)
			}
		}
		if got, _ := s.call(t, "/v1/responses", respond("answers", "x", `"previous_response_id":"`+plain.ID+`"`), "Authorization", "Bearer "+who); got.status == 200 != (who == "a") {
			t.Errorf("%q goes on from it: %d %s", who, got.status, got.body)
		}
	}
	h, err := chatapi.Handler(s.engine, o) // as after a restart
	if err != nil {
		t.Fatal(err)
	}
	s.server.Close()
	s.server = httptest.NewServer(h)
	if got, r := s.call(t, "/v1/responses/"+plain.ID, "", "Authorization", "Bearer a"); got.status != 200 || r.text() != "Hello <world>." {
		t.Errorf("after a restart: %d %s", got.status, got.body)
	}
	if got, r := s.call(t, "/v1/responses/"+kept.ID, "", "Authorization", "Bearer a"); got.status != http.StatusGone || r.Error.Code != "response_forgotten" || !strings.Contains(r.Error.Message, "chargehand runs result") {
		t.Errorf("after a restart: %d %s", got.status, got.body)
	}
}

func TestWhatAResponseRefuses(t *testing.T) {
	s := stage(t, nil)
	for more, param := range map[string]string{
		`"store":false`: "store", `"conversation":"c"`: "conversation", `"prompt":{"id":"p"}`: "prompt", `"tools":[{"type":"web_search"}]`: "tools", `"include":["message.output_text.logprobs"]`: "include",
		`"tools":[{"type":"function","name":"a"}]`: "tools", `"tool_choice":"required"`: "tool_choice", `"background":true,"stream":true`: "background", `"top_logprobs":2`: "top_logprobs",
		`"text":{"format":{"type":"grammar"}}`: "text.format", `"text":{"format":{"type":"json_schema","schema":{"type":"array"}}}`: "text.format.schema", `"messages":[]`: "messages", `"n":1`: "n",
		`"metadata":{"a":1}`: "metadata", `"metadata":{"` + strings.Repeat("x", 65) + `":""}`: "metadata", `"stream":"yes"`: "stream", `"chargehand":{"budget":"3"}`: "chargehand.budget",
	} {
		got, r := s.call(t, "/v1/responses", respond("answers", "Greet.", more))
		if got.status != 400 || r.Error == nil || r.Error.Param != param || !strings.Contains(r.Error.Message, param) {
			t.Errorf("%s: %d %s", more, got.status, got.body)
		}
	}
	for _, input := range []string{
		`[]`, `7`, `[{"type":"item_reference","id":"msg_1"}]`, `[{"type":"function_call_output","call_id":"c","output":"x"}]`, `[{"role":"assistant","content":"x"}]`,
		`[{"role":"user","content":[{"type":"input_image","image_url":"http://169.254.169.254/"}]}]`, `[{"role":"user","content":[{"type":"input_file","file_url":"http://127.0.0.1/"}]}]`,
		`[{"role":"user","content":[{"type":"input_file","file_id":"f"}]}]`, `[{"role":"user","evil":1,"content":"x"}]`,
	} {
		got, r := s.call(t, "/v1/responses", `{"model":"answers","input":`+input+`}`)
		if got.status != 400 || r.Error == nil || !strings.HasPrefix(r.Error.Param, "input") {
			t.Errorf("%s: %d %s", input, got.status, got.body)
		}
	}
	if got, r := s.call(t, "/v1/responses/resp_x?stream=true", ""); got.status != 400 || r.Error.Param != "stream" {
		t.Errorf("%d %s", got.status, got.body)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, s.server.URL+"/v1/responses/resp_x", io.NopCloser(strings.NewReader("")))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.do(t, r); got.status != http.StatusMethodNotAllowed || !strings.Contains(got.body, "kept on record") {
		t.Errorf("%d %s", got.status, got.body)
	}
	if runs, err := s.engine.Runs(t.Context(), chargehand.Filter{}); err != nil || len(runs) != 0 {
		t.Errorf("%d runs were begun, %v", len(runs), err)
	}
	// The pipeline of completions: keys, and one for each door.
	_, a := s.call(t, "/v1/responses", respond("answers", "Greet.", ""), "Idempotency-Key", "k")
	_, b := s.call(t, "/v1/responses", respond("answers", "Greet.", ""), "Idempotency-Key", "k")
	c := s.post(t.Context(), t, chat("answers", "Greet.", ""), "Idempotency-Key", "k").reply(t)
	if a.ID == "" || a.ID != b.ID || c.Chargehand.Run == a.Chargehand.Run {
		t.Errorf("%s, %s and %s", a.ID, b.ID, c.Chargehand.Run)
	}
}
