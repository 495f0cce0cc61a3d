package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A server ends what it started neither when its input ends nor when it breaks down.
func TestWhatAServerStartedEndsWithIt(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *Server){
		"closed": func(_ *testing.T, s *Server) { s.Close() },
		"died": func(t *testing.T, s *Server) {
			if _, err := call(t, s, "die", `{}`); err == nil {
				t.Error("it lives")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, command("parent", nil), Options{})
			a, err := call(t, s, "child", `{}`)
			if err != nil || !lives(a.Text) {
				t.Fatalf("child %q, %v", a.Text, err)
			}
			end(t, s)
			for late := time.Now().Add(10 * time.Second); lives(a.Text); time.Sleep(time.Millisecond) {
				if time.Now().After(late) {
					t.Fatal("the child is left")
				}
			}
		})
	}
}

// lives reports whether there is a process that has not ended.
func lives(pid string) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	_, after, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(after, "Z")
}
