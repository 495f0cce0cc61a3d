package mutant

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A tree is a parsed file.
type tree struct {
	set    *token.FileSet
	file   *ast.File
	source []byte
}

func (t tree) line(p token.Pos) int   { return t.set.Position(p).Line }
func (t tree) offset(p token.Pos) int { return t.set.Position(p).Offset }

// place finds the statement that begins on a line, and how it is switched off.
func (t tree) place(m *Mark, line int) error {
	found, inSwitch := t.statement(line)
	from, to := ast.Node(found), ast.Node(found)
	m.form = statement
	switch s := found.(type) {
	case nil:
		return fmt.Errorf("marks no statement: line %d begins with none", line)
	case *ast.IfStmt:
		m.form, from, to = condition, s.Cond, s.Cond
	case *ast.CaseClause:
		if !inSwitch || len(s.List) != 1 {
			return errors.New("marks a case that has not one condition: mark a statement below it")
		}
		m.form, from, to = condition, s.List[0], s.List[0]
	case *ast.CommClause, *ast.LabeledStmt:
		return errors.New("marks a label or a case of a select: mark a statement below it")
	case *ast.DeclStmt:
		m.form = declaration
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			m.form = declaration
		}
	}
	if m.form == declaration && m.Off == "" {
		return errors.New("marks a statement that declares a name: say with off= what follows it while it is off")
	}
	m.start, m.end = t.offset(from.Pos()), t.offset(to.End())
	return nil
}

// statement is the first that begins on a line, the outermost of those that begin there, and whether
// it is a case of a switch over conditions.
func (t tree) statement(line int) (found ast.Stmt, inSwitch bool) {
	cases := map[ast.Stmt]bool{}
	ast.Inspect(t.file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SwitchStmt); ok && s.Tag == nil {
			for _, c := range s.Body.List {
				cases[c] = true
			}
		}
		s, ok := n.(ast.Stmt)
		if _, block := n.(*ast.BlockStmt); !ok || block || t.line(s.Pos()) != line {
			return true
		}
		if found == nil || s.Pos() < found.Pos() {
			found = s
		}
		return true
	})
	return found, found != nil && cases[found]
}

// Overlay writes copies of the files of marks into dir, and the file that -overlay of the go command
// takes, whose path it returns. The copies keep the lines of the files.
func Overlay(root, dir string, marks []Mark) (string, error) {
	files := map[string][]Mark{}
	for _, m := range marks {
		files[m.File] = append(files[m.File], m)
	}
	replace := map[string]string{}
	for name, list := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		body, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		if body, err = switched(name, body, list); err != nil {
			return "", err
		}
		replace[path] = filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(replace[path], body, 0o600); err != nil {
			return "", err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, overlay, 0o600)
}

// An insertion is text put into a file. At one place, what ends goes before what begins, and of those
// that begin the longest first.
type insertion struct {
	at, order int
	text      string
}

// switched is a file with a switch around each of its marked statements.
func switched(name string, source []byte, marks []Mark) ([]byte, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, source, parser.PackageClauseOnly)
	if err != nil {
		return nil, err
	}
	in := []insertion{{at: set.Position(f.Name.End()).Offset, text: `; import mutantenv "os"`}}
	for i, m := range marks {
		before, after := m.around()
		depth := (m.end-m.start)*len(marks) - i // of several marks of one statement the first is outermost
		in = append(in, insertion{m.start, -depth, before}, insertion{m.end, depth - len(source)*(len(marks)+1), after})
	}
	slices.SortFunc(in, func(a, b insertion) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order)) })
	var out []byte
	last := 0
	for _, i := range in {
		out = append(append(out, source[last:i.at]...), i.text...)
		last = i.at
	}
	out = append(out, source[last:]...)
	if _, err := parser.ParseFile(token.NewFileSet(), name, out, parser.SkipObjectResolution); err != nil {
		return nil, fmt.Errorf("a statement with its switch is no Go, see what off= says: %w", err)
	}
	return out, nil
}

// around is what stands before and after what is replaced.
func (m *Mark) around() (before, after string) {
	is := func(op string) string { return fmt.Sprintf("mutantenv.Getenv(%q) %s %q", Env, op, m.Name) }
	switch {
	case m.form == condition && m.Off == "":
		return "(" + is("!=") + " && (", "))"
	case m.form == condition:
		return "(" + is("!=") + " && (", ") || " + is("==") + " && (" + m.Off + "))"
	case m.form == declaration:
		return "", "; if " + is("==") + " { " + m.Off + " }"
	case m.Off == "":
		return "if " + is("!=") + " { ", " }"
	default:
		return "if " + is("==") + " { " + m.Off + " } else { ", " }"
	}
}
