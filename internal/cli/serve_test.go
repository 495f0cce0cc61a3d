package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

// freePort names an address of this machine that nobody listens on: "freeport ADDR".
func freePort(ts *testscript.TestScript, _ bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv(args[0], l.Addr().String())
	ts.Check(l.Close())
}

// fetch asks a server, waiting for it to be there, and keeps status and body:
// "fetch OUT URL [BODYFILE|-] [HEADER: VALUE...]".
func fetch(ts *testscript.TestScript, _ bool, args []string) {
	method, body := http.MethodGet, []byte(nil)
	if len(args) > 2 && args[2] != "-" {
		method, body = http.MethodPost, []byte(ts.ReadFile(args[2]))
	}
	var resp *http.Response
	poll(ts, "nobody answers at "+args[1], func() bool {
		r, err := http.NewRequestWithContext(context.Background(), method, args[1], bytes.NewReader(body))
		ts.Check(err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		for _, h := range args[min(3, len(args)):] {
			name, value, _ := strings.Cut(h, ": ")
			if r.Header.Set(name, value); name == "Host" {
				r.Host = value
			}
		}
		resp, err = http.DefaultClient.Do(r) //nolint:bodyclose // it is, below
		return err == nil
	})
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), append([]byte(strconv.Itoa(resp.StatusCode)+" "+resp.Header.Get("Content-Type")+"\n"), text...), 0o600))
}

// hold opens connections from one address of this machine, sends each the beginning of a request, and
// keeps them until the script ends: "hold HOST:PORT FROM N headers|body PATH".
func hold(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	text := "POST " + args[4] + " HTTP/1.1\r\nHost: " + args[0]
	if args[3] == "body" {
		text += "\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
	}
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(args[1])}}
	for range n {
		c, err := d.Dial("tcp", args[0])
		ts.Check(err)
		ts.Defer(func() { c.Close() })
		_, _ = io.WriteString(c, text) // the server may have closed it
	}
}

// askFrom asks a server from one address of this machine, and keeps status and body of what is answered
// within five seconds: "askfrom OUT FROM URL BODYFILE".
func askFrom(ts *testscript.TestScript, _ bool, args []string) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(args[1])}}
	c := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DialContext: d.DialContext, DisableKeepAlives: true}}
	var resp *http.Response
	poll(ts, "nobody answers at "+args[2], func() bool { // in a flood some connections are closed without an answer
		var err error
		resp, err = c.Post(args[2], "application/json", strings.NewReader(ts.ReadFile(args[3]))) //nolint:bodyclose // it is, below
		if os.IsTimeout(err) {
			ts.Fatalf("%v", err)
		}
		return err == nil
	})
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), append([]byte(strconv.Itoa(resp.StatusCode)+"\n"), text...), 0o600))
}

// callTool starts "chargehand serve --mcp" with further arguments, calls a tool, and keeps the answer:
// "calltool OUT TOOL ARGSFILE [ARGS...]".
func callTool(ts *testscript.TestScript, _ bool, args []string) {
	path, err := exec.LookPath("chargehand")
	ts.Check(err)
	cmd := exec.Command(path, append([]string{"serve", "--mcp"}, args[3:]...)...)
	cmd.Dir, cmd.Stderr = ts.MkAbs("."), os.Stderr
	for _, name := range []string{"CHARGEHAND_DATA_DIR", "CHARGEHAND_TEST_ENGINE", "HOME", "PATH"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := mcp.NewClient(&mcp.Implementation{Name: "script", Version: "1"}, nil)
	s, err := c.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	ts.Check(err)
	r, err := s.CallTool(ctx, &mcp.CallToolParams{Name: args[1], Arguments: json.RawMessage(ts.ReadFile(args[2]))})
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(r.Content[0].(*mcp.TextContent).Text), 0o600))
	ts.Check(s.Close()) // the process ends by itself when its input does
}

