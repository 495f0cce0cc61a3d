package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/chargehand/chargehand/internal/mutant"
)

// promises are lines "name  what the user is promised".
//
//go:embed promises.txt
var promises string

// A guard is a promise, the statement that keeps it, and the tests that miss the statement.
type guard struct {
	promise string
	mark    mutant.Mark
	tests   []mutant.Test // at least one, all of one package
}

func (g *guard) pkg() string { return g.tests[0].Package }

// pattern is for -run of a test binary.
func (g *guard) pattern() string {
	var all []string
	for _, t := range g.tests {
		p := "^" + t.Func + "$"
		if t.Subtest != "" {
			p += "/^" + regexp.QuoteMeta(t.Subtest) + "$"
		}
		all = append(all, p)
	}
	return strings.Join(all, "|")
}

// find joins promises, marks and tests by name, in the order of the promises. Its error names every
// name that lacks one of them, or has two that contradict each other.
func find(root string) ([]guard, error) {
	marks, tests, err := mutant.Find(root, "guard")
	if err != nil {
		return nil, err
	}
	return join(promises, marks, tests)
}

func join(promises string, marks []mutant.Mark, tests []mutant.Test) ([]guard, error) {
	var out []guard
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for line := range strings.Lines(promises) {
		name, promise, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch promise = strings.TrimSpace(promise); {
		case name == "":
		case promise == "":
			bad("guard %s: promises.txt does not say what it promises", name)
		case slices.ContainsFunc(out, func(g guard) bool { return g.mark.Name == name }):
			bad("guard %s: promises.txt names it twice", name)
		default:
			out = append(out, guard{promise: promise, mark: mutant.Mark{Name: name}})
		}
	}
	of := func(name, at string) *guard {
		i := slices.IndexFunc(out, func(g guard) bool { return g.mark.Name == name })
		if i < 0 {
			bad("guard %s: %s marks it, and promises.txt has no such name", name, at)
			return nil
		}
		return &out[i]
	}
	for _, m := range marks {
		switch g := of(m.Name, m.At()); {
		case g == nil:
		case g.mark.File != "":
			bad("guard %s: two statements are marked, at %s and %s", m.Name, g.mark.At(), m.At())
		default:
			g.mark = m
		}
	}
	for _, t := range tests {
		switch g := of(t.Name, t.Package+"."+t.Func); {
		case g == nil:
		case len(g.tests) > 0 && g.pkg() != t.Package:
			bad("guard %s: its tests are of two packages, %s and %s", t.Name, g.pkg(), t.Package)
		default:
			g.tests = append(g.tests, t)
		}
	}
	for _, g := range out {
		if g.mark.File == "" {
			bad("guard %s: no statement is marked: write //guard:%s above the one that keeps the promise", g.mark.Name, g.mark.Name)
		}
		if len(g.tests) == 0 {
			bad("guard %s: no test is marked: write //guard:%s above the Test function that fails without it", g.mark.Name, g.mark.Name)
		}
	}
	return out, errors.Join(errs...)
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
