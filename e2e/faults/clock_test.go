package faults

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/e2e/faults/reference"
)

// clockOff is the environment of a process whose clock is off.
func clockOff(off time.Duration, more ...string) []string {
	return with(wallClock, append(more, "CHARGEHAND_CLOCK_OFF="+off.String())...)
}

// TestClockIsOff kills a run and takes it up by processes whose wall clocks are ten years ahead, an
// hour behind, and right, in zones with and without summer time. No record is older than the one
// before it, nothing expires that had time left, and the result is that of a run left alone.
func TestClockIsOff(t *testing.T) {
	want, _ := undisturbed(t, built(t, programs.victim))
	program := built(t, programs.faulty)
	const years = 10 * 365 * 24 * time.Hour
	held := []string{"after", "last", ""}
	zones := []string{"Europe/Berlin", "Pacific/Kiritimati", "UTC"}
	for _, offs := range [][]time.Duration{{0, years}, {0, -time.Hour}, {years, -time.Hour, 0}, {-time.Hour, years, 0}} {
		t.Run(fmt.Sprint(offs), func(t *testing.T) {
			s := tidy(t)
			for i, off := range offs[:len(offs)-1] {
				c := start(t, program, clockOff(off, "TZ="+zones[i], reference.HoldEnv+"="+held[i]), s.data(), s.world.Dir)
				until(t, "the run is held", func() bool { return s.holds("begin " + held[i] + " 1") })
				c.signal(t, syscall.SIGKILL)
				c.wait(t)
			}
			end := start(t, program, clockOff(offs[len(offs)-1], "TZ="+zones[2]), s.data(), s.world.Dir)
			if code := end.wait(t); code != 0 {
				t.Fatalf("the process ended with %d: %s", code, end.err.String())
			}
			if _, err := s.settle(soon(t), want); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestExpiredWhileAway leaves a run whose review and attempt have deadlines to come, and takes it up
// by a process whose clock says that they are long past, or further away than they were. The review
// is denied when its time has come, and no earlier; the attempt, which no process worked on, has
// missed nothing and is pursued again.
func TestExpiredWhileAway(t *testing.T) {
	program := built(t, programs.faulty)
	for _, off := range []time.Duration{8 * time.Hour, -2 * time.Second} {
		t.Run(off.String(), func(t *testing.T) {
			s := tidy(t)
			first := start(t, program, clockOff(0), "slow", s.data(), s.world.Dir)
			until(t, "an attempt and a review wait", func() bool { return exists(filepath.Join(s.world.Dir, "waiting")) })
			first.signal(t, syscall.SIGKILL)
			first.wait(t)
			c := start(t, program, clockOff(off), "slow", s.data(), s.world.Dir)
			if code := c.wait(t); code != 0 {
				t.Fatalf("the process ended with %d: %s", code, c.err.String())
			}
			var records []chargehand.Record
			if err := json.Unmarshal([]byte(c.out.String()), &records); err != nil {
				t.Fatal(err)
			}
			expired(t, records)
			resumed := 0
			for _, r := range records {
				if f, ok := r.Fact.(chargehand.AttemptResumed); ok && f.Subtask == "stuck" {
					resumed++
				}
			}
			if resumed != 1 {
				t.Errorf("the attempt that nobody worked on was pursued again %d times", resumed)
			}
		})
	}
}
