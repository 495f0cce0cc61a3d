package model_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/anthropic"
	"github.com/chargehand/chargehand/model/openai"
)

// A sent is one answer of a server, byte for byte.
type sent struct {
	status int // zero means 200
	kind   string
	header map[string]string
	body   string
}

const (
	jsonType   = "application/json"
	streamType = "text/event-stream"
)

func refusal(status int, body string) sent { return sent{status: status, kind: jsonType, body: body} }

// chat is a stream of chat completions out of the deltas of its events.
func chat(deltas ...string) sent {
	var b strings.Builder
	for _, d := range deltas {
		b.WriteString(`data: {"choices":[{"index":0,"delta":` + d + `,"finish_reason":null}]}` + "\n\n")
	}
	b.WriteString(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
	return sent{kind: streamType, body: b.String()}
}

// message is an answer of chat completions in one piece.
func message(m, finish string) sent {
	return sent{kind: jsonType, body: `{"choices":[{"index":0,"message":` + m + `,"finish_reason":"` + finish + `"}]}`}
}

var ok = message(`{"role":"assistant","content":"ok"}`, "stop")

// A quirk is what a server does otherwise than the protocol says, and what is made of it.
type quirk struct {
	name    string
	model   string // zero means a-model
	dialect string // anthropic or responses; empty means chat completions
	whole   bool   // the request is not for a stream
	request func(*model.Request)
	answers []sent // in turn, the last for ever

	text  string
	calls []model.Call
	stop  model.Stop // empty means StopEnd, or StopCalls
	usage model.Usage
	kind  model.Kind // of the error; empty means an answer

	adapted []string
	has     []string // the last request has
	lacks   []string // the last request lacks
	asked   int      // how often, by the first call; zero means once for each answer
}

func withTools(r *model.Request) {
	r.Tools = []model.Tool{{Name: "f", Schema: json.RawMessage(`{"type":"object"}`)}}
}

func withSchema(r *model.Request) { r.Schema = json.RawMessage(closed) }

func cold(r *model.Request) { r.Temperature = new(float64) }

// afterACall is a conversation that goes on after a call, from what the server answered first.
const openRouterDetails = `[{"type":"reasoning.text","text":"hm, yes","index":0,"format":"a"},{"type":"reasoning.encrypted","data":"c2ln","index":1,"id":"t"}]`

var f1 = []model.Call{{ID: "a", Name: "f", Arguments: `{"x":1}`}}

var quirks = []quirk{
	{
		name: "tools want reasoning_effort none", model: "another-name", request: withTools,
		answers: []sent{refusal(400, `{"error":{"message":"Function tools with reasoning_effort are not supported for gpt-5.6-terra in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.","type":"invalid_request_error","param":"reasoning_effort","code":null}}`), chat(`{"content":"ok"}`)},
		text:    "ok", adapted: []string{"reasoning_effort: none"}, has: []string{`"reasoning_effort":"none"`},
	},
	{
		name: "reasoning_effort has no none", request: withTools,
		answers: []sent{
			refusal(400, `{"error":{"message":"To use function tools set reasoning_effort to 'none'.","param":"reasoning_effort"}}`),
			refusal(400, `{"error":{"message":"Unsupported value: 'reasoning_effort' does not support 'none' with this model. Supported values are: 'minimal', 'low', 'medium', and 'high'.","type":"invalid_request_error"}}`),
			chat(`{"content":"ok"}`),
		},
		text: "ok", adapted: []string{"reasoning_effort: minimal"}, has: []string{`"reasoning_effort":"minimal"`},
	},
	{
		name: "reasoning_effort that nothing mends", request: withTools,
		answers: []sent{refusal(400, `{"error":{"message":"reasoning_effort is wrong, whatever it is: 'none'","param":"reasoning_effort"}}`)},
		kind:    model.Invalid, asked: 2, adapted: []string{"reasoning_effort: none"},
	},
	{
		name: "only the Responses API", whole: true,
		answers: []sent{
			refusal(404, `{"error":{"message":"This model is only supported in v1/responses and not in v1/chat/completions.","type":"invalid_request_error","param":"model","code":null}}`),
			{kind: jsonType, body: `{"object":"response","status":"completed","model":"m","output":[{"type":"message","content":[{"type":"output_text","text":"ok"}]}],"usage":{"input_tokens":9,"output_tokens":3,"output_tokens_details":{"reasoning_tokens":2}}}`},
		},
		text: "ok", usage: model.Usage{Input: 9, Output: 3, Reasoning: 2}, adapted: []string{"endpoint: /responses instead of /chat/completions"},
		has: []string{`"store":false`, `"max_output_tokens":4096`, `"instructions":"Be brief."`},
	},
	{
		name: "max_completion_tokens", answers: []sent{refusal(400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`), chat(`{"content":"ok"}`)},
		text: "ok", adapted: []string{"max_tokens: under its other name"}, has: []string{`"max_completion_tokens":4096`}, lacks: []string{`"max_tokens"`},
	},
	{
		name: "temperature is refused", request: cold,
		answers: []sent{refusal(400, `{"error":{"message":"invalid temperature: only 1 is allowed for this model","type":"invalid_request_error"}}`), chat(`{"content":"ok"}`)},
		text:    "ok", adapted: []string{"temperature: left out"}, lacks: []string{"temperature"},
	},
	{
		name:    "stream_options is refused",
		answers: []sent{refusal(422, `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`), chat(`{"content":"ok"}`)},
		text:    "ok", adapted: []string{"stream_options: left out, so usage may not be said"}, lacks: []string{"stream_options"},
	},
	{
		name: "no system role", answers: []sent{refusal(400, `{"object":"error","message":"System role not supported","type":"BadRequestError","param":null,"code":400}`), chat(`{"content":"ok"}`)},
		text: "ok", adapted: []string{"system prompt: at the beginning of the first message"}, has: []string{`"role":"user","content":"Be brief.\n\nx"`}, lacks: []string{`"system"`},
	},
	{
		name: "no schema beside tools", request: func(r *model.Request) { withTools(r); withSchema(r) },
		answers: []sent{refusal(400, `[{"error":{"code":400,"message":"Function calling with a response mime type: 'application/json' is unsupported","status":"INVALID_ARGUMENT"}}]`), chat(`{"content":"{}"}`)},
		text:    "{}", adapted: []string{"response_format: the schema stands in the prompt"}, has: []string{"Answer with one JSON value"}, lacks: []string{"response_format"},
	},
	{
		name: "content in parts", whole: true,
		answers: []sent{message(`{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}],"closed":true},{"type":"text","text":"o"},{"type":"text","text":"k"}]}`, "stop")},
		text:    "ok",
	},
	{
		name:    "content in parts, in a stream",
		answers: []sent{chat(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}`, `{"content":[{"type":"text","text":"o"},{"type":"reference","ids":[1]}]}`, `{"content":"k"}`)},
		text:    "ok",
	},
	{
		name: "created is no whole number", whole: true,
		answers: []sent{{kind: jsonType, body: `{"id":"x","created":1746709563.492141,"choices":[{"index":0.0,"message":{"content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10.0,"completion_tokens":2.5}}`}},
		text:    "ok", usage: model.Usage{Input: 10, Output: 3},
	},
	{
		name: "ids are numbers", whole: true,
		answers: []sent{{kind: jsonType, body: `{"id":17,"created":"2025/05/16 16:29:57","choices":[{"index":0,"message":{"content":null,"tool_calls":[{"id":193629320,"type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`}},
		calls:   []model.Call{{ID: "193629320", Name: "f", Arguments: "{}"}},
	},
	{
		name: "arguments are an object", answers: []sent{chat(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":{"x": 1}}}]}`)}, calls: f1,
	},
	{
		name:    "several calls under one index",
		answers: []sent{chat(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]}`, `{"tool_calls":[{"index":0,"id":"b","function":{"name":"f","arguments":"{\"x\":2}"}}]}`)},
		calls:   append(slices.Clone(f1), model.Call{ID: "b", Name: "f", Arguments: `{"x":2}`}),
	},
	{
		name:    "calls without ids",
		answers: []sent{chat(`{"tool_calls":[{"index":0,"id":"","function":{"name":"f","arguments":"{\"x\":1}"}}]}`, `{"tool_calls":[{"index":0,"id":null,"function":{"name":"g","arguments":"{}"}}]}`)},
		calls:   []model.Call{{ID: "call00000", Name: "f", Arguments: `{"x":1}`}, {ID: "call00001", Name: "g", Arguments: "{}"}},
	},
	{
		name:    "empty ids after the first part",
		answers: []sent{chat(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}`, `{"tool_calls":[{"index":0,"id":"","function":{"name":"","arguments":"\"x\":1}"}}]}`)},
		calls:   f1,
	},
	{
		name: "no [DONE]", answers: []sent{{kind: streamType, body: `data: {"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}` + "\n\n"}}, text: "ok",
	},
	{
		name: "no finish_reason", answers: []sent{{kind: streamType, body: `data: {"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":null}]}` + "\n\ndata: [DONE]\n\n"}}, text: "ok",
	},
	{name: "finish_reason error", whole: true, answers: []sent{message(`{"content":"half an ans"}`, "error")}, kind: model.Unavailable, text: "half an ans", usage: model.Usage{Output: 6, Estimated: true}},
	{name: "finish_reason model_length", whole: true, answers: []sent{message(`{"content":"half"}`, "model_length")}, text: "half", stop: model.StopLength},
	{name: "finish_reason in capitals", whole: true, answers: []sent{message(`{"content":"half"}`, "MAX_TOKENS")}, text: "half", stop: model.StopLength},
	{name: "JSON to a stream", answers: []sent{ok}, text: "ok"},
	{name: "a stream to a whole request", whole: true, answers: []sent{chat(`{"content":"ok"}`)}, text: "ok"},
	{name: "a stream of another type", answers: []sent{{kind: "text/plain; charset=utf-8", body: chat(`{"content":"ok"}`).body}}, text: "ok"},
	{
		name: "JSON to a stream of Anthropic's", dialect: "anthropic",
		answers: []sent{{kind: jsonType, body: `{"type":"message","role":"assistant","model":"m","stop_reason":"end_turn","content":[{"type":"text","text":"ok"}],"usage":{"input_tokens":4,"output_tokens":2}}`}},
		text:    "ok", usage: model.Usage{Input: 4, Output: 2},
	},
	{
		name: "no event names", dialect: "anthropic",
		answers: []sent{{kind: streamType, body: `data: {"type":"message_start","message":{"type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":4,"output_tokens":1}}}
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

data:{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ok"}}

data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}

`}},
		text: "ok", usage: model.Usage{Input: 4, Output: 2},
	},
	{name: "no empty lines and null events", answers: []sent{{kind: streamType, body: "data:null\n\n" + strings.ReplaceAll(chat(`{"content":"o"}`, `{"content":"k"}`).body, "\n\n", "\n")}}, text: "ok"},
	{
		name:    "null where a list is expected",
		answers: []sent{{kind: streamType, body: `data: {"choices":null,"usage":null}` + "\n\n" + `data: {"choices":[{"index":0,"delta":null}]}` + "\n\n" + chat(`{"content":"ok","tool_calls":null,"reasoning_details":null}`).body}},
		text:    "ok",
	},
	{
		name:    "usage within the choice",
		answers: []sent{{kind: streamType, body: `data: {"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop","usage":{"prompt_tokens":19,"completion_tokens":13,"total_tokens":32,"cached_tokens":5}}]}` + "\n\n"}},
		text:    "ok", usage: model.Usage{Input: 19, Output: 13, CachedInput: 5},
	},
	{
		name: "usage of Groq's", answers: []sent{{kind: streamType, body: `data: {"x_groq":{"usage":{"prompt_tokens":19,"completion_tokens":13}},"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"}},
		text: "ok", usage: model.Usage{Input: 19, Output: 13},
	},
	{name: "an error with 200", whole: true, answers: []sent{refusal(200, `{"error":{"code":"rate_limit_exceeded","message":"later"},"choices":null}`)}, kind: model.Limited},
	{
		name: "an error within a stream", answers: []sent{{kind: streamType, body: `data: {"choices":[{"index":0,"delta":{"content":"half"}}]}` + "\n\n" + `data: {"error":{"code":502,"message":"Provider disconnected"}}` + "\n\n"}},
		kind: model.Unavailable, text: "half", usage: model.Usage{Output: 2, Estimated: true},
	},
	{
		name:    "an error in a field of its own",
		answers: []sent{{kind: streamType, body: "error: " + `{"code":400,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"invalid_request_error"}` + "\n\ndata: [DONE]\n\n"}},
		kind:    model.Invalid,
	},
	{name: "too long for the context, as 500", answers: []sent{refusal(500, `{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}`)}, kind: model.Invalid},
	{
		name:    "too large for the limit, as 429",
		answers: []sent{refusal(429, `{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 35064. The input or output tokens must be reduced in order to run successfully.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`)},
		kind:    model.Invalid,
	},
	{
		name: "reasoning refused without its item", dialect: "responses", whole: true,
		request: func(r *model.Request) {
			withTools(r)
			goOn(r, `{"response_items":[{"type":"reasoning","summary":[],"encrypted_content":"c2ln"},{"type":"function_call"},{"type":"reasoning","id":"rs_1","summary":[]}]}`)
		},
		answers: []sent{{kind: jsonType, body: `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"ok"}]}]}`}},
		text:    "ok", has: []string{`{"type":"reasoning","summary":[],"encrypted_content":"c2ln"},{"type":"function_call","call_id":"a","name":"f","arguments":"{\"x\":1}"},{"type":"function_call_output","call_id":"a","output":"fine"}`}, lacks: []string{"rs_1"},
	},
	{
		name: "no encrypted reasoning", dialect: "responses", whole: true,
		answers: []sent{refusal(400, `{"error":{"message":"Encrypted content is not supported with this model.","type":"invalid_request_error","param":"include","code":null}}`), {kind: jsonType, body: `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"ok"}]}]}`}},
		text:    "ok", adapted: []string{"include: left out, so reasoning does not go back"}, lacks: []string{"include"},
	},
	{
		name: "output left out at the end", dialect: "responses",
		answers: []sent{{kind: streamType, body: `data: {"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"a","name":"f","arguments":{"x":1}}}` + "\n\n" +
			`data: {"type":"response.completed","response":{"status":"completed","output":[],"usage":{"input_tokens":3,"output_tokens":2}}}` + "\n\n"}},
		calls: f1, usage: model.Usage{Input: 3, Output: 2},
	},
	{
		name: "incomplete", dialect: "responses", whole: true,
		answers: []sent{{kind: jsonType, body: `{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"reasoning","summary":[]}],"usage":{"input_tokens":3,"output_tokens":16}}`}},
		stop:    model.StopLength, usage: model.Usage{Input: 3, Output: 16},
	},
	{
		name: "a refusal of the Responses API", dialect: "responses", whole: true,
		answers: []sent{{kind: jsonType, body: `{"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}]}`}},
		text:    "No.", stop: model.StopRefusal,
	},
	{
		name: "failed", dialect: "responses",
		answers: []sent{{kind: streamType, body: `data: {"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"sorry"},"output":[],"usage":{"input_tokens":3,"output_tokens":1}}}` + "\n\n"}},
		kind:    model.Unavailable, usage: model.Usage{Input: 3, Output: 1},
	},
	{
		name: "reasoning_details go back", whole: true, request: func(r *model.Request) { withTools(r); goOn(r, `{"reasoning_details":`+openRouterDetails+`}`) },
		answers: []sent{ok}, text: "ok", has: []string{`"reasoning_details":` + openRouterDetails},
	},
	{name: "usage that cannot be", whole: true, answers: []sent{{kind: jsonType, body: `{"choices":[{"index":0,"message":{"content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":-3,"completion_tokens":4294967297}}`}}, kind: model.Malformed},
	{name: "usage that is no number", dialect: "anthropic", whole: true, answers: []sent{{kind: jsonType, body: `{"type":"message","role":"assistant","model":"m","stop_reason":"end_turn","content":[{"type":"text","text":"ok"}],"usage":{"input_tokens":"NaN","output_tokens":2}}`}}, kind: model.Malformed, text: "*"},
	{name: "what is no JSON is not asked for again", whole: true, answers: []sent{{kind: jsonType, body: `{"choices": nothing}`}}, kind: model.Malformed},
	{name: "a limit that resets", answers: []sent{{status: 429, kind: jsonType, header: map[string]string{"X-Ratelimit-Reset-Tokens": "6m0s", "X-Ratelimit-Remaining-Tokens": "0"}, body: `{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}`}}, kind: model.Limited},
}

