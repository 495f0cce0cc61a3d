package sandbox

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/chargehand/chargehand/internal/regular"
)

// A mount is one part of what a program sees of the disk.
type mount struct {
	flag string // of bubblewrap
	from string // empty where nothing of the disk is shown
	at   string
}

// system is what every program sees: programs and libraries, and the settings that every account may
// read.
var system = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/nix/store", "/gnu/store"}

// view is what the program sees of the disk, as arguments of bubblewrap. What lies deeper is mounted
// later, so that it holds.
func (b *Box) view(program string, cmd *exec.Cmd) ([]string, error) {
	mounts := []mount{{"--proc", "", "/proc"}, {"--dev", "", "/dev"}, {"--tmpfs", "", tmp}, {"--dir", "", "/run"}}
	if home := variable(cmd.Env, "HOME"); filepath.IsAbs(home) && filepath.Clean(home) != "/" {
		mounts = append(mounts, mount{"--tmpfs", "", filepath.Clean(home)})
	}
	for _, path := range system {
		mounts = append(mounts, mount{"--ro-bind-try", path, path})
	}
	if b.grant.network {
		mounts = append(mounts, mount{"--ro-bind-try", resolved("/etc/resolv.conf"), resolved("/etc/resolv.conf")})
	}
	for _, path := range needed(program, cmd, 2) {
		if !b.covers(path, cmd.Dir) {
			mounts = append(mounts, mount{"--ro-bind", path, path})
		}
	}
	granted, err := b.granted(cmd.Dir)
	if err != nil {
		return nil, err
	}
	mounts = append(mounts, granted...)
	mounts = append(append(mounts, private()...), masks(mounts)...)
	slices.SortStableFunc(mounts, func(a, b mount) int { return cmp.Compare(depth(a.at), depth(b.at)) })
	var out []string
	for _, m := range mounts {
		if out = append(out, m.flag); m.from != "" {
			out = append(out, m.from)
		}
		out = append(out, m.at)
	}
	return append(out, "--remount-ro", "/"), nil
}

func depth(path string) int {
	if path = filepath.Clean(path); path == "/" {
		return 0
	}
	return strings.Count(path, "/")
}

func variable(env []string, name string) string {
	for _, v := range env {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// covers reports whether a path is seen without being mounted by itself.
func (b *Box) covers(path, dir string) bool {
	for _, folders := range [][]string{system, {b.grant.team, dir}, b.grant.read, b.grant.write} {
		for _, f := range folders {
			if _, in := below(f, path); f != "" && f != "/" && in {
				return true
			}
		}
	}
	return false
}

// granted are the mounts of what the team declares.
func (b *Box) granted(dir string) ([]mount, error) {
	var all []mount
	for _, path := range []string{b.grant.team, dir} {
		if path == "" || path == "/" { // who starts at the root is not granted the disk by that
			continue
		}
		if slices.Contains(secluded(), resolved(path)) {
			return nil, fmt.Errorf("%s is the data folder, which no isolated program may see: keep the team in another folder, or the data (--data)", path)
		}
		all = append(all, mount{"--ro-bind-try", path, path})
	}
	for _, g := range []struct {
		flag, name string
		paths      []string
	}{{"--ro-bind", "read", b.grant.read}, {"--bind", "write", b.grant.write}} {
		for _, path := range g.paths {
			if err := grantable(path); err != nil {
				return nil, fmt.Errorf("%s: %w", g.name, err)
			}
			all = append(all, mount{g.flag, path, path})
		}
	}
	return all, nil
}

// grantable refuses what is not there, and what lies in a data folder.
func grantable(path string) error {
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("%s cannot be granted: %w", path, err)
	}
	for _, h := range secluded() {
		if _, in := below(h, resolved(path)); in {
			return fmt.Errorf("%s lies in the data folder, which no isolated program may see", path)
		}
	}
	return nil
}

// masks hide the data folders within what is mounted.
func masks(mounts []mount) []mount {
	var all []mount
	for _, h := range secluded() {
		if _, err := os.Lstat(h); err != nil {
			continue // there is nothing to hide, and no place to mount on
		}
		for _, m := range mounts {
			if m.from == "" {
				continue
			}
			if rest, in := below(resolved(m.from), h); in && rest != "." {
				all = append(all, mount{"--tmpfs", "", filepath.Join(m.at, rest)})
			}
		}
	}
	return all
}

// below is the way from folder down to path, if there is one.
func below(folder, path string) (string, bool) {
	rest, err := filepath.Rel(folder, path)
	return rest, err == nil && rest != ".." && !strings.HasPrefix(rest, "../")
}

// private masks the settings that not every account may read: this process may, and if it is root's,
// so could the program.
func private() []mount {
	var all []mount
	for _, m := range unshared() {
		if _, err := os.Lstat(m.at); err == nil {
			all = append(all, m)
		}
	}
	return all
}

// unshared looks once in a process: the walk takes longer than starting a program.
var unshared = sync.OnceValue(func() []mount {
	var all []mount
	_ = filepath.WalkDir("/etc", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Type()&fs.ModeSymlink != 0 {
			return nil //nolint:nilerr // what cannot be read is not shown either
		}
		info, err := e.Info()
		if err != nil || info.Mode().Perm()&0o004 != 0 {
			return nil //nolint:nilerr // it is gone
		}
		if e.IsDir() {
			all = append(all, mount{"--tmpfs", "", path})
			return filepath.SkipDir
		}
		all = append(all, mount{"--ro-bind", "/dev/null", path})
		return nil
	})
	return all
})

