//go:build !unix

package cli

import "os/exec"

// ownSession does nothing where there are no sessions: the process may end with its terminal.
func ownSession(*exec.Cmd) {}
