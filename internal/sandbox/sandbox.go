// Package sandbox starts programs without trusting them: apart from this process, from the data
// folders of its engines and from one another, where the machine can do that (RELIABILITY.md row 26a).
//
// Bubblewrap does the work on Linux. A program in it has process, IPC, host name, network and mount
// namespaces of its own. It sees the system's programs and libraries, its team's folder and what it
// was granted, and nothing else of the disk.
package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/chargehand/chargehand"
)

const userPrefix = "user:"

// A grant is what a program may reach. Paths are absolute.
type grant struct {
	team    string // its team's folder; empty means none
	read    []string
	write   []string
	network bool
}

// A Box starts a program with what it was granted.
type Box struct {
	// Dir is where the program is started, absolute. It may read there.
	Dir string

	grant   grant
	program string   // of bubblewrap; empty: the program is started as it is
	options []string // that bubblewrap understands here
	account *account // nil: this process's own
}

// New finds out how a program can be held to what it is granted. Relative paths start from the team's
// folder; empty means the current one. Dir is where the program is started. An error says why it cannot
// be held to that, and what to do.
func New(team, dir string, r *chargehand.Reach) (*Box, error) {
	home, err := filepath.Abs(team)
	if err != nil {
		return nil, err
	}
	b := &Box{Dir: within(home, dir), grant: grant{network: r.Network}}
	if team != "" || !filepath.IsAbs(dir) {
		b.grant.team = home
	}
	for _, path := range r.Read {
		b.grant.read = append(b.grant.read, within(home, path))
	}
	for _, path := range r.Write {
		b.grant.write = append(b.grant.write, within(home, path))
	}
	return b, b.settle(cmp.Or(r.Isolation, chargehand.IsolationAuto))
}

func within(folder, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}

func (b *Box) settle(isolation chargehand.Isolation) (err error) {
	if name, ok := strings.CutPrefix(string(isolation), userPrefix); ok {
		b.account, err = lookUp(name)
		return err
	}
	if isolation == chargehand.IsolationNone {
		return nil
	}
	tried := bubblewrap()
	switch {
	case tried.err == nil:
		b.program, b.options = tried.program, tried.options
	case isolation == chargehand.IsolationBwrap:
		return fmt.Errorf("isolation is bwrap, and %w", tried.err)
	}
	return nil
}

// Isolated reports whether the program runs in namespaces of its own.
func (b *Box) Isolated() bool { return b.program != "" }

// Exposed is why a program of that isolation is not kept from this process and its files; empty where it
// is.
func Exposed(isolation chargehand.Isolation) string {
	switch {
	case strings.HasPrefix(string(isolation), userPrefix):
		return ""
	case isolation == chargehand.IsolationNone:
		return "its isolation is none"
	}
	if err := bubblewrap().err; err != nil {
		return err.Error()
	}
	return ""
}

// Status says what isolates programs here, or why nothing does.
func Status() (string, error) {
	tried := bubblewrap()
	return tried.version, tried.err
}

// A trial is the outcome of one attempt to run bubblewrap.
type trial struct {
	program string
	version string
	options []string
	err     error
}

var errMissing = errors.New("bubblewrap is not installed: install it, for example with apt-get install bubblewrap")

// trials are made once for each program and process.
var trials sync.Map // of func() trial by path

func bubblewrap() trial {
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return trial{err: errMissing}
	}
	try, _ := trials.LoadOrStore(path, sync.OnceValue(func() trial { return attempt(path) }))
	return try.(func() trial)()
}

// hidden are the folders that no isolated program may see, each with how often it was hidden.
var hidden = struct {
	sync.Mutex
	folders map[string]int
}{folders: map[string]int{}}

// Hide keeps folders from every program that is started in isolation from now on, also where they lie
// within what the program was granted. The function returned ends that.
func Hide(folders ...string) (show func()) {
	var real []string
	for _, f := range folders {
		if f == "" {
			continue
		}
		real = append(real, resolved(f))
	}
	change(real, 1)
	return sync.OnceFunc(func() { change(real, -1) })
}

func change(folders []string, by int) {
	hidden.Lock()
	defer hidden.Unlock()
	for _, f := range folders {
		if hidden.folders[f] += by; hidden.folders[f] == 0 {
			delete(hidden.folders, f)
		}
	}
}

func secluded() []string {
	hidden.Lock()
	defer hidden.Unlock()
	var all []string
	for f := range hidden.folders {
		all = append(all, f)
	}
	slices.Sort(all)
	return all
}

// resolved is path without symbolic links, absolute.
func resolved(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// An account is the user that a program runs as.
type account struct {
	uid, gid uint32
	groups   []uint32
	home     string
}

// lookUp is the account of that name. Only root may start programs as another.
func lookUp(name string) (*account, error) {
	if os.Geteuid() != 0 {
		return nil, fmt.Errorf("isolation is user:%s, and only root can start programs as another user: start chargehand as root, or use bwrap", name)
	}
	u, err := user.Lookup(name)
	if err != nil {
		return nil, fmt.Errorf("isolation is user:%s: %w", name, err)
	}
	ids, err := u.GroupIds()
	if err != nil {
		return nil, fmt.Errorf("isolation is user:%s: find its groups: %w", name, err)
	}
	a := &account{home: u.HomeDir}
	if _, err := fmt.Sscan(u.Uid+" "+u.Gid, &a.uid, &a.gid); err != nil {
		return nil, fmt.Errorf("isolation is user:%s: %w", name, err)
	}
	if a.uid == 0 {
		return nil, fmt.Errorf("isolation is user:%s, which is root: name an account that can do less", name)
	}
	for _, id := range ids {
		var gid uint32
		if _, err := fmt.Sscan(id, &gid); err == nil {
			a.groups = append(a.groups, gid)
		}
	}
	return a, nil
}
