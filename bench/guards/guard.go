package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A guard is a piece of source that keeps something from happening.
type guard struct {
	name     string // lower case, words joined by hyphens; unique
	protects string // one sentence, with the row of SPEC.md (·N) or of RELIABILITY.md (row N)

	pkg  string // folder of the package, from the module's root
	file string // in that folder
	on   string // the source as it is; occurs once in the file
	off  string // what stands there while the guard is switched off

	tests []string // of the package, "TestName" or "TestName/its subtest"; one of them has to fail then
}

// A section is the guards of one package.
type section struct {
	pkg    string
	tests  []string // of the guards that name none
	guards []guard
}

// list are the section's guards, complete.
func (s section) list() []guard {
	out := make([]guard, len(s.guards))
	for i, g := range s.guards {
		g.pkg = s.pkg
		if g.tests == nil {
			g.tests = s.tests
		}
		out[i] = g
	}
	return out
}

// path is that of the guard's file, from the module's root.
func (g *guard) path() string { return filepath.Join(g.pkg, g.file) }

// pattern is for -run of go test.
func pattern(tests []string) string {
	var all []string
	for _, t := range tests {
		parts := strings.Split(t, "/")
		for i := range parts {
			parts[i] = "^" + regexp.QuoteMeta(parts[i]) + "$"
		}
		all = append(all, strings.Join(parts, "/"))
	}
	return strings.Join(all, "|")
}

// switchedOff is the guard's file without it. A piece that is no longer there, or that is there
// twice, is an error: the table has to be brought up to date.
func (g *guard) switchedOff(root string) ([]byte, error) {
	body, err := os.ReadFile(filepath.Join(root, g.path()))
	if err != nil {
		return nil, fmt.Errorf("guard %s: %w", g.name, err)
	}
	if n := strings.Count(string(body), g.on); n != 1 {
		return nil, fmt.Errorf("guard %s: its source occurs %d times in %s, and should once: %q", g.name, n, g.path(), g.on)
	}
	if g.on == g.off {
		return nil, fmt.Errorf("guard %s: switching it off changes nothing", g.name)
	}
	text := strings.Replace(string(body), g.on, g.off, 1)
	if _, err := parser.ParseFile(token.NewFileSet(), g.path(), text, parser.SkipObjectResolution); err != nil {
		return nil, fmt.Errorf("guard %s: switched off it is no Go: %w", g.name, err)
	}
	return []byte(text), nil
}

// moduleRoot is the folder of the go.mod around the current one.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("there is no go.mod above %s: run it inside the module", dir)
		}
	}
}
