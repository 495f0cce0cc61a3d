package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module is a small module with one guard and a test of it.
func module(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, body := range map[string]string{
		"go.mod":    "module example.com/door\n\ngo 1.26\n",
		"a/door.go": "package a\n\nfunc open(key string) bool {\n\tif key != \"mine\" {\n\t\treturn false\n\t}\n\tprintln(\"open\")\n\treturn true\n}\n",
		"a/door_test.go": "package a\n\nimport \"testing\"\n\n" +
			"func TestDoor(t *testing.T) {\n\tt.Run(\"his key\", func(t *testing.T) {\n\t\tif open(\"his\") {\n\t\t\tt.Error(\"open\")\n\t\t}\n\t})\n}\n\n" +
			"func TestNothing(t *testing.T) {}\n\nfunc TestElsewhere(t *testing.T) { t.Skip(\"not here\") }\n",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestWhatIsRed switches one guard off in several ways.
func TestWhatIsRed(t *testing.T) {
	const on = `key != "mine"`
	b := &bench{root: module(t), dir: t.TempDir(), guards: []guard{
		{name: "noticed", on: on, off: `key == "nobody's"`, tests: []string{"TestDoor"}},
		{name: "subtest", on: on, off: `key == "nobody's"`, tests: []string{"TestDoor/his key"}},
		{name: "unnoticed", on: on, off: `key == "nobody's"`, tests: []string{"TestNothing"}},
		{name: "no-go", on: on, off: `key != lock`, tests: []string{"TestDoor"}},
		{name: "breaks-off", on: on, off: `key == os`, tests: []string{"TestDoor"}},
	}}
	b.guards[4].on, b.guards[4].off = "package a\n\nfunc open(key string) bool {\n", "package a\n\nimport \"os\"\n\nfunc open(key string) bool {\n\tos.Exit(3)\n"
	for i := range b.guards {
		g := &b.guards[i]
		g.pkg, g.file = "a", "door.go"
		if err := b.prepare(g); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.prove(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []struct {
		result  result
		by, why string
	}{
		{red, "TestDoor/his_key", ""},
		{red, "TestDoor/his_key", ""},
		{green, "", "no test misses it"},
		{unclear, "", "undefined: lock"},
		{red, "TestDoor", ""},
	}
	var all report
	i := 0
	for r := range b.examine(t.Context()) {
		all.add(r)
		if w := want[i]; r.Result != w.result || !strings.HasPrefix(r.By, w.by) || !strings.Contains(r.Why, w.why) {
			t.Errorf("%s: %+v", r.Guard, r)
		}
		i++
	}
	if err := all.broken(); err == nil || all.Guards != 5 || all.Red != 3 || all.Green != 1 || all.Unclear != 1 {
		t.Errorf("%+v: %v", all, err)
	}
}

// TestWhatCannotJudge names tests that are not there, are skipped, or fail with every guard on.
func TestWhatCannotJudge(t *testing.T) {
	root := module(t)
	for name, why := range map[string]string{
		"TestWindow": "there is no TestWindow", "TestElsewhere": "TestElsewhere is skipped", "TestDoor/her key": "there is no TestDoor/her_key",
	} {
		b := &bench{root: root, guards: []guard{{name: "x", pkg: "a", tests: []string{name}}}}
		if err := b.prove(t.Context()); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
