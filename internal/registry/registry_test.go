//go:build unix

package registry

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/config"
)

func team(name, version string) string {
	return "name: " + name + "\nversion: \"" + version + "\"\nworkers: [{workerId: a, capabilities: [x]}]\n" +
		"planner: {template: {subtasks: [{id: s, goal: do, capability: x}]}}\n"
}

func folder(t *testing.T, files map[string]string) string {
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func load(path string) (*chargehand.Team, error) { return config.Load(path) }

func open(t *testing.T, files map[string]string) *Registry {
	r, err := Open(folder(t, files), load)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Find answers with a version and its file, or says why not.
func TestFind(t *testing.T) {
	two := map[string]string{"one.yaml": team("nda", "1"), "two.yml": team("nda", "2.1"), "other.json": `{"name": "lease", "workers": [{"workerId": "a", "capabilities": ["x"]}], "planner": {"template": {"subtasks": [{"id": "s", "goal": "do", "capability": "x"}]}}}`}
	active := func(v string) map[string]string {
		m := map[string]string{"registry.yaml": "teams: {nda: {active: \"" + v + "\"}}\n"}
		for name, text := range two {
			m[name] = text
		}
		return m
	}
	broken := active("2.1")
	broken["two.yml"] = "name: nda\nversion: \"2.1\"\nwor"
	twins := active("1")
	twins["three.yaml"] = team("nda", "2.1")
	for _, c := range []struct {
		name  string
		files map[string]string
		ref   string
		want  string // file, or the beginning of an error
	}{
		{"the only version", two, "lease", "other.json"},
		{"a version that no file names is 1", two, "lease@1", "other.json"},
		{"a version by name", two, "nda@2.1", "two.yml"},
		{"several and none active", two, "nda", "no version of the team \"nda\" is active: the registry has 1, 2.1"},
		{"the active one", active("1"), "nda", "one.yaml"},
		{"rolled out", active("2.1"), "nda", "two.yml"},
		{"another than the active one", active("2.1"), "nda@1", "one.yaml"},
		{"no such version", two, "nda@3", "there is no version \"3\" of the team \"nda\""},
		{"no such team", two, "nad", "there is no team \"nad\""},
		{"the active one is broken", broken, "nda", "no version of the team \"nda\" is active: version 2.1 is, and its file cannot be used"},
		{"what is broken spoils no other", broken, "nda@1", "one.yaml"},
		{"two files of one version are none", twins, "nda@2.1", "there is no version \"2.1\""},
		{"and spoil no other", twins, "nda", "one.yaml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := open(t, c.files).Find(c.ref)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				got = filepath.Base(f.Path)
			}
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}

// An index that names what is not there is refused with its place.
func TestIndexThatIsWrong(t *testing.T) {
	for _, c := range []struct{ index, want string }{
		{"teams:\n  nad: {active: \"1\"}\n", "registry.yaml:2:8: $.teams.nad: no file in the folder declares this team (did you mean `nda`?)"},
		{"teams:\n  nda: {active: \"2\"}\n", "registry.yaml:2:17: $.teams.nda.active: no file in the folder declares version `2` (there is 1)"},
		{"teams:\n  nda: {activ: \"1\"}\n", "registry.yaml:2:9: $.teams.nda.activ: "},
		{"teams:\n  nda: {tenants: [\" \"]}\n", "registry.yaml:2:19: $.teams.nda.tenants[0]: is empty"},
	} {
		_, err := Open(folder(t, map[string]string{"a.yaml": team("nda", "1"), "registry.yaml": c.index}), load)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v\nwant %s", c.index, err, c.want)
		}
	}
}

// What is no file, too large or not there is told, and nothing waits.
func TestHostileFolders(t *testing.T) {
	dir := folder(t, map[string]string{"a.yaml": team("nda", "1"), "huge.yaml": strings.Repeat("#", config.MaxBytes+1), ".hidden.yaml": "x", "notes.txt": "x"})
	outside := folder(t, map[string]string{"b.yaml": team("lease", "1")})
	for _, err := range []error{
		os.Mkdir(filepath.Join(dir, "folder.yaml"), 0o700),
		fifo(filepath.Join(dir, "fifo.yaml")),
		os.Symlink(filepath.Join(outside, "b.yaml"), filepath.Join(dir, "link.yaml")),
		os.Symlink("loop.yaml", filepath.Join(dir, "loop.yaml")),
		os.Symlink("nowhere", filepath.Join(dir, "dangling.yaml")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	r, err := Open(dir, load)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"a.yaml": "", "link.yaml": "", "huge.yaml": "bytes", "folder.yaml": "it is a folder", "fifo.yaml": "it is a FIFO",
		"loop.yaml": "too many levels", "dangling.yaml": "there is no such file",
	}
	for _, f := range r.Files {
		name, got := filepath.Base(f.Path), ""
		if f.Problem != nil {
			got = f.Problem.Error()
		}
		if part, ok := want[name]; !ok || !strings.Contains(got, part) || (part == "") != (got == "") {
			t.Errorf("%s: got %q, want %q", name, got, part)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("not read: %v", want)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, load); chargehand.CodeOf(err) != chargehand.CodeNotFound {
		t.Errorf("a folder that is gone: %v", err)
	}
}
