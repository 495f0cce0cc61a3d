// Package registry is a folder of team files: which teams it has, in which versions, which version is
// the active one, and which tenants a team is for (SPEC.md ·10). A file that cannot be used spoils no
// other.
package registry

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/config"
)

// IndexName is the file in the folder that says which versions are active, and for whom teams are. It
// may be missing.
const IndexName = "registry.yaml"

const (
	maxFiles       = 1_000 // in a folder
	defaultVersion = "1"   // of a team that names none
)

// An Index is what registry.yaml says.
type Index struct {
	Teams map[string]Entry `json:"teams,omitempty"`
}

// An Entry is what registry.yaml says of a team.
type Entry struct {
	Active  string   `json:"active,omitempty"`  // version; empty means the only one there is
	Tenants []string `json:"tenants,omitempty"` // that may run it; empty means everyone
}

// A File is a team file in the folder: a team, or what is wrong.
type File struct {
	Path    string
	Team    *chargehand.Team // nil where Problem says why
	Problem error
}

// Version is the version that the file declares, "1" where it declares none.
func (f *File) Version() string { return cmp.Or(f.Team.Version, defaultVersion) }

// A Registry is a folder as it was read.
type Registry struct {
	Dir   string
	Files []File // by name
	index Index
}

// Open reads a folder; load reads a team file. An index that cannot be used is an error, a team file
// that cannot is a File with a Problem.
func Open(dir string, load func(path string) (*chargehand.Team, error)) (*Registry, error) {
	paths, err := teamFiles(dir)
	if err != nil {
		return nil, err
	}
	r := &Registry{Dir: dir}
	for _, path := range paths {
		f := File{Path: path}
		if f.Team, f.Problem = load(path); f.Problem != nil {
			f.Team = nil
		}
		r.Files = append(r.Files, f)
	}
	r.twins()
	return r, r.readIndex()
}

// teamFiles are the files of the folder that would be teams, whatever they are.
func teamFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, unreadable(dir, err)
	}
	var paths []string
	for _, e := range entries {
		name := e.Name()
		if name != IndexName && !strings.HasPrefix(name, ".") && IsFile(name) {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	if len(paths) > maxFiles {
		return nil, &chargehand.Error{
			Code: chargehand.CodeInvalid, What: "cannot use the registry " + dir,
			Why: fmt.Sprintf("it has %d files, the most is %d", len(paths), maxFiles), Next: "move what is not in use elsewhere",
		}
	}
	return paths, nil
}

// IsFile reports whether a name is that of a team file.
func IsFile(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(name)))
}

func unreadable(dir string, err error) error {
	e := &chargehand.Error{Code: chargehand.CodeUnavailable, What: "cannot read the registry " + dir, Why: err.Error(), Err: err}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		e.Why = p.Err.Error()
	}
	if errors.Is(err, fs.ErrNotExist) {
		e.Code, e.Why, e.Next = chargehand.CodeNotFound, "there is no such folder", "name a folder of team files with --registry"
	}
	return e
}

// twins refuses files that declare the same version of the same team: which one counted would be
// chance.
func (r *Registry) twins() {
	first := map[string]int{}
	for i := range r.Files {
		f := &r.Files[i]
		if f.Team == nil {
			continue
		}
		id := f.Team.Name + "@" + f.Version()
		if _, taken := first[id]; !taken {
			first[id] = i
		}
	}
	count := map[string]int{}
	for i := range r.Files {
		if t := r.Files[i].Team; t != nil {
			count[t.Name+"@"+r.Files[i].Version()]++
		}
	}
	for i := range r.Files {
		f := &r.Files[i]
		if f.Team == nil {
			continue
		}
		id := f.Team.Name + "@" + f.Version()
		if count[id] < 2 {
			continue
		}
		other := r.Files[first[id]].Path
		if first[id] == i {
			other = "another file"
		}
		f.Team, f.Problem = nil, &chargehand.Error{
			Code: chargehand.CodeInvalid, What: "cannot use " + f.Path, Why: other + " declares " + id + " too",
			Next: "give each version of a team one file",
		}
	}
}

func (r *Registry) readIndex() error {
	path := filepath.Join(r.Dir, IndexName)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	index, err := config.Read(path, "registry", r.checkIndex)
	if err != nil {
		return err
	}
	r.index = *index
	return nil
}

