//go:build unix

package worker

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes the process the leader of a group, so that a signal reaches what it starts as
// well. exec.Cmd kills the leader by itself when the grace is over; killGroup does the rest.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}

// killGroup kills what is left of the group. The leader is reaped by then; its number is not in
// use again, since numbers are given out in turn.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
