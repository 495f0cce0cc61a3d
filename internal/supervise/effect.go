package supervise

import (
	"time"

	"github.com/chargehand/chargehand"
)

// An Effect is a goal for the hands outside: safe to pursue twice, and answered by an input. The
// set is closed.
type Effect interface{ effect() }

// MakePlan wants a plan; Planned answers it.
type MakePlan struct {
	Iteration int              `json:"iteration"`
	Errors    []string         `json:"errors,omitempty"`  // of the plan before
	Draft     chargehand.Draft `json:"draft,omitzero"`    // the plan before; zero: it is the first, or none came
	Failed    []chargehand.Gap `json:"failed,omitempty"`  // what a replan should make up for
	Earlier   []Earlier        `json:"earlier,omitempty"` // what there is already, for a replan
	Left      int              `json:"left,omitempty"`    // subtasks that Earlier leaves out
	Ref       string           `json:"ref,omitempty"`     // content hash of the plan to read, which a person approved; empty: make one
	Source    string           `json:"source,omitempty"`  // who made that plan
	Envelope  Envelope         `json:"envelope,omitzero"`
}

// Earlier is a subtask of a plan before, and what came of it.
type Earlier struct {
	Subtask chargehand.Subtask      `json:"subtask"`
	State   chargehand.SubtaskState `json:"state"`
	Cause   chargehand.Cause        `json:"cause,omitempty"` // why it is not accepted
	Why     string                  `json:"why,omitempty"`
	Lacks   []string                `json:"lacks,omitempty"`  // what its accepted output is known not to cover
	Output  string                  `json:"output,omitempty"` // content hash; empty: it is not accepted
	Size    int                     `json:"size,omitempty"`   // bytes of the output
}

// An Envelope is what a call may consume before it has to ask for more by a TopUp.
type Envelope struct {
	USD    chargehand.Micros `json:"usd,omitempty"`
	Tokens int64             `json:"tokens,omitempty"`

	AnyUSD    bool `json:"anyUSD,omitempty"` // there is no ceiling: it need not ask
	AnyTokens bool `json:"anyTokens,omitempty"`
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
	Effect   chargehand.Effect     `json:"effect,omitempty"`  // what it does to the world; empty: it reads
	Envelope Envelope              `json:"envelope,omitzero"`
	Stances  bool                  `json:"stances,omitempty"` // Finished is to say what the output does
}

// Stop wants an attempt to end; Stopped answers it, unless Finished or Crashed came first.
type Stop struct {
	chargehand.AttemptRef
	Epoch int64 `json:"epoch"`
}

// Reschedule wants an attempt that is under way to end by another time than its Launch said. Nothing
// answers it.
type Reschedule struct {
	chargehand.AttemptRef
	Epoch      int64     `json:"epoch"`
	DeadlineAt time.Time `json:"deadlineAt,omitzero"` // zero: its time stands still, and what is left of it stays
}

// Judge wants the reviewer's verdict; JudgeAnswered answers it.
type Judge struct {
	chargehand.AttemptRef
	Times    int      `json:"times"`
	Reviewer string   `json:"reviewer"`
	Goal     string   `json:"goal"`
	Output   string   `json:"output"` // content hash
	Criteria []string `json:"criteria,omitempty"`
	Envelope Envelope `json:"envelope,omitzero"`

	Positions []Shown `json:"positions,omitempty"` // of a debate: one is to be chosen, and Output is not judged
}

// Shown is a position as the reviewer is shown it.
type Shown struct {
	Output  string `json:"output"`            // content hash
	Verdict string `json:"verdict,omitempty"` // content hash
}

// Compare wants two outputs for the same subtask compared by the facts that their contract names;
// Compared answers it.
type Compare struct {
	chargehand.AttemptRef        // the later of the two
	Contract              string `json:"contract,omitempty"`
	First                 string `json:"first"`  // content hash
	Second                string `json:"second"` // content hash
}

// Aggregate wants the accepted outputs put together by contract; WorkAggregated answers it.
type Aggregate struct {
	Round    int        `json:"round"`
	Accepted []Accepted `json:"accepted"`
	Caveats  Caveats    `json:"caveats,omitzero"`
}

// Caveats are what a last step is told beside what was accepted (SPEC.md ·141): what is missing, and
// what is in doubt. A run without a last step has none.
type Caveats struct {
	Gaps          *Shortlist[chargehand.Gap]  `json:"gaps,omitempty"`
	LowConfidence *Shortlist[chargehand.Note] `json:"lowConfidence,omitempty"`
}

// A Shortlist is the first of a list, in its order, and how many there are.
type Shortlist[T any] struct {
	Count int `json:"count"`
	First []T `json:"first"`
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

	ConfirmedBy string `json:"confirmedBy,omitempty"` // worker that said the same in a debate
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
func (Reschedule) effect()  {}
func (Judge) effect()       {}
func (Compare) effect()     {}
func (Aggregate) effect()   {}
func (WriteResult) effect() {}
