package faults

import (
	"bufio"
	"os/exec"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/e2e/faults/reference"
	"github.com/chargehand/chargehand/engine/local"
)

// TestLockedDatabase has another process hold the database's write lock for longer than the engine
// waits. What is asked meanwhile is refused with the reason, nothing of it is done, what workers
// report is kept, and all goes on when the lock is let go.
func TestLockedDatabase(t *testing.T) {
	want, _ := undisturbed(t, built(t, programs.victim))
	s := tidy(t)
	opt := reference.Options(s.data(), s.world)
	run := paused(t, opt)
	e, err := local.Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	before, err := e.Run(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	release := lockDatabase(t, s.data())
	resume := chargehand.Control{Verb: chargehand.Resume, By: reference.Person}
	wantCode(t, "an order while the database is locked", e.Control(t.Context(), run, resume), chargehand.CodeUnavailable)
	during, err := e.Run(t.Context(), run)
	if err != nil || during.Seq != before.Seq || during.State != chargehand.RunPaused {
		t.Errorf("what was refused left the run at record %d, %s, after %d (%v)", during.Seq, during.State, before.Seq, err)
	}
	release()
	if err := e.Control(t.Context(), run, resume); err != nil {
		t.Fatal(err)
	}
	r, err := s.world.Drive(soon(t), e)
	if err != nil {
		t.Fatal(err)
	}
	if err := want.compare(r, false); err != nil {
		t.Error(err)
	}
}

// lockDatabase has a process of its own begin a writing transaction; release ends it.
func lockDatabase(t *testing.T, dir string) (release func()) {
	t.Helper()
	cmd := exec.Command(built(t, programs.victim), "lock", dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "locked\n" {
		t.Fatalf("the database is not locked: %q, %v", line, err)
	}
	return func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
}
