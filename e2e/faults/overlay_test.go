package faults

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chargehand/chargehand/internal/mutant"
)

// matters are the calls with a point before and after them: all that is written, answered or
// begun. The value says whether the call has one result, so that a point can follow it wherever it
// stands; one without a result has none and is a statement of its own. The point after a call with
// two results is the one before the next.
var matters = map[string]int{
	"BeginTx": 2, "exec": 1, "ExecContext": 2, "Commit": 1, "QueryRowContext": 1, // SQLite
	"MkdirAll": 1, "CreateTemp": 2, "OpenFile": 2, "Write": 2, "Sync": 1, "Rename": 1, "syncDir": 1, // files
	"Append": 1, "audit.Replace": 1, "audit.NewTrail": 2, "WriteAt": 2, "f.Truncate": 1, "os.Remove": 1, // checkpoints and keys
	"Up": 2, "takeOver": 1, "lock": 2, "refold": 1, // start
	"publish": 0, "reply": 0, "put": 0, // what callers and the loop are told
	"begin": 0, "pursue": 0, "attempt": 0, // effects
}

// overlay writes copies of the files that patterns fit, with points in them, and answers the file
// that "go build -overlay" takes. No two of the files have the same name.
func overlay(t *testing.T, patterns ...string) string {
	t.Helper()
	out := t.TempDir()
	var files []string
	for _, p := range patterns {
		p, err := filepath.Abs(p)
		if err != nil {
			t.Fatal(err)
		}
		more, err := filepath.Glob(p)
		if err != nil || len(more) == 0 {
			t.Fatalf("no files fit %s (%v)", p, err)
		}
		files = append(files, more...)
	}
	replace := map[string]string{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, points := instrument(t, file)
		if points == 0 {
			continue
		}
		to := filepath.Join(out, filepath.Base(file))
		if err := os.WriteFile(to, text, 0o600); err != nil {
			t.Fatal(err)
		}
		replace[file] = to
	}
	return listed(t, out, replace)
}

// listed writes the file that says which file takes the place of which.
func listed(t *testing.T, out string, replace map[string]string) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(out, "overlay.json")
	if err := os.WriteFile(to, body, 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

// Faults of the victim that mutant.Env chooses, by the marks of the engine's statements that they
// replace.
const (
	wallClock = "wall-clock" // is off by what a variable says
	asleep    = "asleep"     // for eight hours as soon as a file is there
	unlocked  = "one-owner"  // the guard of a data folder is off
)

// faults are the statements that stand for a marked one. The clock is shifted where the engine reads
// it: Go asks the kernel without going through libc, so libfaketime does not reach it, and a time
// namespace moves no wall clock.
var faults = map[string]string{
	wallClock: `off, _ := time.ParseDuration(mutantenv.Getenv("CHARGEHAND_CLOCK_OFF")); return clock{boot: time.Now().Add(off), asleep: asleep()}`,
	asleep:    `if _, err := mutantenv.Stat(mutantenv.Getenv("CHARGEHAND_ASLEEP")); err == nil { return 8 * time.Hour }; return 0`,
}

// faulty builds the victim with the faults in it. Without mutant.Env it has none.
func faulty() (string, error) {
	root, err := filepath.Abs(filepath.Join(programs.sources, "../../engine/local"))
	if err != nil {
		return "", err
	}
	guards, _, err := mutant.Find(root, "guard")
	if err != nil {
		return "", err
	}
	marks := slices.DeleteFunc(guards, func(m mutant.Mark) bool { return m.Name != unlocked })
	own, _, err := mutant.Find(root, "fault")
	if err != nil {
		return "", err
	}
	for i := range own {
		own[i].Off = faults[own[i].Name]
	}
	if marks = append(marks, own...); len(marks) != 1+len(faults) {
		return "", fmt.Errorf("the engine marks %v: want //guard:%s and each of //fault:%v once", marks, unlocked, slices.Sorted(maps.Keys(faults)))
	}
	overlay, err := mutant.Overlay(root, programs.dir, marks)
	if err != nil {
		return "", err
	}
	return build("victim-faulty", "./victim", "-overlay", overlay)
}

// with is the environment of a faulty victim that has one fault.
func with(fault string, more ...string) []string { return append(more, mutant.Env+"="+fault) }

// An insertion is text to be put into a file.
type insertion struct {
	at   int
	text string
}

// instrument is a file with points in it, and how many.
func instrument(t *testing.T, file string) ([]byte, int) {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	at := func(p token.Pos) int { return set.Position(p).Offset }
	in := []insertion{{at(f.Name.End()), `; import "github.com/chargehand/chargehand/e2e/faults/crashpoint"`}}
	walk(f, func(call *ast.CallExpr, name string, results int, around ast.Stmt) {
		label := filepath.Base(file) + " " + enclosing(f, call) + ": " + name
		in = append(in, insertion{at(around.Pos()), fmt.Sprintf("crashpoint.Point(%q); ", "before "+label)})
		switch _, alone := around.(*ast.ExprStmt); {
		case results == 1 && !alone:
			in = append(in, insertion{at(call.Pos()), fmt.Sprintf("crashpoint.After(%q, ", "after "+label)}, insertion{at(call.End()), ")"})
		case results == 0 && alone:
			in = append(in, insertion{at(around.End()), fmt.Sprintf("; crashpoint.Point(%q)", "after "+label)})
		}
	})
	slices.SortStableFunc(in, func(a, b insertion) int { return cmp.Compare(a.at, b.at) })
	var out []byte
	last := 0
	for _, i := range in {
		out = append(append(out, src[last:i.at]...), i.text...)
		last = i.at
	}
	return append(out, src[last:]...), len(in) - 1
}

// walk calls do for every call that matters, with the statement of a block that it stands in.
func walk(f *ast.File, do func(call *ast.CallExpr, name string, results int, around ast.Stmt)) {
	var path []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			path = path[:len(path)-1]
			return true
		}
		path = append(path, n)
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name := called(call)
		results, ok := matters[name]
		if !ok {
			return true
		}
		for i := len(path) - 1; i > 0; i-- {
			if s, ok := path[i].(ast.Stmt); ok && lists(path[i-1]) {
				do(call, name, results, s)
				break
			}
		}
		return true
	})
}

func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		if of, ok := f.X.(*ast.Ident); ok {
			if name := of.Name + "." + f.Sel.Name; matters[name] > 0 {
				return name
			}
		}
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

func lists(n ast.Node) bool {
	switch n.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// enclosing is the function that a node stands in.
func enclosing(f *ast.File, n ast.Node) string {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Pos() <= n.Pos() && n.End() <= fn.End() {
			return fn.Name.Name
		}
	}
	return ""
}
