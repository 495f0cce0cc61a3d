//go:build unix

package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
)

// ownGroup makes the process the leader of a group, so that a signal reaches what it starts as
// well.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}

// signalGroup asks a group to end, or kills it. A leader may be reaped by then; its number is not in
// use again, since numbers are given out in turn.
func signalGroup(leader int, kill bool) error {
	s := syscall.SIGTERM
	if kill {
		s = syscall.SIGKILL
	}
	err := syscall.Kill(-leader, s)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// assume has the command run as the account, at home where that account is.
func (a *account) assume(cmd *exec.Cmd) {
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid, Groups: a.groups}
	for i, v := range cmd.Env {
		if strings.HasPrefix(v, "HOME=") {
			cmd.Env[i] = "HOME=" + a.home
		}
	}
}

func lockThread() (unlock func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
