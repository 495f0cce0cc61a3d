package cli

import "golang.org/x/sys/unix"

const (
	getSettings = unix.TCGETS
	setAndFlush = unix.TCSETSF
)
