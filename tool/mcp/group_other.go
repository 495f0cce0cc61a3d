//go:build !unix

package mcp

import "os/exec"

// ownGroup leaves the process as it is: without groups only the process itself is stopped.
func ownGroup(*exec.Cmd) {}

func termGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
