package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const tmp = "/tmp" // of the program alone

// Guard keeps other processes of this account from reading this one's memory and environment, and from
// following it with a debugger. Root can do all that nevertheless. What this process was started with
// open, beyond its standard streams, is not passed on to programs.
func Guard() error {
	err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	if err != nil && !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EINVAL) { // Linux before 5.11 cannot
		return fmt.Errorf("keep open files from programs: %w", err)
	}
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
	sweep()
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
	out := append(append([]string{"--hostname", mark()}, apart...), b.options...)
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

// mark names this process, as the host name of what it starts: by its process namespace, number and start.
var mark = sync.OnceValue(func() string {
	return fmt.Sprintf("%s%d-%s", markOfNamespace(), os.Getpid(), startOf(os.Getpid()))
})

// markOfNamespace begins the marks of all processes that see one another by number.
func markOfNamespace() string {
	namespace, _ := os.Readlink("/proc/self/ns/pid") // as in "pid:[4026531836]"
	return "chargehand-" + strings.Trim(namespace, "pid:[]") + "-"
}

// startOf is when a process started, in ticks since the machine did; empty where there is no such process.
func startOf(pid int) string {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(stat), ") ") // the name before it may hold spaces
	if fields := strings.Fields(after); len(fields) > 19 {
		return fields[19]
	}
	return ""
}

// sweep ends what processes that are gone have left behind. Bubblewrap's own child waits for ever where
// bubblewrap is killed before it has told that child to begin.
func sweep() {
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range processes {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		handle, err := unix.PidfdOpen(pid, 0) // a number may be given out again, a handle is not
		if err != nil {
			continue
		}
		if abandoned(dir) {
			_ = unix.PidfdSendSignal(handle, unix.SIGKILL, nil, 0) // others' processes refuse it
		}
		_ = unix.Close(handle)
	}
}

// abandoned reports whether a process was started with the mark of one that is gone.
func abandoned(dir string) bool {
	line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
	arguments := strings.Split(string(line), "\x00")
	i := slices.Index(arguments, "--hostname")
	if i < 0 || i+1 >= len(arguments) {
		return false
	}
	owner, ok := strings.CutPrefix(arguments[i+1], markOfNamespace())
	number, start, _ := strings.Cut(owner, "-")
	pid, err := strconv.Atoi(number)
	return ok && err == nil && start != "" && startOf(pid) != start
}
