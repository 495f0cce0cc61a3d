package a2a_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/worker"
)

// A script is a process of the JavaScript SDK.
type script struct {
	lines *bufio.Scanner
	in    io.WriteCloser
	wait  func() error
}

// node starts a script in js, which the script run beside this file installs the SDK in.
func node(t *testing.T, args ...string) *script {
	t.Helper()
	if _, err := os.Stat("js/node_modules/@a2a-js/sdk"); err != nil {
		t.Skip("the JavaScript SDK is not installed: see e2e/a2a/run")
	}
	cmd := exec.CommandContext(t.Context(), "node", args...)
	cmd.Dir, cmd.Stderr = "js", os.Stderr
	out, err := cmd.StdoutPipe()
	in, ierr := cmd.StdinPipe()
	if err := errors.Join(err, ierr); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &script{bufio.NewScanner(out), in, cmd.Wait}
}

// until reads lines until one begins with a word, and answers with the rest of it.
func (s *script) until(t *testing.T, word string) string {
	t.Helper()
	for s.lines.Scan() {
		if rest, ok := strings.CutPrefix(s.lines.Text(), word); ok {
			return strings.TrimSpace(rest)
		}
	}
	t.Fatalf("the script ended without saying %q", word)
	return ""
}

// TestJavaScriptClient has the JavaScript SDK's client use a team.
func TestJavaScriptClient(t *testing.T) {
	for _, binding := range []string{"JSONRPC", "HTTP+JSON"} {
		t.Run(binding, func(t *testing.T) {
			s := stage(t, nil)
			n := node(t, "client.mjs", s.server.URL, binding)
			done, held := false, 0
			for n.lines.Scan() {
				switch what, rest, _ := strings.Cut(n.lines.Text(), " "); what {
				case "decide":
					s.decide(t, rest, true)
				case "ok":
					held++
					t.Log(rest)
				case "done":
					done = true
				}
			}
			if err := n.wait(); err != nil || !done || held != 9 {
				t.Errorf("the client broke off after %d of 9: %v", held, err)
			}
		})
	}
}

// TestJavaScriptServer has the worker of kind a2a use an agent made with the JavaScript SDK.
func TestJavaScriptServer(t *testing.T) {
	for _, kind := range [][]string{{"JSONRPC"}, {"HTTP+JSON"}, {"JSONRPC", "poll"}, {"HTTP+JSON", "poll"}} {
		t.Run(strings.Join(kind, " "), func(t *testing.T) {
			n := node(t, append([]string{"server.mjs"}, kind...)...)
			defer func() {
				if err := errors.Join(n.in.Close(), n.wait()); err != nil {
					t.Error(err)
				}
			}()
			w := remote(t, "http://127.0.0.1:"+n.until(t, "listening"), nil)
			drive(t, w, n)
		})
	}
}

// drive has the agent do each of the things it knows.
func drive(t *testing.T, w worker.Worker, n *script) {
	for _, c := range []struct {
		does   string
		status chargehand.ResultStatus
		output string // or what the blocker or the error says
	}{
		{"data", chargehand.StatusSucceeded, `"parts":["text","data","data","raw"]`},
		{"text", chargehand.StatusSucceeded, `"Hello, in words."`},
		{"reply", chargehand.StatusSucceeded, `"Hello, directly."`},
		{"ask", chargehand.StatusBlocked, "Which year?"},
		{"sign", chargehand.StatusBlocked, "Sign in first."},
		{"fail", "", "It cannot be done."},
		{"refuse", "", "Not here."},
	} {
		r, err := w.Do(t.Context(), ask(c.does+" it"))
		said := string(r.Output) + strings.Join(r.Blockers, "")
		if err != nil {
			said, r.Status = err.Error(), ""
		}
		if r.Status != c.status || !strings.Contains(said, c.output) {
			t.Errorf("%s: %s %s", c.does, r.Status, said)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	go func() { // ends with the read: the script says that it hangs
		n.until(t, "message run_hang it/s1/1 hang")
		stop()
	}()
	if _, err := w.Do(ctx, ask("hang it")); worker.KindOf(err) != worker.Cancelled {
		t.Errorf("hang: %v", err)
	}
	n.until(t, "cancel")
}
