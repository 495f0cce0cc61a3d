package faults

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// nobody is a user without rights; the tests of folders need to be started by one who has all.
var nobody = &syscall.Credential{Uid: 65534, Gid: 65534}

// TestUnusableFolders has a user without rights ask for folders that are read-only, somebody
// else's, or under something that cannot be entered: each is refused with what is wrong and what
// to do, and nothing is made.
func TestUnusableFolders(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can start a process as another user, and rights mean nothing to root")
	}
	program := built(t, programs.chargehand)
	root := t.TempDir()
	for dir := root; dir != "/"; dir = filepath.Dir(dir) {
		open(t, dir)
	}
	open(t, filepath.Dir(program))
	open(t, program)

	used := filepath.Join(root, "used")
	write(t, filepath.Join(root, "notes.txt"), "The fee is EUR 500 per month.")
	open(t, filepath.Join(root, "notes.txt"))
	review := []string{"run", "contract-review", filepath.Join(root, "notes.txt")}
	run(t, used, review...).wait(t)
	mode(t, used, 0o755)
	for _, c := range []struct {
		name, data string
		args       []string
		code       int
		says       string
	}{
		{"read-only", folder(t, root, "readonly", 0o555, nobody), review, 1, "permission denied"},
		{"somebody else's", folder(t, root, "others", 0o700, nil), review, 1, "permission denied"},
		{"missing below a folder that cannot be written", filepath.Join(folder(t, root, "parent", 0o755, nil), "below"), review, 1, "permission denied"},
		{"below a file", filepath.Join(folderWithFile(t, root), "file", "below"), review, 1, "not a directory"},
		{"a journal of somebody else's", used, []string{"runs", "list"}, 1, "permission denied"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := tree(t, root)
			runAs(t, nobody, c.data, c.args...).want(t, c.code, c.says, c.data, "--data")
			if diff := cmp.Diff(before, tree(t, root)); diff != "" {
				t.Errorf("something was made or changed: %s", diff)
			}
		})
	}
}

// open lets everybody enter.
func open(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm()&0o055 != 0o055 {
		mode(t, path, info.Mode().Perm()|0o055)
	}
}

func mode(t *testing.T, path string, m fs.FileMode) {
	t.Helper()
	if err := os.Chmod(path, m); err != nil {
		t.Fatal(err)
	}
}

// folder makes a folder with a mode, of root or of somebody.
func folder(t *testing.T, root, name string, m fs.FileMode, owner *syscall.Credential) string {
	t.Helper()
	dir := filepath.Join(root, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if owner != nil {
		if err := os.Chown(dir, int(owner.Uid), int(owner.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	mode(t, dir, m)
	return dir
}

func folderWithFile(t *testing.T, root string) string {
	t.Helper()
	dir := folder(t, root, "holder", 0o755, nobody)
	write(t, filepath.Join(dir, "file"), "")
	return dir
}

// tree is every path below a folder with its mode and size.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Lstat(path)
		if err == nil {
			all[path] = info.Mode().String() + " " + info.ModTime().String()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
