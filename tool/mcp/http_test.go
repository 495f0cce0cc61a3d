package mcp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chargehand/chargehand"
)

// served is an address of the honest server, of the newest revision or an older one, with what
// happens before each request.
func served(t *testing.T, opt *sdk.StreamableHTTPOptions, before func(http.ResponseWriter, *http.Request) bool) *chargehand.ToolServer {
	t.Helper()
	s := honest()
	h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, opt)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if before == nil || before(w, r) {
			h.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(web.Close)
	t.Cleanup(web.CloseClientConnections)
	return &chargehand.ToolServer{Name: "s", URL: web.URL}
}

func TestToolsOfAnAddress(t *testing.T) {
	for name, opt := range map[string]*sdk.StreamableHTTPOptions{
		"2026-07-28":         {Stateless: true},
		"older":              nil,
		"older, as one JSON": {JSONResponse: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, served(t, opt, nil), Options{})
			list, err := s.Tools(t.Context())
			if err != nil || len(list) != 6 {
				t.Fatalf("%d tools, %v", len(list), err)
			}
			a, err := call(t, s, "echo", `{"text":"héllo"}`)
			if err != nil || string(a.Structured) != `{"text":"héllo"}` {
				t.Errorf("answer %+v, %v", a, err)
			}
			if a, err := call(t, s, "key", `{}`); err != nil || a.Text != "run/t/key" {
				t.Errorf("the key does not reach the server: %+v, %v", a, err)
			}
		})
	}
}

func TestHeadersComeFromTheEnvironment(t *testing.T) {
	t.Setenv("API_KEY", "sk-very-secret")
	var lacks atomic.Bool
	spec := served(t, &sdk.StreamableHTTPOptions{Stateless: true}, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") != "Bearer sk-very-secret" {
			lacks.Store(true)
		}
		return true
	})
	spec.Headers = map[string]string{"Authorization": "Bearer $API_KEY"}
	if _, err := newServer(t, spec, Options{}).Tools(t.Context()); err != nil || lacks.Load() {
		t.Errorf("error %v, a request without the header: %t", err, lacks.Load())
	}
	spec.Headers["Authorization"] = "Bearer $NO_SUCH_KEY"
	if _, err := newServer(t, spec, Options{}).Tools(t.Context()); err == nil || !strings.Contains(err.Error(), "NO_SUCH_KEY is not set") {
		t.Errorf("error %v", err)
	}
}

// isCall reports whether a request is a call of a tool, and reads it.
func isCall(r *http.Request) bool {
	if r.Method != http.MethodPost {
		return false
	}
	b, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(strings.NewReader(string(b)))
	return err == nil && strings.Contains(string(b), `"method":"tools/call"`)
}