// converse starts "chargehand serve --mcp" with further arguments, tells it the lines of a file, and
// keeps what it answers until it has answered the id "call": "converse OUT LINES [ARGS...]".
func converse(ts *testscript.TestScript, _ bool, args []string) {
	path, err := exec.LookPath("chargehand")
	ts.Check(err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, append([]string{"serve", "--mcp"}, args[2:]...)...)
	cmd.Dir, cmd.Stderr = ts.MkAbs("."), os.Stderr
	for _, name := range []string{"CHARGEHAND_DATA_DIR", "CHARGEHAND_TEST_ENGINE", "HOME", "PATH"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	in, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	_, err = io.WriteString(in, ts.ReadFile(args[1]))
	ts.Check(err)
	var heard bytes.Buffer
	answers := bufio.NewScanner(out)
	answers.Buffer(nil, 1<<20)
	for !strings.Contains(answers.Text(), `"id":"call"`) {
		if !answers.Scan() {
			ts.Fatalf("the server ended before it answered the call:\n%s", heard.String())
		}
		heard.WriteString(answers.Text() + "\n")
	}
	ts.Check(in.Close())
	ts.Check(cmd.Wait()) // it ends by itself when its input does
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), heard.Bytes(), 0o600))
}

func TestTokens(t *testing.T) {
	good := &tokens{}
	for name, token := range map[string]string{"ana": "0123456789abcdef", "ben": "fedcba9876543210"} {
		if err := good.add(name, token); err != nil {
			t.Fatal(err)
		}
	}
	for credentials, want := range map[string]string{
		"Bearer 0123456789abcdef": "ana", "bearer fedcba9876543210": "ben", "Bearer  0123456789abcdef ": "ana",
		"": "", "Bearer": "", "Bearer ": "", "Basic 0123456789abcdef": "", "Bearer 0123456789abcde": "", "Bearer 0123456789abcdefg": "",
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Authorization", credentials)
		if name, ok := good.principal(r); name != want || ok != (want != "") {
			t.Errorf("%q is %q, %v", credentials, name, ok)
		}
	}
	for _, bad := range [][2]string{{"", "0123456789abcdeX"}, {"a b", "0123456789abcdeX"}, {"c", "short"}, {"ana", "0123456789abcdeX"}, {"c", "0123456789abcdef"}, {"c", "0123456789 abcdef"}} {
		if good.add(bad[0], bad[1]) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// A server answers to its own names only.
// TestPanicOfAHandler: the server lives, the client hears nothing, and operators are told where and not what.
func TestPanicOfAHandler(t *testing.T) {
	var out bytes.Buffer
	srv := httptest.NewServer(abandoning(&out, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/fine" {
			return
		}
		panic("somebody's text")
	})))
	defer srv.Close()
	if resp, err := http.Get(srv.URL); err == nil {
		resp.Body.Close()
		t.Errorf("the client heard %s", resp.Status)
	}
	resp, err := http.Get(srv.URL + "/fine")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("the server does not live on: %v", err)
	}
	resp.Body.Close()
	if said := out.String(); !strings.Contains(said, "TestPanicOfAHandler") || strings.Contains(said, "somebody's") {
		t.Errorf("operators are told %q", said)
	}
}

