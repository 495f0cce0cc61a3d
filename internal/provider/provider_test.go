package provider

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand/model"
)

func start(t *testing.T, o Options) *Server {
	t.Helper()
	s, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func post(t *testing.T, url, body string, header ...string) (int, http.Header, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(b)
}

// The streams are those of the public documentation, to the byte but for ids and the order of keys.
func TestStreamsAsDocumented(t *testing.T) {
	reply := Reply{Text: "Hi!", Calls: []model.Call{{ID: "toolu_1", Name: "f", Arguments: `{"a":1}`}}, Usage: &model.Usage{Input: 25, CachedInput: 5, Output: 15}}
	s := start(t, Options{Answer: func(Request) Reply { return reply }})
	_, h, got := post(t, s.URL+"/v1/messages", `{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"x"}]}`, "X-Api-Key", "k", "Anthropic-Version", "2023-06-01")
	want := `event: message_start
data: {"message":{"content":[],"id":"msg_000000000000000000000001","model":"m","role":"assistant","stop_reason":null,"stop_sequence":null,"type":"message","usage":{"cache_creation_input_tokens":0,"cache_read_input_tokens":5,"input_tokens":20,"output_tokens":1}},"type":"message_start"}

event: ping
data: {"type": "ping"}

event: content_block_start
data: {"content_block":{"text":"","type":"text"},"index":0,"type":"content_block_start"}

event: content_block_delta
data: {"delta":{"text":"Hi!","type":"text_delta"},"index":0,"type":"content_block_delta"}

event: content_block_stop
data: {"index":0,"type":"content_block_stop"}

event: content_block_start
data: {"content_block":{"id":"toolu_1","input":{},"name":"f","type":"tool_use"},"index":1,"type":"content_block_start"}

event: content_block_delta
data: {"delta":{"partial_json":"","type":"input_json_delta"},"index":1,"type":"content_block_delta"}

event: content_block_delta
data: {"delta":{"partial_json":"{\"a\":1}","type":"input_json_delta"},"index":1,"type":"content_block_delta"}

event: content_block_stop
data: {"index":1,"type":"content_block_stop"}

event: message_delta
data: {"delta":{"stop_reason":"tool_use","stop_sequence":null},"type":"message_delta","usage":{"cache_creation_input_tokens":0,"cache_read_input_tokens":5,"input_tokens":20,"output_tokens":15}}

event: message_stop
data: {"type":"message_stop"}

`
	if d := cmp.Diff(want, got); d != "" || !strings.HasPrefix(h.Get("Content-Type"), "text/event-stream") {
		t.Error(d)
	}
	_, _, got = post(t, s.URL+"/v1/chat/completions", `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"x"}]}`, "Authorization", "Bearer k")
	got = regexp.MustCompile(`"id":"chatcmpl-\d+",|"(?:model|object|system_fingerprint)":"[^"]*",|"created":\d+,`).ReplaceAllString(got, "")
	want = `data: {"choices":[{"delta":{"content":"","refusal":null,"role":"assistant"},"finish_reason":null,"index":0,"logprobs":null}],"usage":null}

data: {"choices":[{"delta":{"content":"Hi!"},"finish_reason":null,"index":0,"logprobs":null}],"usage":null}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"toolu_1","type":"function","function":{"name":"f","arguments":""}}]},"finish_reason":null,"index":0,"logprobs":null}],"usage":null}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":1}"}}]},"finish_reason":null,"index":0,"logprobs":null}],"usage":null}

data: {"choices":[{"delta":{},"finish_reason":"tool_calls","index":0,"logprobs":null}],"usage":null}

data: {"choices":[],"usage":{"completion_tokens":15,"completion_tokens_details":{"accepted_prediction_tokens":0,"audio_tokens":0,"reasoning_tokens":0,"rejected_prediction_tokens":0},"prompt_tokens":25,"prompt_tokens_details":{"audio_tokens":0,"cached_tokens":5},"total_tokens":40}}

data: [DONE]

`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// What the real ones refuse is refused, and is not executed.
func TestRefusals(t *testing.T) {
	s := start(t, Options{Keys: []string{"k"}})
	user := `{"role":"user","content":"x"}`
	for _, c := range []struct {
		path, body, key string
		status          int
		want            string
	}{
		{"/v1/messages", `{}`, "", 401, "authentication_error"},
		{"/v1/messages", `{}`, "other", 401, "authentication_error"},
		{"/v1/messages", `{`, "k", 400, "not valid JSON"},
		{"/v1/messages", `{"model":"m","messages":[` + user + `]}`, "k", 400, "max_tokens: Field required"},
		{"/v1/messages", `{"model":"m","max_tokens":1,"messages":[]}`, "k", 400, "at least one message"},
		{"/v1/messages", `{"model":"m","max_tokens":1,"messages":[{"role":"system","content":"x"}]}`, "k", 400, "role"},
		{"/v1/messages", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":""}]}]}`, "k", 400, "non-empty"},
		{"/v1/messages", `{"model":"m","max_tokens":1,"messages":[` + user + `,{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},` + user + `]}`, "k", 400, "no result"},
		{"/v1/messages", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}]}`, "k", 400, "names no call"},
		{"/v1/chat/completions", `{}`, "", 401, "invalid_api_key"},
		{"/v1/chat/completions", `{"model":"m","messages":[]}`, "k", 400, "empty array"},
		{"/v1/chat/completions", `{"model":"gpt-5","max_tokens":5,"messages":[` + user + `]}`, "k", 400, "max_completion_tokens"},
		{"/v1/chat/completions", `{"model":"m","messages":[` + user + `,{"role":"tool","tool_call_id":"a","content":"x"}]}`, "k", 400, "names no call"},
		{"/v1/chat/completions", `{"model":"m","messages":[` + user + `],"response_format":{"type":"json_schema","json_schema":{"name":"a","strict":true,"schema":{"type":"object"}}}}`, "k", 400, "additionalProperties"},
	} {
		status, _, body := post(t, s.URL+c.path, c.body, "X-Api-Key", c.key, "Authorization", "Bearer "+c.key, "Anthropic-Version", "2023-06-01")
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %s: %d %s, want %d with %q", c.path, c.body, status, body, c.status, c.want)
		}
	}
	if s.Count() != 0 {
		t.Errorf("%d requests were executed", s.Count())
	}
}

func TestScript(t *testing.T) {
	answer, err := Script([]byte(`
{"when":"weather","text":"sunny","times":1}
{"when":"weather","status":429,"retryAfter":"2"}
{"model":"small","json":{"a":[1]}}
`))
	if err != nil {
		t.Fatal(err)
	}
	asked := func(name, text string) Request {
		return Request{Model: name, Messages: []model.Message{{Text: text}}}
	}
	if r := answer(asked("m", "the weather?")); r.Text != "sunny" {
		t.Errorf("%+v", r)
	}
	if r := answer(asked("m", "the weather?")); r.Fault.Status != 429 || r.Fault.RetryAfter != "2" {
		t.Errorf("%+v", r)
	}
	if r := answer(asked("small", "x")); r.Text != `{"a":[1]}` {
		t.Errorf("%+v", r)
	}
	if r := answer(asked("m", "x")); r.Fault.Status != 400 {
		t.Errorf("%+v", r)
	}
	for _, bad := range []string{`{"when":"("}`, `{"whenn":"x"}`, `{`} {
		if _, err := Script([]byte(bad)); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// What was thought before a call is to come back as it was, in each dialect's own way.
func TestThinkingIsToComeBack(t *testing.T) {
	answer, err := Script([]byte(`{"thinking":[{"text":"hm","signature":"c2ln"},{"redacted":"ZGF0YQ=="}],"calls":[{"id":"a","name":"f","arguments":"{}"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, Options{Answer: answer})
	head := []string{"X-Api-Key", "k", "Authorization", "Bearer k", "Anthropic-Version", "2023-06-01"}
	const think, data = `{"type":"thinking","thinking":"hm","signature":"c2ln"}`, `{"type":"redacted_thinking","data":"ZGF0YQ=="}`
	messages := func(blocks string) string {
		return `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[` + blocks + `{"type":"tool_use","id":"a","name":"f","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"y"}]}]}`
	}
	completions := func(extra string) string {
		return `{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}` + extra + `}]},
			{"role":"tool","tool_call_id":"a","content":"y"}]}`
	}
	if _, _, body := post(t, s.URL+"/v1/messages", `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}]}`, head...); !strings.Contains(body, `[{"signature":"c2ln","thinking":"hm","type":"thinking"},{"data":"ZGF0YQ==","type":"redacted_thinking"},{`) {
		t.Error(body)
	}
	for _, c := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"/v1/messages", messages(""), 400, "\"error\":{\"message\":\"messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`."},
		{"/v1/messages", messages(think + ","), 400, "messages.1.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified."},
		{"/v1/messages", messages(strings.Replace(think, "hm", "ha", 1) + "," + data + ","), 400, "messages.1.content.0: `thinking` or"},
		{"/v1/messages", messages(data + "," + think + ","), 400, "cannot be modified"},
		{"/v1/messages", messages(think + "," + data + ","), 200, ""},
		{"/v1/chat/completions", completions(""), 400, `[{"error":{"code":400,"message":"Function call is missing a thought_signature`},
		{"/v1/chat/completions", completions(`,"extra_content":{"google":{"thought_signature":"other"}}`), 400, "Corrupted thought signature."},
		{"/v1/chat/completions", completions(`,"extra_content":{"google":{"thought_signature":"c2ln"}}`), 200, `"reasoning_content":"hm"`},
	} {
		if status, _, body := post(t, s.URL+c.path, c.body, head...); status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %s, want %d with %s", c.body, status, body, c.status, c.want)
		}
	}
	if s.Count() != 3 {
		t.Errorf("%d requests were executed", s.Count())
	}
}