// needed are the files and folders that the program's command names or needs to be started: the
// program, the interpreter of a script, arguments that are whole paths of files.
func needed(program string, cmd *exec.Cmd, hops int) []string {
	all := append(installed(program), installed(resolved(program))...)
	if by := interpreter(program, variable(cmd.Env, "PATH")); by != "" && hops > 0 {
		all = append(all, needed(by, &exec.Cmd{Env: cmd.Env}, hops-1)...)
	}
	for _, arg := range cmd.Args[min(1, len(cmd.Args)):] {
		if !filepath.IsAbs(arg) {
			continue
		}
		if info, err := os.Stat(arg); err == nil && info.Mode().IsRegular() {
			all = append(all, filepath.Clean(arg))
		}
	}
	return all
}

// installed is a program, with the folders of programs and libraries that it is installed among.
func installed(program string) []string {
	dir := filepath.Dir(program)
	switch filepath.Base(dir) {
	case "bin":
	case "shims": // of a version manager such as pyenv, which keeps the programs themselves beside them
		return []string{filepath.Dir(dir)}
	default:
		return []string{program}
	}
	all := []string{dir}
	for _, name := range []string{"lib", "lib64", "libexec", "pyvenv.cfg"} {
		path := filepath.Join(filepath.Dir(dir), name)
		if _, err := os.Stat(path); err == nil {
			all = append(all, path)
		}
	}
	return all
}

// interpreter is the program that a script names in its first line, empty where it is no script. Env
// finds its program on the path.
func interpreter(script, path string) string {
	f, err := regular.Open(script)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReader(io.LimitReader(f, 256)).ReadBytes('\n')
	words := strings.Fields(string(bytes.TrimPrefix(line, []byte("#!"))))
	if !bytes.HasPrefix(line, []byte("#!")) || len(words) == 0 || !filepath.IsAbs(words[0]) {
		return ""
	}
	if filepath.Base(words[0]) != "env" || len(words) < 2 {
		return words[0]
	}
	for _, dir := range filepath.SplitList(path) {
		found := filepath.Join(dir, words[len(words)-1])
		if info, err := os.Stat(found); err == nil && !info.IsDir() {
			return found
		}
	}
	return ""
}
