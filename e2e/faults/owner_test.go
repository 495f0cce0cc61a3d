package faults

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/chargehand/chargehand/e2e/faults/reference"
)

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// TestTwoOwners has a second process want a folder that another one supervises: it reaches the
// owner and sees its run, and where it cannot it says who has the folder and changes nothing.
func TestTwoOwners(t *testing.T) {
	owner, dir, data := waiting(t)
	list := run(t, data, "runs", "list")
	list.want(t, 0, "0/3")
	if err := os.Remove(filepath.Join(data, "chargehand.sock")); err != nil {
		t.Fatal(err)
	}
	refused := run(t, data, "runs", "pause", "@latest")
	refused.want(t, 10, "has it, and does not answer", "--data")
	write(t, filepath.Join(dir, "go"), "")
	owner.want(t, 0, "exit 0")
}

// TestLockBypassed runs two engines over one folder, with the lock taken out of the program. The
// second takes the run over and ends it; the first, which is held in a worker's call meanwhile,
// finds out at its next commit, begins nothing more and stops.
func TestLockBypassed(t *testing.T) {
	program := built(t, programs.faulty)
	s := tidy(t)
	first := start(t, program, with(unlocked, reference.HoldEnv+"=sent-back"), s.data(), s.world.Dir)
	until(t, "the first is held", func() bool { return s.holds("begin sent-back 1") })
	second := start(t, program, with(unlocked), s.data(), s.world.Dir)
	if code := second.wait(t); code != 0 {
		t.Fatalf("the second ended with %d: %s", code, second.err.String())
	}
	before, err := s.world.Diary()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.world.Release(); err != nil {
		t.Fatal(err)
	}
	if code := first.wait(t); code == 0 || !strings.Contains(first.err.String(), "another process has taken the journal over") {
		t.Errorf("the first ended with %d: %s", code, first.err.String())
	}
	after, err := s.world.Diary()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range after[len(before):] {
		if strings.HasPrefix(line, "begin") || strings.HasPrefix(line, "decided") || strings.HasPrefix(line, "started") {
			t.Errorf("the loser went on: %s", line)
		}
	}
	records, err := s.records(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.nothingTwice(records); err != nil {
		t.Error(err)
	}
	if err := s.nothingLost(records); err != nil {
		t.Error(err)
	}
}

// start runs a program with more environment.
func start(t *testing.T, program string, env []string, args ...string) *command {
	t.Helper()
	c := &command{}
	c.cmd = exec.Command(program, args...)
	c.cmd.Env = append(os.Environ(), env...)
	c.cmd.Stdout, c.cmd.Stderr = &c.out, &c.err
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if c.cmd.ProcessState == nil {
			_ = c.cmd.Process.Signal(syscall.SIGCONT)
			_ = c.cmd.Process.Kill()
			_ = c.cmd.Wait()
		}
	})
	return c
}
