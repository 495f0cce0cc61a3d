package model_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand/internal/provider"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/anthropic"
	"github.com/chargehand/chargehand/model/openai"
)

// raw answers every request with the same bytes, without a network.
type raw struct {
	contentType string
	body        []byte
}

func (r raw) RoundTrip(q *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, q.Body)
	return &http.Response{
		StatusCode: 200, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: q, ContentLength: -1,
		Header: http.Header{"Content-Type": {r.contentType}}, Body: io.NopCloser(bytes.NewReader(r.body)),
	}, nil
}

func rawModels(contentType string, body []byte, limit int) map[string]model.Model {
	h := &http.Client{Transport: raw{contentType, body}}
	return map[string]model.Model{
		"anthropic": anthropic.New("claude-sonnet-4-5", canary, anthropic.Options{HTTP: h, Limit: limit}),
		"openai":    openai.New("gpt-4.1", canary, openai.Options{HTTP: h, Limit: limit}),
		"responses": openai.New("gpt-5.6", canary, openai.Options{HTTP: h, Limit: limit, Responses: true}),
	}
}

// What other servers than OpenAI's make of the protocol.
func TestCompatibleServers(t *testing.T) {
	const finish = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	done := finish + "data: [DONE]\n\n"
	call := func(s string) string {
		return `data: {"choices":[{"index":0,"delta":{"tool_calls":[` + s + `]}}]}` + "\n\n"
	}
	for _, c := range []struct {
		name, body string
		want       model.Response
		kind       model.Kind
	}{
		{
			"calls without numbers, whole, as Gemini has them",
			call(`{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}`) + done,
			model.Response{Stop: model.StopCalls, Calls: []model.Call{{ID: "a", Name: "f", Arguments: `{"x":1}`}, {ID: "b", Name: "g", Arguments: "{}"}}},
			"",
		},
		{
			"a signature beside the second of such calls",
			call(`{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"g","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s"}}}`) + done,
			model.Response{Stop: model.StopCalls, Calls: []model.Call{{ID: "a", Name: "f", Arguments: "{}"}, {ID: "b", Name: "g", Arguments: "{}", Opaque: json.RawMessage(`{"google":{"thought_signature":"s"}}`)}}},
			"",
		},
		{
			"reasoning under its other name",
			`data: {"choices":[{"index":0,"delta":{"reasoning":"hm","content":"x"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
			model.Response{Text: "x", Stop: model.StopEnd},
			"",
		},
		{
			"calls without ids",
			call(`{"index":0,"function":{"name":"f","arguments":""}}`) + call(`{"index":1,"function":{"name":"f","arguments":"{}"}}`) + done,
			model.Response{Stop: model.StopCalls, Calls: []model.Call{{ID: "call00000", Name: "f", Arguments: "{}"}, {ID: "call00001", Name: "f", Arguments: "{}"}}},
			"",
		},
		{
			"a call sent twice",
			call(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`) + call(`{"index":1,"id":"a","function":{"name":"f","arguments":"{}"}}`) + done,
			model.Response{Calls: []model.Call{{ID: "a", Name: "f", Arguments: "{}"}}, Usage: model.Usage{Output: 1, Estimated: true}},
			model.Malformed,
		},
		{
			"reasoning that only the total counts",
			`data: {"choices":[{"index":0,"delta":{"reasoning_content":"hm","content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":112}}` + "\n\ndata: [DONE]\n\n",
			model.Response{Text: "x", Stop: model.StopEnd, Usage: model.Usage{Input: 10, Output: 102}, Opaque: json.RawMessage(`{"reasoning_content":"hm"}`)},
			"",
		},
		{
			"usage that goes on counting",
			`data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":1,"total_tokens":11}}` + "\n\n" +
				`data: {"choices":[{"index":0,"delta":{"content":"x"}}],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}` + "\n\n" + done,
			model.Response{Text: "x", Stop: model.StopEnd, Usage: model.Usage{Input: 10, Output: 5}},
			"",
		},
		{
			"usage that cannot be",
			`data: {"choices":[{"index":0,"delta":{"content":"x"}}],"usage":{"prompt_tokens":-10,"completion_tokens":-5,"total_tokens":-15}}` + "\n\n" + done,
			model.Response{},
			model.Malformed,
		},
		{
			"a refusal",
			`data: {"choices":[{"index":0,"delta":{"refusal":"I can"}}]}` + "\n\n" + `data: {"choices":[{"index":0,"delta":{"refusal":"not."}}]}` + "\n\n" + done,
			model.Response{Text: "I cannot.", Stop: model.StopRefusal},
			"",
		},
		{
			"a second choice", `data: {"choices":[{"index":1,"delta":{"content":"y"}},{"index":0,"delta":{"content":"x"}}]}` + "\n\n" + done,
			model.Response{Text: "x", Stop: model.StopEnd},
			"",
		},
		{
			"OpenRouter's error in the middle",
			`data: {"choices":[{"index":0,"delta":{"content":"x"}}]}` + "\n\n" + `data: {"error":{"code":502,"message":"Provider disconnected"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}` + "\n\n",
			model.Response{Text: "x", Usage: model.Usage{Output: 1, Estimated: true}},
			model.Unavailable,
		},
		{"no reason to stop", `data: {"choices":[{"index":0,"delta":{"content":"x"}}]}` + "\n\ndata: [DONE]\n\n", model.Response{Text: "x", Stop: model.StopEnd}, ""},
		{"no [DONE]", `data: {"choices":[{"index":0,"delta":{"content":"x"}}]}` + "\n\n" + finish, model.Response{Text: "x", Stop: model.StopEnd}, ""},
		{"neither", `data: {"choices":[{"index":0,"delta":{"content":"x"}}]}` + "\n\n", model.Response{Text: "x", Usage: model.Usage{Output: 1, Estimated: true}}, model.Interrupted},
		{"nothing", "", model.Response{}, model.Interrupted},
		{"only the end", "data: [DONE]\n\n", model.Response{}, model.Malformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := ask("x")
			r.Stream = func(string) error { return nil }
			got, err := rawModels("text/event-stream", []byte(c.body), 0)["openai"].Complete(t.Context(), r)
			if d := cmp.Diff(c.want, got); d != "" || model.KindOf(err) != c.kind {
				t.Errorf("%v, %s", err, d)
			}
		})
	}
	t.Run("OpenRouter's error as an answer", func(t *testing.T) {
		_, err := rawModels("application/json", []byte(`{"error":{"code":429,"message":"Rate limited upstream"}}`), 0)["openai"].Complete(t.Context(), ask("x"))
		if e := failure(t, err); e.Kind != model.Limited || e.Message != "Rate limited upstream" {
			t.Errorf("%+v", *e)
		}
	})
	t.Run("no choice", func(t *testing.T) {
		for name, m := range rawModels("application/json", []byte(`{"id":"x","choices":[]}`), 0) {
			if _, err := m.Complete(t.Context(), ask("x")); model.KindOf(err) != model.Malformed {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// Older servers are asked in their own words from the second request on.
func TestLegacyServer(t *testing.T) {
	s := serve(t, provider.Options{Legacy: true})
	m := openai.New("o-my-model", canary, openai.Options{BaseURL: s.URL + "/v1"})
	r := ask("x")
	r.Stream = func(string) error { return nil }
	for range 2 {
		if res, err := m.Complete(t.Context(), r); err != nil || res.Text != "ok" {
			t.Fatalf("%q, %v", res.Text, err)
		}
	}
	if n := s.Hits("/v1/chat/completions"); n != 3 || s.Requests()[0].Usage {
		t.Errorf("asked %d times", n)
	}
}

// Models that reason are told how much to say under another name, and take no temperature.
func TestReasoningModels(t *testing.T) {
	over(t, provider.Options{}, func(t *testing.T, s *provider.Server, _ model.Model, form func(model.Request) model.Request) {
		m := openai.New("gpt-5-mini", canary, openai.Options{BaseURL: s.URL + "/v1"})
		cold := 0.0
		r := form(ask("x"))
		r.Temperature, r.MaxTokens = &cold, 99
		if _, err := m.Complete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if q := s.Requests()[0]; s.Hits("/v1/chat/completions") != 1 || q.MaxTokens != 99 || q.Temperature != nil || !strings.Contains(string(q.Body), "max_completion_tokens") {
			t.Errorf("asked %s", q.Body)
		}
	})
}

// A temperature of zero is said, although the SDK leaves zeros out; one that is not taken is left out.
func TestTemperature(t *testing.T) {
	cold := 0.0
	over(t, provider.Options{}, func(t *testing.T, s *provider.Server, m model.Model, form func(model.Request) model.Request) {
		r := form(ask("x"))
		r.Temperature = &cold
		if _, err := m.Complete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if got := s.Requests()[0].Temperature; got == nil || *got > 1e-40 {
			t.Errorf("temperature %v", got)
		}
	})
	refuses := provider.Options{Answer: func(q provider.Request) provider.Reply {
		if q.Temperature != nil {
			return provider.Reply{Fault: provider.Fault{Status: 400, Message: "`temperature` is deprecated for this model."}}
		}
		return provider.Reply{Text: "ok"}
	}}
	over(t, refuses, func(t *testing.T, s *provider.Server, m model.Model, form func(model.Request) model.Request) {
		r := form(ask("x"))
		r.Temperature = &cold
		for range 2 {
			if _, err := m.Complete(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		if s.Count() != 3 {
			t.Errorf("asked %d times", s.Count())
		}
	})
}

// A schema that is refused says nothing of others.
func TestOneSchemaIsRefused(t *testing.T) {
	const odd = `{"type":"object","properties":{"odd":{"type":"string"}},"required":["odd"],"additionalProperties":false}`
	refuses := provider.Options{Answer: func(q provider.Request) provider.Reply {
		if bytes.Contains(q.Schema, []byte("odd")) {
			return provider.Reply{Fault: provider.Fault{Status: 400, Param: "response_format", Message: "Invalid schema for response_format 'answer': output_config.format.schema: odd"}}
		}
		return provider.Reply{Text: "{}"}
	}}
	over(t, refuses, func(t *testing.T, s *provider.Server, m model.Model, form func(model.Request) model.Request) {
		r := form(ask("x"))
		for _, schema := range []string{odd, closed, odd} {
			r.Schema = json.RawMessage(schema)
			if _, err := m.Complete(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		var by []bool
		for _, q := range s.Requests() {
			by = append(by, q.Schema != nil)
		}
		if !cmp.Equal(by, []bool{true, false, true, false}) {
			t.Errorf("asked by schema: %v", by)
		}
	})
}

// No answer takes more memory than its limit, squeezed or not.
func TestLimits(t *testing.T) {
	text := strings.Repeat("0123456789", 2000)
	for _, zip := range []bool{false, true} {
		over(t, always(provider.Reply{Text: text, Gzip: zip, Chunk: 1000}), func(t *testing.T, s *provider.Server, _ model.Model, form func(model.Request) model.Request) {
			for limit, fits := range map[int]bool{10_000: false, 25_000: true} {
				for name, m := range map[string]model.Model{
					"anthropic": anthropic.New("m", canary, anthropic.Options{BaseURL: s.URL, Limit: limit}),
					"openai":    openai.New("m", canary, openai.Options{BaseURL: s.URL + "/v1", Limit: limit}),
				} {
					res, err := m.Complete(t.Context(), form(ask("x")))
					if fits != (err == nil) || len(res.Text) > limit+1000 || err != nil && failure(t, err).Kind != model.Malformed {
						t.Errorf("%s: %v, %d bytes of text, with a limit of %d", name, err, len(res.Text), limit)
					}
				}
			}
		})
	}
	t.Run("bomb", func(t *testing.T) {
		var bomb bytes.Buffer
		z := gzip.NewWriter(&bomb)
		_, _ = z.Write([]byte(`{"a":"`))
		for range 64 {
			_, _ = z.Write(bytes.Repeat([]byte("x"), 1<<20))
		}
		_ = z.Close()
		s := serve(t, always(provider.Reply{Fault: provider.Fault{Status: 200, Body: bomb.String(), Encoding: "gzip"}}))
		for name, dial := range dialects {
			if _, err := dial(s).Complete(t.Context(), ask("x")); err == nil || !strings.Contains(err.Error(), "larger than 8 MiB") {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// Whatever a stream is, it is no panic; what is taken for an answer had an end, and without its end it is
// none.
func FuzzStreams(f *testing.F) {
	for dialect := range dialects {
		for _, m := range append(provider.Harmless, provider.Harmful...) {
			if m == provider.LongLine || m == provider.Comments {
				continue
			}
			body := provider.Stream(provider.Dialect(dialect), provider.Reply{
				Text: "ä text", Calls: []model.Call{{ID: "call_1", Name: "f", Arguments: `{"a":1}`}}, Fault: provider.Fault{Mangle: m},
			})
			f.Add(body)
		}
	}
	complete := func(t *testing.T, dialect string, body []byte) (model.Response, error) {
		var heard strings.Builder
		r := ask("x")
		r.Stream = func(s string) error { heard.WriteString(s); return nil }
		res, err := rawModels("text/event-stream", body, 1<<16)[dialect].Complete(t.Context(), r)
		if heard.String() != res.Text {
			t.Errorf("%s: %q was handed on, %q returned", dialect, heard.String(), res.Text)
		}
		if _, ok := errors.AsType[*model.Error](err); err != nil && !ok {
			t.Errorf("%s: %v is a %T", dialect, err, err)
		}
		return res, err
	}
	ends := map[string]*regexp.Regexp{
		"anthropic": regexp.MustCompile(`(?i)stop_reason"\s*:\s*"`), "openai": regexp.MustCompile(`\[DONE\]|(?i)finish_reason"\s*:\s*[^n]`),
		"responses": regexp.MustCompile(`response\.(completed|incomplete|done)`),
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for dialect, end := range ends {
			res, err := complete(t, dialect, body)
			if err != nil || bytes.Contains(body, []byte(`\u`)) {
				continue
			}
			at := -1
			if loc := end.FindIndex(body); loc != nil {
				at = loc[0]
			}
			if at < 0 || res.Stop == "" {
				t.Errorf("%s: without an end it is %+v", dialect, res)
				continue
			}
			if res, err := complete(t, dialect, body[:at]); err == nil {
				t.Errorf("%s: cut before its end it is %+v", dialect, res)
			}
		}
	})
}
