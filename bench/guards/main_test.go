package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	kebab = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	rule  = regexp.MustCompile(`func (Test\w+)\(t \*testing\.T\)`)
)

// TestTableFitsTheSource fails when a guard is no longer where the table says, or a test that is to
// miss it is gone. What a guard's absence does to the tests, the command tells.
func TestTableFitsTheSource(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(table()); n < 30 {
		t.Errorf("the table has %d guards", n)
	}
	seen, tests := map[string]bool{}, map[string][]string{}
	for _, g := range table() {
		if !kebab.MatchString(g.name) || seen[g.name] || g.protects == "" || len(g.tests) == 0 {
			t.Errorf("guard %q: want a name of its own, what it protects, and tests", g.name)
		}
		seen[g.name] = true
		if _, err := g.switchedOff(root); err != nil {
			t.Error(err)
		}
		if tests[g.pkg] == nil {
			tests[g.pkg] = declared(t, filepath.Join(root, g.pkg))
		}
		for _, name := range g.tests {
			if name, _, _ := strings.Cut(name, "/"); !slices.Contains(tests[g.pkg], name) {
				t.Errorf("guard %s: %s has no %s", g.name, g.pkg, name)
			}
		}
	}
}

// declared are the tests of a folder.
func declared(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"-"}
	for _, f := range files {
		body, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range rule.FindAllStringSubmatch(string(body), -1) {
			names = append(names, m[1])
		}
	}
	return names
}

func TestGuardsThatDoNotFitAreRefused(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.go"), []byte("package a\n\nvar x, y = 1, 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for why, g := range map[string]guard{
		"occurs 0 times":  {file: "a.go", on: "z", off: ""},
		"occurs 2 times":  {file: "a.go", on: "1", off: "2"},
		"changes nothing": {file: "a.go", on: "x", off: "x"},
		"is no Go":        {file: "a.go", on: "var", off: "if"},
		"no such file":    {file: "b.go", on: "x", off: "y"},
	} {
		if _, err := g.switchedOff(root); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
	}
}
