package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand/internal/provider"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/anthropic"
	"github.com/chargehand/chargehand/model/openai"
)

// canary is the key of every test: it may stand in an authorization header and nowhere else.
const canary = "sk-canary-5f1c0ffee5f1c0ffee"

// dialects are the models under test, each over a server of its own.
var dialects = map[string]func(*provider.Server) model.Model{
	"anthropic": func(s *provider.Server) model.Model {
		return anthropic.New("claude-sonnet-4-5", canary, anthropic.Options{BaseURL: s.URL})
	},
	"openai": func(s *provider.Server) model.Model {
		return openai.New("gpt-4.1", canary, openai.Options{BaseURL: s.URL + "/v1"})
	},
	"responses": func(s *provider.Server) model.Model {
		return openai.New("gpt-4.1", canary, openai.Options{BaseURL: s.URL + "/v1", Responses: true})
	},
}

// forms are the two ways to have an answer.
var forms = map[string]func(model.Request) model.Request{
	"whole":  func(r model.Request) model.Request { return r },
	"stream": func(r model.Request) model.Request { r.Stream = func(string) error { return nil }; return r },
}

// over runs a test with each provider and each form of answer.
func over(t *testing.T, o provider.Options, f func(t *testing.T, s *provider.Server, m model.Model, form func(model.Request) model.Request)) {
	for dialect, dial := range dialects {
		for name, form := range forms {
			t.Run(dialect+"/"+name, func(t *testing.T) {
				s := serve(t, o)
				f(t, s, dial(s), form)
			})
		}
	}
}

func serve(t testing.TB, o provider.Options) *provider.Server {
	t.Helper()
	o.Keys = []string{canary}
	s, err := provider.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.Close()
		for _, r := range s.Requests() {
			if strings.Contains(string(r.Body)+fmt.Sprint(r.Header), canary) {
				t.Errorf("request %d has the key outside of its authorization", r.N)
			}
		}
	})
	return s
}

func always(p provider.Reply) provider.Options {
	return provider.Options{Answer: func(provider.Request) provider.Reply { return p }}
}

func ask(text string) model.Request {
	return model.Request{System: "Be brief.", Messages: []model.Message{{Role: model.User, Text: text}}}
}

