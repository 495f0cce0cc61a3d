package mcp

import (
	"os/exec"
	"syscall"
)

// tie has the kernel kill the process when this one is gone, however it ended: a process that was
// killed can ask nobody to end.
func tie(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }
