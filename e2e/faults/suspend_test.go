package faults

import (
	"encoding/json"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
)

// TestSuspended stops a process with SIGSTOP until the deadlines of an attempt and of a review are
// past, and lets it go on: the attempt is given to another worker once, and the review is denied by
// the policy.
func TestSuspended(t *testing.T) {
	s := tidy(t)
	c := start(t, built(t, programs.victim), nil, "slow", s.data(), s.world.Dir)
	until(t, "an attempt and a review wait", func() bool { return exists(filepath.Join(s.world.Dir, "waiting")) })
	c.signal(t, syscall.SIGSTOP)
	stopped := time.Now()
	until(t, "all deadlines are past", func() bool { return time.Since(stopped) > 4*time.Second })
	c.signal(t, syscall.SIGCONT)
	if code := c.wait(t); code != 0 {
		t.Fatalf("the process ended with %d: %s", code, c.err.String())
	}
	var records []chargehand.Record
	if err := json.Unmarshal([]byte(c.out.String()), &records); err != nil {
		t.Fatal(err)
	}
	expired(t, records)
}

// TestAsleep has the machine sleep for eight hours, as far as the engine can tell, while an attempt
// and a review each have an hour.
func TestAsleep(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells how long it slept")
	}
	s := tidy(t)
	bed := filepath.Join(s.root, "bed")
	c := start(t, built(t, programs.faulty), with(asleep, "CHARGEHAND_PATIENCE=1h", "CHARGEHAND_ASLEEP="+bed), "slow", s.data(), s.world.Dir)
	until(t, "an attempt and a review wait", func() bool { return exists(filepath.Join(s.world.Dir, "waiting")) })
	write(t, bed, "")
	if code := c.wait(t); code != 0 {
		t.Fatalf("the process ended with %d: %s", code, c.err.String())
	}
	var records []chargehand.Record
	if err := json.Unmarshal([]byte(c.out.String()), &records); err != nil {
		t.Fatal(err)
	}
	expired(t, records)
}

// expired wants that nothing expired early, the attempt was reassigned once and the review denied.
func expired(t *testing.T, records []chargehand.Record) {
	t.Helper()
	var v chargehand.View
	var last time.Time
	for _, r := range records {
		if r.At.Before(last) {
			t.Errorf("record %d is of %s, after one of %s", r.Seq, r.At, last)
		}
		last = r.At
		v.Apply(r)
		switch f := r.Fact.(type) {
		case chargehand.AttemptFailed:
			if a := v.Rows[0].Attempts[0]; f.Cause == chargehand.CauseDeadline && r.At.Before(a.DeadlineAt) {
				t.Errorf("an attempt until %s was ended at %s", a.DeadlineAt, r.At)
			}
		case chargehand.ReviewDecided:
			if r.At.Before(v.Reviews[0].Deadline) {
				t.Errorf("a review until %s was decided at %s", v.Reviews[0].Deadline, r.At)
			}
		}
	}
	stuck := v.Rows[0]
	if len(stuck.Attempts) != 2 || stuck.Attempts[0].Cause != chargehand.CauseDeadline || stuck.Attempts[1].Worker != "second" || !stuck.State.Accepted() {
		t.Errorf("the attempt past its deadline: %s after %d attempts, %+v", stuck.State, len(stuck.Attempts), stuck.Attempts)
	}
	if len(v.Reviews) != 1 || v.Reviews[0].Decision == nil || v.Reviews[0].Decision.Approved || !v.Reviews[0].Decision.ByPolicy {
		t.Errorf("the review past its deadline: %+v", v.Reviews)
	}
}
