//go:build !unix

package worker

import "os/exec"

// ownGroup leaves the process as it is: without groups only the process itself is stopped, at
// once, by exec.Cmd.
func ownGroup(*exec.Cmd) {}

func killGroup(*exec.Cmd) {}