// goOn makes a request one that goes on after a call.
func goOn(r *model.Request, opaque string) {
	r.Messages = append(r.Messages,
		model.Message{Role: model.Assistant, Calls: f1, Opaque: json.RawMessage(opaque)},
		model.Message{Role: model.User, Results: []model.Result{{ID: "a", Text: "fine"}}})
}

// A player sends answers in turn, and keeps what it was asked.
type player struct {
	mu      sync.Mutex
	answers []sent
	asked   []string
}

func (p *player) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	p.asked = append(p.asked, string(body))
	s := p.answers[min(len(p.asked), len(p.answers))-1]
	p.mu.Unlock()
	for name, v := range s.header {
		w.Header().Set(name, v)
	}
	w.Header().Set("Content-Type", s.kind)
	if s.status > 0 {
		w.WriteHeader(s.status)
	}
	_, _ = io.WriteString(w, s.body)
}

func TestQuirks(t *testing.T) {
	for _, q := range quirks {
		t.Run(q.name, func(t *testing.T) {
			p := &player{answers: q.answers}
			s := httptest.NewServer(p)
			defer s.Close()
			name := q.model
			if name == "" {
				name = "a-model"
			}
			var m model.Model = openai.New(name, canary, openai.Options{BaseURL: s.URL + "/v1", Responses: q.dialect == "responses"})
			if q.dialect == "anthropic" {
				m = anthropic.New(name, canary, anthropic.Options{BaseURL: s.URL})
			}
			r := ask("x")
			if q.request != nil {
				q.request(&r)
			}
			heard := ""
			if !q.whole {
				r.Stream = func(text string) error { heard += text; return nil }
			}
			got, err := m.Complete(t.Context(), r)
			q.check(t, p, got, err)
			if !q.whole && heard != got.Text {
				t.Errorf("%q was heard, %q returned", heard, got.Text)
			}
			if len(q.adapted) == 0 || q.kind != "" {
				return
			}
			// What was learnt holds for every model of that name there, and not for another one.
			before := len(p.asked)
			if _, err := openai.New(name, canary, openai.Options{BaseURL: s.URL + "/v1", Responses: q.dialect == "responses"}).Complete(t.Context(), r); err != nil || len(p.asked) != before+1 {
				t.Errorf("%v, asked %d times more", err, len(p.asked)-before)
			}
		})
	}
}

