package chatapi_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/chatapi"
)

func TestModels(t *testing.T) {
	s := stage(t, nil)
	for path, want := range map[string]string{
		"/v1/models": `"id":"answers"`, "/v1/models/reader": `"object":"model"`, "/v1/models/none": "model_not_found", "/v1/nothing": "unknown_url",
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.do(t, r); !strings.Contains(got.body, want) || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}

func TestAnAnswerIsTheCheckedResult(t *testing.T) {
	s := stage(t, nil)
	got := s.post(t.Context(), t, chat("answers", "Greet.", `"temperature":0.3,"max_tokens":5,"n":1,"tools":[],"stop":null,"chargehand":{"budget":"0.50","input":{"depth":1},"title":"T"}`))
	r := got.reply(t)
	if got.status != 200 || len(r.Choices) != 1 || r.Choices[0].Message.Content != "Hello <world>." || r.Choices[0].Finish != "stop" ||
		r.Choices[0].Message.Role != "assistant" || r.Object != "chat.completion" || r.Model != "answers" {
		t.Fatalf("%d %s", got.status, got.body)
	}
	// The plan's subtask and the synthesis.
	if r.Usage.Prompt != 20 || r.Usage.Completion != 6 || r.Usage.Total != 26 || r.Usage.Cost != "0.003" {
		t.Errorf("usage %+v", *r.Usage)
	}
	run := got.header.Get("X-Chargehand-Run")
	if run == "" || run != r.Chargehand.Run || r.ID != "chatcmpl-"+run || got.header.Get("X-Chargehand-State") != "completed" {
		t.Errorf("run %q, %+v", run, r.Chargehand)
	}
	v := s.view(t, run)
	if v.StartedBy != "chat" || v.Budget != chargehand.USD/2 || v.Title != "T" || string(v.Objective.Input) != `{"depth":1}` || v.Objective.Goal != "Greet." {
		t.Errorf("the run is %+v", v.Objective)
	}
}

// Money is a text or a number, as everywhere, and exact either way.
func TestABudgetIsATextOrANumber(t *testing.T) {
	s := stage(t, nil)
	for raw, want := range map[string]chargehand.Micros{`"0.50"`: 500_000, `0.5`: 500_000, `0.300001`: 300_001, `1`: chargehand.USD} {
		got := s.post(t.Context(), t, chat("answers", "Greet.", `"chargehand":{"budget":`+raw+`}`))
		if got.status != 200 {
			t.Fatalf("%s: %d %s", raw, got.status, got.body)
		}
		if v := s.view(t, got.header.Get("X-Chargehand-Run")); v.Budget != want {
			t.Errorf("%s: the run may spend %s", raw, v.Budget)
		}
	}
}

func TestTheFormOfAResult(t *testing.T) {
	s := stage(t, nil)
	for _, tt := range []struct{ goal, more, want string }{
		{"figure", "", "# Report of answers"},
		{"Greet.", `"response_format":{"type":"text"}`, "Hello <world>."},
		{"Greet.", `"response_format":{"type":"json_object"}`, `"status":"completed"`},
	} {
		if r := s.post(t.Context(), t, chat("answers", tt.goal, tt.more)).reply(t); !strings.Contains(r.Choices[0].Message.Content, tt.want) {
			t.Errorf("%s %s: %s", tt.goal, tt.more, r.Choices[0].Message.Content)
		}
	}
}

func TestAConversationBecomesAnObjective(t *testing.T) {
	s := stage(t, nil)
	file := func(name, data string) string {
		return fmt.Sprintf(`{"type":"file","file":{"filename":%q,"file_data":%q}}`, name, data)
	}
	encoded := base64.StdEncoding.EncodeToString([]byte("Clause 1."))
	got := s.post(t.Context(), t, `{"model":"answers","messages":[
		{"role":"system","content":"Be brief."},
		{"role":"user","content":[`+file("a.txt", "data:text/markdown;charset=utf-8;base64,"+encoded)+`,{"type":"text","text":"Read this."}]},
		{"role":"assistant","content":"Read.","refusal":null,"tool_calls":[]},
		{"role":"user","content":[{"type":"text","text":"Greet"},{"type":"text","text":"me."},`+file("", encoded)+`,`+file("c", "data:,Clause%203.")+`]}]}`)
	v := s.view(t, got.reply(t).Chargehand.Run)
	if v.Objective.Goal != "Greet\n\nme." || v.Title != "a.txt" {
		t.Errorf("goal %q, title %q", v.Objective.Goal, v.Title)
	}
	want := []struct{ name, media, text string }{
		{"a.txt", "text/markdown", "Clause 1."},
		{"document-2", "", "Clause 1."},
		{"c", "", "Clause 3."},
		{"conversation.txt", "text/plain", "[system]\nBe brief.\n\n[user]\nRead this.\n\n[assistant]\nRead.\n\n"},
	}
	if len(v.Objective.Documents) != len(want) {
		t.Fatalf("%d documents", len(v.Objective.Documents))
	}
	for i, d := range v.Objective.Documents {
		text, err := s.engine.Blob(t.Context(), d.Hash)
		if err != nil || d.Name != want[i].name || d.MediaType != want[i].media || string(text) != want[i].text {
			t.Errorf("document %d is %+v %q, %v", i, d, text, err)
		}
	}
}

func TestALongMessageIsADocument(t *testing.T) {
	s := stage(t, nil)
	long := strings.Repeat("A clause of some length. ", 1000)
	for model, goal := range map[string]string{"answers": "A clause of", "reader": "Answers questions."} {
		v := s.view(t, s.post(t.Context(), t, chat(model, long, "")).reply(t).Chargehand.Run)
		if !strings.HasPrefix(v.Objective.Goal, goal) || len(v.Objective.Documents) != 1 || v.Objective.Documents[0].Size != int64(len(strings.TrimSpace(long))) {
			t.Errorf("%s: goal %.40q, %d documents", model, v.Objective.Goal, len(v.Objective.Documents))
		}
	}
}

// events reads a stream: the data and the comments.
func events(body string) (data, comments []string) {
	for _, line := range strings.Split(body, "\n") {
		if d, ok := strings.CutPrefix(line, "data: "); ok {
			data = append(data, d)
		} else if strings.HasPrefix(line, ":") {
			comments = append(comments, line)
		}
	}
	return data, comments
}

func TestAStream(t *testing.T) {
	s := stage(t, nil)
	got := s.post(t.Context(), t, chat("answers", "long", `"stream":true,"stream_options":{"include_usage":true}`))
	data, comments := events(got.body)
	if got.header.Get("Content-Type") != "text/event-stream" || got.header.Get("X-Chargehand-Run") == "" || len(comments) == 0 {
		t.Fatalf("%v, %d comments", got.header, len(comments))
	}
	if n := len(data); n < 6 || data[n-1] != "[DONE]" {
		t.Fatalf("%d events: %.2000s", n, got.body)
	}
	text := ""
	for i, d := range data[:len(data)-1] {
		r := said{body: d}.reply(t)
		if r.Object != "chat.completion.chunk" || r.Model != "answers" {
			t.Errorf("event %d: %s", i, d)
		}
		if i == len(data)-2 {
			if len(r.Choices) != 0 || r.Usage == nil || r.Usage.Total != 26 {
				t.Errorf("usage: %s", d)
			}
			continue
		}
		if !utf8.ValidString(r.Choices[0].Delta.Content) || strings.ContainsRune(r.Choices[0].Delta.Content, utf8.RuneError) {
			t.Errorf("event %d breaks a character", i)
		}
		text += r.Choices[0].Delta.Content
		if last := i == len(data)-3; (r.Choices[0].Finish == "stop") != last || (r.Chargehand.State == "completed") != last {
			t.Errorf("event %d: %s", i, d)
		}
	}
	if text != strings.Repeat("é€x", 1000) {
		t.Errorf("the text has %d bytes", len(text))
	}
}

func TestARunThatWaitsForAPerson(t *testing.T) {
	s := stage(t, nil)
	for _, more := range []string{"", `"stream":true`} {
		got := s.post(t.Context(), t, chat("answers", "lie", more), "Idempotency-Key", "k"+more)
		body := got.body
		if more != "" {
			data, _ := events(body)
			body = data[len(data)-2]
		}
		r := said{body: body}.reply(t)
		if got.status != 200 || r.Choices[0].Finish != "stop" || r.Chargehand.State != "needs_human" || len(r.Chargehand.Reviews) != 1 {
			t.Fatalf("%d %s", got.status, got.body)
		}
		if review := r.Chargehand.Reviews[0].Review; !strings.Contains(got.body, "chargehand review show "+review) || !strings.Contains(got.body, r.Chargehand.Run) {
			t.Errorf("it is not told where to decide: %s", got.body)
		}
		if v := s.view(t, r.Chargehand.Run); v.State != chargehand.RunRunning || v.NeedsHuman != 1 {
			t.Errorf("the run is %s", v.State)
		}
	}
}

func TestNothingToUseIsAnError(t *testing.T) {
	s := stage(t, func(o *chatapi.Options) { o.Models[0].Team.Policy.WhenOnlyWaits = chargehand.ReturnPartial })
	got := s.post(t.Context(), t, chat("answers", "lie", ""))
	r := got.reply(t)
	if got.status != http.StatusBadRequest || r.Error == nil || r.Error.Run == "" || got.header.Get("X-Should-Retry") != "false" {
		t.Fatalf("%d %s", got.status, got.body)
	}
	data, _ := events(s.post(t.Context(), t, chat("answers", "lie", `"stream":true`)).body)
	if last := (said{body: data[len(data)-1]}).reply(t); last.Error == nil || last.Error.Type != "server_error" {
		t.Errorf("a stream ends with %s", data[len(data)-1])
	}
}

func TestWhatIsNotSupportedIsRefusedByName(t *testing.T) {
	s := stage(t, nil)
	for more, param := range map[string]string{
		`"n":2`: "n", `"stop":["x"]`: "stop", `"logprobs":true`: "logprobs", `"tools":[{"type":"function"}]`: "tools", `"tool_choice":"required"`: "tool_choice",
		`"functions":[{}]`: "functions", `"modalities":["audio"]`: "modalities", `"response_format":{"type":"json_schema","json_schema":{}}`: "response_format.json_schema.schema",
		`"audio":{}`: "audio", `"web_search_options":{}`: "web_search_options", `"store":true`: "store", `"no_such":1`: "no_such",
		`"stream":"yes"`: "stream", `"stream_options":{"include_usage":true}`: "stream_options", `"chargehand":{"budget":"3"}`: "chargehand.budget",
		`"chargehand":{"budget":"x"}`: "chargehand.budget", `"chargehand":{"budget":3}`: "chargehand.budget", `"chargehand":{"budget":0}`: "chargehand.budget",
		`"chargehand":{"budget":-0.5}`: "chargehand.budget", `"chargehand":{"budget":0.0000001}`: "chargehand.budget", `"chargehand":{"budget":{}}`: "chargehand.budget", `"chargehand":{"plan":{}}`: "chargehand",
	} {
		got := s.post(t.Context(), t, chat("answers", "Greet.", more))
		r := got.reply(t)
		if got.status != 400 || r.Error == nil || r.Error.Param == nil || *r.Error.Param != param || r.Error.Type != "invalid_request_error" || !strings.Contains(r.Error.Message, param) {
			t.Errorf("%s: %d %s", more, got.status, got.body)
		}
	}
	for _, messages := range []string{
		`[]`, `null`, `7`, `[{"role":"tool","content":"x"}]`, `[{"role":"assistant","content":"x"}]`, `[{"role":"user","content":7}]`, `[{"role":"user","content":{}}]`,
		`[{"role":"user","content":[{"type":"image_url","image_url":{"url":"http://169.254.169.254/"}}]}]`, `[{"role":"user","content":[{"type":"file"}]}]`,
		`[{"role":"user","content":[{"type":"file","file":{"file_id":"f"}}]}]`, `[{"role":"user","content":[{"type":"file","file":{"file_data":"http://127.0.0.1/"}}]}]`,
		`[{"role":"user","content":[{"type":"file","file":{"file_data":"data:application/pdf;base64,JVBERi0xLjQ="}}]}]`,
		`[{"role":"user","content":[{"type":"file","file":{"file_data":"data:;base64,/v8="}}]}]`, `[{"role":"user","evil":1,"content":"x"}]`,
		`[{"role":"assistant","tool_calls":[{}]},{"role":"user","content":"x"}]`,
	} {
		got := s.post(t.Context(), t, `{"model":"answers","messages":`+messages+`}`)
		if r := got.reply(t); got.status != 400 || r.Error == nil || r.Error.Param == nil || !strings.HasPrefix(*r.Error.Param, "messages") {
			t.Errorf("%s: %d %s", messages, got.status, got.body)
		}
	}
	if runs, err := s.engine.Runs(t.Context(), chargehand.Filter{}); err != nil || len(runs) != 0 {
		t.Errorf("%d runs were begun, %v", len(runs), err)
	}
}

// A body that two readers could take for two things is refused, with where and why.
func TestABodyHasOneMeaning(t *testing.T) {
	s := stage(t, nil)
	for body, want := range map[string]string{
		`{"model":"nobody","model":"answers","messages":[{"role":"user","content":"Greet."}]}`:                                                                                         "at /model: the key occurs twice",
		`{"model":"answers","messages":[{"role":"user","content":"Greet.","content":"x"}]}`:                                                                                            "at /messages/0/content: the key occurs twice",
		"{\"model\":\"answers\",\"messages\":[{\"role\":\"user\",\"content\":\"Gr\xffeet.\"}]}":                                                                                        "it is not UTF-8",
		`{"model":"answers","messages":[{"role":"user","content":"Greet \ud83d."}]}`:                                                                                                   "half a surrogate pair",
		`{"model":"answers","messages":[{"role":"user","content":"Greet."}]} {}`:                                                                                                       "it is not JSON",
		`{"model":"answers","messages":[{"role":"user","content":"Greet."}],"temperature":1e999}`:                                                                                      "at /temperature: the number 1e999 is out of range",
		`{"model":"answers","messages":[{"role":"user","content":"Greet \u0000."}]}`:                                                                                                   "it holds a NUL",
		chat("answers", "Greet.", `"chargehand":{"input":{"depth":1,"depth":2}}`):                                                                                                      "at /chargehand/input/depth: the key occurs twice",
		`{"model":"answers","messages":[{"role":"user","content":[{"type":"text","text":"Greet."},{"type":"file","file":{"filename":"a.txt","file_data":"data:text/plain,a%00b"}}]}]}`: "is not UTF-8 text",
		``: "it is empty",
	} {
		got := s.post(t.Context(), t, body)
		if r := got.reply(t); got.status != 400 || r.Error == nil || r.Error.Type != "invalid_request_error" || !strings.Contains(r.Error.Message, want) {
			t.Errorf("%.80q: %d %s, want %s", body, got.status, got.body, want)
		}
	}
	if runs, err := s.engine.Runs(t.Context(), chargehand.Filter{}); err != nil || len(runs) != 0 {
		t.Errorf("%d runs were begun, %v", len(runs), err)
	}
}

func TestAKeyNamesOneRun(t *testing.T) {
	s := stage(t, nil)
	first := s.post(t.Context(), t, chat("answers", "Greet.", ""), "Idempotency-Key", "k").reply(t)
	second := s.post(t.Context(), t, chat("answers", "Greet.", ""), "Idempotency-Key", "k").reply(t)
	if first.Chargehand.Run == "" || first.Chargehand.Run != second.Chargehand.Run || *first.Usage != *second.Usage {
		t.Errorf("%+v and %+v", first, second)
	}
	got := s.post(t.Context(), t, chat("answers", "Leave.", ""), "Idempotency-Key", "k")
	if got.status != http.StatusConflict || !strings.Contains(got.body, "idempotency_key_reused") {
		t.Errorf("another request under the same key: %d %s", got.status, got.body)
	}
	if got := s.post(t.Context(), t, chat("answers", "Greet.", ""), "Idempotency-Key", strings.Repeat("k", 201)); got.status != 400 {
		t.Errorf("a long key: %d %s", got.status, got.body)
	}
}

func TestAClientThatLeaves(t *testing.T) {
	for _, more := range []string{"", `"stream":true`} {
		for _, key := range []string{"", "k"} {
			t.Run(more+key, func(t *testing.T) {
				s := stage(t, nil)
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan said)
				var headers []string
				want := chargehand.RunCancelled
				if key != "" {
					headers, want = []string{"Idempotency-Key", key}, chargehand.RunCompleted
				}
				go func() { done <- s.post(ctx, t, chat("answers", "wait", more), headers...) }()
				<-s.entered
				cancel()
				<-done
				run := s.only(t)
				if key != "" {
					s.open()
				}
				if got := s.ends(t, run); got != want {
					t.Errorf("the run is %s, want %s", got, want)
				}
			})
		}
	}
}

