// Package config reads teams and plans from YAML or JSON. It is strict: a field that does not
// exist, a value of the wrong kind or a key given twice is a problem, and every problem is told at
// once, with its line and column (SPEC.md ·10, ·203).
package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/regular"
)

// MaxBytes is the most a file may have.
const MaxBytes = 1 << 20

const maxProblems = 1_000 // that one error tells

// Load reads the team in a file. The problems of Team.Check and Team.CheckCeiling, and of the checks in also, are placed
// in the file and told together with those of reading it, in one *chargehand.Error. The folder of
// an exec worker or a tool server, and its program where that is a relative path, are made
// absolute: they are relative to the team file's folder, which is also the folder where none is
// given.
func Load(path string, also ...func(*chargehand.Team) []chargehand.Problem) (*chargehand.Team, error) {
	data, err := read(path)
	if err != nil {
		return nil, err
	}
	team, err := Parse(path, data, also...)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("find the folder of %s: %w", path, err)
	}
	settle(team, dir)
	return team, nil
}

// Parse reads a team from data; name is the file's name in problems. It leaves paths as they are.
func Parse(name string, data []byte, also ...func(*chargehand.Team) []chargehand.Problem) (*chargehand.Team, error) {
	return parse(document{name, "team", data}, append([]func(*chargehand.Team) []chargehand.Problem{(*chargehand.Team).Check, (*chargehand.Team).CheckCeiling}, also...))
}

// LoadPlan reads the plan in a file. Whether the plan fits a team is for a check to say: pass the
// team's CheckPlan.
func LoadPlan(path string, checks ...func(*chargehand.Plan) []chargehand.Problem) (*chargehand.Plan, error) {
	data, err := read(path)
	if err != nil {
		return nil, err
	}
	return ParsePlan(path, data, checks...)
}

// ParsePlan reads a plan from data; name is the file's name in problems.
func ParsePlan(name string, data []byte, checks ...func(*chargehand.Plan) []chargehand.Problem) (*chargehand.Plan, error) {
	return parse(document{name, "plan", data}, checks)
}

// Read reads a file of some other kind: noun names it in errors, and the problems that the checks find
// are placed in it.
func Read[T any](path, noun string, checks ...func(*T) []chargehand.Problem) (*T, error) {
	data, err := read(path)
	if err != nil {
		return nil, err
	}
	return parse(document{path, noun, data}, checks)
}

// Place finds problems of the team that a file declares in that file, as far as it still declares it.
// Problems of other things stay as they are.
func Place(path string, problems []chargehand.Problem) []chargehand.Problem {
	data, err := read(path)
	if err != nil {
		return problems
	}
	root, wrong := tree(document{path, "team", data})
	if len(wrong) > 0 {
		return problems
	}
	d := newDecoder()
	d.decode(root, new(chargehand.Team))
	out := slices.Clone(problems)
	for i := range out {
		p := &out[i]
		if p.File != "" || !strings.HasPrefix(p.Path, "$") || strings.HasPrefix(p.Path, "$.objective") {
			continue
		}
		own := p.Path
		if rest, ok := strings.CutPrefix(p.Path, "$.team"); ok {
			own = "$" + rest
		}
		if at, known := d.locate(own); !known {
			p.File, p.Path, p.Line, p.Column = path, own, at.line, at.column
		}
	}
	return out
}

// A document is a file to be read as something.
type document struct {
	name string
	noun string
	data []byte
}

func parse[T any](doc document, checks []func(*T) []chargehand.Problem) (*T, error) {
	root, problems := tree(doc)
	if len(problems) > 0 {
		return nil, doc.refuse(problems)
	}
	v, d := new(T), newDecoder()
	d.decode(root, v)
	for _, check := range checks {
		d.adopt(check(v))
	}
	if len(d.problems) > 0 {
		return nil, doc.refuse(d.problems)
	}
	return v, nil
}

// tree reads the text into nodes. A file that calls itself JSON is read as JSON, and so is one
// that happens to be: the two agree but for escapes and tabs.
func tree(doc document) (*node, []chargehand.Problem) {
	if p := legible(doc); p != nil {
		return nil, []chargehand.Problem{*p}
	}
	data := bytes.TrimPrefix(doc.data, []byte(byteOrderMark))
	if strings.EqualFold(filepath.Ext(doc.name), ".json") || json.Valid(data) {
		return fromJSON(data)
	}
	return fromYAML(string(data), doc.noun)
}

func (doc document) refuse(problems []chargehand.Problem) error {
	for i := range problems {
		problems[i].File = doc.name
	}
	slices.SortStableFunc(problems, func(a, b chargehand.Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	why := "1 problem"
	if n := len(problems); n > 1 {
		why = fmt.Sprint(n, " problems")
	}
	if len(problems) > maxProblems {
		why += fmt.Sprintf("; these are the first %d", maxProblems)
		problems = problems[:maxProblems]
	}
	return &chargehand.Error{
		Code: chargehand.CodeInvalid, What: "cannot use " + doc.name + " as a " + doc.noun, Why: why,
		Next: "correct the file and try again", Problems: problems,
	}
}

func read(path string) ([]byte, error) {
	f, err := regular.Open(path)
	if errors.Is(err, regular.ErrFolder) {
		return nil, &chargehand.Error{
			Code: chargehand.CodeInvalid, What: "cannot read " + path, Why: "it is a folder",
			Next: "name the file in it, such as " + filepath.Join(path, "team.yaml"),
		}
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, unreadable(path, err)
	}
	return data, nil
}

func unreadable(path string, err error) error {
	e := &chargehand.Error{Code: chargehand.CodeUnavailable, What: "cannot read " + path, Why: err.Error(), Err: err}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		e.Why = p.Err.Error()
	}
	switch {
	case path == "" || errors.Is(err, fs.ErrNotExist):
		e.Code, e.Why = chargehand.CodeNotFound, "there is no such file"
		e.Next = "check the name, or make a first team with: chargehand init"
	case errors.Is(err, fs.ErrPermission):
		e.Code, e.Why = chargehand.CodeNotAllowed, "this account may not read it"
		e.Next = "give it the right to, or copy the file"
	}
	return e
}

// settle makes the paths of exec workers and tool servers absolute.
func settle(t *chargehand.Team, dir string) {
	for i := range t.Workers {
		if x := t.Workers[i].Exec; x != nil {
			settleCommand(dir, &x.Dir, x.Command)
			settleReach(dir, x.Dir, &x.Reach)
		}
	}
	for i := range t.Tools {
		if s := &t.Tools[i]; len(s.Command) > 0 {
			settleCommand(dir, &s.Dir, s.Command)
			settleReach(dir, s.Dir, &s.Reach)
		}
	}
}

func settleCommand(dir string, folder *string, command []string) {
	*folder = within(dir, *folder)
	if strings.ContainsRune(command[0], filepath.Separator) {
		command[0] = within(dir, command[0])
	}
}

// settleReach makes paths absolute. The team's own folder may be read even where the program starts in
// another.
func settleReach(dir, folder string, r *chargehand.Reach) {
	for _, paths := range [][]string{r.Read, r.Write} {
		for i := range paths {
			paths[i] = within(dir, paths[i])
		}
	}
	if folder != dir && !slices.Contains(r.Read, dir) {
		r.Read = append(r.Read, dir)
	}
}

func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