func (q *quirk) check(t *testing.T, p *player, got model.Response, err error) {
	t.Helper()
	if model.KindOf(err) != q.kind || (err == nil) != (q.kind == "") {
		t.Fatalf("%v, want %q; asked %q", err, q.kind, p.asked)
	}
	if q.asked == 0 {
		q.asked = len(q.answers)
	}
	last := p.asked[len(p.asked)-1]
	if len(p.asked) != q.asked {
		t.Errorf("asked %d times, want %d", len(p.asked), q.asked)
	}
	if d := cmp.Diff(q.adapted, got.Adapted); d != "" {
		t.Error(d)
	}
	for _, part := range q.has {
		if !strings.Contains(last, part) {
			t.Errorf("%s\nis not in %s", part, last)
		}
	}
	for _, part := range q.lacks {
		if strings.Contains(last, part) {
			t.Errorf("%s\nis in %s", part, last)
		}
	}
	want := model.Response{Text: q.text, Calls: q.calls, Stop: q.stop, Usage: q.usage}
	if q.stop == "" && q.kind == "" {
		want.Stop = model.StopEnd
		if len(q.calls) > 0 {
			want.Stop = model.StopCalls
		}
	}
	got.Model, got.Adapted, got.Opaque = "", nil, nil
	if q.kind != "" {
		got.Stop = ""
	}
	if d := cmp.Diff(want, got); d != "" && q.text != "*" {
		t.Error(d)
	}
}

