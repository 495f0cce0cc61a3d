package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/tool"
)

func TestListsThatAreTooMuch(t *testing.T) {
	endless := scripted(t, map[string][]string{"tools/list": {
		`{"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}],"nextCursor":"again"}}`,
	}})
	for _, tt := range []struct {
		name, want string
		spec       *chargehand.ToolServer
	}{
		{"10,000 tools", "lists more than 1000 tools: ", command("many", nil)},
		{"a description of 100 MB", `list its tools: calling "tools/list": it sends a message of more than 16777216 bytes`, command("bloated", nil)},
		{"10 MB in 200 descriptions", "more than 4194304 bytes: ", command("wordy", nil)},
		{"pages without end", "has no end", endless},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, tt.spec, Options{})
			_, err := s.Tools(t.Context())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestMessagesThatFitNothing(t *testing.T) {
	fine := `{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"fine"}]}}`
	for _, tt := range []struct {
		name  string
		lines []string
		fails bool
	}{
		{name: "an answer to nothing, then the answer", lines: []string{`{"jsonrpc":"2.0","id":4711,"result":{}}`, `{"jsonrpc":"2.0","id":"x","result":{}}`, fine}},
		{name: "the answer twice", lines: []string{fine, fine}},
		{name: "an answer under another id", lines: []string{`{"jsonrpc":"2.0","id":4711,"result":{"content":[]}}`}, fails: true},
		{name: "a notification nobody knows, then the answer", lines: []string{`{"jsonrpc":"2.0","method":"notifications/party"}`, fine}},
		{name: "a request nobody knows, then the answer", lines: []string{`{"jsonrpc":"2.0","id":1,"method":"party"}`, fine}},
		{name: "no JSON", lines: []string{`Listening on port 8080`}, fails: true},
		{name: "a result of another form", lines: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"content":"x"}}`}, fails: true},
		{name: "no result", lines: []string{`{"jsonrpc":"2.0","id":$ID}`}, fails: true},
		{name: "content of no known kind", lines: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"hologram"}]}}`}, fails: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, scripted(t, map[string][]string{"tools/call": tt.lines}), Options{Patience: 300 * time.Millisecond})
			a, err := call(t, s, "t", `{}`)
			switch {
			case tt.fails && (err == nil || notBegun(err)):
				t.Errorf("answer %+v, error %v; want none, and that the outcome is not known", a, err)
			case !tt.fails && (err != nil || a.Text != "fine"):
				t.Errorf("answer %+v, error %v", a, err)
			}
			if _, err := s.Tools(t.Context()); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// What a server writes beside its messages ends the connection, and the error shows it.
func TestWhatIsNoMessageIsShown(t *testing.T) {
	t.Setenv("API_KEY", "sk-very-secret")
	hello := `{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`
	for _, tt := range []struct{ line, want string }{
		{"Listening on port 8080", "it wrote there: Listening on port 8080"},
		{"{{{{", "it wrote there: {{{{"},
		{`{"level":"info","msg":"up"}`, `it wrote there: {"level":"info","msg":"up"}`},
		{`"up"`, `it wrote there: "up"`},
		{"\x1b[31mkey sk-very-secret " + strings.Repeat("x", 5000), "it wrote there: ·[31mkey $API_KEY xxx"},
	} {
		for at, script := range map[string]map[string][]string{
			"connect": {"initialize": {tt.line, hello}},
			"call":    {"initialize": {hello}, "tools/call": {tt.line, "a second one"}},
		} {
			raw, err := json.Marshal(script)
			if err != nil {
				t.Fatal(err)
			}
			s := newServer(t, command("raw", map[string]string{"SCRIPT": strings.NewReplacer("$", "$$").Replace(string(raw)), "TOKEN": "$API_KEY"}), Options{})
			_, err = call(t, s, "t", `{}`)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "logs go to standard error") || len(err.Error()) > 400 {
				t.Errorf("%s, %.40q: %v, want %q", at, tt.line, err, tt.want)
			}
			if strings.Contains(fmt.Sprint(err), "very-secret") {
				t.Errorf("%s, %.40q: %v", at, tt.line, err)
			}
		}
	}
}

