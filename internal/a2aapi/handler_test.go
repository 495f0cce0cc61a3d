package a2aapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

// A fake engine knows no run, and fails with err where that is set.
type fake struct {
	chargehand.Engine
	err error
}

func (f fake) Start(context.Context, chargehand.Order) (string, error) {
	return "", f.err
}

func (f fake) Runs(context.Context, chargehand.Filter) ([]chargehand.RunSummary, error) {
	return nil, f.err
}

func (f fake) Records(context.Context, string, int64, bool) iter.Seq2[chargehand.Record, error] {
	return func(yield func(chargehand.Record, error) bool) { yield(chargehand.Record{}, f.err) }
}

var unknown = &chargehand.Error{Code: chargehand.CodeNotFound, What: "there is no such run"}

func serve(t testing.TB, e chargehand.Engine, o Options) http.Handler {
	t.Helper()
	o.Teams = []chargehand.Team{{Name: "legal/eu", Workers: []chargehand.WorkerSpec{{WorkerID: "a", Capabilities: []string{"read"}}}}}
	h, err := Handler(e, o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func post(path, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("A2A-Version", "1.0")
	return r
}

const rpcPath = "/a2a/legal%2Feu/jsonrpc"

func answered(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestOnlyThisMachine refuses what reaches a server without credentials by another name, and what a
// web page makes a browser send.
func TestOnlyThisMachine(t *testing.T) {
	list := `{"jsonrpc":"2.0","id":1,"method":"ListTasks"}`
	for name, c := range map[string]struct {
		change func(r *http.Request)
		who    func(*http.Request) (Caller, bool)
		want   int
	}{
		"as it should be":             {func(*http.Request) {}, nil, 200},
		"another name":                {func(r *http.Request) { r.Host = "rebound.example" }, nil, 403},
		"another name, credentials":   {func(r *http.Request) { r.Host = "agents.example" }, func(*http.Request) (Caller, bool) { return Caller{Name: "ana"}, true }, 200},
		"a page of another origin":    {func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, nil, 403},
		"a page of another site":      {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, nil, 403},
		"a form":                      {func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, nil, 200},
		"nobody in particular":        {func(*http.Request) {}, func(*http.Request) (Caller, bool) { return Caller{}, true }, 401},
		"nobody":                      {func(*http.Request) {}, func(*http.Request) (Caller, bool) { return Caller{Name: "x"}, false }, 401},
		"a broken body is not parsed": {func(r *http.Request) { r.Body = http.NoBody }, func(*http.Request) (Caller, bool) { return Caller{}, false }, 401},
	} {
		r := post(rpcPath, list)
		c.change(r)
		w := answered(serve(t, fake{}, Options{Caller: c.who}), r)
		if w.Code != c.want {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		if name == "a form" && !strings.Contains(w.Body.String(), "-32005") {
			t.Errorf("a form is answered with %s", w.Body)
		}
	}
}

// TestABodyHasOneMeaning refuses, by either binding, what two readers could take for two things.
func TestABodyHasOneMeaning(t *testing.T) {
	h := serve(t, fake{err: errors.New("the engine was asked")}, Options{})
	for parts, want := range map[string]string{
		`[{"text":"x","text":"y"}]`: "/parts/0/text: the key occurs twice",
		`[{"text":"x\ud83d"}]`:      "half a surrogate pair",
		"[{\"text\":\"\xff\"}]":     "it is not UTF-8",
		`[{"data":1e999}]`:          "/parts/0/data: the number 1e999 is out of range",
		`[{"text":"x"}]}} `:         "it is not JSON",
	} {
		send := `{"message":{"messageId":"m","role":"ROLE_USER","parts":` + parts + `}}`
		w := answered(h, post(rpcPath, `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":`+send+`}`))
		if !strings.Contains(w.Body.String(), `"code":-32700`) || !strings.Contains(w.Body.String(), want) {
			t.Errorf("JSON-RPC, %q: %d %s, want %s", parts, w.Code, w.Body, want)
		}
		w = answered(h, post("/a2a/legal%2Feu/http/message:send", send))
		if w.Code != 400 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("HTTP+JSON, %q: %d %s, want %s", parts, w.Code, w.Body, want)
		}
	}
}

// TestErrorsOfTheEngine tells callers what is theirs to know, and operators the rest.
func TestErrorsOfTheEngine(t *testing.T) {
	for _, c := range []struct {
		err    error
		code   int
		said   string
		logged bool
		hidden string
	}{
		{&chargehand.Error{Code: chargehand.CodeInvalid, What: "no", Problems: []chargehand.Problem{{Path: "$.x", Message: "is odd"}}}, -32602, "$.x", false, ""},
		{unknown, -32001, "no such task", false, ""},
		{&chargehand.Error{Code: chargehand.CodeDrift, What: "the key is taken"}, -32602, "the key is taken", false, ""},
		{&chargehand.Error{Code: chargehand.CodeUnavailable, What: "at /home/olu/data"}, -32603, "cannot be reached", true, "/home/olu"},
		{&chargehand.Error{Code: chargehand.CodeInternal, What: "at /home/olu/data"}, -32603, "the log", true, "/home/olu"},
		{errors.New("sql: at /home/olu/data"), -32603, "the log", true, "/home/olu"},
		{context.Canceled, -32603, "the log", false, "context"},
	} {
		var log bytes.Buffer
		h := serve(t, fake{err: c.err}, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		w := answered(h, post(rpcPath, `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}}`))
		var got rpcResponse
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Error == nil {
			t.Fatalf("%v: %s", c.err, w.Body)
		}
		if got.Error.Code != c.code || !strings.Contains(w.Body.String(), c.said) || (log.Len() > 0) != c.logged {
			t.Errorf("%v: %s, logged %q", c.err, w.Body, log.String())
		}
		if c.hidden != "" && strings.Contains(w.Body.String(), c.hidden) {
			t.Errorf("%v: %s tells too much", c.err, w.Body)
		}
	}
}

func TestTeamsMustBeToldApart(t *testing.T) {
	for _, teams := range [][]chargehand.Team{nil, {{}}, {{Name: "a"}, {Name: "a"}}} {
		if _, err := Handler(fake{}, Options{Teams: teams}); err == nil {
			t.Errorf("%d teams were taken", len(teams))
		}
	}
}

// FuzzRequests sends anything to both bindings: each answer is JSON and no engine error.
func FuzzRequests(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"SubscribeToTask","params":{"id":"run_1"}}`,
		`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"raw":"//8="},{"data":null},{"url":""}]},"configuration":null}`,
		`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageToken":"eA","statusTimestampAfter":"x"}}`, `null`, `[`, "\xff",
	} {
		f.Add(s)
	}
	h := serve(f, fake{err: unknown}, Options{})
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{rpcPath, "/a2a/legal%2Feu/http/message:send", "/a2a/legal%2Feu/http/message:stream"} {
			w := answered(h, post(path, body))
			if !json.Valid(w.Body.Bytes()) || w.Code >= 500 || strings.Contains(w.Body.String(), "-32603") {
				t.Fatalf("%s: %q is answered with %d %s", path, body, w.Code, w.Body)
			}
		}
	})
}

// TestWordsOfJSON: a request of another form is refused in words, not in Go's types.
func TestWordsOfJSON(t *testing.T) {
	h := serve(t, fake{}, Options{})
	for body, want := range map[string]string{
		`[]`:                            `it must be an object, not a list`,
		`{"jsonrpc":2}`:                 `\"jsonrpc\" must be a text, not a number`,
		`{"jsonrpc":"2.0","method":"x"`: `it ends before its JSON does`,
	} {
		if got := answered(h, post(rpcPath, body)).Body.String(); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}