// OpenRouter's reasoning_details come in parts, and go back joined.
func TestReasoningDetails(t *testing.T) {
	first := chat(`{"reasoning_details":[{"type":"reasoning.text","text":"hm, ","index":0,"format":"a"}]}`, `{"reasoning_details":[{"type":"reasoning.text","text":"yes","index":0}]}`,
		`{"reasoning_details":[{"type":"reasoning.encrypted","data":"c2ln","index":1,"id":"t"}]}`, `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}`)
	p := &player{answers: []sent{first, chat(`{"content":"ok"}`)}}
	s := httptest.NewServer(p)
	defer s.Close()
	m := openai.New("a-model", canary, openai.Options{BaseURL: s.URL + "/v1"})
	r := ask("x")
	r.Stream = func(string) error { return nil }
	res, err := m.Complete(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = m.Complete(t.Context(), on(r, res)); err != nil {
		t.Fatal(err)
	}
	var asked struct {
		Messages []struct {
			Details json.RawMessage `json:"reasoning_details"`
		}
	}
	if err := json.Unmarshal([]byte(p.asked[1]), &asked); err != nil || !sameJSON(asked.Messages[2].Details, []byte(openRouterDetails)) {
		t.Errorf("%s, %v", p.asked[1], err)
	}
}

// A model is asked once more after each refusal, by any number of callers at once.
func TestRefusalsAreLearntOnce(t *testing.T) {
	p := &player{answers: []sent{{}}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		p.asked = append(p.asked, string(body))
		p.mu.Unlock()
		w.Header().Set("Content-Type", jsonType)
		if strings.Contains(string(body), "temperature") {
			w.WriteHeader(400)
			_, _ = io.WriteString(w, `{"error":{"message":"no temperature","param":"temperature"}}`)
			return
		}
		_, _ = io.WriteString(w, ok.body)
	}))
	defer s.Close()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			r := ask("x")
			cold(&r)
			if res, err := openai.New("m", canary, openai.Options{BaseURL: s.URL}).Complete(t.Context(), r); err != nil || res.Text != "ok" {
				t.Errorf("%q, %v", res.Text, err)
			}
		})
	}
	all.Wait()
	if n := len(p.asked); n < 9 || n > 16 {
		t.Errorf("asked %d times", n)
	}
	r := ask("x")
	cold(&r)
	if res, err := openai.New("another", canary, openai.Options{BaseURL: s.URL}).Complete(t.Context(), r); err != nil || len(res.Adapted) != 1 || !strings.Contains(p.asked[len(p.asked)-2], "temperature") {
		t.Errorf("another model was not asked as it should: %v, %v", res, err)
	}
}