func TestTheProcessLeaves(t *testing.T) {
	s := stage(t, nil)
	done := make(chan said)
	go func() { done <- s.post(t.Context(), t, chat("answers", "wait", "")) }()
	<-s.entered
	close(s.leaving)
	got := <-done
	if r := got.reply(t); got.status != 503 || r.Error == nil || *r.Error.Code != "restarting" || r.Error.Run != s.only(t) || got.header.Get("X-Should-Retry") != "false" {
		t.Errorf("%d %s", got.status, got.body)
	}
	s.open()
	if got := s.ends(t, s.only(t)); got != chargehand.RunCompleted {
		t.Errorf("the run is %s", got)
	}
}

func TestARunThatTakesTooLong(t *testing.T) {
	s := stage(t, func(o *chatapi.Options) { o.Wait = 50 * time.Millisecond })
	for key, want := range map[string]chargehand.RunState{"": chargehand.RunCancelled, "k": chargehand.RunRunning} {
		got := s.post(t.Context(), t, chat("answers", "wait", ""), "Idempotency-Key", key)
		r := got.reply(t)
		if got.status != http.StatusGatewayTimeout || *r.Error.Code != "timeout" {
			t.Fatalf("%d %s", got.status, got.body)
		}
		if want == chargehand.RunCancelled {
			s.ends(t, r.Error.Run)
		}
		if v := s.view(t, r.Error.Run); v.State != want {
			t.Errorf("key %q: the run is %s", key, v.State)
		}
	}
}

