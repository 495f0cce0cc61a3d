//go:build !unix

package witness

import "os"

// lockFile does not lock where the system has no flock.
func lockFile(path string) (*os.File, error) { return os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) }
