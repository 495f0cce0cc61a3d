package mutant

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const program = `package main

import "fmt"

func main() {
	x := 1
	if x == 1 { //guard:behind
		fmt.Print("behind ")
	}
	//guard:first off=x > 1
	//guard:second
	if x > 0 {
		fmt.Print("both ")
	}
	// Why it is so stands beside the mark.
	//guard:list
	for range x {
		//guard:call
		fmt.Print("call ")
	}
	//guard:declared off=y = "other"
	y := "declared"
	fmt.Print(y, " ", last(x))
}

func last(x int) string {
	switch {
	case x > 5:
		return "more"
	//guard:case
	case x > 0:
		//guard:return off=return "nothing"
		return "returned"
	}
	return "none"
}
`

// module writes a module of files, and returns its folder.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	files["go.mod"] = "module example.com/x\n\ngo 1.26\n"
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestOverlay(t *testing.T) {
	root := module(t, map[string]string{"main.go": program})
	marks, _, err := Find(root, "guard")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	overlay, err := Overlay(root, dir, marks)
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "x")
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay, "-o", binary, ".")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := map[string]string{
		"":         "behind both call declared returned",
		"behind":   "both call declared returned",
		"first":    "behind call declared returned",
		"second":   "behind call declared returned",
		"list":     "behind both declared returned",
		"call":     "behind both declared returned",
		"declared": "behind both call other returned",
		"case":     "behind both call declared none",
		"return":   "behind both call declared nothing",
	}
	if len(marks) != len(want)-1 {
		t.Errorf("found %d marks, want %d", len(marks), len(want)-1)
	}
	for name, want := range want {
		run := exec.CommandContext(t.Context(), binary)
		run.Env = append(os.Environ(), Env+"="+name)
		out, err := run.Output()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(out)); diff != "" {
			t.Errorf("without %q (-want +got):\n%s", name, diff)
		}
	}
}

// The copies keep their lines, so that a compiler's message leads to the file itself.
func TestOverlayKeepsLines(t *testing.T) {
	root := module(t, map[string]string{"main.go": program})
	marks, _, err := Find(root, "guard")
	if err != nil {
		t.Fatal(err)
	}
	path, err := Overlay(root, t.TempDir(), marks)
	if err != nil {
		t.Fatal(err)
	}
	var overlay struct{ Replace map[string]string }
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &overlay); err != nil {
		t.Fatal(err)
	}
	copied, err := os.ReadFile(overlay.Replace[filepath.Join(root, "main.go")])
	if err != nil {
		t.Fatal(err)
	}
	if want, have := strings.Count(program, "\n"), strings.Count(string(copied), "\n"); have != want {
		t.Errorf("%d lines, want %d", have, want)
	}
}

func TestFindTests(t *testing.T) {
	root := module(t, map[string]string{
		"a/a_test.go":   "package a\n\n// TestIt shows it.\n//\n//guard:one\n//guard:two run=a case\nfunc TestIt(t *testing.T) {}\n",
		"testdata/b.go": "package b\n\n//guard:unseen\n", ".hidden/b.go": "package b\n\n//guard:unseen\n",
		"nested/go.mod": "module y\n", "nested/b.go": "package b\n\n//guard:unseen\n",
	})
	_, tests, err := Find(root, "guard")
	if err != nil {
		t.Fatal(err)
	}
	want := []Test{{"one", "a", "TestIt", "", 5}, {"two", "a", "TestIt", "a case", 6}}
	if diff := cmp.Diff(want, tests); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMarksThatAreNone(t *testing.T) {
	body := func(text string) string { return "package a\n\nfunc f(x int) {\n" + text + "\n}\n" }
	for _, c := range []struct{ name, file, text, want string }{
		{"a name in capitals", "a.go", body("//guard:Name\nx = 1"), "is no mark"},
		{"no name", "a.go", body("//guard:\nx = 1"), "is no mark"},
		{"an empty line behind it", "a.go", body("//guard:name\n\nx = 1"), "begins with none"},
		{"above a function", "a.go", "package a\n\n//guard:name\nfunc f() {\n}\n", "begins with none"},
		{"a declaration", "a.go", body("//guard:name\ny := 1\n_ = y"), "say with off="},
		{"a case with a value", "a.go", body("switch x {\n//guard:name\ncase 1:\n}"), "not one condition"},
		{"a test without a function", "a_test.go", body("//guard:name\nx = 1"), "above no Test function"},
		{"off in a test", "a_test.go", "package a\n\n//guard:name off=x\nfunc TestX() {}\n", "beside code"},
		{"run in code", "a.go", body("//guard:name run=x\nx = 1"), "beside a test"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := Find(module(t, map[string]string{c.file: c.text}), "guard")
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.file+":") {
				t.Errorf("want the place and %q, got %v", c.want, err)
			}
		})
	}
}

func TestOffThatIsNoGo(t *testing.T) {
	root := module(t, map[string]string{"a.go": "package a\n\nfunc f(x int) {\n\t//guard:name off=)\n\tx++\n}\n"})
	marks, _, err := Find(root, "guard")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Overlay(root, t.TempDir(), marks); err == nil || !strings.Contains(err.Error(), "a.go:5") {
		t.Errorf("want the place, got %v", err)
	}
}
