//go:build !unix

package local

import (
	"os"
	"path/filepath"
)

// lock opens the lock file. Where the system has no flock, the boot number in the journal alone
// keeps a second process from writing.
func lock(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
}

// OwnerOf cannot tell where the system has no flock.
func OwnerOf(string) (Owner, bool) { return Owner{}, false }
