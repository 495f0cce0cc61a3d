//go:build !unix

package local

import (
	"os"
	"path/filepath"
)

// lock opens the lock file. Where the system has no flock, the boot number in the journal alone
// keeps a second process from writing.
func lock(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, "journal.lock"), os.O_RDWR|os.O_CREATE, 0o600)
}
