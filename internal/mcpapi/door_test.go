package mcpapi_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chargehand/chargehand/internal/mcpapi"
)

var two = map[string]mcpapi.Caller{"token-of-ana": {Name: "ana"}, "token-of-ben": {Name: "ben"}, "token-of-other": {Name: "ana", Tenant: "t2"}}

func TestCallersSeeTheirOwnRuns(t *testing.T) {
	s := stage(t, two)
	ana, ben, other := s.connect(t, "token-of-ana", ""), s.connect(t, "token-of-ben", ""), s.connect(t, "token-of-other", "")
	args := object{"goal": "Greet.", "key": "same"}
	r, _ := ana.call(t.Context(), t, "answers", args)
	for name, p := range map[string]*person{"ben": ben, "ana elsewhere": other} {
		for _, tool := range []string{"get_run", "wait_run"} {
			if _, text := p.call(t.Context(), t, tool, object{"run_id": r.Run}); !strings.Contains(text, "you have no run") {
				t.Errorf("%s: %s: %q", name, tool, text)
			}
		}
		if _, text := p.call(t.Context(), t, "cancel_run", object{"run_id": r.Run, "reason": "x"}); !strings.Contains(text, "you have no run") {
			t.Errorf("%s cancels: %q", name, text)
		}
		if own, _ := p.call(t.Context(), t, "answers", args); own.Run == r.Run || own.Run == "" {
			t.Errorf("%s has %q under ana's key", name, own.Run)
		}
	}
	if again, _ := ana.call(t.Context(), t, "get_run", object{"run_id": r.Run}); again.State != "completed" {
		t.Errorf("ana: %+v", again)
	}
}

// ask sends a request as it is.
func (s *scene) ask(t *testing.T, change func(*http.Request)) (int, string, http.Header) {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.server.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if change != nil {
		change(r)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b), resp.Header
}

func body(text string) func(*http.Request) {
	return func(r *http.Request) {
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), -1
	}
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func TestWhoeverIsNotKnownStaysOut(t *testing.T) {
	s := stage(t, two)
	for _, credentials := range []string{"", "Bearer", "Bearer wrong", "Basic token-of-ana", "bearer verified"} {
		code, text, h := s.ask(t, header("Authorization", credentials))
		if code != http.StatusUnauthorized || h.Get("WWW-Authenticate") == "" || strings.Contains(text, "token-of") {
			t.Errorf("%q: %d %s", credentials, code, text)
		}
	}
	if code, text, _ := s.ask(t, header("Authorization", "Bearer token-of-ana")); code != http.StatusOK {
		t.Errorf("ana: %d %s", code, text)
	}
}

// A session belongs to whoever began it.
func TestASessionCannotBeTakenOver(t *testing.T) {
	s := stage(t, two)
	_, _, h := s.ask(t, header("Authorization", "Bearer token-of-ana"))
	id := h.Get("Mcp-Session-Id")
	if id == "" {
		t.Fatal("no session")
	}
	for token, want := range map[string]int{"token-of-ben": http.StatusForbidden, "token-of-other": http.StatusForbidden, "token-of-ana": http.StatusOK} {
		code, _, _ := s.ask(t, func(r *http.Request) {
			header("Authorization", "Bearer "+token)(r)
			header("Mcp-Session-Id", id)(r)
			body(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)(r)
		})
		if code != want {
			t.Errorf("%s: %d, want %d", token, code, want)
		}
	}
}

func TestSessionsAreBounded(t *testing.T) {
	s := stage(t, nil)
	for range 8 {
		if code, text, _ := s.ask(t, nil); code != http.StatusOK {
			t.Fatalf("%d %s", code, text)
		}
	}
	if code, _, h := s.ask(t, nil); code != http.StatusServiceUnavailable || h.Get("Retry-After") == "" {
		t.Errorf("the ninth session: %d", code)
	}
}

func TestHostileRequests(t *testing.T) {
	s := stage(t, nil)
	deep := strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000)
	for _, tt := range []struct {
		name   string
		change func(*http.Request)
		want   int
	}{
		{"another host", func(r *http.Request) { r.Host = "evil.example" }, 403},
		{"another port of this machine's name", func(r *http.Request) { r.Host = "localhost:1" }, 200},
		{"a page of another origin", header("Origin", "https://evil.example"), 403},
		{"a page of another site", header("Sec-Fetch-Site", "cross-site"), 403},
		{"a page that reads", func(r *http.Request) { r.Method = "GET"; header("Sec-Fetch-Site", "cross-site")(r) }, 403},
		{"too large", body(`{"x":"` + strings.Repeat("x", 65<<10) + `"}`), 413},
		{"no JSON", body(`{"jsonrpc":`), 400},
		{"nothing", body(``), 400},
		{"a key twice", body(`{"jsonrpc":"2.0","id":1,"method":"ping","method":"initialize"}`), 400},
		{"half a character", body(`{"jsonrpc":"2.0","id":"\ud83d","method":"ping"}`), 400},
		{"no UTF-8", body("{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}"), 400},
		{"another type", header("Content-Type", "text/plain"), 415},
		{"another verb", func(r *http.Request) { r.Method = "PUT" }, 405},
		{"no such session", header("Mcp-Session-Id", "nope"), 404},
		{"an unknown revision", header("Mcp-Protocol-Version", "1999-01-01"), 400},
	} {
		code, text, h := s.ask(t, tt.change)
		if code != tt.want {
			t.Errorf("%s: %d %.200s, want %d", tt.name, code, text, tt.want)
		}
		if code == 403 && (h.Get("Content-Type") != "application/json" || !strings.HasPrefix(text, `{"error":{"code":-32600,`)) {
			t.Errorf("%s: the error is none of JSON-RPC: %s", tt.name, text)
		}
	}
	for _, b := range []string{deep, `[]`, `[1,2]`, `null`, `"x"`, `{"jsonrpc":"2.0","id":{},"method":7}`, "\xff\xfe", `{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call"}`} {
		if code, text, _ := s.ask(t, body(b)); code >= 500 {
			t.Errorf("%.40q: %d %s", b, code, text)
		}
	}
	if code, _, _ := s.ask(t, nil); code != http.StatusOK {
		t.Errorf("afterwards nobody is let in: %d", code)
	}
}

// A client that sends its body drop by drop is cut off.
func TestASlowBodyIsCutOff(t *testing.T) {
	s := httptest.NewServer(mcpapi.Over(mcpapi.Options{Timeout: 300 * time.Millisecond}, nil))
	defer s.Close()
	c, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{")
	answer, err := io.ReadAll(c) // to the end of the connection
	if err != nil || !strings.Contains(string(answer), "408 Request Timeout") {
		t.Errorf("%v %s", err, answer)
	}
}
