//go:build unix

package witness

import (
	"errors"
	"os"
	"syscall"
)

// lockFile takes a file for this process; closing it lets it go.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errors.New("another process has it")
		}
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