// A process that dies within a message is told of by how it ended.
func TestAMessageThatBreaksOff(t *testing.T) {
	spec := command("honest", nil)
	spec.Command = []string{"sh", "-c", `read line; printf '{"jsonrpc":"2.0",'; echo disk full >&2; exit 7`}
	_, err := call(t, newServer(t, spec, Options{}), "t", `{}`)
	if err == nil || !strings.Contains(err.Error(), "disk full") || strings.Contains(err.Error(), "it wrote there") {
		t.Errorf("error %v", err)
	}
}

// A server may not ask our model, a person, or for folders. What it is told is its answer's text.
func TestWhatAServerMayNotHave(t *testing.T) {
	for _, tt := range []struct{ method, params, told string }{
		{"sampling/createMessage", `{"messages":[],"maxTokens":10}`, `method not found`},
		{"roots/list", `{}`, `method not found`},
		{"elicitation/create", `{"message":"your password?","requestedSchema":{"type":"object","properties":{}}}`, `"action":"decline"`},
	} {
		t.Run(tt.method, func(t *testing.T) {
			s := newServer(t, scripted(t, map[string][]string{
				"tools/call": {`{"jsonrpc":"2.0","id":"mine","method":"` + tt.method + `","params":` + tt.params + `}`},
				"answer":     {`{"jsonrpc":"2.0","id":$CALL,"result":{"content":[{"type":"text","text":$BODY}]}}`},
			}), Options{})
			a, err := call(t, s, "t", `{}`)
			if err != nil || !strings.Contains(a.Text, tt.told) {
				t.Errorf("it was told %q, %v; want %q", a.Text, err, tt.told)
			}
		})
	}
}

func TestAFloodEndsTheConnection(t *testing.T) {
	s := newServer(t, command("flood", nil), Options{})
	if _, err := s.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := call(t, s, "flood", `{}`); err == nil || notBegun(err) {
		t.Errorf("error %v", err)
	}
	if a, err := call(t, s, "echo", `{"text":"x"}`); err != nil || a.Failed {
		t.Errorf("afterwards: %+v, %v", a, err)
	}
}

func TestComplaintsAreBounded(t *testing.T) {
	var log lines
	s := newServer(t, command("noisy", nil), Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	_, err := s.Tools(t.Context())
	if err == nil || !strings.Contains(err.Error(), "exit status 5: line 99999 ·[31m·") {
		t.Errorf("error %v", err)
	}
	if n := log.count("a tool server says"); n < maxComplaints || n > maxComplaints+2 {
		t.Errorf("%d lines in the log, want %d", n, maxComplaints)
	}
}

// lines is a log.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lines) count(s string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.b.String(), s)
}

// A server says that its tools have changed: the very next call goes by what they are now.
func TestAToolThatChangesMidRun(t *testing.T) {
	spec := command("shifty", nil)
	spec.Tools = map[string]chargehand.ToolPolicy{"echo": {Effect: "read"}, "shift": {Effect: "read"}}
	s := newServer(t, spec, Options{Fresh: time.Hour})
	b, err := tool.NewBelt(&chargehand.Team{Tools: []chargehand.ToolServer{*spec}}, map[string]tool.Source{"s": s}, tool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := b.Executor(t.Context(), &chargehand.WorkerTask{RunID: "r", TaskID: "t", AllowedTools: []string{"s.echo", "s.shift"}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if text, failed := x.Call(t.Context(), "s__echo", `{"text":"x"}`); failed {
		t.Fatal(text)
	}
	if text, failed := x.Call(t.Context(), "s__shift", `{}`); failed {
		t.Fatal(text)
	}
	for { // the notification may come after the answer
		text, failed := x.Call(t.Context(), "s__echo", `{"text":"x"}`)
		if failed && x.Err() != nil {
			if !strings.Contains(text, "its definition has changed") {
				t.Errorf("answer %q, error %v", text, x.Err())
			}
			return
		}
		if x.Calls() >= chargehand.DefaultToolCalls {
			t.Fatal("the change was not seen")
		}
		time.Sleep(time.Millisecond)
	}
}
