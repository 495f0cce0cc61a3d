package worker

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/sandbox"
)

func init() { actors["hostile"] = hostile }

// attacks are what a program tries that wants to be the person, or to know what it was not given. Each
// answers what it got.
var attacks = map[string]func() (string, error){
	"approve over the socket": func() (string, error) {
		c, err := net.Dial("unix", filepath.Join(os.Getenv("DATA"), "chargehand.sock"))
		if err != nil {
			return "", err
		}
		defer c.Close()
		_, _ = fmt.Fprintln(c, "POST /v1/reviews/r1/decisions")
		return "connected", nil
	},
	"read the engine's environment": func() (string, error) { return firstRead(os.Getenv("ENGINE") + "/environ") },
	"read its parent's environment": func() (string, error) { return firstRead(fmt.Sprintf("/proc/%d/environ", os.Getppid())) },
	"read any environment":          func() (string, error) { return firstRead("/proc/[0-9]*/environ") },
	"read the engine's key":         func() (string, error) { return firstRead(os.Getenv("DATA") + "/audit.key") },
	"read the journal":              func() (string, error) { return firstRead(os.Getenv("DATA") + "/journal.db") },
	"read the anchor":               func() (string, error) { return firstRead(os.Getenv("ANCHOR") + "/key") },
	"read another program's file":   func() (string, error) { return firstRead(os.Getenv("OTHER")) },
	"read the home folder":          func() (string, error) { return firstRead(os.Getenv("HOME") + "/.netrc") },
	"read what root alone may":      func() (string, error) { return firstRead("/etc/shadow") },
	"reach the network": func() (string, error) {
		c, err := net.Dial("tcp", os.Getenv("CANARY"))
		if err != nil {
			return "", err
		}
		return "connected", c.Close()
	},
	"write into the team's folder": func() (string, error) {
		return "written", os.WriteFile(filepath.Join(os.Getenv("TEAM"), "planted"), nil, 0o600)
	},
	"uncover the data folder": func() (string, error) {
		out, err := exec.Command("umount", os.Getenv("DATA")).CombinedOutput()
		return string(out), err
	},
	"signal the engine": func() (string, error) {
		return "signalled", exec.Command("kill", "-0", filepath.Base(os.Getenv("ENGINE"))).Run()
	},
}

// firstRead finds the canary in a file that the pattern names.
func firstRead(pattern string) (string, error) {
	paths, _ := filepath.Glob(pattern)
	for _, path := range paths {
		if b, err := os.ReadFile(path); err == nil && strings.Contains(string(b), "canary") || err == nil && strings.HasPrefix(path, "/etc/") {
			return "read " + path, nil
		}
	}
	return "", fmt.Errorf("nothing of use in %q", paths)
}

// hostile tries everything, and says what worked.
func hostile() int {
	_, _ = io.Copy(io.Discard, os.Stdin)
	worked := map[string]string{}
	for name, attack := range attacks {
		if got, err := attack(); err == nil {
			worked[name] = got
		}
	}
	if f, err := os.CreateTemp("", "own"); err != nil {
		worked["has no temporary files"] = "it must have"
	} else {
		os.Remove(f.Name())
	}
	return answer(worked)
}

// battlefield is a team's folder with the data folder in it, and everything that a program would like
// to get at. The canary stands in each.
func battlefield(t *testing.T) (kind chargehand.ExecKind, team string) {
	team = t.TempDir()
	data, anchor, home, other := filepath.Join(team, "d"), t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "other")
	for path, mode := range map[string]os.FileMode{
		filepath.Join(data, "audit.key"): 0o600, filepath.Join(data, "journal.db"): 0o600, filepath.Join(anchor, "key"): 0o600,
		filepath.Join(home, ".netrc"): 0o644, other: 0o644,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("canary"), mode); err != nil {
			t.Fatal(err)
		}
	}
	// The path of a socket is at most some 100 bytes long.
	if err := os.Symlink(data, filepath.Join(home, "d")); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", filepath.Join(home, "d", "chargehand.sock"))
	if err != nil {
		t.Skipf("no socket in a path this long: %v", err)
	}
	network, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close(); network.Close() })
	t.Setenv("HOME", home)
	t.Cleanup(sandbox.Hide(data, anchor))
	engine := exec.Command("sleep", "600") // stands for an engine that another account's program could read
	engine.Env = []string{"SECRET=canary"}
	if err := engine.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Process.Kill(); _ = engine.Wait() })
	return chargehand.ExecKind{Command: []string{os.Args[0]}, Env: map[string]string{
		"WORKER": "hostile", "DATA": data, "ANCHOR": anchor, "OTHER": other, "TEAM": team,
		"CANARY": network.Addr().String(), "ENGINE": fmt.Sprintf("/proc/%d", engine.Process.Pid),
	}}, team
}

