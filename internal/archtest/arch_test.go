package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/chargehand/chargehand"

// may is the import table: what of this module each package may import directly. A package that
// is not listed falls under its nearest listed parent; "" is the root package.
var may = map[string][]string{
	"":                    {},
	"internal/route":      {""},
	"internal/supervise":  {"", "internal/route"},
	"internal/fleet":      {""},
	"internal/turn":       {"", "internal/supervise", "internal/fleet"},
	"internal/gate":       {""},
	"internal/journal":    {""},
	"internal/audit":      {"", "internal/regular"},
	"internal/evidence":   {"", "internal/audit"},
	"internal/witness":    {"", "internal/audit"},
	"internal/regular":    {},
	"internal/config":     {"", "internal/regular"},
	"internal/scaffold":   {""},
	"internal/registry":   {"", "internal/config"},
	"internal/httpapi":    {"", "internal/dial", "internal/account"},
	"client":              {""},
	"internal/dial":       {},
	"internal/secret":     {"internal/regular"},
	"internal/excerpt":    {},
	"internal/retryafter": {},
	"internal/mutant":     {},
	"internal/sandbox":    {"", "internal/regular"},
	"internal/account":    {},
	"internal/ijson":      {"internal/excerpt"},
	"worker":              {"", "internal/dial", "internal/secret", "internal/sandbox", "internal/excerpt", "internal/ijson", "internal/retryafter"},
	"ground":              {""},
	"model":               {"", "model/...", "internal/regular", "internal/dial", "internal/excerpt", "internal/retryafter"},
	"internal/provider":   {"", "model"},
	"tool":                {"", "internal/excerpt"},
	"tool/mcp":            {"", "tool", "internal/regular", "worker", "internal/dial", "internal/secret", "internal/sandbox", "internal/excerpt", "internal/retryafter"},
	"agent": {
		"", "ground", "worker", "model/...", "tool/...", "agent/...", "internal/dial", "internal/secret", "internal/excerpt",
		"internal/retryafter",
	},
	"internal/ingress": {},
	"internal/mcpapi":  {"", "internal/excerpt", "internal/ijson", "internal/dial", "internal/ingress"},
	"internal/a2aapi":  {"", "internal/excerpt", "internal/ijson", "internal/dial", "internal/ingress"},
	"internal/chatapi": {"", "internal/excerpt", "internal/ijson", "internal/dial", "internal/ingress"},
	"teams":            {"", "ground", "worker", "model", "teams/..."},
	"engine": {
		"", "internal/supervise", "internal/fleet", "internal/turn", "internal/route", "internal/gate",
		"internal/journal", "internal/audit", "internal/account", "internal/evidence", "internal/secret", "internal/sandbox", "internal/dial", "worker", "model", "engine/...",
	},
	"internal/sim": {
		"", "internal/supervise", "internal/fleet", "internal/route", "internal/gate", "internal/journal", "internal/turn",
		"internal/sim/...",
	},
	"internal/cli":      {"*"},
	"internal/archtest": {},
	"cmd":               {"internal/cli"},
	"examples":          {"", "worker", "model/...", "agent", "engine/...", "teams/..."},
	"bench":             {"*"},
	"e2e":               {"*"},
}

// pure are the machines: packages that read no clock, do no I/O and share nothing.
var pure = []string{"internal/supervise", "internal/fleet", "internal/route", "internal/turn"}

var impure = []string{
	"context", "log", "log/slog", "sync", "sync/atomic", "math/rand", "math/rand/v2", "crypto/rand",
	"os", "net", "net/http", "io", "unsafe", "encoding/json", "database/sql",
}

// clocks are functions of package time that a machine must not call.
var clocks = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

func TestImportTable(t *testing.T) {
	for _, f := range sources(t) {
		allowed, ok := rule(f.pkg)
		if !ok {
			t.Errorf("%s: package %q has no row in the import table", f.path, f.pkg)
			continue
		}
		for _, imp := range f.imports() {
			if ours, is := strings.CutPrefix(imp, module); is && !permits(allowed, strings.TrimPrefix(ours, "/")) {
				t.Errorf("%s: %q must not import %q", f.path, f.pkg, imp)
			}
		}
	}
}

func TestMachinesArePure(t *testing.T) {
	for _, f := range sources(t) {
		if !slices.Contains(pure, f.pkg) {
			continue
		}
		for _, imp := range f.imports() {
			if slices.Contains(impure, imp) {
				t.Errorf("%s: a machine must not import %q", f.path, imp)
			}
		}
		ast.Inspect(f.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: a machine must not start a goroutine", f.at(n))
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(clocks, n.Sel.Name) {
					t.Errorf("%s: a machine must not call time.%s", f.at(n), n.Sel.Name)
				}
			}
			return true
		})
	}
}

func TestRootNeedsOnlyTheStandardLibrary(t *testing.T) {
	for _, f := range sources(t) {
		for _, imp := range f.imports() {
			if f.pkg == "" && strings.Contains(strings.Split(imp, "/")[0], ".") {
				t.Errorf("%s: the root package must not import %q", f.path, imp)
			}
		}
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	docs := map[string]int{}
	for _, f := range sources(t) {
		docs[f.pkg] += 0
		if f.file.Doc != nil {
			docs[f.pkg]++
		}
	}
	for pkg, n := range docs {
		if n != 1 {
			t.Errorf("package %q has %d package comments, want 1", pkg, n)
		}
	}
}

func TestNoPackageIsADrawer(t *testing.T) {
	drawers := []string{"util", "utils", "common", "types", "helpers", "base", "manager", "shared", "misc"}
	for _, f := range sources(t) {
		if slices.Contains(drawers, filepath.Base(f.pkg)) {
			t.Errorf("%s: %q names no noun of the field", f.path, f.pkg)
		}
	}
}

func rule(pkg string) ([]string, bool) {
	for p := pkg; ; p = parent(p) {
		if allowed, ok := may[p]; ok && (p != "" || pkg == "") {
			return allowed, true
		}
		if p == "" {
			return nil, false
		}
	}
}

func parent(p string) string {
	if i := strings.LastIndex(p, "/"); i >= 0 {
		return p[:i]
	}
	return ""
}

func permits(allowed []string, imp string) bool {
	return slices.ContainsFunc(allowed, func(a string) bool {
		if below, ok := strings.CutSuffix(a, "/..."); ok {
			return imp == below || strings.HasPrefix(imp, below+"/")
		}
		return a == "*" || a == imp
	})
}

// A source is one file that is not a test.
type source struct {
	path, pkg string
	file      *ast.File
	set       *token.FileSet
}

func (s source) imports() []string {
	var out []string
	for _, i := range s.file.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		out = append(out, p)
	}
	return out
}

func (s source) at(n ast.Node) token.Position { return s.set.Position(n.Pos()) }

func sources(t *testing.T) []source {
	t.Helper()
	root := filepath.Join("..", "..")
	var out []source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root && (name[0] == '.' || name == "testdata" || name == "node_modules" || nested(path)) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		pkg, err := filepath.Rel(root, filepath.Dir(path))
		if pkg = filepath.ToSlash(pkg); pkg == "." {
			pkg = ""
		}
		out = append(out, source{path, pkg, f, set})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 50 {
		t.Fatalf("found only %d source files: the walk is wrong", len(out))
	}
	return out
}

// nested reports whether a folder is a module of its own.
func nested(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}
