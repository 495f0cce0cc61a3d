//go:build unix

package local

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/chargehand/chargehand"
)

// lock makes this process the owner of a data folder until the file is closed; the system lets go
// of it when the process dies.
func lock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, unusable(dir, err)
	}
	//guard:one-owner
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, errors.Join(&chargehand.Error{
			Code: chargehand.CodeLocked,
			What: "the data folder " + dir + " is in use", Why: "another chargehand owns it" + nameOwner(dir),
			Next: "stop it, or choose another folder with --data",
		}, f.Close())
	case err != nil:
		return nil, errors.Join(unusable(dir, err), f.Close())
	}
	if f.Truncate(0) == nil {
		fmt.Fprint(f, signature()) // only a hint for people
	}
	return f, nil
}

func nameOwner(dir string) string {
	b, _ := os.ReadFile(filepath.Join(dir, lockName))
	if o := parseOwner(string(b)); o.PID > 0 {
		return " (" + o.String() + ")"
	}
	return ""
}

// OwnerOf is the process that has a data folder, and whether one has it. The owner is zero where
// that process left no name.
func OwnerOf(dir string) (Owner, bool) {
	f, err := os.Open(filepath.Join(dir, lockName))
	if err != nil {
		return Owner{}, false
	}
	defer f.Close() // gives the lock back, where the probe got it
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) {
		return Owner{}, false
	}
	b, _ := io.ReadAll(io.LimitReader(f, 2*maxCommand))
	return parseOwner(string(b)), true
}
