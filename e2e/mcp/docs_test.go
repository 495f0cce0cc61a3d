package mcp

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

var block = regexp.MustCompile("(?s)\n```([a-z. =]+)\n(.*?)\n```\n")

// The manual's server and team give the result it promises.
func TestDocsServerAndTeam(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	manual, err := os.ReadFile("../../docs/tools.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, files := t.TempDir(), map[string]string{"python file=notes.py": "notes.py", "yaml file=notes.yaml": "team.yaml"}
	for _, m := range block.FindAllStringSubmatch(string(manual), -1) {
		if name := files[m[1]]; name != "" {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(m[2]+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	team, err := config.Load(filepath.Join(dir, "team.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	e := open(t)
	v := follow(t, e, start(t, e, team), func(v *chargehand.View, _ chargehand.Record) bool { return v.State.Final() })
	if v.State != chargehand.RunCompleted {
		t.Fatalf("the run ended as %s: %s", v.State, v.Why)
	}
	var got struct{ Note string }
	for i, want := range []string{"Refunds are paid within 14 days.", "We are open from 9 to 5."} {
		attempts := v.Rows[i].Attempts
		b, err := e.Blob(t.Context(), attempts[len(attempts)-1].Output)
		if err != nil || json.Unmarshal(b, &got) != nil || got.Note != want {
			t.Errorf("output %s, %v; want %q", b, err, want)
		}
	}
}

// The manual's fragments are those of a team file.
func TestDocsFragments(t *testing.T) {
	manual, err := os.ReadFile("../../docs/tools.md")
	if err != nil {
		t.Fatal(err)
	}
	var whole string
	fragments := map[string]string{} // by what they are a part of
	for _, m := range block.FindAllStringSubmatch(string(manual), -1) {
		if m[1] == "yaml file=notes.yaml" {
			whole = m[2]
		} else if part, rest, ok := strings.Cut(m[2], ":\n"); ok && m[1] == "yaml fragment" {
			fragments[part] = rest
		}
	}
	extended := strings.Replace(whole, "planner:\n", fragments["workers"]+"\nplanner:\n", 1)
	extended = strings.Replace(extended, "tools:\n", "tools:\n"+strings.Replace(fragments["tools"], "name: notes", "name: signed", 1)+"\n", 1)
	team, err := config.Parse("team.yaml", []byte(extended))
	if err != nil || len(team.Workers) != 2 || team.Workers[1].ToolGrants[0] != "notes.look_up" {
		t.Fatalf("team %+v, %v", team, err)
	}
	if in := team.Tools[0].SignIn; in == nil || in.ClientID != "our-client" || in.Port != 3000 || len(in.Scopes) != 1 {
		t.Errorf("sign-in %+v", in)
	}
}
