package a2a_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/config"
)

// snippet is a code block of the manual.
func snippet(t *testing.T, kind string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "a2a.md"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)\n```" + kind + "\n(.*?)\n```\n").FindSubmatch(b)
	if m == nil {
		t.Fatalf("the manual has no %s", kind)
	}
	return string(m[1]) + "\n"
}

func TestDocsTeam(t *testing.T) {
	path := filepath.Join(t.TempDir(), "team.yaml")
	if err := os.WriteFile(path, []byte(snippet(t, "yaml team")), 0o600); err != nil {
		t.Fatal(err)
	}
	team, err := config.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if problems := team.Check(); len(problems) > 0 {
		t.Errorf("the manual's team: %v", problems)
	}
	if w := team.Workers[0]; w.Kind != chargehand.KindA2A || w.A2A.Card != "https://registry.example.com" {
		t.Errorf("the manual's worker is %+v", w)
	}
}

func TestDocsMessage(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl")
	}
	s := stage(t, nil)
	send := snippet(t, "sh send")
	here := strings.ReplaceAll(send, "http://127.0.0.1:7433/a2a/contract-review/", s.server.URL+"/a2a/answers/")
	if here == send {
		t.Fatalf("the message goes elsewhere: %s", send)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", here)
	cmd.Env = append(os.Environ(), "no_proxy=127.0.0.1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var r struct{ Task object }
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	wantState(t, r.Task, "COMPLETED")
}
