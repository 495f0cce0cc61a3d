package sim

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/fleet"
	"github.com/chargehand/chargehand/internal/sim/law"
	"github.com/chargehand/chargehand/internal/supervise"
)

// A tally counts what worlds came across.
type tally struct {
	steps    int64
	records  int64
	crashes  int64
	faults   [numFaults]int64
	branches map[string]int64
	checked  map[law.Invariant]int64
}

func newTally() *tally {
	return &tally{branches: map[string]int64{}, checked: map[law.Invariant]int64{}}
}

func (t *tally) branch(name string) { t.branches[name]++ }

// add takes another's counts in.
func (t *tally) add(o *tally) {
	t.steps += o.steps
	t.records += o.records
	t.crashes += o.crashes
	for i, n := range o.faults {
		t.faults[i] += n
	}
	for name, n := range o.branches {
		t.branches[name] += n
	}
	for name, n := range o.checked {
		t.checked[name] += n
	}
}

// turn notes the branches that a turn's records and events show.
func (t *tally) turn(turned *law.Turn, boot int64) {
	granted := map[int64]bool{}
	for _, r := range turned.Records {
		t.fact(r.Fact)
		switch f := r.Fact.(type) {
		case chargehand.LeaseGranted:
			granted[f.Epoch] = true
		case chargehand.AttemptResumed:
			if granted[f.Epoch] {
				t.branch("attempt pursued again after a pause")
			}
		}
	}
	for _, e := range turned.Events {
		if _, ok := e.Input.(supervise.Refolded); ok {
			t.branch("refolded")
		}
		if _, ok := e.Fleet.(fleet.Reconcile); ok && boot > 1 {
			t.branch("fleet reconciled")
		}
	}
}

// fact names what a record shows.
func (t *tally) fact(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.PlanRefused:
		t.branch("plan refused")
	case chargehand.PlanAdvised:
		t.branch("plan advised")
	case chargehand.PlanProposed:
		t.branch("plan proposed")
	case chargehand.PlanAdopted:
		if f.Iteration > 1 {
			t.branch("replanned")
		}
	case chargehand.SubtasksPlanned:
		if f.Synthesis {
			t.branch("synthesis")
		}
	case chargehand.RetryPlanned:
		do := "retry"
		if f.Reassign {
			do = "reassign"
		}
		t.branch(do + " after " + string(f.Cause))
		if f.Subtask == "_synthesis" {
			t.branch("synthesis tried again")
		}
	case chargehand.SubtaskEnded:
		t.branch("subtask " + string(f.State))
		if f.State.Accepted() && strings.Contains(f.Why, "it is not debated") {
			t.branch("conflict without a debate")
		}
	case chargehand.DebateOpened, chargehand.PositionTaken, chargehand.PositionsCompared, chargehand.DebateSettled:
		t.debate(f)
	case chargehand.ReviewOpened:
		t.branch("review for " + string(f.Review.Cause))
		t.branch("review of " + string(f.Review.Subject))
	case chargehand.ReviewDecided:
		t.decision(f.Decision)
	case chargehand.RunStopping:
		t.branch("stop for " + string(f.Stop))
	case chargehand.RunEnded:
		t.branch("end " + string(f.State))
		t.branch("end for " + string(f.Stop))
	default:
		t.step(f)
	}
}

func (t *tally) debate(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.DebateOpened:
		t.branch("debate about " + string(f.Cause))
	case chargehand.PositionTaken:
		t.branch("position in round " + strconv.Itoa(f.Round))
	case chargehand.PositionsCompared:
		if f.Agree {
			t.branch("positions agree")
		} else {
			t.branch("positions differ")
		}
	case chargehand.DebateSettled:
		switch {
		case f.By == "" && f.OtherAttempt == 0:
			t.branch("debate not answered")
		case f.By == "":
			t.branch("debate settled by agreement")
		case f.OtherAttempt == 0:
			t.branch("debate without a second position")
		default:
			t.branch("debate settled by " + string(f.By))
		}
	}
}

