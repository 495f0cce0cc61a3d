//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A command that a reader sees and the runner does not is refused.
func TestParse(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"indented", "Run it:\n\n    rm file\n", "p.md:3: an indented block"},
		{"no language", "```\nls\n```\n", "p.md:1: a fence without a language"},
		{"console", "```console\n$ ls\n```\n", "write ```sh"},
		{"open", "a\n```sh\nls\n", "p.md:2: the fence is not closed"},
		{"option", "```sh skip=me\nls\n```\n", `"skip=me", which is not an option`},
		{"outside", "```yaml file=../x\na: 1\n```\n", "is not an option"},
		{"output first", "```text output\nx\n```\n", "an output without a command block"},
		{"a list goes on", "- one\n    and on\n", ""},
		{"all of it", "```yaml file=a.yaml\na: 1\n```\n```sh exit=3\nls\n```\n```text output\nx\n```\n", ""},
	} {
		_, err := parse("p.md", c.text)
		if got := errorText(err); c.want == "" && err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestMissing(t *testing.T) {
	const out = "run_1 began\n3 accepted\ncost 0.44\n"
	for want, line := range map[string]string{
		"run_… began\ncost …\n":    "",
		"3 accepted\n":             "",
		"cost 0.45\n":              "cost 0.45",
		"3 accepted\nrun_1 b…\n":   "run_1 b…",
		"run_1 began\n…accepted\n": "",
	} {
		if got := missing(out, want); got != line {
			t.Errorf("%q: missing %q, want %q", want, got, line)
		}
	}
}

// A page whose command fails, ends otherwise than it says, or prints something else is named with
// its line; a page that is right passes, with what its blocks leave for later ones.
func TestRun(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not there")
	}
	for _, c := range []struct{ name, text, want string }{
		{"right", "```text file=in/x\nhello\n```\n```sh\ncd in\nY=3\n```\n```sh exit=3\ncat x\n(exit $Y)\n```\n```text output\nhel…\n```\n", "1 pages run as written"},
		{"fails", "```sh\ntrue\n```\n```sh\nfalse\ntrue\n```\n", "p.md:4"},
		{"exit", "```sh exit=3\nfalse\n```\n", "exit code 1, and the page says 3"},
		{"output", "```sh\necho hello\n```\n```text output\nbye\n```\n", `the page shows "bye"`},
		{"step", "```sh step\ngo frobnicate\n```\n", "is no step of .ci/run"},
	} {
		root := t.TempDir()
		write(t, root, ".ci/run", "go test ./...\n")
		write(t, root, "p.md", c.text)
		var out bytes.Buffer
		pages, err := read(root, []string{"p.md"})
		if err == nil {
			r := &runner{root: root, dir: t.TempDir()}
			err = r.runAll(t.Context(), pages, &out)
		}
		if got := out.String() + errorText(err); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
