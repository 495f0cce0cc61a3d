//go:build unix

package cli

import (
	"os/exec"
	"syscall"
)

// ownSession takes a process out of the terminal's session: the end of the terminal and its Ctrl-C do
// not reach it.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