func TestSeatsAreBounded(t *testing.T) {
	s := stage(t, func(o *chatapi.Options) { o.MaxRuns = 1 })
	go s.post(t.Context(), t, chat("answers", "wait", ""))
	<-s.entered
	if got := s.post(t.Context(), t, chat("answers", "Greet.", "")); got.status != 429 || got.header.Get("Retry-After") == "" {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestCallers(t *testing.T) {
	callers := map[string]chatapi.Caller{"a": {Name: "ana"}, "b": {Name: "ben"}}
	s := stage(t, func(o *chatapi.Options) {
		o.Caller = func(r *http.Request) (chatapi.Caller, bool) {
			c, ok := callers[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
			return c, ok
		}
	})
	runs := map[string]bool{}
	for token, status := range map[string]int{"a": 200, "b": 200, "c": 401, "": 401} {
		got := s.post(t.Context(), t, chat("answers", "Greet.", ""), "Authorization", "Bearer "+token, "Idempotency-Key", "same")
		if got.status != status {
			t.Errorf("%q: %d %s", token, got.status, got.body)
		}
		if status != 200 {
			if r := got.reply(t); *r.Error.Code != "invalid_api_key" || got.header.Get("WWW-Authenticate") == "" {
				t.Errorf("%q: %s", token, got.body)
			}
			continue
		}
		run := got.reply(t).Chargehand.Run
		if runs[run] || s.view(t, run).StartedBy != callers[token].Name {
			t.Errorf("%q has %s, started by %s", token, run, s.view(t, run).StartedBy)
		}
		runs[run] = true
	}
}

func TestHostileRequests(t *testing.T) {
	s := stage(t, nil)
	for _, tt := range []struct {
		name, body string
		want       int
		headers    []string
	}{
		{"another host", chat("answers", "x", ""), 403, []string{"Host", "evil.example"}},
		{"a page of another origin", chat("answers", "x", ""), 403, []string{"Origin", "https://evil.example"}},
		{"a page of another site", chat("answers", "x", ""), 403, []string{"Sec-Fetch-Site", "cross-site"}},
		{"too large", chat("answers", strings.Repeat("x", 70<<10), ""), 413, nil},
		{"no JSON", `{"model":`, 400, nil},
		{"nothing", ``, 400, nil},
		{"not an object", `[]`, 400, nil},
		{"two values", `{} {}`, 400, nil},
		{"deep", `{"model":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`, 400, nil},
		{"not UTF-8", "{\"model\":\"\xff\"}", 400, nil},
		{"a number that is none", `{"model":1e999}`, 400, nil},
		{"a team with a line break", `{"model":"a\r\nX-Evil: 1","messages":[{"role":"user","content":"x"}]}`, 404, nil},
		{"an unknown team", chat("nobody", "x", ""), 404, nil},
		{"a wrong input", chat("answers", "x", `"chargehand":{"input":{"depth":"deep"}}`), 400, nil},
		{"says nothing", chat("reader", "  ", ""), 200, nil},
	} {
		got := s.post(t.Context(), t, tt.body, tt.headers...)
		if got.status != tt.want || got.header.Get("X-Evil") != "" {
			t.Errorf("%s: %d %.300s, want %d", tt.name, got.status, got.body, tt.want)
		}
		if got.status != 200 && got.reply(t).Error == nil {
			t.Errorf("%s: not in the API's form: %s", tt.name, got.body)
		}
	}
}

// A client that sends its body drop by drop is cut off; others are answered meanwhile.
func TestASlowBodyIsCutOff(t *testing.T) {
	s := stage(t, func(o *chatapi.Options) { o.Timeout = 300 * time.Millisecond })
	c, err := net.Dial("tcp", strings.TrimPrefix(s.server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{")
	answer, err := io.ReadAll(c) // to the end of the connection
	if err != nil || !strings.Contains(string(answer), "408 Request Timeout") || !strings.Contains(string(answer), `"code":"request_timeout"`) {
		t.Errorf("%v %s", err, answer)
	}
}
