//go:build unix

package local

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/chargehand/chargehand"
)

// lock makes this process the owner of a data folder until the file is closed; the system lets go
// of it when the process dies.
func lock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "journal.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, unusable(dir, err)
	}
	//guard:one-owner
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, errors.Join(&chargehand.Error{
			Code: chargehand.CodeLocked,
			What: "the data folder " + dir + " is in use", Why: "another chargehand owns it" + owner(dir),
			Next: "stop it, or choose another folder with --data",
		}, f.Close())
	case err != nil:
		return nil, errors.Join(unusable(dir, err), f.Close())
	}
	if f.Truncate(0) == nil {
		fmt.Fprintf(f, "%d\n", os.Getpid()) // only a hint for people
	}
	return f, nil
}

// owner names the process that holds the lock, if it left its number.
func owner(dir string) string {
	b, err := os.ReadFile(filepath.Join(dir, "journal.lock"))
	if err != nil || len(b) < 2 {
		return ""
	}
	return " (process " + string(b[:len(b)-1]) + ")"
}
