package httpapi

import (
	"net"

	sys "golang.org/x/sys/unix"
)

// peer is the effective account of the process that connected.
func peer(c *net.UnixConn) (uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *sys.Ucred
	var failed error
	err = raw.Control(func(fd uintptr) { cred, failed = sys.GetsockoptUcred(int(fd), sys.SOL_SOCKET, sys.SO_PEERCRED) })
	if err == nil {
		err = failed
	}
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}