func TestWhatIsKnownOfALostCall(t *testing.T) {
	status := func(code int) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no: sk-very-secret", code) }
	}
	for _, tt := range []struct {
		name     string
		do       func(http.ResponseWriter, *http.Request)
		notBegun bool
	}{
		{"reset before an answer", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, false},
		{"a stream that ends before the answer", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, ": hello\n\n")
		}, false},
		{"an answer that is cut", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":`)
		}, false},
		{"a page", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<html>`)
		}, false},
		{"20 MB", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for range 20 {
				if _, err := w.Write([]byte(strings.Repeat(" ", 1<<20))); err != nil {
					return
				}
			}
		}, false},
		{"400", status(400), true},
		{"401", status(401), true},
		{"404", status(404), true},
		{"408", status(408), false},
		{"429", status(429), true},
		{"500", status(500), false},
		{"502", status(502), false},
		{"503", status(503), true},
		{"529", status(529), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spec := served(t, &sdk.StreamableHTTPOptions{Stateless: true}, func(w http.ResponseWriter, r *http.Request) bool {
				if isCall(r) {
					tt.do(w, r)
					return false
				}
				return true
			})
			s := newServer(t, spec, Options{})
			_, err := call(t, s, "echo", `{"text":"x"}`)
			if err == nil || notBegun(err) != tt.notBegun || strings.Contains(err.Error(), "secret") {
				t.Errorf("error %v; want that it says nothing was done: %t", err, tt.notBegun)
			}
			if _, err := s.Tools(t.Context()); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// A server that says when it has time again is asked again then, if that is before the deadline. Else the call
// ends at once, and says why.
func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		name, header, value string
		status, asked       int
		says                string // by the error; empty means an answer
	}{
		{"milliseconds", "Retry-After-Ms", "1", 429, 2, ""},
		{"seconds", "Retry-After", "0.001", 503, 2, ""},
		{"an hour", "Retry-After", "3600", 429, 1, "left alone for 1h0m0s, which is beyond the deadline"},
		{"a limit that resets", "X-Ratelimit-Reset-Requests", "26h0m0s", 429, 1, "left alone for 26h0m0s"},
		{"not said", "X-Other", "1", 429, 1, "too many requests"},
		{"it may have been done", "Retry-After", "0.001", 500, 1, "internal server error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var asked atomic.Int64
			spec := served(t, &sdk.StreamableHTTPOptions{Stateless: true}, func(w http.ResponseWriter, r *http.Request) bool {
				if !isCall(r) || asked.Add(1) > 1 {
					return true
				}
				w.Header().Set(tt.header, tt.value)
				w.WriteHeader(tt.status)
				return false
			})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			a, err := newServer(t, spec, Options{}).Call(ctx, "s.echo", []byte(`{"text":"x"}`), "run/t/key")
			if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(tt.says)) || int(asked.Load()) != tt.asked {
				t.Errorf("%+v, %v; asked %d times", a, err, asked.Load())
			}
		})
	}
}

func TestAnAddressWhereNobodyIs(t *testing.T) {
	web := httptest.NewServer(nil)
	web.Close()
	s := newServer(t, &chargehand.ToolServer{Name: "s", URL: web.URL}, Options{})
	if _, err := call(t, s, "echo", `{}`); err == nil || !notBegun(err) {
		t.Errorf("error %v", err)
	}
}

// Nobody is led elsewhere by a server, least of all with the team's headers.
func TestRedirectsAreNotFollowed(t *testing.T) {
	var led atomic.Int64
	canary := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { led.Add(1) }))
	defer canary.Close()
	for _, code := range []int{301, 302, 307, 308} {
		web := httptest.NewServer(http.RedirectHandler(canary.URL, code))
		defer web.Close()
		s := newServer(t, &chargehand.ToolServer{Name: "s", URL: web.URL}, Options{})
		if _, err := s.Tools(t.Context()); err == nil {
			t.Errorf("%d: a redirect is taken for a server", code)
		}
	}
	if led.Load() > 0 {
		t.Errorf("%d requests were led elsewhere", led.Load())
	}
}

func TestTheClientDecidesWhereItLeads(t *testing.T) {
	spec := served(t, nil, nil)
	var asked atomic.Value
	s := newServer(t, spec, Options{Client: func(declared string) *http.Client {
		asked.Store(declared)
		return &http.Client{Transport: refusing{}}
	}})
	_, err := call(t, s, "echo", `{}`)
	if err == nil || !strings.Contains(err.Error(), "may not be reached") || asked.Load() != spec.URL {
		t.Errorf("error %v, asked about %v", err, asked.Load())
	}
}

type refusing struct{}

func (refusing) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, fmt.Errorf("127.0.0.1 may not be reached")
}

func TestProgressIsASignOfLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &conn{server: &Server{opt: Options{Patience: time.Minute}}, pulses: pulses{timers: map[string]*time.Timer{}}}
		ctx, token, over := c.pulses.watch(t.Context(), time.Minute)
		defer over()
		for range 5 {
			time.Sleep(50 * time.Second)
			c.progress(ctx, &sdk.ProgressNotificationClientRequest{Params: &sdk.ProgressNotificationParams{ProgressToken: token}})
		}
		if ctx.Err() != nil {
			t.Fatal("a call that makes progress is given up")
		}
		time.Sleep(50 * time.Second)
		c.progress(ctx, &sdk.ProgressNotificationClientRequest{Params: &sdk.ProgressNotificationParams{ProgressToken: "another"}})
		time.Sleep(11 * time.Second)
		synctest.Wait()
		if err := context.Cause(ctx); err == nil || !strings.Contains(err.Error(), "silent for 1m0s") {
			t.Errorf("error %v", err)
		}
	})
}

// A server reports progress under the token of the call.
func TestProgressReachesItsCall(t *testing.T) {
	s := newServer(t, scripted(t, map[string][]string{"tools/call": {
		`{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":$BODY}]}}`,
	}}), Options{})
	a, err := call(t, s, "t", `{}`)
	if err != nil || !strings.Contains(a.Text, `"progressToken":"1"`) {
		t.Errorf("the call is %s, %v", a.Text, err)
	}
}
