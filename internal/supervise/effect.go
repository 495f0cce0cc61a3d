package supervise

import "github.com/chargehand/chargehand"

// An Effect is a goal for the hands outside: safe to pursue twice, and answered by an input. The
// set is closed.
type Effect interface{ effect() }

// MakePlan wants a plan; Planned answers it.
type MakePlan struct {
	Iteration int              `json:"iteration"`
	Errors    []string         `json:"errors,omitempty"` // of the plan before
	Failed    []chargehand.Gap `json:"failed,omitempty"` // what a replan should make up for
}

// Launch wants one attempt to run, and no earlier one of the subtask. Finished or Crashed answers
// it; texts of the task's inputs are the hands' to fill in.
type Launch struct {
	Epoch    int64                 `json:"epoch"`
	Instance string                `json:"instance"`
	Task     chargehand.WorkerTask `json:"task"`
	Partial  bool                  `json:"partial,omitempty"` // a partial result is welcome
	Facts    map[string]string     `json:"facts,omitempty"`   // known to be true, for the gate
	Once     bool                  `json:"once,omitempty"`    // it must not be sent twice: what it does cannot be done again
}

// Stop wants an attempt to end; Stopped answers it, unless Finished or Crashed came first.
type Stop struct {
	chargehand.AttemptRef
	Epoch int64 `json:"epoch"`
}

// Judge wants the reviewer's verdict; JudgeAnswered answers it.
type Judge struct {
	chargehand.AttemptRef
	Times    int      `json:"times"`
	Reviewer string   `json:"reviewer"`
	Goal     string   `json:"goal"`
	Output   string   `json:"output"` // content hash
	Criteria []string `json:"criteria,omitempty"`
}

// Aggregate wants the accepted outputs put together by contract; WorkAggregated answers it.
type Aggregate struct {
	Round    int        `json:"round"`
	Accepted []Accepted `json:"accepted"`
}

// Accepted is an output that may be used.
type Accepted struct {
	Subtask  string                  `json:"subtask"`
	Attempt  int                     `json:"attempt"`
	Worker   string                  `json:"worker"`
	Output   string                  `json:"output"`
	Contract string                  `json:"contract,omitempty"`
	State    chargehand.SubtaskState `json:"state"`
	Score    float64                 `json:"score"`
}

// WriteResult wants the result stored; ResultWritten answers it. The hands add items and
// conflicts from the aggregate, and the synthesis' output.
type WriteResult struct {
	Result    chargehand.Result `json:"result"`
	Aggregate string            `json:"aggregate,omitempty"`
	Output    string            `json:"output,omitempty"`
}

func (MakePlan) effect()    {}
func (Launch) effect()      {}
func (Stop) effect()        {}
func (Judge) effect()       {}
func (Aggregate) effect()   {}
func (WriteResult) effect() {}
