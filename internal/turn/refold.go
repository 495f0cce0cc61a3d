package turn

import (
	"slices"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/fleet"
	"github.com/chargehand/chargehand/internal/supervise"
)

// Refold has a loop that was folded from records told, before anything else, which leases the runs
// hold, and each run why it was folded. Runs that are not in memory are passed over.
func (l *Loop) Refold(runs []string, why func(run string) supervise.Input) {
	l.Settle(runs)
	l.Tell(runs, why)
}

// Settle has the fleet told which leases the runs hold: all that there are.
func (l *Loop) Settle(runs []string) {
	var held []fleet.Holding
	for _, id := range runs {
		if r := l.runs[id]; r != nil {
			for _, h := range r.machine.Leases() {
				held = append(held, fleet.Holding{Epoch: h.Epoch, Run: id, AttemptRef: h.AttemptRef})
			}
		}
	}
	l.First(Event{Fleet: fleet.Reconcile{Held: held}})
}

// Tell has runs told why they were folded. Of very many, some may be told before the rest is folded
// and the fleet settled: the leases they hold are the fleet's until then.
func (l *Loop) Tell(runs []string, why func(run string) supervise.Input) {
	for _, id := range runs {
		if l.runs[id] != nil {
			l.First(Event{Run: id, Input: why(id)})
		}
	}
}

// A TakeUp remembers which runs were told that this process takes them up. It outlives the loop.
type TakeUp struct {
	Hold    bool                             // no worker is called: what was under way is lost, its deadlines mean nothing
	Drifted func(team *chargehand.Team) bool // whether the program has other versions than the team names; nil: never

	telling []string // in the turn under way
	told    map[string]bool
}

// Due reports whether the run of an event must be told of the taking up before the event.
func (t *TakeUp) Due(l *Loop, e Event) bool {
	m := l.Machine(e.Run)
	if m == nil || t.told[e.Run] || slices.Contains(t.telling, e.Run) {
		return false
	}
	return t.Hold && !m.Idle() || t.Drifted != nil && t.Drifted(l.Team(e.Run))
}

// Telling says that a run is told in the turn under way, which Kept or Lost ends.
func (t *TakeUp) Telling(run string) { t.telling = append(t.telling, run) }

// Kept says that the turn is durable.
func (t *TakeUp) Kept() {
	if t.told == nil {
		t.told = map[string]bool{}
	}
	for _, run := range t.telling {
		t.told[run] = true
	}
	t.telling = t.telling[:0]
}

// Lost says that the turn is not.
func (t *TakeUp) Lost() { t.telling = t.telling[:0] }

// A Row is what must be known of a run without folding its records.
type Row struct {
	Summary chargehand.RunSummary
	Active  bool      // it must be in memory: something outside works for it
	Wake    time.Time // when it wants to be told the time; zero: never
}

// Row is the row of a run in memory.
func (l *Loop) Row(run string) Row {
	m := l.runs[run].machine
	return Row{Summary: m.Summary(), Active: !m.Idle(), Wake: m.Wake()}
}

// Park lets those of the runs out of memory that only wait for people or for time. It answers when
// the first of them wants to be told the time; zero: never.
func (l *Loop) Park(runs []string) time.Time {
	var next time.Time
	for _, id := range runs {
		r := l.runs[id]
		if r == nil || !r.machine.Idle() {
			continue
		}
		if at := r.machine.Wake(); next.IsZero() || !at.IsZero() && at.Before(next) {
			next = at
		}
		l.Evict(id)
	}
	return next
}

// CallsWorker reports whether the effect leaves the engine, which on hold none does.
func (e Effect) CallsWorker() bool {
	switch e.Do.(type) {
	case supervise.MakePlan, supervise.Launch, supervise.Judge:
		return true
	}
	return e.Fleet != nil
}

// Register is what the fleet must know of a team's workers.
func Register(t *chargehand.Team) fleet.Register {
	var r fleet.Register
	for i := range t.Workers {
		w := &t.Workers[i]
		r.Workers = append(r.Workers, chargehand.FleetWorker{
			Worker: w.WorkerID, Identity: t.Identity(w), Slots: w.Slots(), Min: max(1, w.Min),
			Max: max(1, w.Min, w.Max), LatencyMS: w.AverageLatencyMS, Spawn: w.Spawn, Health: w.HealthEndpoint,
		})
	}
	return r
}
