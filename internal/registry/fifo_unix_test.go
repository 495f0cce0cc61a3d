//go:build unix

package registry

import "syscall"

func fifo(path string) error { return syscall.Mkfifo(path, 0o600) }
