package sim

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chargehand/chargehand/internal/sim/law"
)

// suiteSeed may be changed at will: nothing in this file depends on it.
const suiteSeed = 7

func inspect(t *testing.T) *inspector {
	t.Helper()
	insp, err := newInspector(nil)
	if err != nil {
		t.Fatal(err)
	}
	return insp
}

// Whatever goes wrong, what must hold holds.
func TestRunsOfEveryKindOfTrouble(t *testing.T) {
	runs := 1_500
	if testing.Short() {
		runs = 600
	}
	r, err := Run(Options{Runs: runs, Seed: suiteSeed, Faults: AllOf(), Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Failure; f != nil {
		t.Fatalf("%s\nagain:   %s\nsmaller: %s", f.Error(), f.Command, f.Smaller)
	}
	if r.Runs < runs || r.Crashes == 0 {
		t.Errorf("%d runs with %d crashes, want %d runs and some crashes", r.Runs, r.Crashes, runs)
	}
	for _, i := range law.All {
		if r.Checked[i] == 0 {
			t.Errorf("%s was never looked at", i)
		}
	}
	for _, f := range AllFaults {
		if r.Faults[f] == 0 {
			t.Errorf("%s never happened", f)
		}
	}
}

// Each fault alone leads to what it is there for, and without any nothing goes wrong.
func TestEachFaultAlone(t *testing.T) {
	for fault, branch := range map[Fault]string{
		Crash: "boot", Late: "late result kept", Duplicate: "late result kept", Reorder: "end completed", Garbage: "retry after schema",
		Stall: "straggler after deadline", Lie: "gate REJECT", Budget: "subtask budget_exceeded", Storm: "lease failed",
		People: "decision refused already_decided", Clock: "end completed",
	} {
		r, err := Run(Options{Runs: 250, Seed: suiteSeed, Faults: Faults{fault: 2}, Jobs: 2})
		if err != nil {
			t.Fatal(err)
		}
		if r.Failure != nil {
			t.Errorf("%s: %s\n%s", fault, r.Failure.Error(), r.Failure.Smaller)
		}
		if r.Branches[branch] == 0 && fault != Late && fault != Clock {
			t.Errorf("%s never led to %q", fault, branch)
		}
	}
	r, err := Run(Options{Runs: 250, Seed: suiteSeed})
	if err != nil || r.Failure != nil || r.Crashes != 0 || r.Branches["lease failed"] != 0 {
		t.Errorf("without faults: %v, %v, %d crashes", err, r.Failure, r.Crashes)
	}
}

// The same case gives the same journal, byte for byte.
func TestTheSameCaseGivesTheSameJournal(t *testing.T) {
	insp := inspect(t)
	for n := 1; n <= 120; n++ {
		world, _ := World(n)
		c := &Case{Seed: suiteSeed, World: world, Faults: AllOf()}
		var bodies [2]string
		for i := range bodies {
			w := newWorld(c, insp, newTally())
			if b := w.run(); b != nil {
				t.Fatal(b)
			}
			for _, id := range slices.Sorted(maps.Keys(w.disk.streams)) {
				bodies[i] += string(w.disk.streams[id].body)
			}
		}
		if bodies[0] != bodies[1] || bodies[0] == "" {
			t.Fatalf("%s gives two journals", c.Command())
		}
	}
}

// How many worlds are gone through at a time changes nothing.
func TestTheReportDoesNotDependOnJobs(t *testing.T) {
	var said [2]string
	for i, jobs := range []int{1, 5} {
		r, err := Run(Options{Runs: 100, Seed: suiteSeed, Faults: AllOf(), Jobs: jobs})
		if err != nil {
			t.Fatal(err)
		}
		said[i] = string(plainly(r))
	}
	if said[0] != said[1] {
		t.Errorf("one job: %s\nfive: %s", said[0], said[1])
	}
}

// A script of the faults that happened is the same world.
func TestAScriptIsTheSameWorld(t *testing.T) {
	insp := inspect(t)
	for n := 1; n <= 60; n++ {
		world, _ := World(n)
		free := newWorld(&Case{Seed: 3, World: world, Faults: AllOf()}, insp, newTally())
		if b := free.run(); b != nil {
			t.Fatal(b)
		}
		bound := newWorld(&Case{Seed: 3, World: world, Script: free.struck}, insp, newTally())
		if b := bound.run(); b != nil {
			t.Fatal(b)
		}
		if a, b := free.disk.streams["fleet"], bound.disk.streams["fleet"]; string(a.body) != string(b.body) {
			t.Fatalf("world %d: its script %v gives another journal", world, free.struck)
		}
	}
}

// What fails is told by the smallest case that can be found, which fails too.
func TestFailuresShrink(t *testing.T) {
	insp := inspect(t)
	late := func(c *Case) *Failure {
		w := newWorld(c, insp, newTally())
		if b := w.run(); b != nil {
			t.Fatal(b)
		}
		if w.tally.branches["straggler after deadline"] == 0 {
			return nil
		}
		return w.failure(c, &law.Breach{Invariant: law.Ends, What: "an attempt was late"})
	}
	c := &Case{Seed: suiteSeed, World: 4, Faults: AllOf()}
	f := late(c)
	for f == nil {
		c.World, _ = World(c.World + 3)
		f = late(c)
	}
	small := shrink(c, f, late)
	if small.Command == f.Command || len(small.Script) >= len(f.Script) || !strings.Contains(small.Command, "--script") {
		t.Errorf("%s\nshrinks to\n%s", f.Command, small.Command)
	}
	if len(small.Script) > 2 {
		t.Errorf("one stall is enough for a late attempt, it keeps %v", small.Script)
	}
}

func TestTeamsThatAreDrawnAreSound(t *testing.T) {
	for n := range 500 {
		f := &fate{seed: suiteSeed, key: uint64(n)}
		team, plan := draw(f.dice(spot{what: "team"}))
		for _, p := range append(team.Check(), team.CheckPlan(&plan)...) {
			t.Errorf("team %d: %s", n, p)
		}
	}
}

// The samples are what their names say, by the gate's own word.
func TestSamplesAreWhatTheyAreCalled(t *testing.T) {
	insp := inspect(t)
	for contract, s := range stocks {
		task := exampleTask(contract)
		for _, x := range s.good {
			if v := insp.check(&task, x, nil, "succeeded", false); !v.SchemaPass || v.Recommendation == "REJECT" {
				t.Errorf("%s: %s is %s: %+v", contract, x.body, v.Recommendation, v.Issues)
			}
		}
		for _, x := range append(slices.Clone(s.lies), garbage...) {
			v := insp.check(&task, x, nil, "succeeded", false)
			if v.Recommendation == "ACCEPT" && contract != "" {
				t.Errorf("%s: %.60s is accepted", contract, x.body)
			}
		}
	}
}

func TestFaultsAreRead(t *testing.T) {
	for text, want := range map[string]string{
		"": AllOf().String(), "all": AllOf().String(), "none": "none", "crash,late=0.5": "crash,late=0.5", "all,crash=3": "crash=3," + strings.TrimPrefix(AllOf().String(), "crash,"),
	} {
		got, err := ParseFaults(text)
		if err != nil || got.String() != want {
			t.Errorf("%q is read as %q, %v", text, got, err)
		}
	}
	for _, bad := range []string{"fire", "crash=x", "crash=-1", "crash=NaN"} {
		if fs, err := ParseFaults(bad); err == nil {
			t.Errorf("%q is read as %v", bad, fs)
		}
	}
}

func TestWorldsShareOutTheRuns(t *testing.T) {
	next := 1
	for next < 100 {
		world, size := World(next)
		if world != next {
			t.Fatalf("run %d begins no world", next)
		}
		for i := range size {
			if w, n := World(next + i); w != world || n != size {
				t.Errorf("run %d is in world %d of %d, want %d of %d", next+i, w, n, world, size)
			}
		}
		next += size
	}
}

func TestMain(m *testing.M) {
	code := m.Run()
	if code != 0 {
		fmt.Fprintln(os.Stderr, "a failing world is told turn by turn by: chargehand sim --seed S --run K --trace")
	}
	os.Exit(code)
}
