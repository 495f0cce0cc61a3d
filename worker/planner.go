package worker

import (
	"context"
	"encoding/json"

	"github.com/chargehand/chargehand"
)

// A Planner turns an objective into a plan (SPEC.md ·20). What it returns is checked before
// anything runs, and its usage counts even beside an error.
type Planner func(ctx context.Context, r PlanRequest) (chargehand.Plan, chargehand.Usage, error)

// A PlanRequest is what a planner goes by.
type PlanRequest struct {
	Objective chargehand.Objective // its documents with their text
	Team      *chargehand.Team     // read only
	Iteration int                  // from 1; a later one plans again after a drain with failures (SPEC.md ·23)
	Errors    []string             // what was wrong with the last plan, or what a person said of it; empty at first
	Last      *chargehand.Plan     // that plan; nil where there is none (SPEC.md ·21)
	LastText  string               // what the planner wrote where that was no plan, cut after 64 KiB; empty where there is a Last
	Failed    []chargehand.Gap     // what the last iteration left uncovered
	Earlier   []Earlier            // subtasks of the plans before and what came of them, where Iteration is above 1 (SPEC.md ·23)
	Left      int                  // of them, how many there were too many to be told of; what was not accepted is told first
	Advice    *chargehand.Advice   // where Example comes from; nil: there is none
	Example   *chargehand.Plan     // of an earlier run that was about much the same, as data; its subtasks name no worker
}

// Earlier is a subtask of an earlier plan of the run. What was replaced since is left out.
type Earlier struct {
	Subtask chargehand.Subtask // without an assignee
	State   chargehand.SubtaskState
	Cause   chargehand.Cause // why it is not accepted
	Why     string           // the same in words, which may be a worker's
	Lacks   []string         // what its accepted output is known not to cover

	OutputRef string          // content hash of its accepted output; empty where there is none
	Bytes     int             // of the output
	Output    json.RawMessage // nil where there is none, or all outputs together have more than 1 MiB
}

// Plan calls the planner. A panic in it becomes an Error of kind Crash.
func (p Planner) Plan(ctx context.Context, r PlanRequest) (plan chargehand.Plan, u chargehand.Usage, err error) {
	defer func() {
		if v := recover(); v != nil {
			plan, err = chargehand.Plan{}, panicked(v)
		}
	}()
	return p(ctx, r)
}
