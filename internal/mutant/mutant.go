// Package mutant builds this module with marked statements that a test can switch off.
//
// A comment "//guard:NAME" directly above a statement, or behind it on its line, marks the statement.
// The comment may end in " off=TEXT", which is what stands there while the statement is off. A caller
// may also set Mark.Off; it has the package os under the name mutantenv. In a
// _test.go file the same comment, in the doc comment of a Test function, names the test that fails
// then; " run=SUBTEST" behind it narrows the test to one subtest.
//
// Overlay writes copies of the marked files in which Env chooses the statement that is off. One build
// serves all marks, and no file of the tree is touched.
package mutant

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Env names the environment variable that holds the name of the mark whose statement is off.
const Env = "CHARGEHAND_MUTANT"

// A Mark is a marked statement.
type Mark struct {
	Name string
	File string // from the module's root, with slashes
	Line int    // of the comment
	Off  string // what the statement, or its condition, reads while it is off; empty: it is left out

	form       form
	start, end int // bytes of what is replaced: a condition, or a statement
}

// At is the mark's place, for messages.
func (m *Mark) At() string { return fmt.Sprintf("%s:%d", m.File, m.Line) }

// A Test has to fail while the mark of its name is off.
type Test struct {
	Name    string // of the mark
	Package string // folder from the module's root, with slashes
	Func    string
	Subtest string // empty: all of the function
	Line    int
}

// A form says how a marked statement is switched off.
type form int

const (
	condition form = iota + 1 // of an if, or of a case
	statement
	declaration // which stays, and is followed by what Off says
)

// Find reads the marks of one kind ("guard") and their tests from the Go files below root. Testdata,
// nested modules and folders that begin with a dot are left out.
func Find(root, kind string) ([]Mark, []Test, error) {
	r := reader{prefix: "//" + kind + ":"}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && skipped(path):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(source, []byte(r.prefix)) {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		return r.file(filepath.ToSlash(name), source)
	})
	return r.marks, r.tests, err
}

func skipped(dir string) bool {
	name := filepath.Base(dir)
	if name[0] == '.' || name == "testdata" || name == "node_modules" {
		return true
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// A reader collects the marks and the tests of a tree.
type reader struct {
	prefix string
	marks  []Mark
	tests  []Test
}

// comment is what a mark's comment says: a name, and what follows its key.
var comment = regexp.MustCompile(`^([a-z0-9]+(?:-[a-z0-9]+)*)(?: (off|run)=(\S.*))?$`)

func (r *reader) file(name string, source []byte) error {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			text, is := strings.CutPrefix(c.Text, r.prefix)
			if !is {
				continue
			}
			at := set.Position(c.Pos())
			said := comment.FindStringSubmatch(text)
			if said == nil {
				return fmt.Errorf("%s: %q is no mark: write %sNAME, the name in lower case with hyphens, and off=TEXT (run=SUBTEST in a test) behind it if wanted", at, c.Text, r.prefix)
			}
			if strings.HasSuffix(name, "_test.go") {
				err = r.test(f, group, said, at)
			} else {
				err = r.mark(tree{set, f, source}, group, said, at)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reader) test(f *ast.File, group *ast.CommentGroup, said []string, at token.Position) error {
	if said[2] == "off" {
		return fmt.Errorf("%s: off= stands beside code, not beside a test", at)
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc == group && strings.HasPrefix(fn.Name.Name, "Test") {
			r.tests = append(r.tests, Test{said[1], filepath.ToSlash(filepath.Dir(at.Filename)), fn.Name.Name, said[3], at.Line})
			return nil
		}
	}
	return fmt.Errorf("%s: the mark %s stands above no Test function", at, said[1])
}

func (r *reader) mark(t tree, group *ast.CommentGroup, said []string, at token.Position) error {
	if said[2] == "run" {
		return fmt.Errorf("%s: run= stands beside a test, not beside code", at)
	}
	m := Mark{Name: said[1], File: at.Filename, Line: at.Line, Off: said[3]}
	line := t.line(group.End()) + 1
	if at.Column > 1 && len(bytes.TrimSpace(t.source[at.Offset-at.Column+1:at.Offset])) > 0 {
		line = at.Line // behind its statement
	}
	if err := t.place(&m, line); err != nil {
		return fmt.Errorf("%s: the mark %s %w", at, m.Name, err)
	}
	r.marks = append(r.marks, m)
	return nil
}
