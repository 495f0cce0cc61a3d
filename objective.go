package chargehand

import (
	"encoding/json"
	"time"
)

// An Objective is what a run is asked to do.
type Objective struct {
	Title     string            `json:"title,omitempty"`
	Goal      string            `json:"goal"`
	Input     json.RawMessage   `json:"input,omitempty"` // checked against the team's input schema
	Documents []Document        `json:"documents,omitempty"`
	Facts     map[string]string `json:"facts,omitempty"`   // known to be true; an output that says otherwise is refused (SPEC.md ·64)
	Plan      *Plan             `json:"plan,omitempty"`    // overrides the team's planner
	PlanRef   string            `json:"planRef,omitempty"` // where Start has put Plan
}

// A Document is a source that workers read and quotes are bound to. Its content is stored once,
// under its hash.
type Document struct {
	Name      string `json:"name"`
	MediaType string `json:"mediaType,omitempty"` // empty means text/plain
	Hash      string `json:"hash"`
	Size      int64  `json:"size"`           // bytes
	Text      string `json:"text,omitempty"` // given to Start, which stores it and fills in Hash and Size
}

// An Order asks an engine to start a run.
type Order struct {
	Team      Team      `json:"team"`
	Objective Objective `json:"objective"`
	Budget    Budget    `json:"budget,omitzero"`    // zero fields fall back to the team's
	Deadline  Duration  `json:"deadline,omitempty"` // from the start; zero falls back to the team's
	StartedBy string    `json:"startedBy,omitempty"`
	Tenant    string    `json:"tenant,omitempty"`
	Key       string    `json:"key,omitempty"` // idempotency key: the same key with the same team and objective names the same run
}

// A Control is what an operator asks of a run.
type Control struct {
	Verb   Verb   `json:"verb"`
	By     string `json:"by"`
	Reason string `json:"reason,omitempty"` // required to cancel
}

// A Verb is one thing that can be asked of a run (SPEC.md ·129).
type Verb string

// The verbs.
const (
	Pause  Verb = "pause"
	Resume Verb = "resume"
	Cancel Verb = "cancel"
)

// A RunSummary is a run's line in a list.
type RunSummary struct {
	RunID      string     `json:"runId"`
	Title      string     `json:"title"`
	Team       string     `json:"team"`
	State      RunState   `json:"state"`
	Stop       StopReason `json:"stopReason,omitempty"`
	NeedsHuman int        `json:"needsHuman"`         // reviews that wait
	Subtasks   int        `json:"subtasks"`           // of all plans, without those that others replaced
	Replaced   int        `json:"replaced,omitempty"` // subtasks that ended without acceptance, and are made up for
	Accepted   int        `json:"accepted"`
	Gaps       int        `json:"gaps"`                         // subtasks that ended without acceptance, or with an output known to be incomplete; of an ended run all that its result lacks, the synthesis included
	Overridden int        `json:"overridden,omitempty"`         // outputs that the checks did not accept, and a person or the policy did
	OwnWord    int        `json:"decidedByRequester,omitempty"` // decisions of the person who started the run
	Spent      Micros     `json:"spentUSD"`
	Inherited  Micros     `json:"inheritedUSD,omitempty"` // of what is spent: by the runs it was forked from
	Budget     Micros     `json:"budgetUSD"`
	StartedAt  time.Time  `json:"startedAt"`
	EndedAt    time.Time  `json:"endedAt,omitzero"`
	DeadlineAt time.Time  `json:"deadlineAt,omitzero"` // zero also while the run is paused, for its time stands still
	Left       Duration   `json:"left,omitempty"`      // of a paused run's time until its deadline, which goes on when the run does
	StartedBy  string     `json:"startedBy,omitempty"`
	Tenant     string     `json:"tenant,omitempty"`
	ResultRef  string     `json:"resultRef,omitempty"`  // content hash of the Result as JSON; empty until the run has ended
	ResultHash string     `json:"resultHash,omitempty"` // over what was found (SPEC.md ·7)
}
