package config

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
)

// Whatever the bytes are, there is a team without a problem that survives JSON, or there are
// problems that each say where and what.
func FuzzParse(f *testing.F) {
	for _, file := range append(testdata(f, "wrong"), testdata(f, "right")...) {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, s := range []string{"? a\n: b", "? ? ? x", "- - - - x", "a:\n- b:\n  - c", "{a: [}", "[[[", "a: |\n\tx", "a: >2\n  x", "...\n---", "a: b\r\nc: d\re: f", "\"a\": 'b'", "{\"a\":1}x", "a: \"\\ud800\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if plan, err := ParsePlan("plan.yaml", data); (plan == nil) == (err == nil) {
			t.Fatalf("plan %v, error %v", plan, err)
		}
		for _, name := range []string{"team.yaml", "team.json"} {
			team, err := Parse(name, data)
			if err != nil {
				wellFormed(t, data, err)
				continue
			}
			b, err := json.Marshal(team)
			if err != nil {
				t.Fatal(err)
			}
			again, err := Parse("again.json", b)
			if err != nil || again.Digest() != team.Digest() {
				t.Fatalf("changed on its way through JSON: %v\n%s", err, b)
			}
		}
	})
}

func wellFormed(t *testing.T, data []byte, err error) {
	t.Helper()
	lines := strings.Count(strings.ReplaceAll(string(data), "\r", "\n"), "\n") + 2
	ps := problems(err)
	if len(ps) == 0 || chargehand.CodeOf(err) != chargehand.CodeInvalid {
		t.Fatalf("error without a problem: %v", err)
	}
	for _, p := range ps {
		if !strings.HasPrefix(p.Path, "$") || p.Message == "" || p.File == "" || p.Line > lines || p.Line > 0 && p.Column < 1 {
			t.Fatalf("problem %+v of %d lines", p, lines)
		}
		if strings.ContainsAny(p.String(), "\x00\x1b\n\r\u202e") {
			t.Fatalf("problem is not safe to print: %q", p.String())
		}
	}
}

// What would cost the parser a time or a stack out of proportion is refused before it begins.
func TestBoundsOfReading(t *testing.T) {
	times := strings.Repeat
	for _, c := range []struct{ name, text, want string }{
		{"lines", times("a: b\n", maxMarks+1), "more than 120000 lines and brackets"},
		{"brackets", "a: " + times("[", 100), "nested more than 64 deep"},
		{"braces", times("{a: ", 100), "nested more than 64 deep"},
		{"dashes", times("- ", 10_000), "nested more than 64 deep"},
		{"questions", times("? ", 1_000), "keys that begin with `?` are not supported here"},
		{"keys", "a:\n" + times("  b: c\n", 50_000), "more than 1000 keys"},
		{"keys in a list", "- a: b\n" + times("  c: d\n", 50_000), "more than 1000 keys"},
		{"keys without a value", times("- a:\n", 50_000), "more than 1000 keys have no value"},
		{"keys without a value in braces", "a: [" + times("{b: }, ", 5_000) + "]", "more than 1000 keys have no value"},
		{"lines of a list", "a: [" + times("\nb: 1", 5_000) + "]", "cannot stand in a `[` list"},
		{"anchors", times("&a ", 50_000), "1000 problems"},
		{"a list of many", times("- a: b\n  c: d\n", 5_000), "must be a mapping, it is a list"},
		{"JSON", `{"name":` + times("[", 50_000), "nested"},
		{"JSON in a line", `{"name":"x","inputSchema":[` + times(`{"b":1},`, 50_000) + `0]}`, "3 problems"},
		{"wrong in every line", "workers:\n" + times("- 5\n", 2_000), "2002 problems; these are the first 1000"},
	} {
		_, err := Parse("team.yaml", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %.200q, want %q", c.name, fmt.Sprint(err), c.want)
		}
	}
}

func BenchmarkParsePlan(b *testing.B) {
	var text strings.Builder
	text.WriteString("subtasks:\n")
	for i := range chargehand.MaxPlanSize {
		fmt.Fprintf(&text, "- id: s%d\n  goal: Read clause %d.\n  capability: read\n  deps: [s%d]\n", i, i, max(0, i-1))
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := ParsePlan("plan.yaml", []byte(text.String())); err != nil {
			b.Fatal(err)
		}
	}
}
