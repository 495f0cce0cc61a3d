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

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// team has one worker with one slot.
func team() *chargehand.Team {
	return &chargehand.Team{
		Name: "pair", Version: "1",
		Workers: []chargehand.WorkerSpec{{WorkerID: "reader", Capabilities: []string{"read"}, AverageLatencyMS: 1000}},
		Planner: chargehand.Planner{Func: "plan"},
	}
}

// A bench is a loop and everything it has said.
type bench struct {
	*testing.T
	loop    *turn.Loop
	team    *chargehand.Team
	now     time.Time
	records []chargehand.Record
	effects []turn.Effect
}

func newBench(t *testing.T) *bench {
	b := &bench{T: t, loop: turn.New(fleet.New()), team: team(), now: noon}
	b.take(turn.Event{Fleet: turn.Register(b.team)})
	return b
}

func (b *bench) take(events ...turn.Event) turn.Turn {
	t := b.loop.Take(b.now, events)
	b.records = append(b.records, t.Records...)
	b.effects = append(b.effects, t.Effects...)
	return t
}

func (b *bench) start(run string) {
	b.loop.Add(run, b.team, supervise.New(run, b.team))
	b.take(turn.Event{Run: run, Input: supervise.Start{Order: chargehand.Order{Objective: chargehand.Objective{Goal: "read"}}, Seed: "s"}})
	b.take(turn.Event{Run: run, Input: supervise.Planned{Iteration: 1, Plan: chargehand.Plan{Subtasks: []chargehand.Subtask{
		{ID: "a", Goal: "read", Capability: "read"},
	}}}})
}

// launches are the runs whose attempts were begun, in order.
func (b *bench) launches() []string {
	var runs []string
	for _, e := range b.effects {
		if _, ok := e.Do.(supervise.Launch); ok {
			runs = append(runs, e.Run)
		}
	}
	return runs
}

// finish lets the run's attempt end with an output that is accepted.
func (b *bench) finish(run string) turn.Turn {
	b.Helper()
	for _, e := range b.effects {
		if l, ok := e.Do.(supervise.Launch); ok && e.Run == run {
			return b.take(turn.Event{Run: run, Input: supervise.Finished{
				AttemptRef: chargehand.AttemptRef{Subtask: l.Task.TaskID, Attempt: l.Task.Attempt}, Epoch: l.Epoch,
				Status: chargehand.StatusSucceeded, Output: "sha256:o", Size: 2,
				Verdict: chargehand.Verdict{SchemaPass: true, Recommendation: chargehand.Accept, Score: 1},
			}})
		}
	}
	b.Fatalf("%s has no attempt to finish", run)
	return turn.Turn{}
}

// again is the loop folded from the records, with the runs in memory.
func (b *bench) again(runs ...string) *turn.Loop {
	var common []chargehand.Record
	own := map[string][]chargehand.Record{}
	for _, r := range b.records {
		if r.Run == chargehand.FleetStream {
			common = append(common, r)
		} else {
			own[r.Run] = append(own[r.Run], r)
		}
	}
	l := turn.New(fleet.Restore(common))
	for _, run := range runs {
		l.Add(run, b.team, supervise.Restore(run, b.team, own[run]))
	}
	return l
}

// A slot given back by one run is another's in the very same turn, so no run waits for a commit to
// learn that it may go on.
func TestALeaseChangesHandsInOneTurn(t *testing.T) {
	b := newBench(t)
	b.start("r1")
	b.start("r2")
	if got := b.launches(); !slices.Equal(got, []string{"r1"}) {
		t.Fatalf("launched %v with one slot", got)
	}
	turned := b.finish("r1")
	if got := b.launches(); !slices.Equal(got, []string{"r1", "r2"}) {
		t.Fatalf("launched %v after the slot was free", got)
	}
	if !slices.Equal(turned.Touched, []string{"r1", "r2"}) {
		t.Errorf("touched %v", turned.Touched)
	}
}

// A run whose time has come is told so, whoever else was spoken to.
func TestEverybodyIsToldTheTime(t *testing.T) {
	b := newBench(t)
	b.start("r1")
	if want := noon.Add(2 * time.Second); !b.loop.Next().Equal(want) {
		t.Fatalf("next turn at %s, want the attempt's deadline %s", b.loop.Next(), want)
	}
	b.now = noon.Add(2 * time.Second)
	b.take()
	stopped := slices.ContainsFunc(b.effects, func(e turn.Effect) bool { _, ok := e.Do.(supervise.Stop); return ok })
	if !stopped {
		t.Error("the attempt is past its deadline and was not stopped")
	}
}

func TestARefoldedLoopAgreesWithItsRuns(t *testing.T) {
	b := newBench(t)
	b.start("r1")
	b.start("r2")
	l := b.again("r1", "r2")
	l.Refold([]string{"r1", "gone", "r2"}, func(string) supervise.Input { return supervise.Refolded{} })
	if at := l.Next(); at.IsZero() || at.After(noon) {
		t.Errorf("what was folded is told at %s, want at once", at)
	}
	b.loop, b.effects = l, nil
	turned := b.take()
	if !slices.Equal(turned.Touched, []string{"r1", "r2"}) || len(turned.Refusals) != 0 {
		t.Errorf("told %v, refused %v", turned.Touched, turned.Refusals)
	}
	if len(turned.Records) != 0 || len(turned.Effects) != 0 {
		t.Errorf("a loop that agrees has nothing to say: %+v %+v", turned.Records, turned.Effects)
	}
	if l.Fleet().Status()[0].Queued != 1 {
		t.Error("r2 does not wait in the new queue")
	}
}

