package turn_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/fleet"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/internal/turn"
)

// program is team with its worker as a program.
func program(command string, price chargehand.Micros) *chargehand.Team {
	t := team()
	w := &t.Workers[0]
	w.Kind, w.Exec, w.CostPerCallEstimateUSD = chargehand.KindExec, &chargehand.ExecKind{Command: []string{command}}, price
	return t
}

// join begins a run of a team, and registers the team as a start does.
func (b *bench) join(run string, t *chargehand.Team) {
	b.team = t
	b.take(turn.Event{Fleet: turn.Register(t)})
	b.start(run)
}

// crash lets the run's latest attempt die.
func (b *bench) crash(run string) {
	b.Helper()
	for _, e := range slices.Backward(b.effects) {
		if l, ok := e.Do.(supervise.Launch); ok && e.Run == run {
			b.take(turn.Event{Run: run, Input: supervise.Crashed{
				AttemptRef: chargehand.AttemptRef{Subtask: l.Task.TaskID, Attempt: l.Task.Attempt}, Epoch: l.Epoch,
				Cause: chargehand.CauseCrash, Message: "gone",
			}})
			return
		}
	}
	b.Fatalf("%s has no attempt to crash", run)
}

// Breaker and slots belong to what is called (SPEC.md ·74, ·101): another team's program of the same
// name has its own, and the same program in another team, at another price, has the same.
func TestSlotsBelongToWhatIsCalled(t *testing.T) {
	b := newBench(t)
	b.loop = turn.New(fleet.New())
	b.records = nil
	b.join("r1", program("./one", 0))
	b.join("r2", program("./two", 0))
	b.join("r3", program("./one", 10_000))
	if got := b.launches(); !slices.Equal(got, []string{"r1", "r2"}) {
		t.Fatalf("launched %v: r3 waits for the slot of r1, and r2 for none", got)
	}
	for _, e := range b.effects {
		if l, ok := e.Do.(supervise.Launch); ok && (l.Task.AssignedWorker != "reader" || strings.Contains(l.Instance, "~")) {
			t.Errorf("%s is launched on %s, instance %q: people know it as reader", e.Run, l.Task.AssignedWorker, l.Instance)
		}
	}
	b.finish("r1")
	if got := b.launches(); !slices.Contains(got, "r3") {
		t.Errorf("launched %v after r1 was done", got)
	}
	for _, s := range b.loop.Fleet().Status() {
		if s.Worker != "reader" {
			t.Errorf("people are shown %q", s.Worker)
		}
	}
}

// A breaker that opens for one program leaves another of its name alone, and stands in the log of each
// run that it concerns: of those the worker works for, and of those that come to wait for it.
func TestABreakerIsTold(t *testing.T) {
	b := newBench(t)
	b.loop = turn.New(fleet.New())
	b.records = nil
	b.join("r1", program("./one", 0))
	for range 3 {
		b.crash("r1")
	}
	b.join("r2", program("./one", 0))
	b.crash("r2")
	b.crash("r2")
	b.join("r3", program("./one", 0))
	b.join("r4", program("./two", 0))
	told := map[string]string{}
	for _, r := range b.records {
		if a, ok := r.Fact.(chargehand.Alerted); ok && r.Run != chargehand.FleetStream && a.What == "breaker_open" {
			told[r.Run] = a.Worker + ": " + a.Why
		}
	}
	const want = "reader: the breaker of reader is open since 12:00:00 (5 failures in a row); one call is let through at 12:00:30"
	if told["r3"] != want || told["r2"] != want || told["r4"] != "" {
		t.Errorf("told %q", told)
	}
	if got := b.launches(); got[len(got)-1] != "r4" || slices.Contains(got, "r3") {
		t.Errorf("launched %v: only the other program works", got)
	}
}

// A worker that an older journal knows by its name alone is the one that is registered under it next.
func TestOlderFleetsGoOn(t *testing.T) {
	b := newBench(t)
	r := turn.Register(program("./one", 0))
	r.Workers[0].Identity = ""
	b.loop, b.records = turn.New(fleet.New()), nil
	b.take(turn.Event{Fleet: r})
	b.join("r1", program("./one", 0))
	if n := len(b.loop.Fleet().Status()); n != 1 {
		t.Errorf("the fleet has %d workers", n)
	}
	folded := b.again("r1").Fleet()
	if got := folded.Key("reader", b.team.Identity(&b.team.Workers[0])); got != "reader" {
		t.Errorf("the key is %q", got)
	}
	if got := folded.Key("reader", "sha256:0123456789abcdef"); got != "reader~01234567" {
		t.Errorf("another's key is %q", got)
	}
}
