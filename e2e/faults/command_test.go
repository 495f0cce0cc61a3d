package faults

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A command is a chargehand process.
type command struct {
	cmd      *exec.Cmd
	out, err text
}

// text is what a process has written so far.
type text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (t *text) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(b)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

// run starts chargehand over a data folder. It is ended with the test at the latest.
func run(t *testing.T, data string, args ...string) *command {
	t.Helper()
	return runAs(t, nil, data, args...)
}

// runAs is run as another user, if there is one.
func runAs(t *testing.T, user *syscall.Credential, data string, args ...string) *command {
	t.Helper()
	c := &command{cmd: exec.Command(built(t, programs.chargehand), append(args, "--data", data, "--progress", "plain", "--no-input")...)}
	c.cmd.Stdout, c.cmd.Stderr = &c.out, &c.err
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: user}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if c.cmd.ProcessState == nil {
			_ = c.cmd.Process.Kill()
			_ = c.cmd.Wait()
		}
	})
	return c
}

// wait is the exit code of the command once it has ended.
func (c *command) wait(t *testing.T) int {
	t.Helper()
	var exit *exec.ExitError
	if err := c.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.cmd.ProcessState.ExitCode()
}

func (c *command) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := c.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// want fails unless the command ends with a code and says something.
func (c *command) want(t *testing.T, code int, says ...string) {
	t.Helper()
	got := c.wait(t)
	said := c.out.String() + c.err.String()
	if got != code {
		t.Errorf("%s ended with %d, want %d: %s", strings.Join(c.cmd.Args[1:], " "), got, code, said)
	}
	for _, s := range says {
		if !strings.Contains(said, s) {
			t.Errorf("%s does not say %q: %s", strings.Join(c.cmd.Args[1:], " "), s, said)
		}
	}
}

// until waits until a condition holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(3 * time.Minute); ; {
		select {
		case <-tick.C:
			if holds() {
				return
			}
		case <-end:
			t.Fatalf("three minutes have passed and still not: %s", what)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// patient is a team of two workers that leave their process number behind and work until a file
// called "go" is there; one of them does not listen when it is told to end.
const patient = `
name: patient
workers:
  - {workerId: polite, capabilities: [wait], averageLatencyMs: 300000, kind: exec, exec: {isolation: none, command: [sh, -c, "cat >/dev/null; echo $$ >polite; while [ ! -e go ]; do sleep 0.02; done; echo '{\"done\": true}'"]}}
  - {workerId: deaf, capabilities: [ignore], averageLatencyMs: 300000, kind: exec, exec: {isolation: none, command: [sh, -c, "trap '' TERM; cat >/dev/null; echo $$ >deaf; while [ ! -e go ]; do sleep 0.02; done; echo '{\"done\": true}'"]}}
planner:
  template:
    subtasks:
      - {id: a, goal: wait, capability: wait}
      - {id: b, goal: wait, capability: ignore}
      - {id: c, goal: wait, capability: wait, deps: [a, b]}
`

// waiting starts the patient team's run and waits until both workers are at work. It answers the
// folder of the team and of its data.
func waiting(t *testing.T) (c *command, dir, data string) {
	t.Helper()
	dir = t.TempDir()
	data = filepath.Join(dir, "data")
	team := filepath.Join(dir, "team.yaml")
	write(t, team, patient)
	t.Chdir(dir) // relative paths of a stored team start here
	c = run(t, data, "run", team, "--goal", "wait")
	until(t, "both workers are at work", func() bool { return pid(dir, "polite") > 0 && pid(dir, "deaf") > 0 })
	return c, dir, data
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestTerminated sends SIGTERM to a run with workers under way: the process ends by itself with
// the code for it, leaves no worker behind and lets the folder go; the run goes on when it is resumed.
func TestTerminated(t *testing.T) {
	c, dir, data := waiting(t)
	workers := []int{pid(dir, "polite"), pid(dir, "deaf")}
	c.signal(t, syscall.SIGTERM)
	c.want(t, 143, "No process supervises what is not paused: it stands still until it is resumed.", "exit 143")
	for _, p := range workers {
		if err := syscall.Kill(p, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("worker %d is still there: %v", p, err)
		}
	}
	write(t, filepath.Join(dir, "go"), "")
	again := run(t, data, "runs", "resume", "@latest")
	again.want(t, 0, "exit 0")
	look := run(t, data, "workers", "list", "-o", "json")
	if look.want(t, 0); strings.Contains(look.out.String(), `"active":1`) {
		t.Errorf("a lease is left: %s", look.out.String())
	}
}

func pid(dir, worker string) int {
	b, err := os.ReadFile(filepath.Join(dir, worker))
	if err != nil {
		return 0
	}
	return atoi(strings.TrimSpace(string(b)))
}