// What a loop was folded for comes before anything else: a lease given meanwhile is not one that
// the fleet must take for an orphan.
func TestNothingHappensBeforeAFoldIsToldOf(t *testing.T) {
	b := newBench(t)
	b.start("r1")
	b.start("r2")
	l := b.again("r1", "r2")
	l.Refold([]string{"r1", "r2"}, func(string) supervise.Input { return supervise.Refolded{} })
	b.loop = l
	b.finish("r1")
	if got := b.launches(); !slices.Equal(got, []string{"r1", "r2"}) {
		t.Fatalf("launched %v", got)
	}
	if held := l.Fleet().Leases(); len(held) != 1 || held[0].Run != "r2" {
		t.Errorf("the fleet holds %+v, want the lease of r2 alone", held)
	}
}

func TestARunIsTakenUpOnce(t *testing.T) {
	b := newBench(t)
	b.start("r1")
	decide := turn.Event{Run: "r1", Input: supervise.Decide{}}
	up := turn.TakeUp{Hold: true}
	if !up.Due(b.loop, decide) {
		t.Fatal("a run with work under way is told before anything else")
	}
	up.Telling("r1")
	if up.Due(b.loop, decide) {
		t.Error("it is told twice in one turn")
	}
	up.Lost()
	if !up.Due(b.loop, decide) {
		t.Error("what was said in a turn that is lost must be said again")
	}
	up.Telling("r1")
	up.Kept()
	if up.Due(b.loop, decide) {
		t.Error("it is told twice")
	}
	up = turn.TakeUp{}
	if up.Due(b.loop, decide) || up.Due(b.loop, turn.Event{Run: "gone"}) {
		t.Error("nothing was lost, and nothing drifted")
	}
	up = turn.TakeUp{Drifted: func(*chargehand.Team) bool { return true }}
	if !up.Due(b.loop, decide) {
		t.Error("a run that goes on with other versions must record it")
	}
}

func TestOnlyIdleRunsAreParked(t *testing.T) {
	b := newBench(t)
	b.start("busy")
	b.loop.Add("paused", b.team, supervise.New("paused", b.team))
	b.take(turn.Event{Run: "paused", Input: supervise.Start{
		Order: chargehand.Order{Objective: chargehand.Objective{Goal: "wait"}, Deadline: chargehand.Duration(time.Hour)},
	}})
	bad := supervise.Planned{Iteration: 1, Err: "no idea"}
	b.take(turn.Event{Run: "paused", Input: bad}, turn.Event{Run: "paused", Input: bad})
	if row := b.loop.Row("paused"); row.Active || row.Summary.NeedsHuman != 1 {
		t.Fatalf("a run that waits for a person has the row %+v", row)
	}
	if row := b.loop.Row("busy"); !row.Active {
		t.Fatalf("a run with an attempt under way has the row %+v", row)
	}
	next := b.loop.Park([]string{"busy", "paused", "gone"})
	if b.loop.Machine("busy") == nil || b.loop.Machine("paused") != nil || b.loop.Len() != 1 {
		t.Error("the wrong run was let out of memory")
	}
	if want := noon.Add(30 * time.Minute); !next.Equal(want) {
		t.Errorf("parked until %s, want the review's deadline %s", next, want)
	}
}

// On hold nobody gets a worker, and nobody is forgotten for it.
func TestOnHoldNobodyIsGivenAWorker(t *testing.T) {
	b := newBench(t)
	b.loop.Hold = true
	b.start("r1")
	if got := b.launches(); len(got) != 0 || len(b.loop.Fleet().Leases()) != 0 {
		t.Fatalf("launched %v on hold", got)
	}
	if row := b.loop.Row("r1"); !row.Active {
		t.Fatalf("a run that waits for a worker has the row %+v", row)
	}
	b.loop = b.again("r1")
	b.loop.Refold([]string{"r1"}, func(string) supervise.Input { return supervise.Resumed{Boot: 2} })
	b.take()
	if got := b.launches(); !slices.Equal(got, []string{"r1"}) {
		t.Errorf("launched %v once it is taken up", got)
	}
}

// However long a fleet works, a fold of its records begins near their end.
func TestTheFleetsTailIsKeptShort(t *testing.T) {
	b := newBench(t)
	b.loop.Tail = 3
	for _, run := range []string{"r1", "r2", "r3"} {
		b.start(run)
		b.finish(run)
		if n := b.loop.Fleet().Tail(); n > 3 {
			t.Errorf("%d records since the last place to begin", n)
		}
	}
	last := slices.IndexFunc(b.records, func(r chargehand.Record) bool {
		_, ok := r.Fact.(chargehand.FleetRebased)
		return ok
	})
	if last < 0 {
		t.Fatal("there is no place to begin a fold")
	}
}

func TestOnlyWorkLeavesTheEngine(t *testing.T) {
	for _, e := range []turn.Effect{
		{Do: supervise.MakePlan{}}, {Do: supervise.Launch{}}, {Do: supervise.Judge{}}, {Fleet: fleet.Probe{}}, {Fleet: fleet.Spawn{}},
	} {
		if !e.CallsWorker() {
			t.Errorf("%T%T calls nobody", e.Do, e.Fleet)
		}
	}
	for _, do := range []supervise.Effect{supervise.Stop{}, supervise.Aggregate{}, supervise.WriteResult{}} {
		if (turn.Effect{Do: do}).CallsWorker() {
			t.Errorf("%T calls a worker", do)
		}
	}
}
