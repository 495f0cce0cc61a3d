//go:build !unix

package host

import "time"

// CPU is not known here.
func CPU() time.Duration { return 0 }

// Free is not known here.
func Free(string) int64 { return 0 }
