package mcpapi_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/mcpapi"
)

// undeclared are methods of capabilities that the server does not declare, with arguments that a server with the
// capability would take.
var undeclared = map[string]string{
	"prompts/list":             `{}`,
	"prompts/get":              `{"name":"p"}`,
	"resources/list":           `{}`,
	"resources/templates/list": `{}`,
	"resources/read":           `{"uri":"file:///etc/passwd"}`,
	"resources/subscribe":      `{"uri":"file:///etc/passwd"}`,
	"resources/unsubscribe":    `{"uri":"file:///etc/passwd"}`,
	"completion/complete":      `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"b"}}`,
	"logging/setLevel":         `{"level":"debug"}`,
	"tasks/list":               `{}`,
	"party":                    `{}`,
}

const (
	newest = "2026-07-28"
	older  = "2025-11-25"
)

// message is a raw request of a revision. Newer revisions carry who asks in each request.
func message(id int, method, params, revision string) string {
	if params == "" {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, id, method)
	}
	if revision >= newest {
		who := fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`, revision)
		params = strings.Replace(params, "{", "{"+who+",", 1)
		params = strings.Replace(params, ",}", "}", 1)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

// greet is the handshake of older revisions.
const greet = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// wantRefused checks that an answer is the error of a method that is not there.
func wantRefused(t *testing.T, what, answer string, id int) {
	t.Helper()
	var m struct {
		ID     int
		Result json.RawMessage
		Error  struct {
			Code    int
			Message string
		}
	}
	if err := json.Unmarshal([]byte(answer), &m); err != nil || m.Error.Code != -32601 || m.Result != nil || m.ID != id || m.Error.Message == "" {
		t.Errorf("%s: %s, want error -32601 of request %d", what, answer, id)
	}
}

// What a server does not declare it does not have, whatever the arguments.
func TestMethodsOfUndeclaredCapabilities(t *testing.T) {
	s := stage(t, nil)
	for _, revision := range []string{older, newest} {
		t.Run("stdio "+revision, func(t *testing.T) {
			ask, tell := s.lines(t)
			if revision < newest {
				ask(greet)
				tell(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			}
			id := 10
			for method, params := range undeclared {
				for _, given := range []string{params, `{}`, ""} {
					id++
					wantRefused(t, method+given, ask(message(id, method, given, revision)), id)
				}
			}
			if got := ask("[" + message(9, "prompts/list", `{}`, revision) + "]"); !strings.Contains(got, "-32601") {
				t.Errorf("in a batch: %s", got)
			}
			if got := ask(message(9, "tools/list", `{}`, revision)); !strings.Contains(got, `"answers"`) {
				t.Errorf("tools/list: %s", got)
			}
		})
		t.Run("http "+revision, func(t *testing.T) {
			session := ""
			if revision < newest {
				_, _, h := s.ask(t, nil)
				session = h.Get("Mcp-Session-Id")
			}
			id := 10
			post := func(method, params string) (int, string) {
				code, text, _ := s.ask(t, func(r *http.Request) {
					header("Mcp-Protocol-Version", revision)(r)
					header("Mcp-Method", method)(r)
					var in struct{ Name, URI string }
					if params != "" && json.Unmarshal([]byte(params), &in) == nil && in.Name+in.URI != "" {
						header("Mcp-Name", in.Name+in.URI)(r)
					}
					if session != "" {
						header("Mcp-Session-Id", session)(r)
					}
					body(message(id, method, params, revision))(r)
				})
				return code, text
			}
			for method, params := range undeclared {
				for _, given := range []string{params, `{}`, ""} {
					id++
					code, text := post(method, given)
					wantRefused(t, fmt.Sprint(method, given, " ", code), text, id)
					if revision >= newest && code != http.StatusNotFound {
						t.Errorf("%s%s: status %d, want 404", method, given, code)
					}
				}
			}
			if _, got := post("tools/list", `{}`); !strings.Contains(got, `"answers"`) {
				t.Errorf("tools/list: %s", got)
			}
		})
	}
}

// In a batch, which one older revision has, each method is looked for by itself.
func TestAnUndeclaredMethodOfABatch(t *testing.T) {
	s := stage(t, nil)
	_, _, h := s.ask(t, body(strings.Replace(greet, older, "2025-03-26", 1)))
	_, text, _ := s.ask(t, func(r *http.Request) {
		header("Mcp-Session-Id", h.Get("Mcp-Session-Id"))(r)
		header("Mcp-Protocol-Version", "2025-03-26")(r)
		body("[" + message(2, "prompts/list", `{}`, older) + "," + message(3, "ping", `{}`, older) + "]")(r)
	})
	if !strings.Contains(text, `"id":2,"error":{"code":-32601`) || !strings.Contains(text, `"id":3,"result"`) {
		t.Errorf("got %s", text)
	}
}

// lines serves a client on a pair of streams. ask sends a line and takes the next one that is answered; tell only sends.
func (s *scene) lines(t *testing.T) (ask func(string) string, tell func(string)) {
	t.Helper()
	api, err := mcpapi.New(s.engine, mcpapi.Options{Teams: []chargehand.Team{team("answers")}})
	if err != nil {
		t.Fatal(err)
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error)
	go func() { served <- api.Stdio(t.Context(), mcpapi.Caller{Name: "ana"}, in, out) }()
	t.Cleanup(func() {
		if err := toServer.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	answers := bufio.NewScanner(fromServer)
	answers.Buffer(nil, 1<<20)
	tell = func(line string) {
		if _, err := io.WriteString(toServer, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	return func(line string) string {
		tell(line)
		if !answers.Scan() {
			t.Fatalf("%.60q: the server has ended", line)
		}
		return answers.Text()
	}, tell
}