// worked is what a hostile program got done.
func worked(t *testing.T, kind chargehand.ExecKind, team string) map[string]string {
	t.Helper()
	w, err := NewExec(&chargehand.WorkerSpec{WorkerID: "hostile", Kind: chargehand.KindExec, Exec: &kind}, team, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Do(t.Context(), someTask())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	if err := json.Unmarshal(r.Output, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

func needBubblewrap(t *testing.T) {
	t.Helper()
	if _, err := sandbox.Status(); err != nil {
		t.Skipf("programs cannot be isolated here, so that is not tested: %v", err)
	}
}

// A program in isolation gets nothing done that it was not granted (RELIABILITY.md row 26a).
func TestHostileProgramInIsolation(t *testing.T) {
	needBubblewrap(t)
	for _, isolation := range []chargehand.Isolation{"", chargehand.IsolationAuto, chargehand.IsolationBwrap} {
		kind, team := battlefield(t)
		kind.Isolation = isolation
		if got := worked(t, kind, team); len(got) > 0 {
			t.Errorf("isolation %q: %v", isolation, got)
		}
	}
}

// Without isolation all of it works, which is what shows that the attacks are sound.
func TestHostileProgramWithoutIsolation(t *testing.T) {
	kind, team := battlefield(t)
	kind.Isolation = chargehand.IsolationNone
	got := worked(t, kind, team)
	for name := range attacks {
		switch name {
		case "uncover the data folder", "read its parent's environment": // nothing covers it; the tests have no canary
		case "read what root alone may":
			if os.Getuid() == 0 && got[name] == "" {
				t.Errorf("%s: it did not", name)
			}
		default:
			if got[name] == "" {
				t.Errorf("%s: it did not", name)
			}
		}
	}
}

func init() { actors["descriptors"] = descriptors }

// descriptors says which files a program finds open, beyond its standard streams.
func descriptors() int {
	_, _ = io.Copy(io.Discard, os.Stdin)
	found := map[string]string{}
	for fd := 3; fd < 256; fd++ {
		var info syscall.Stat_t
		if syscall.Fstat(fd, &info) == nil && info.Mode&syscall.S_IFMT == syscall.S_IFREG {
			path, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
			if !strings.HasPrefix(path, "/sys/") { // what this program's own runtime opens
				found[fmt.Sprint(fd)] = path
			}
		}
	}
	return answer(found)
}

// What the engine was started with open does not reach its programs.
func TestProgramsInheritNoFiles(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("canary"), 0o600); err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Open(secret, syscall.O_RDONLY, 0) // without O_CLOEXEC, as a shell passes it on
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	for _, isolation := range []chargehand.Isolation{chargehand.IsolationAuto, chargehand.IsolationNone} {
		kind := chargehand.ExecKind{Command: []string{os.Args[0]}, Env: map[string]string{"WORKER": "descriptors"}}
		kind.Isolation = isolation
		if got := worked(t, kind, t.TempDir()); len(got) > 0 {
			t.Errorf("isolation %q: %v", isolation, got)
		}
	}
}

// A program as another user has neither the files nor the processes of this one.
func TestHostileProgramAsAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can start programs as another user")
	}
	kind, team := battlefield(t)
	kind.Isolation = "user:nobody"
	for dir := team; dir != os.TempDir(); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(team, "program")
	b, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, b, 0o755); err != nil { // the other user starts it
		t.Fatal(err)
	}
	kind.Command = []string{program}
	got := worked(t, kind, team)
	delete(got, "reach the network")           // which is not kept from it
	delete(got, "read another program's file") // which every account may read
	if len(got) > 0 {
		t.Errorf("%v", got)
	}
}

// What is granted works, and nothing beside it.
func TestGrants(t *testing.T) {
	needBubblewrap(t)
	kind, team := battlefield(t)
	kind.Read, kind.Network = []string{kind.Env["OTHER"]}, true
	kind.Write = []string{team}
	got := worked(t, kind, team)
	for _, name := range []string{"read another program's file", "reach the network", "write into the team's folder"} {
		if got[name] == "" {
			t.Errorf("%s: it did not", name)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("beyond its grants: %v", got)
	}
}

func TestIsolationRefused(t *testing.T) {
	kind, team := battlefield(t)
	data := kind.Env["DATA"]
	t.Run("bubblewrap is not there", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		kind.Isolation = chargehand.IsolationBwrap
		_, err := NewExec(&chargehand.WorkerSpec{WorkerID: "w", Exec: &kind}, team, Limits{})
		if err == nil || !strings.Contains(err.Error(), "apt-get install bubblewrap") {
			t.Errorf("%v", err)
		}
		kind.Isolation = chargehand.IsolationAuto
		if got := worked(t, kind, team); got["write into the team's folder"] == "" {
			t.Errorf("auto is not none where nothing else works: %v", got)
		}
		if why := sandbox.Exposed(""); !strings.Contains(why, "not installed") {
			t.Errorf("exposed: %q", why)
		}
	})
	needBubblewrap(t)
	for name, change := range map[string]func(*chargehand.ExecKind){
		"lies in the data folder": func(k *chargehand.ExecKind) { k.Write = []string{filepath.Join(data, "journal.db")} },
		"is the data folder":      func(k *chargehand.ExecKind) { k.Dir = data },
		"cannot be granted":       func(k *chargehand.ExecKind) { k.Read = []string{"no-such-folder"} },
	} {
		k := kind
		k.Isolation = chargehand.IsolationBwrap
		change(&k)
		w, err := NewExec(&chargehand.WorkerSpec{WorkerID: "w", Exec: &k}, team, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Do(t.Context(), someTask()); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
