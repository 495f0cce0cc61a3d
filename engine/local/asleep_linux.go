package local

import (
	"time"

	"golang.org/x/sys/unix"
)

// asleep is how long the machine has been suspended since it started, to about a millisecond: the
// monotonic clock stands still meanwhile, the boot clock does not.
func asleep() time.Duration {
	var least time.Duration
	for i := range 3 { // a pause between the readings only makes it look longer
		var mono, boot unix.Timespec
		if unix.ClockGettime(unix.CLOCK_MONOTONIC, &mono) != nil || unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot) != nil {
			return 0
		}
		if d := time.Duration(boot.Nano() - mono.Nano()); i == 0 || d < least {
			least = d
		}
	}
	//fault:asleep
	return least.Truncate(time.Millisecond)
}
