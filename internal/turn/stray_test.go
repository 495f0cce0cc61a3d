package turn_test

import (
	"slices"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/fleet"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/internal/turn"
)

// A lease for a run that is no longer in memory goes back at once, and nobody hears of it.
func TestALeaseForNobodyIsGivenBack(t *testing.T) {
	b := newBench(t)
	b.start("r1")
	b.start("r2")
	b.loop.Evict("r2")
	turned := b.finish("r1")
	if held := b.loop.Fleet().Leases(); len(held) != 0 {
		t.Errorf("the fleet holds %+v", held)
	}
	if !slices.Equal(turned.Touched, []string{"r1"}) {
		t.Errorf("touched %v, and only r1 is in memory", turned.Touched)
	}
}

// A lease that is given to a new run in the very turn in which the loop is told what it was folded
// for stays that run's.
func TestAFoldTakesNoNewLease(t *testing.T) {
	b := newBench(t)
	b.start("r1")
	b.finish("r1")
	b.loop = b.again("r1")
	b.loop.Refold([]string{"r1"}, func(string) supervise.Input { return supervise.Refolded{} })
	b.loop.Add("r2", b.team, supervise.New("r2", b.team))
	b.take(
		turn.Event{Run: "r2", Input: supervise.Start{Order: chargehand.Order{Objective: chargehand.Objective{Goal: "read"}}, Seed: "s"}},
		turn.Event{Run: "r2", Input: supervise.Planned{Iteration: 1, Plan: chargehand.Plan{Subtasks: []chargehand.Subtask{
			{ID: "a", Goal: "read", Capability: "read"},
		}}}},
	)
	if held := b.loop.Fleet().Leases(); len(held) != 1 || held[0].Run != "r2" {
		t.Errorf("the fleet holds %+v, want the lease of r2", held)
	}
}

// The slot of an attempt that died while it was being stopped is another's after the restart, and
// stays that.
func TestLeasesAreComparedBeforeRunsGoOn(t *testing.T) {
	b := newBench(t)
	b.start("r1")
	b.start("r2")
	b.now = noon.Add(2 * time.Second)
	b.take() // r1's attempt is past its deadline, and does not stop
	if got := b.launches(); !slices.Equal(got, []string{"r1"}) {
		t.Fatalf("launched %v", got)
	}
	b.loop = b.again("r1", "r2")
	b.loop.Refold([]string{"r1", "r2"}, func(string) supervise.Input { return supervise.Resumed{Boot: 2} })
	b.take()
	if got := b.launches(); !slices.Equal(got, []string{"r1", "r2"}) {
		t.Errorf("launched %v", got)
	}
	if held := b.loop.Fleet().Leases(); len(held) != 1 || held[0].Run != "r2" {
		t.Errorf("the fleet holds %+v, want the lease of r2", held)
	}
}

// An attempt that the fleet knows no lease of is not waited for: the run tries again.
func TestAnAttemptWithoutItsLeaseHasFailed(t *testing.T) {
	b := newBench(t)
	b.start("r1")
	l := b.again("r1")
	forgetful := turn.New(fleet.New())
	forgetful.Add("r1", b.team, l.Machine("r1"))
	b.loop = forgetful
	b.take(turn.Event{Fleet: turn.Register(b.team)})
	forgetful.Refold([]string{"r1"}, func(string) supervise.Input { return supervise.Refolded{} })
	b.take()
	if got := b.launches(); !slices.Equal(got, []string{"r1", "r1"}) {
		t.Errorf("launched %v, want a second attempt", got)
	}
}
