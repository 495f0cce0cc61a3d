//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package cli

import (
	"context"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// canType reports whether a line can be read that was typed after a question.
const canType = true

// typed reads a line that is typed after the prompt, which it has shown: what was typed ahead is thrown
// away first, with what is not finished of a line. It looks ten times a second whether the question
// still stands.
func typed(ctx context.Context, in *os.File, show func(), stands func() error) (string, error) {
	fd := int(in.Fd())
	settings, err := unix.IoctlGetTermios(fd, getSettings)
	if err != nil {
		return "", err
	}
	if err := unix.IoctlSetTermios(fd, setAndFlush, settings); err != nil {
		return "", err
	}
	show()
	ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if err := stands(); err != nil {
			return "", err
		}
		n, err := unix.Poll(ready, int(100*time.Millisecond/time.Millisecond))
		if n <= 0 || err != nil { // nothing yet, or a signal, which the context knows of
			continue
		}
		line := make([]byte, 4096) // a terminal hands over at most one line
		n, err = unix.Read(fd, line)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return "", err
		case n == 0:
			return "", io.EOF
		default:
			return strings.TrimSpace(strings.ToValidUTF8(string(line[:n]), "")), nil
		}
	}
}
