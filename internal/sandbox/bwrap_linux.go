package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const tmp = "/tmp" // of the program alone

// Guard keeps other processes of this account from reading this one's memory and environment, and from
// following it with a debugger. Root can do all that nevertheless.
func Guard() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("keep other processes from reading this one: %w", err)
	}
	return nil
}

// apart are the options of every program. --new-session takes the terminal away, where a program could
// type for the person.
var apart = []string{
	"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
	"--die-with-parent", "--new-session", "--cap-drop", "ALL",
}

// furtherOptions are understood by some versions only.
var furtherOptions = []string{"--disable-userns"}

const trialTime = 10 * time.Second

// attempt starts a program that does nothing, as others will be started.
func attempt(path string) trial {
	ctx, cancel := context.WithTimeout(context.Background(), trialTime)
	defer cancel()
	nothing, err := exec.LookPath("true")
	if err != nil {
		return trial{err: fmt.Errorf("bubblewrap cannot be tried out: %w", err)}
	}
	version, _ := exec.CommandContext(ctx, path, "--version").Output()
	t := trial{program: path, version: strings.TrimSpace(string(version)), options: furtherOptions}
	for {
		b := &Box{program: path, options: t.options, Dir: "/usr"}
		cmd := exec.CommandContext(ctx, nothing)
		cmd.Dir = "/usr"
		arguments, err := b.arguments(cmd)
		if err != nil {
			return trial{err: fmt.Errorf("bubblewrap cannot be tried out: %w", err)}
		}
		var said bytes.Buffer
		try := exec.CommandContext(ctx, path, arguments...)
		try.Stderr, try.Env = &said, []string{}
		if err = try.Run(); err == nil {
			return t
		}
		if len(t.options) == 0 {
			first, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
			return trial{err: fmt.Errorf("bubblewrap does not work here (%w: %s): let this account make user namespaces", err, first)}
		}
		t.options = nil
	}
}

// arguments are those of bubblewrap, up to the program that cmd would start.
func (b *Box) arguments(cmd *exec.Cmd) ([]string, error) {
	program := within(cmd.Dir, cmd.Path)
	if err := startable(program, cmd.Dir); err != nil {
		return nil, err
	}
	view, err := b.view(program, cmd)
	if err != nil {
		return nil, err
	}
	out := append(append([]string{}, apart...), b.options...)
	if !b.grant.network {
		out = append(out, "--unshare-net")
	}
	out = append(append(out, view...), "--chdir", cmd.Dir, "--", program)
	return out, nil
}

// startable finds what would keep the program from being started, as starting it would.
func startable(program, dir string) error {
	info, err := os.Stat(program)
	if err != nil {
		return err
	}
	if info.IsDir() || unix.Access(program, unix.X_OK) != nil {
		return &os.PathError{Op: "fork/exec", Path: program, Err: unix.EACCES}
	}
	if _, err := os.Stat(dir); err != nil {
		return &os.PathError{Op: "chdir", Path: dir, Err: unix.ENOENT}
	}
	return nil
}
