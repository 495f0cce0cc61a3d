//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the process the leader of a group, so that a signal reaches what it starts as
// well.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func termGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// killGroup kills what is left of the group. The leader may be reaped by then; its number is not
// in use again, since numbers are given out in turn.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
