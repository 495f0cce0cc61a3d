//go:build unix

package local

import "syscall"

var errNoSpace error = syscall.ENOSPC