func (t *tally) decision(d chargehand.Decision) {
	answer := "rejects"
	switch {
	case d.Settled != "":
		answer = "settles " + string(d.Settled)
	case d.EditRef != "":
		answer = "approves another plan"
	case d.Approved:
		answer = "approves"
	case d.SendBack:
		answer = "sends back"
	}
	switch {
	case d.Withdrawn:
		t.branch("review withdrawn")
	case d.ByPolicy:
		t.branch("policy " + answer)
	default:
		t.branch("person " + answer)
	}
}

// step names what the rest of the facts show.
func (t *tally) tools(f chargehand.ToolsUsed) {
	if len(f.Pins) > 0 {
		t.branch("tools pinned")
	}
	if len(f.Changed) > 0 {
		t.branch("tools changed")
	}
	if len(f.Denied) > 0 {
		t.branch("call not let through")
	}
}

func (t *tally) step(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.ToolsUsed:
		t.tools(f)
	case chargehand.ToolsAllowed:
		t.branch("changed tools let stand")
	case chargehand.AttemptResumed:
		t.branch("attempt pursued again")
		if f.Lost != (chargehand.Usage{}) {
			t.branch("envelope lost")
		}
	case chargehand.AttemptFailed:
		if f.Stopping {
			t.branch("straggler after " + string(f.Cause))
		}
	case chargehand.AttemptStopped:
		t.branch("straggler lets go")
	case chargehand.LateResult:
		t.branch("late result kept")
	case chargehand.JudgeFailed:
		t.branch("reviewer throws")
	case chargehand.JudgeAsked:
		switch {
		case f.Lost != (chargehand.Usage{}):
			t.branch("reviewer asked again after a restart")
		case f.Times > 1:
			t.branch("reviewer asked again")
		}
	case chargehand.PlanAsked:
		if f.Lost != (chargehand.Usage{}) {
			t.branch("planner asked again after a restart")
		}
	case chargehand.ReservationRaised:
		t.branch("raised " + string(f.For))
	case chargehand.ReservationDenied:
		t.branch("denied " + string(f.For))
	case chargehand.Overbilled:
		t.branch("overbilled " + string(f.For))
	case chargehand.InputRefused:
		t.branch("refused " + string(f.Code))
	case chargehand.BudgetLow:
		t.branch("budget low")
	case chargehand.PauseBegan:
		t.branch("paused")
	case chargehand.PauseEnded:
		t.branch("pause ended")
	case chargehand.Aggregated:
		if f.Conflicts > 0 {
			t.branch("conflict")
		}
	case chargehand.AggregateAsked:
		if f.Round > 1 {
			t.branch("aggregate outgrown")
		}
	default:
		t.pool(f)
	}
}

// pool names what the fleet's facts show.
func (t *tally) pool(f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.BreakerMoved:
		t.branch("breaker " + string(f.State))
	case chargehand.LeaseFreed:
		t.branch("lease " + string(f.Outcome))
	case chargehand.SpawnAsked:
		t.branch("spawn asked")
		if f.Try > 1 {
			t.branch("spawn tried again")
		}
	case chargehand.InstanceSpawned:
		if f.Dynamic {
			t.branch("dynamic instance up")
		} else {
			t.branch("static instance back")
		}
	case chargehand.SpawnFailed:
		t.branch("spawn failed")
	case chargehand.InstanceRetired:
		t.branch("instance retired")
	case chargehand.HealthChanged:
		if f.Healthy {
			t.branch("worker well again")
		} else {
			t.branch("worker unwell")
		}
	case chargehand.WorkerDrained:
		t.branch("worker drained")
	case chargehand.Alerted:
		t.branch("alert " + f.What)
	case chargehand.FleetRebased:
		t.branch("fleet rebased")
	}
}

// missed are the branches that ought to be reached and were not.
func (t *tally) missed() []string {
	var out []string
	for _, name := range Branches {
		if t.branches[name] == 0 {
			out = append(out, name)
		}
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
