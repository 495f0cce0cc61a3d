//go:build unix

package host

import (
	"syscall"
	"time"
)

// CPU is the CPU time of this process, its kernel's part included.
func CPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Free is how many bytes may still be written to the disk of a folder; zero where it cannot be
// told.
func Free(dir string) int64 {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return 0
	}
	return int64(fs.Bavail * uint64(fs.Bsize))
}
