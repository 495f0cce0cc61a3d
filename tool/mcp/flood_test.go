package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// hostile shakes hands as an honest server does. What it does once its tool is called is named by HOSTILE.
func hostile() int {
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	out := bufio.NewWriterSize(os.Stdout, 64<<10)
	say := func(format string, args ...any) bool {
		_, err := fmt.Fprintf(out, format+"\n", args...)
		return err == nil && out.Flush() == nil
	}
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return 0
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Meta map[string]any `json:"_meta"`
			}
		}
		if json.Unmarshal([]byte(line), &m) != nil || m.ID == nil {
			continue
		}
		switch m.Method {
		case "initialize":
			say(strings.ReplaceAll(strings.ReplaceAll(greeting, "%", "%%"), "$ID", string(m.ID)))
		case "tools/list":
			say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}}`, m.ID)
		case "tools/call":
			if code := attacks[os.Getenv("HOSTILE")](string(m.ID), fmt.Sprint(m.Params.Meta["progressToken"]), say); code >= 0 {
				return code
			}
		default:
			say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.ID)
		}
	}
}

// attacks are what a hostile server does. A number below zero means that it reads on.
var attacks = map[string]func(id, token string, say func(string, ...any) bool) int{
	"answers to nobody": endless(func(n int, _, _ string) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, n+1000) }),
	"answers of nobody": endless(func(n int, _, _ string) string { return `{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"x"}}` }),
	"requests": endless(func(n int, _, _ string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":9}}`, n)
	}),
	"requests of one id": endless(func(int, string, string) string { return `{"jsonrpc":"2.0","id":1,"method":"roots/list"}` }),
	"pings":              endless(func(n int, _, _ string) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, n) }),
	"unknown requests":   endless(func(n int, _, _ string) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"party"}`, n) }),
	"progress": endless(func(n int, _, token string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%q,"progress":%d}}`, token, n)
	}),
	"progress of nobody": endless(func(n int, _, _ string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"other-%d","progress":1}}`, n)
	}),
	"cancellations": endless(func(n int, _, _ string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, n)
	}),
	"changed lists": endless(func(int, string, string) string {
		return `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	}),
	"unknown notifications": endless(func(int, string, string) string { return `{"jsonrpc":"2.0","method":"notifications/party"}` }),
	"empty lines":           endless(func(int, string, string) string { return "" }),
	"spaces":                endless(func(int, string, string) string { return strings.Repeat(" ", 1000) }),
	"junk":                  endless(func(int, string, string) string { return "\x00\xff\x1b[2J" }),
	"empty batches":         endless(func(int, string, string) string { return "[]" }),
	"a line without end": func(string, string, func(string, ...any) bool) int {
		for piece := []byte(strings.Repeat("x", 1<<20)); ; {
			if _, err := os.Stdout.Write(piece); err != nil {
				return 1
			}
		}
	},
	"a depth": func(id, _ string, say func(string, ...any) bool) int {
		say(`{"jsonrpc":"2.0","id":%s,"result":%s1%s}`, id, strings.Repeat(`{"a":`, 200_000), strings.Repeat(`}`, 200_000))
		return -1
	},
	"half a message": func(id, _ string, _ func(string, ...any) bool) int {
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"res`, id)
		select {}
	},
	"nothing": func(string, string, func(string, ...any) bool) int { select {} },
	"a death": func(string, string, func(string, ...any) bool) int { return 9 },
	"a death in a word": func(id, _ string, _ func(string, ...any) bool) int {
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"res`, id)
		return 9
	},
	"a closed output": func(string, string, func(string, ...any) bool) int {
		os.Stdout.Close()
		select {}
	},
}

// endless says something again and again, as fast as it can, and reads nothing.
func endless(what func(n int, id, token string) string) func(string, string, func(string, ...any) bool) int {
	return func(id, token string, _ func(string, ...any) bool) int {
		out := bufio.NewWriterSize(os.Stdout, 64<<10)
		for n := 0; ; n++ {
			if _, err := out.WriteString(what(n, id, token) + "\n"); err != nil {
				return 1
			}
		}
	}
}

// heap is the most memory in use while f runs.
func heap(f func()) (most uint64) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	var m runtime.MemStats
	for {
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapAlloc)
		select {
		case <-done:
			return most
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Whatever a server does once it is called, the call ends with an error within its time, in bounded memory, and later calls
// reach a new process. One that floods is given up by its count, which calls with little patience may not wait for.
func TestHostileServers(t *testing.T) {
	if testing.Short() {
		t.Skip("twenty seconds")
	}
	for name := range attacks {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, command("hostile", map[string]string{"HOSTILE": name}), Options{Patience: 500 * time.Millisecond})
			if _, err := s.Tools(t.Context()); err != nil {
				t.Fatal(err)
			}
			runtime.GC()
			var before runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			most := heap(func() {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				a, err := s.Call(ctx, "s.t", json.RawMessage(`{}`), "run/t/key")
				if err == nil || notBegun(err) || len(err.Error()) > 1000 {
					t.Errorf("answer %.200q, error %v", a.Text, err)
				}
			})
			took := time.Since(began)
			t.Logf("%s, %d MiB", took, (most-min(most, before.HeapAlloc))>>20)
			if took > 15*time.Second {
				t.Errorf("it took %s", took)
			}
			if grown := most - min(most, before.HeapAlloc); grown > 200<<20 {
				t.Errorf("%d MiB of memory", grown>>20)
			}
			err := errors.New("never asked")
			for asked := time.Now(); err != nil && time.Since(asked) < 15*time.Second; {
				_, err = s.Tools(t.Context())
			}
			if err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// A server that reads nothing does not hold a call for longer than its time.
func TestAServerThatDoesNotRead(t *testing.T) {
	s := newServer(t, command("hostile", map[string]string{"HOSTILE": "nothing"}), Options{Patience: time.Second})
	if _, err := s.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	arguments := json.RawMessage(`{"text":"` + strings.Repeat("x", 1<<20) + `"}`)
	began := time.Now()
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		if _, err := s.Call(ctx, "s.t", arguments, "run/t/key"); err == nil {
			t.Error("a call is answered")
		}
		cancel()
	}
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("it took %s", took)
	}
}