// checkIndex finds what the index says of teams and versions that the folder does not have. While a
// file of the folder is broken, what it holds is not known, and nothing is said.
func (r *Registry) checkIndex(x *Index) []chargehand.Problem {
	var problems []chargehand.Problem
	broken := slices.ContainsFunc(r.Files, func(f File) bool { return f.Team == nil })
	for _, name := range sortedNames(x.Teams) {
		path, e := "$.teams."+name, x.Teams[name]
		for i, t := range e.Tenants {
			if strings.TrimSpace(t) == "" {
				problems = append(problems, chargehand.Problem{Path: fmt.Sprintf("%s.tenants[%d]", path, i), Message: "is empty"})
			}
		}
		versions := r.versions(name)
		switch {
		case broken:
		case len(versions) == 0:
			problems = append(problems, chargehand.Problem{Path: path, Message: "no file in the folder declares this team", Hint: near(name, r.names())})
		case e.Active != "" && !slices.Contains(versions, e.Active):
			problems = append(problems, chargehand.Problem{
				Path: path + ".active", Message: "no file in the folder declares version `" + e.Active + "`", Hint: "there is " + strings.Join(versions, ", "),
			})
		}
	}
	return problems
}

func near(word string, known []string) string {
	if n := chargehand.Near(word, known); n != "" {
		return "did you mean `" + n + "`?"
	}
	return ""
}

func sortedNames(m map[string]Entry) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// names are the teams of the folder.
func (r *Registry) names() []string {
	var names []string
	for i := range r.Files {
		if t := r.Files[i].Team; t != nil && !slices.Contains(names, t.Name) {
			names = append(names, t.Name)
		}
	}
	slices.Sort(names)
	return names
}

// versions are those of a team, in the order of their files.
func (r *Registry) versions(name string) []string {
	var all []string
	for i := range r.Files {
		if t := r.Files[i].Team; t != nil && t.Name == name {
			all = append(all, r.Files[i].Version())
		}
	}
	return all
}

// Tenants are those that may run a team; none means everyone.
func (r *Registry) Tenants(name string) []string { return r.index.Teams[name].Tenants }

// Active is the active version of a team; empty where the folder has several and the index names none,
// or the active one is broken.
func (r *Registry) Active(name string) string {
	versions, active := r.versions(name), r.index.Teams[name].Active
	switch {
	case active == "" && len(versions) == 1:
		return versions[0]
	case slices.Contains(versions, active):
		return active
	}
	return ""
}

// Find is a team of the folder: "NAME", which is its active version, or "NAME@VERSION".
func (r *Registry) Find(ref string) (*File, error) {
	name, version, named := strings.Cut(ref, "@")
	versions := r.versions(name)
	if len(versions) == 0 {
		return nil, &chargehand.Error{
			Code: chargehand.CodeNotFound, What: fmt.Sprintf("there is no team %q in the registry %s", name, r.Dir), Why: near(name, r.names()),
			Next: "chargehand registry list",
		}
	}
	if !named {
		if version = r.Active(name); version == "" {
			return nil, r.undecided(name, versions)
		}
	}
	for i := range r.Files {
		if f := &r.Files[i]; f.Team != nil && f.Team.Name == name && f.Version() == version {
			return f, nil
		}
	}
	return nil, &chargehand.Error{
		Code: chargehand.CodeNotFound, What: fmt.Sprintf("there is no version %q of the team %q in the registry %s", version, name, r.Dir),
		Why: "there is " + strings.Join(versions, ", "), Next: "chargehand registry list",
	}
}

func (r *Registry) undecided(name string, versions []string) error {
	e := &chargehand.Error{
		Code: chargehand.CodeInvalid, What: fmt.Sprintf("no version of the team %q is active", name),
		Why:  "the registry has " + strings.Join(versions, ", "),
		Next: fmt.Sprintf("name one, such as %s@%s, or set teams.%s.active in %s", name, versions[len(versions)-1], name, filepath.Join(r.Dir, IndexName)),
	}
	if active := r.index.Teams[name].Active; active != "" {
		e.Why = "version " + active + " is, and its file cannot be used"
	}
	return e
}
