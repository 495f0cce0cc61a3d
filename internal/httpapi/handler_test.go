package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
)

var at = time.Date(2026, 11, 21, 14, 11, 30, 0, time.UTC)

// A fake engine starts runs, knows one with two records, and fails with err if that is set. Other
// methods panic.
type fake struct {
	chargehand.Engine
	err    error
	order  chargehand.Order
	filter chargehand.Filter
	after  int64
	more   chan struct{} // followers wait for it
}

func (f *fake) Start(_ context.Context, o chargehand.Order) (string, error) {
	f.order = o
	return "run_1", f.err
}

func (f *fake) Runs(_ context.Context, filter chargehand.Filter) ([]chargehand.RunSummary, error) {
	f.filter = filter
	return nil, f.err
}

func (f *fake) Run(context.Context, string) (*chargehand.View, error) {
	return &chargehand.View{RunSummary: chargehand.RunSummary{RunID: "run_1"}, Seq: 2}, f.err
}

func (f *fake) Records(ctx context.Context, _ string, after int64, follow bool) iter.Seq2[chargehand.Record, error] {
	f.after = after
	return func(yield func(chargehand.Record, error) bool) {
		facts := []chargehand.Fact{chargehand.PauseBegan{By: "olu"}, chargehand.PauseEnded{By: "<olu>"}}
		for i, fact := range facts {
			if seq := int64(i + 1); seq > after && !yield(chargehand.Record{Run: "run_1", Seq: seq, At: at, Fact: fact}, nil) {
				return
			}
		}
		if follow && f.more != nil {
			select {
			case <-f.more:
			case <-ctx.Done():
			}
		}
	}
}

func TestEveryCodeHasAnAnswer(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "errors.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var codes int
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(v.Names[0].Name, "Code") {
			return true
		}
		code, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		codes++
		if _, ok := kinds[chargehand.Code(code)]; !ok {
			t.Errorf("code %q has no status", code)
		}
		return true
	})
	if codes != len(kinds) {
		t.Errorf("%d codes in the source, %d in the table", codes, len(kinds))
	}
}