func TestText(t *testing.T) {
	want := model.Response{Text: "Grüße, 世界! " + strings.Repeat("a long answer ", 50), Stop: model.StopEnd, Usage: model.Usage{Input: 120, CachedInput: 100, Output: 30}}
	over(t, always(provider.Reply{Text: want.Text, Usage: &want.Usage, Gzip: true}), func(t *testing.T, s *provider.Server, m model.Model, form func(model.Request) model.Request) {
		r := ask("hello")
		warm := 0.5
		r.Temperature, r.MaxTokens, r.Key = &warm, 77, "run-1/s1/1"
		var heard string
		if r = form(r); r.Stream != nil {
			r.Stream = func(text string) error { heard += text; return nil }
		}
		got, err := m.Complete(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		q := s.Requests()[0]
		if want := want; got.Model == "" || !cmp.Equal(got, model.Response{Text: want.Text, Stop: want.Stop, Usage: want.Usage, Model: q.Model}) {
			t.Error(cmp.Diff(want, got))
		}
		if r.Stream != nil && heard != want.Text {
			t.Errorf("the stream told %q", heard)
		}
		asked := provider.Request{System: q.System, Messages: q.Messages, MaxTokens: q.MaxTokens, Key: q.Key, Temperature: q.Temperature, Usage: q.Usage}
		wanted := provider.Request{System: r.System, Messages: r.Messages, MaxTokens: 77, Key: r.Key, Temperature: &warm, Usage: q.Dialect != provider.OpenAI || q.Stream}
		if d := cmp.Diff(wanted, asked); d != "" {
			t.Error(d)
		}
		if !cmp.Equal(s.Keys(), []string{canary}) {
			t.Errorf("the key did not arrive: %v", s.Keys())
		}
	})
}

func TestTools(t *testing.T) {
	calls := []model.Call{{ID: "call_1", Name: "clock", Arguments: "{}"}, {ID: "call_2", Name: "weather", Arguments: `{"city":"Zürich","days":[1,2]}`}}
	o := provider.Options{Answer: func(q provider.Request) provider.Reply {
		if len(q.Messages) == 1 {
			return provider.Reply{Text: "Let me see.", Calls: calls}
		}
		return provider.Reply{Text: "Sunny."}
	}}
	over(t, o, func(t *testing.T, s *provider.Server, m model.Model, form func(model.Request) model.Request) {
		r := form(ask("weather?"))
		r.Tools = []model.Tool{
			{Name: "clock", Description: "the time", Schema: json.RawMessage(`{"type":"object","properties":{}}`)},
			{Name: "weather", Schema: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"array","items":{"type":"integer"}}},"required":["city"]}`)},
		}
		got, err := m.Complete(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(calls, got.Calls); d != "" || got.Stop != model.StopCalls || got.Text != "Let me see." {
			t.Errorf("stop %q, text %q, calls %s", got.Stop, got.Text, d)
		}
		for i, tool := range s.Requests()[0].Tools {
			if tool.Name != r.Tools[i].Name || tool.Description != r.Tools[i].Description || !sameJSON(tool.Schema, r.Tools[i].Schema) {
				t.Errorf("tool %d arrived as %s", i, tool.Schema)
			}
		}
		broken := model.Call{ID: "call_3", Name: "clock", Arguments: "not JSON"}
		r.Messages = append(r.Messages,
			model.Message{Role: model.Assistant, Text: got.Text, Calls: append(got.Calls, broken)},
			model.Message{Role: model.User, Text: "Go on.", Results: []model.Result{{ID: "call_1", Text: "noon"}, {ID: "call_2"}, {ID: "call_3", Text: "bad arguments", Error: true}}})
		if got, err = m.Complete(t.Context(), r); err != nil || got.Text != "Sunny." {
			t.Fatalf("%q, %v", got.Text, err)
		}
		msgs := s.Requests()[1].Messages
		if c := msgs[1].Calls[2]; c.Arguments != `{"arguments":"not JSON"}` {
			t.Errorf("arguments that are none arrived as %s", c.Arguments)
		}
		var said []string
		for _, m := range msgs[2:] {
			for _, r := range m.Results {
				said = append(said, r.ID, fmt.Sprint(r.Error || strings.HasPrefix(r.Text, "Error: ")))
			}
			said = append(said, m.Text)
		}
		if got := strings.Trim(strings.Join(said, " "), " "); strings.Join(strings.Fields(got), " ") != "call_1 false call_2 false call_3 true Go on." {
			t.Errorf("results arrived as %q", got)
		}
	})
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && cmp.Equal(x, y)
}

const closed = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`

func TestSchema(t *testing.T) {
	for name, c := range map[string]struct {
		schema string
		strict bool
	}{
		"closed":  {closed, true},
		"lenient": {`{"type":"object","properties":{"n":{"type":"integer","minimum":3},"s":{"type":"string","maxLength":5}},"required":["n"]}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			over(t, always(provider.Reply{Text: `{"n":3}`}), func(t *testing.T, s *provider.Server, m model.Model, form func(model.Request) model.Request) {
				r := form(ask("count"))
				r.Schema = json.RawMessage(c.schema)
				got, err := m.Complete(t.Context(), r)
				if err != nil || got.Text != `{"n":3}` {
					t.Fatalf("%q, %v", got.Text, err)
				}
				q := s.Requests()[0]
				if q.Schema == nil || q.System != r.System {
					t.Errorf("the schema was asked for in the prompt: %s", q.System)
				}
				if q.Dialect != provider.Anthropic && q.Strict != c.strict {
					t.Errorf("strict is %v", q.Strict)
				}
			})
		})
	}
}

// A server without structured output is asked for it once, and in words from then on.
func TestSchemaInWords(t *testing.T) {
	o := always(provider.Reply{Text: `{"n":3}`})
	o.Text = true
	over(t, o, func(t *testing.T, s *provider.Server, m model.Model, form func(model.Request) model.Request) {
		r := form(ask("count"))
		r.Schema = json.RawMessage(closed)
		for range 2 {
			if got, err := m.Complete(t.Context(), r); err != nil || got.Text != `{"n":3}` {
				t.Fatalf("%q, %v", got.Text, err)
			}
		}
		q := s.Requests()
		if path := q[0].Path; s.Hits(path) != 3 || len(q) != 2 {
			t.Errorf("asked %d times, answered %d times", s.Hits(path), len(q))
		}
		if !strings.HasPrefix(q[1].System, r.System) || !strings.Contains(q[1].System, closed) {
			t.Errorf("system prompt %q", q[1].System)
		}
	})
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault provider.Fault
		want  model.Error
	}{
		{"bad request", provider.Fault{Status: 400}, model.Error{Kind: model.Invalid}},
		{"bad key", provider.Fault{Status: 401, Message: "Incorrect API key provided: " + canary}, model.Error{Kind: model.Denied}},
		{"no credit", provider.Fault{Status: 402}, model.Error{Kind: model.Exhausted}},
		{"no credit, as Anthropic says it", provider.Fault{Status: 400, Message: "Your credit balance is too low to access the Anthropic API."}, model.Error{Kind: model.Exhausted}},
		{"forbidden", provider.Fault{Status: 403}, model.Error{Kind: model.Denied}},
		{"no such model", provider.Fault{Status: 404}, model.Error{Kind: model.Invalid}},
		{"too large", provider.Fault{Status: 413}, model.Error{Kind: model.Invalid}},
		{"limited", provider.Fault{Status: 429}, model.Error{Kind: model.Limited}},
		{"limited for 7 seconds", provider.Fault{Status: 429, RetryAfter: "7"}, model.Error{Kind: model.Limited, RetryAfter: 7 * time.Second}},
		{"quota", provider.Fault{Status: 429, Type: "insufficient_quota", Code: "insufficient_quota"}, model.Error{Kind: model.Exhausted}},
		{"internal", provider.Fault{Status: 500}, model.Error{Kind: model.Unavailable, Sent: true}},
		{"bad gateway", provider.Fault{Status: 502, ContentType: "text/html", Body: "<html><body>Bad Gateway</body></html>"}, model.Error{Kind: model.Unavailable, Sent: true}},
		{"unavailable", provider.Fault{Status: 503, RetryAfter: "1.5"}, model.Error{Kind: model.Overloaded, RetryAfter: 1500 * time.Millisecond}},
		{"gateway timeout", provider.Fault{Status: 504}, model.Error{Kind: model.TimedOut, Sent: true}},
		{"overloaded", provider.Fault{Status: 529}, model.Error{Kind: model.Overloaded}},
		{"redirect", provider.Fault{Status: 307, Body: "{}"}, model.Error{Kind: model.Invalid}},
		{
			"Gemini's list",
			provider.Fault{Status: 429, Body: `[{"error":{"code":429,"message":"Resource exhausted","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}]`},
			model.Error{Kind: model.Limited, RetryAfter: 34 * time.Second},
		},
		{"Ollama's text", provider.Fault{Status: 404, Body: `{"error":"model 'llama9' not found"}`}, model.Error{Kind: model.Invalid}},
		{"empty body", provider.Fault{Status: 500, Body: " "}, model.Error{Kind: model.Unavailable, Sent: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			over(t, always(provider.Reply{Fault: c.fault}), func(t *testing.T, s *provider.Server, m model.Model, form func(model.Request) model.Request) {
				_, err := m.Complete(t.Context(), form(ask("x")))
				got := failure(t, err)
				want := c.want
				want.Provider, want.Status, want.Message, want.Err = got.Provider, c.fault.Status, got.Message, got.Err
				if *got != want || got.Message == "" {
					t.Errorf("got %+v, want %+v", *got, want)
				}
				if s.Count() != 1 {
					t.Errorf("the request was executed %d times", s.Count())
				}
			})
		})
	}
}

func TestRetryAfterDate(t *testing.T) {
	over(t, always(provider.Reply{Fault: provider.Fault{Status: 429, RetryAfter: time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)}}), func(t *testing.T, _ *provider.Server, m model.Model, form func(model.Request) model.Request) {
		_, err := m.Complete(t.Context(), form(ask("x")))
		if e := failure(t, err); e.RetryAfter < time.Second || e.RetryAfter > 90*time.Second {
			t.Errorf("to be tried again after %s", e.RetryAfter)
		}
	})
}

// failure is err as a model's, with no key in it or in what it wraps.
func failure(t *testing.T, err error) *model.Error {
	t.Helper()
	e, ok := errors.AsType[*model.Error](err)
	if !ok {
		t.Fatalf("%v is a %T", err, err)
	}
	for err := error(e); err != nil; err = errors.Unwrap(err) {
		if text := fmt.Sprintf("%v %+v %#v", err, err, err); strings.Contains(text, canary) {
			t.Errorf("the key stands in an error: %s", text)
		}
	}
	return e
}

func TestConnections(t *testing.T) {
	text := strings.Repeat("an answer ", 20)
	for _, c := range []struct {
		name  string
		fault provider.Fault
		want  model.Kind
	}{
		{"reset before", provider.Fault{Cut: provider.CutBefore}, model.Unavailable},
		{"reset after the head", provider.Fault{Cut: provider.CutAfter}, model.Interrupted},
		{"reset in the middle", provider.Fault{Cut: provider.CutMiddle}, model.Interrupted},
		{"not JSON", provider.Fault{ContentType: "text/html"}, model.Malformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			over(t, always(provider.Reply{Text: text, Fault: c.fault}), func(t *testing.T, s *provider.Server, m model.Model, form func(model.Request) model.Request) {
				r := form(ask("x"))
				r.Key = "with a key, net/http would send it again"
				_, err := m.Complete(t.Context(), r)
				if e := failure(t, err); e.Kind != c.want || !e.Sent {
					t.Errorf("got %+v", *e)
				}
				if s.Count() != 1 {
					t.Errorf("the request was executed %d times", s.Count())
				}
			})
		})
	}
	t.Run("nobody listens", func(t *testing.T) {
		over(t, provider.Options{}, func(t *testing.T, s *provider.Server, m model.Model, form func(model.Request) model.Request) {
			_ = s.Close()
			_, err := m.Complete(t.Context(), form(ask("x")))
			if e := failure(t, err); e.Kind != model.Unavailable || e.Sent {
				t.Errorf("got %+v", *e)
			}
		})
	})
	t.Run("half JSON", func(t *testing.T) {
		for name, dial := range dialects {
			s := serve(t, always(provider.Reply{Text: text, Fault: provider.Fault{Truncate: true}}))
			res, err := dial(s).Complete(t.Context(), ask("x"))
			if e := failure(t, err); e.Kind != model.Interrupted || res.Text != "" {
				t.Errorf("%s: got %+v, %q", name, *e, res.Text)
			}
		}
	})
}

// The provider executes the request and never answers: it may be billed.
func TestNoAnswer(t *testing.T) {
	over(t, always(provider.Reply{Fault: provider.Fault{Hang: true}}), func(t *testing.T, s *provider.Server, m model.Model, form func(model.Request) model.Request) {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			defer cancel()
			for s.Count() == 0 && t.Context().Err() == nil {
				time.Sleep(time.Millisecond)
			}
		}()
		_, err := m.Complete(ctx, form(ask("x")))
		if e := failure(t, err); e.Kind != model.TimedOut || !e.Sent || !errors.Is(err, context.Canceled) {
			t.Errorf("got %+v", *e)
		}
	})
}

// Every way that a stream may be broken ends in an error, and none that is harmless does.
func TestMangledStreams(t *testing.T) {
	calls := []model.Call{{ID: "call_1", Name: "f", Arguments: `{"a":"ä€😀 and so on"}`}, {ID: "call_2", Name: "g", Arguments: "{}"}}
	text := "Grüße 😀 – a text with \"error\" in it"
	usage := model.Usage{Input: 10, Output: 20}
	for dialect, dial := range dialects {
		for _, mangle := range append(append([]provider.Mangle{provider.SameCalls}, provider.Harmless...), provider.Harmful...) {
			for name, reply := range map[string]provider.Reply{"text": {Text: text}, "calls": {Text: "x", Calls: calls}} {
				t.Run(dialect+"/"+string(mangle)+"/"+name, func(t *testing.T) {
					reply.Fault.Mangle, reply.Usage = mangle, &usage
					s := serve(t, always(reply))
					var heard string
					r := ask("x")
					r.Stream = func(text string) error { heard += text; return nil }
					res, err := dial(s).Complete(t.Context(), r)
					if heard != res.Text {
						t.Errorf("%q was handed on, %q returned", heard, res.Text)
					}
					if err == nil {
						whole := model.Response{Text: reply.Text, Calls: reply.Calls, Stop: res.Stop, Model: res.Model, Usage: usage}
						if d := cmp.Diff(whole, res); d != "" {
							t.Errorf("a broken answer was taken: %s", d)
						}
					}
					if harmful := harmful(dialect, mangle, name); harmful != (err != nil) {
						t.Errorf("err is %v", err)
					}
					if k := model.KindOf(err); err != nil && mangle != provider.ErrorEvent && k != model.Malformed && k != model.Interrupted {
						t.Errorf("err is %v", err)
					}
				})
			}
		}
	}
}

func harmful(dialect string, m provider.Mangle, of string) bool {
	switch {
	case m == provider.SameCalls:
		return of == "calls"
	case m == provider.NoEnd:
		return dialect == "responses"
	}
	for _, h := range provider.Harmful {
		if m == h {
			return true
		}
	}
	return false
}

func TestUsage(t *testing.T) {
	want := model.Usage{Input: 1000, CachedInput: 600, CacheWrite: 100, Output: 50}
	over(t, always(provider.Reply{Text: "x", Usage: &want, Fault: provider.Fault{Doubled: true}}), func(t *testing.T, s *provider.Server, m model.Model, form func(model.Request) model.Request) {
		got, err := m.Complete(t.Context(), form(ask("x")))
		if err != nil {
			t.Fatal(err)
		}
		want := want
		if s.Requests()[0].Dialect != provider.Anthropic { // the others do not say what was written
			want.CacheWrite = 0
		}
		if got.Usage != want {
			t.Errorf("said twice, it is %+v", got.Usage)
		}
	})
	over(t, always(provider.Reply{Text: "x", Fault: provider.Fault{NoUsage: true}}), func(t *testing.T, _ *provider.Server, m model.Model, form func(model.Request) model.Request) {
		if got, err := m.Complete(t.Context(), form(ask("x"))); err != nil || got.Text != "x" || got.Usage.Input != 0 {
			t.Errorf("not said, it is %+v, %v", got.Usage, err)
		}
	})
}

// Whoever hears the text may end the call, and has what came so far.
func TestStopListening(t *testing.T) {
	enough := errors.New("enough")
	for dialect, dial := range dialects {
		s := serve(t, always(provider.Reply{Text: strings.Repeat("word ", 5000)}))
		r, heard := ask("x"), ""
		r.Stream = func(text string) error {
			if heard += text; len(heard) > 100 {
				return enough
			}
			return nil
		}
		got, err := dial(s).Complete(t.Context(), r)
		if !errors.Is(err, enough) || got.Text != heard || len(heard) > 200 {
			t.Errorf("%s: %v, after %d bytes", dialect, err, len(got.Text))
		}
		if dialect == "anthropic" && got.Usage.Input == 0 {
			t.Error("what was said of the cost is lost")
		}
	}
}

func TestStops(t *testing.T) {
	for _, stop := range []model.Stop{model.StopEnd, model.StopLength, model.StopRefusal, model.StopOther} {
		over(t, always(provider.Reply{Text: "x", Stop: stop}), func(t *testing.T, _ *provider.Server, m model.Model, form func(model.Request) model.Request) {
			if got, err := m.Complete(t.Context(), form(ask("x"))); err != nil || got.Stop != stop {
				t.Errorf("%q came as %q, %v", stop, got.Stop, err)
			}
		})
	}
}

// A certificate that is not trusted is not tried again, and no key is sent to whoever showed it.
func TestCertificate(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request arrived") }))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	for name, m := range map[string]model.Model{
		"anthropic": anthropic.New("m", canary, anthropic.Options{BaseURL: s.URL}), "openai": openai.New("m", canary, openai.Options{BaseURL: s.URL}),
	} {
		_, err := m.Complete(t.Context(), ask("x"))
		if e := failure(t, err); e.Kind != model.Invalid || !strings.Contains(e.Message, "certificate") {
			t.Errorf("%s: %+v", name, *e)
		}
	}
}

// A redirect takes neither key nor conversation elsewhere.
func TestRedirect(t *testing.T) {
	thief := serve(t, provider.Options{})
	away := httptest.NewServer(http.RedirectHandler(thief.URL+"/v1/messages", http.StatusFound)) // net/http would take the headers along
	defer away.Close()
	for name, m := range map[string]model.Model{
		"anthropic": anthropic.New("m", canary, anthropic.Options{BaseURL: away.URL, HTTP: &http.Client{}}), "openai": openai.New("m", canary, openai.Options{BaseURL: away.URL}),
	} {
		_, err := m.Complete(t.Context(), ask("x"))
		if e := failure(t, err); e.Kind != model.Invalid || len(thief.Keys()) > 0 || thief.Hits("/v1/messages") > 0 {
			t.Errorf("%s: %+v, and %d requests were taken elsewhere", name, *e, thief.Hits("/v1/messages"))
		}
	}
}

// A request with an idempotency key on a connection that was used before is what net/http sends again by
// itself when the connection is reset.
func TestSentOnce(t *testing.T) {
	o := provider.Options{Answer: func(q provider.Request) provider.Reply {
		if q.N == 1 {
			return provider.Reply{Text: "ok"}
		}
		return provider.Reply{Fault: provider.Fault{Cut: provider.CutBefore}}
	}}
	over(t, o, func(t *testing.T, s *provider.Server, m model.Model, form func(model.Request) model.Request) {
		r := form(ask("x"))
		r.Key = "a-key"
		if _, err := m.Complete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		_, err := m.Complete(t.Context(), r)
		if e := failure(t, err); e.Kind != model.Unavailable || !e.Sent || s.Count() != 2 {
			t.Errorf("%+v, after %d requests", *e, s.Count())
		}
	})
}