func TestHostsThatAreOurs(t *testing.T) {
	house := func(f serveForm) *house {
		t.Setenv("CHARGEHAND_API_TOKEN", "0123456789abcdef")
		h, err := (&app{}).house(f)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	here := house(serveForm{listen: "127.0.0.1:7433"})
	proxied := house(serveForm{listen: "[::1]:7433", base: "https://agents.example.com"})
	public := house(serveForm{listen: ":7433", base: "https://agents.example.com"})
	anywhere := house(serveForm{listen: "0.0.0.0:7433"})
	for _, tt := range []struct {
		host                            string
		here, proxied, public, anywhere bool
	}{
		{"127.0.0.1:7433", true, true, false, true},
		{"localhost", true, true, false, true},
		{"[::1]:7433", true, true, false, true},
		{"agents.example.com", false, true, true, true},
		{"evil.example", false, false, false, true},
		{"127.0.0.1.evil.example", false, false, false, true},
		{"", false, false, false, true},
	} {
		if got := here.ours(tt.host); got != tt.here {
			t.Errorf("here, %q: %v", tt.host, got)
		}
		if got := proxied.ours(tt.host); got != tt.proxied {
			t.Errorf("proxied, %q: %v", tt.host, got)
		}
		if got := public.ours(tt.host); got != tt.public {
			t.Errorf("public, %q: %v", tt.host, got)
		}
		if got := anywhere.ours(tt.host); got != tt.anywhere {
			t.Errorf("anywhere, %q: %v", tt.host, got)
		}
	}
}

// A client that joins addresses carelessly comes to the same door, without a redirect.
func TestSlashesAtTheDoors(t *testing.T) {
	door := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { say(w, http.StatusOK, name+" "+r.URL.Path) })
	}
	h := &house{leaving: make(chan struct{}), chat: door("chat"), mcp: door("mcp"), a2a: door("a2a")}
	for path, want := range map[string]string{
		"/mcp/":                           "mcp /mcp/",
		"//mcp":                           "mcp /mcp",
		"/.well-known/agent-card.json/":   "a2a /.well-known/agent-card.json/",
		"//.well-known/agent-card.json":   "a2a /.well-known/agent-card.json",
		"/a2a/t/jsonrpc/":                 "a2a /a2a/t/jsonrpc/",
		"/a2a/t/http//message:send":       "a2a /a2a/t/http/message:send",
		"/a2a/t//":                        "a2a /a2a/t/",
		"//a2a/t/":                        "a2a /a2a/t/",
		"/v1//models":                     "chat /v1/models",
		"/.well-known/agent-card.json?x=": "a2a /.well-known/agent-card.json",
	} {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:1/", nil)
		u, err := url.Parse("http://127.0.0.1:1" + path)
		if err != nil {
			t.Fatal(err)
		}
		r.URL = u
		w := httptest.NewRecorder()
		h.handler().ServeHTTP(w, r)
		if got := w.Body.String(); w.Code != http.StatusOK || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %d %q, want %q", path, w.Code, got, want)
		}
	}
}

// snippet writes a named example of docs/serve.md to a file, with another address:
// "snippet FILE NAME ADDR".
func snippet(ts *testscript.TestScript, _ bool, args []string) {
	text := documented(args[1])
	if text == "" {
		ts.Fatalf("docs/serve.md has no %s", args[1])
	}
	text = strings.ReplaceAll(text, "127.0.0.1:7433", args[2])
	text = strings.ReplaceAll(text, "\nchargehand serve", "\nexec chargehand serve") // signals are for it, not for the shell
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// fence keeps what follows a fence of a page of the manual: "fence OUT PAGE.md LABEL...".
func fence(ts *testscript.TestScript, _ bool, args []string) {
	page, err := os.ReadFile(filepath.Join(filepath.Dir(servePage), args[1]))
	ts.Check(err)
	label := strings.Join(args[2:], " ")
	_, rest, ok := strings.Cut(string(page), "\n```"+label+"\n")
	text, _, end := strings.Cut(rest, "\n```\n")
	if !ok || !end {
		ts.Fatalf("docs/%s has no %s", args[1], label)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text+"\n"), 0o600))
}

// replace puts one text in the place of another in a file: "replace FILE OLD NEW". It must be there.
func replace(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s has no %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, args[1], args[2])), 0o600))
}

// documented is a named example of docs/serve.md.
func documented(name string) string {
	page, err := os.ReadFile(servePage)
	if err != nil {
		return ""
	}
	_, rest, ok := strings.Cut(string(page), " "+name+"\n")
	text, _, end := strings.Cut(rest, "\n```")
	if !ok || !end {
		return ""
	}
	return text + "\n"
}

// servePage is where the tests start, not where scripts do.
var servePage, _ = filepath.Abs("../../docs/serve.md")

func TestDocumentedMCPClient(t *testing.T) {
	var page struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(documented("mcp")), &page); err != nil {
		t.Fatal(err)
	}
	server := page.Servers["chargehand"]
	c, rest, err := (&app{}).root().Find(server.Args)
	if err != nil || c.Name() != "serve" || server.Command != "chargehand" {
		t.Fatalf("%v, %v", c, err)
	}
	if err := c.ParseFlags(rest); err != nil || c.Flags().NArg() != 0 {
		t.Error(err, rest)
	}
}