//guard:own-machine
//guard:cross-origin
func TestRequests(t *testing.T) {
	full := &chargehand.Error{
		Code: chargehand.CodeNotFound, What: "there is no run run_9", Why: "it was never started", Next: "chargehand runs list",
		Problems: []chargehand.Problem{{Path: "$.id", Message: "unknown"}},
	}
	for _, tt := range []struct {
		name         string
		method, path string
		body         string
		header       string // "Name: value"
		err          error
		status       int
		want         string // body of the answer, or a part of it
	}{
		{"alive", "GET", "/livez", "", "", nil, 200, "ok"},
		{"start", "POST", "/v1/runs", `{"objective":{"goal":"g"}}`, "", nil, 201, `{"runId":"run_1"}`},
		{"empty list", "GET", "/v1/runs", "", "", nil, 200, `{"runs":[]}`},
		{
			"problem", "GET", "/v1/runs/run_9", "", "", full, 404,
			`{"type":"urn:chargehand:error:not_found","title":"There is no such thing","status":404,` +
				`"detail":"there is no run run_9: it was never started","code":"not_found","what":"there is no run run_9",` +
				`"why":"it was never started","next":"chargehand runs list","problems":[{"path":"$.id","message":"unknown"}]}`,
		},
		{"wrapped", "GET", "/v1/runs/run_9", "", "", errors.Join(errors.New("outer"), full), 404, `"code":"not_found"`},
		{"plain error", "GET", "/v1/runs/run_9", "", "", errors.New("disk on fire"), 500, `"what":"disk on fire"`},
		{"timeout", "GET", "/v1/runs/run_9", "", "", context.DeadlineExceeded, 503, `"code":"unavailable"`},
		{"stream of no run", "GET", "/v1/runs/run_9/records", "", "", full, 404, `"code":"not_found"`},
		{"unknown field", "POST", "/v1/runs", `{"teem":{}}`, "", nil, 400, `unknown field \"teem\"`},
		{"wrong type", "POST", "/v1/runs", `{"objective":{"goal":7}}`, "", nil, 400, `"path":"$.objective.goal"`},
		{"two values", "POST", "/v1/runs", `{} {}`, "", nil, 400, "something follows"},
		{"no body", "POST", "/v1/runs", ``, "", nil, 400, "EOF"},
		{"large body", "POST", "/v1/runs", `{"objective":{"goal":"` + strings.Repeat("x", 2048) + `"}}`, "", nil, 413, "larger than 1024 bytes"},
		{"bad number", "GET", "/v1/runs?limit=ten", "", "", nil, 400, "limit"},
		{"unknown parameter", "GET", "/v1/runs?stat=failed", "", "", nil, 400, "stat"},
		{"bad position", "GET", "/v1/runs/r/records?after=-1", "", "", nil, 400, "after"},
		{"events", "GET", "/v1/runs/r/records", "", "Accept: text/event-stream", nil, 200, "id: 1"},
		{"no endpoint", "GET", "/v2/runs", "", "", nil, 404, `there is no /v2/runs`},
		{"wrong method", "DELETE", "/v1/runs", "", "", nil, 405, `does not take DELETE`},
		{"foreign host", "GET", "/v1/runs", "", "Host: evil.example", nil, 403, `"code":"not_allowed"`},
		{"loopback host", "GET", "/v1/runs", "", "Host: [::1]:7433", nil, 200, `{"runs":[]}`},
		{"cross origin", "POST", "/v1/runs", `{}`, "Sec-Fetch-Site: cross-site", nil, 403, `"code":"not_allowed"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(tt.method, "http://localhost"+tt.path, strings.NewReader(tt.body))
			if name, value, ok := strings.Cut(tt.header, ": "); name == "Host" {
				r.Host = value
			} else if ok {
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			Handler(&fake{err: tt.err}, Options{MaxOrder: 1024, TrustNames: true}).ServeHTTP(w, r)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) {
				t.Errorf("got %d %s\nwant %d %s", w.Code, w.Body, tt.status, tt.want)
			}
			problem := w.Header().Get("Content-Type") == "application/problem+json"
			if problem != (tt.status >= 400) {
				t.Errorf("status %d with content type %q", w.Code, w.Header().Get("Content-Type"))
			}
			if problem && !json.Valid(w.Body.Bytes()) {
				t.Errorf("not JSON: %s", w.Body)
			}
		})
	}
}

func TestIdempotencyKeyAndFilter(t *testing.T) {
	f := &fake{}
	h := Handler(f, Options{TrustNames: true})
	r := httptest.NewRequest("POST", "http://localhost/v1/runs", strings.NewReader(`{}`))
	r.Header.Set("Idempotency-Key", "k1")
	h.ServeHTTP(httptest.NewRecorder(), r)
	if f.order.Key != "k1" {
		t.Errorf("key = %q, want the header's", f.order.Key)
	}
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "http://localhost/v1/runs?state=failed&state=partial&needs_human=1&limit=3&started_by=sam", nil))
	want := chargehand.Filter{States: []chargehand.RunState{"failed", "partial"}, NeedsHuman: true, StartedBy: "sam", Limit: 3}
	if diff := cmp.Diff(want, f.filter); diff != "" {
		t.Error(diff)
	}
}

func TestServerSentEvents(t *testing.T) {
	f := &fake{more: make(chan struct{})}
	srv := httptest.NewServer(Handler(f, Options{Heartbeat: time.Millisecond}))
	defer srv.Close()
	req, err := http.NewRequestWithContext(t.Context(), "GET", srv.URL+"/v1/runs/run_1/records", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Last-Event-ID", "1")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("content type %q", got)
	}
	var got []string
	beats := 0
	for in := bufio.NewScanner(resp.Body); in.Scan(); {
		switch line := in.Text(); {
		case line == ": heartbeat":
			if beats++; beats == 2 { // it stays open, and alive, until the records end
				close(f.more)
			}
		case line != "":
			got = append(got, line)
		}
	}
	want := []string{
		"id: 2",
		"event: pause_ended",
		`data: {"run":"run_1","seq":2,"at":"2026-11-21T14:11:30.000000Z","type":"pause_ended","data":{"by":"<olu>"}}`,
		"event: end",
		`data: {"seq":2}`,
	}
	if diff := cmp.Diff(want, got); diff != "" || f.after != 1 || beats < 2 {
		t.Errorf("after %d, %d heartbeats, events (-want +got):\n%s", f.after, beats, diff)
	}
}

// TestTokenEvents: a piece of text is an event without an id, and says that it is provisional.
func TestTokenEvents(t *testing.T) {
	srv := httptest.NewServer(Handler(speaker{&fake{}}, Options{}))
	defer srv.Close()
	req, err := http.NewRequestWithContext(t.Context(), "GET", srv.URL+"/v1/runs/run_1/tokens", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	want := "event: token\n" + `data: {"run":"run_1","subtask":"s1","attempt":1,"offset":5,"text":"line\nbreak","lost":5,"provisional":true}` +
		"\n\nevent: end\ndata: {\"seq\":0}\n\n"
	if diff := cmp.Diff(want, string(body)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

type speaker struct{ *fake }

func (speaker) Tokens(_ context.Context, run string) iter.Seq2[chargehand.Token, error] {
	return func(yield func(chargehand.Token, error) bool) {
		yield(chargehand.Token{
			Run: run, AttemptRef: chargehand.AttemptRef{Subtask: "s1", Attempt: 1}, Offset: 5, Lost: 5, Text: "line\nbreak", Provisional: true,
		}, nil)
	}
}

func TestShutdownTellsStreams(t *testing.T) {
	dir, err := os.MkdirTemp("", "ch")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "s")
	if err := os.WriteFile(socket, nil, 0o644); err != nil { // what a crash left behind
		t.Fatal(err)
	}
	l, err := Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket's mode is %v, %v; want 0600", info.Mode(), err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, l, Handler(&fake{more: make(chan struct{})}, Options{})) }()
	hc := &http.Client{Transport: unix(socket)}
	resp, err := hc.Get("http://localhost/v1/runs/run_1/records?follow=1")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	in := bufio.NewScanner(resp.Body)
	var last string
	for n := 0; in.Scan(); n++ {
		if last = in.Text(); n == 1 {
			stop()
		}
	}
	if !strings.HasPrefix(last, `{"error":`) || !strings.Contains(last, `"code":"unavailable"`) {
		t.Errorf("the last line is %s", last)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}
