package main

import (
	"strings"
	"testing"

	"github.com/chargehand/chargehand/internal/mutant"
)

// Every promise has one marked statement and a marked test, and the overlay of all can be written.
func TestEveryPromiseIsMarked(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	guards, err := find(root)
	if err != nil {
		t.Fatal(err)
	}
	b, err := newBench(root, guards)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.close(); err != nil {
		t.Fatal(err)
	}
}

func TestNamesThatDoNotFit(t *testing.T) {
	mark := func(name, file string) mutant.Mark { return mutant.Mark{Name: name, File: file, Line: 3} }
	test := func(name, pkg string) mutant.Test { return mutant.Test{Name: name, Package: pkg, Func: "TestA"} }
	for _, c := range []struct {
		name, promises string
		marks          []mutant.Mark
		tests          []mutant.Test
		want           string
	}{
		{"all there", "a  A holds.\n", []mutant.Mark{mark("a", "a.go")}, []mutant.Test{test("a", "p"), test("a", "p")}, ""},
		{"no promise", "a\n", nil, nil, "does not say what it promises"},
		{"twice", "a  A.\na  B.\n", nil, nil, "names it twice"},
		{"no statement", "a  A.\n", nil, []mutant.Test{test("a", "p")}, "no statement is marked"},
		{"no test", "a  A.\n", []mutant.Mark{mark("a", "a.go")}, nil, "no test is marked"},
		{"an unknown mark", "", []mutant.Mark{mark("a", "a.go")}, nil, "a.go:3 marks it, and promises.txt has no such name"},
		{"an unknown test", "", nil, []mutant.Test{test("a", "p")}, "p.TestA marks it, and promises.txt has no such name"},
		{"two statements", "a  A.\n", []mutant.Mark{mark("a", "a.go"), mark("a", "b.go")}, nil, "a.go:3 and b.go:3"},
		{"two packages", "a  A.\n", nil, []mutant.Test{test("a", "p"), test("a", "q")}, "two packages, p and q"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := join(c.promises, c.marks, c.tests)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("want %q, got %v", c.want, err)
			}
		})
	}
}

// A guard that no test misses, and one whose tests hang, are told from one that is tested.
func TestResults(t *testing.T) {
	r := newReport(nil)
	for _, x := range []result{red, red, green, unclear} {
		r.add(row{Result: x})
	}
	if err := r.broken(); err == nil || !strings.Contains(err.Error(), "of 4 guards no test misses 1, and 1 are unclear") {
		t.Errorf("got %v", err)
	}
	r = newReport(nil)
	r.add(row{Result: red})
	if err := r.broken(); err != nil {
		t.Error(err)
	}
}

func TestLeaf(t *testing.T) {
	if have := leaf([]string{"TestA", "TestA/b", "TestA/b/c"}); have != "TestA/b/c" {
		t.Errorf("got %s", have)
	}
}