// The wait of a rate limit stands in the error.
func TestResetOfALimit(t *testing.T) {
	i := slices.IndexFunc(quirks, func(q quirk) bool { return q.name == "a limit that resets" })
	s := httptest.NewServer(&player{answers: quirks[i].answers})
	defer s.Close()
	_, err := openai.New("m", canary, openai.Options{BaseURL: s.URL}).Complete(t.Context(), ask("x"))
	if e := failure(t, err); e.RetryAfter != 6*time.Minute {
		t.Errorf("%+v", *e)
	}
}

// docs/models.md has a row for every quirk, with its thread, and for nothing else.
func TestQuirksAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\|[^|]+\\|[^|]+\\|[^|]+\\|([^|]+)\\| `TestQuirks/([^`]+)` \\|$").FindAllStringSubmatch(string(doc), -1)
	said := map[string]bool{}
	for _, row := range rows {
		said[row[2]] = true
		if !regexp.MustCompile(`^ (\[[^\]]+\]\(https://[^)]+\),? ?)+$|^ none $`).MatchString(row[1]) {
			t.Errorf("%s has the thread %q", row[2], row[1])
		}
	}
	for _, q := range quirks {
		name := strings.ReplaceAll(q.name, " ", "_")
		if !said[name] {
			t.Errorf("docs/models.md has no row with `TestQuirks/%s`", name)
		}
		delete(said, name)
	}
	for name := range said {
		t.Errorf("docs/models.md names TestQuirks/%s, which there is not", name)
	}
}
