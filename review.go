package chargehand

import (
	"encoding/json"
	"strings"
	"time"
)

// A Review is a request for a person's judgement (SPEC.md ·122, ·123).
type Review struct {
	ID          string       `json:"id"`
	RunID       string       `json:"runId"`
	TaskID      string       `json:"taskId,omitempty"` // empty for the plan or the aggregate
	Attempt     int          `json:"attempt,omitempty"`
	Subject     Subject      `json:"subject"`
	Action      string       `json:"action"` // what a yes would let happen
	Description string       `json:"description"`
	Cause       Cause        `json:"cause"`
	Risk        Risk         `json:"risk"`
	Evidence    []Finding    `json:"evidence,omitempty"`
	Changes     []ToolChange `json:"changes,omitempty"`    // what is judged, where that is tools
	ContentHash string       `json:"contentHash"`          // of what is judged; a decision names it
	OutputRef   string       `json:"outputRef,omitempty"`  // where it can be read; empty: there is nothing to accept
	VerdictRef  string       `json:"verdictRef,omitempty"` // the gate's whole verdict
	Positions   []Position   `json:"positions,omitempty"`  // of a debate, the one judged included; empty where there was none
	Nonce       string       `json:"nonce"`                // used up by the decision
	RequestedBy string       `json:"requestedBy"`
	OpenedAt    time.Time    `json:"openedAt"`
	Deadline    time.Time    `json:"deadline"`
	Auto        AutoDecision `json:"autoDecision"` // what the policy decides at the deadline
	Policy      string       `json:"policyVersion"`
	Required    bool         `json:"required"`         // a no ends the run
	Blocks      int          `json:"blocks,omitempty"` // subtasks that wait for the answer
	Decision    *Decision    `json:"decision,omitempty"`

	// RunEnds is when the run's own deadline ends the run, where that comes before Deadline: the review is
	// withdrawn then. It is computed where a review is shown, and no record has it. Zero means that the run
	// ends later, or has no deadline.
	RunEnds time.Time `json:"runEnds,omitzero"`
}

// Within is the review in a run that has this deadline; zero means none.
func (r Review) Within(deadline time.Time) Review {
	if r.RunEnds = (time.Time{}); !deadline.IsZero() && deadline.Before(r.Deadline) {
		r.RunEnds = deadline
	}
	return r
}

// Due is when the review ends without an answer: at its own deadline or the run's, whichever is earlier
// (SPEC.md ·124).
func (r *Review) Due() time.Time {
	if r.RunEnds.IsZero() {
		return r.Deadline
	}
	return r.RunEnds
}

// Otherwise says what follows without a decision until Due.
func (r *Review) Otherwise() string {
	switch {
	case !r.RunEnds.IsZero():
		return "the run's deadline ends the run"
	case r.Auto == AutoApprove:
		return "policy " + r.Policy + " approves it"
	}
	return "policy " + r.Policy + " rejects it"
}

// Open reports whether the review still waits.
func (r *Review) Open() bool { return r.Decision == nil }

// Grounds is why the review was opened: its description without the name of the subtask it is about.
func (r *Review) Grounds(s *Subtask) string {
	return strings.TrimPrefix(r.Description, s.Name()+": ")
}

// Undecided is why a subtask is missing from the result of a run that ended without an answer to
// the review about it.
func (r *Review) Undecided(s *Subtask) string {
	return r.Grounds(s) + "; the run did not wait for a decision"
}

// A Subject is what a review is about.
type Subject string

// The subjects.
const (
	SubjectOutput    Subject = "output"
	SubjectPlan      Subject = "plan" // a plan to be approved, or that none could be made
	SubjectConflicts Subject = "conflicts"
	SubjectTools     Subject = "tools" // that are no longer defined as they were when the run first used them
)

// A Decision is what a person, or the policy at the deadline, answered.
type Decision struct {
	ReviewID    string    `json:"reviewId"`
	Approved    bool      `json:"approved"`
	Approver    string    `json:"approver"` // the principal, or the policy's name; of a withdrawn review who ended the run, where that was a person
	ByPolicy    bool      `json:"byPolicy,omitempty"`
	SendBack    bool      `json:"sendBack,omitempty"`    // it is to be done again, as the comment says; not approved
	ByRequester bool      `json:"byRequester,omitempty"` // the approver had started the run
	Withdrawn   bool      `json:"withdrawn,omitempty"`   // the run did not wait for an answer: no person and no policy decided
	ContentHash string    `json:"contentHash"`
	Nonce       string    `json:"nonce"`
	Comment     string    `json:"comment,omitempty"`
	Timestamp   time.Time `json:"timestamp"`

	// Subject and TaskID are what the review was about. They are filled in where a result lists its decisions;
	// records name the review only.
	Subject Subject `json:"subject,omitempty"`
	TaskID  string  `json:"taskId,omitempty"`

	// Settled answers a review about a write whose outcome is not known. Empty means that the answer is
	// another one; a rejection gives the write up.
	Settled Settlement `json:"settled,omitempty"`

	// Output is what a write gave that happened. It is checked and taken in with the decision; the record has
	// its content hash as EditRef.
	Output json.RawMessage `json:"output,omitempty"`

	// Plan is approved in place of the one that the review is about. It is taken in with a decision;
	// what is told of it later is EditRef, its content hash.
	Plan    *Plan  `json:"plan,omitempty"`
	EditRef string `json:"editRef,omitempty"`
}

// A Settlement is a person's word on a write whose outcome is not known (SPEC.md ·160).
type Settlement string

// The settlements: it took effect, and its output is given with the decision; or it did not, and it is
// done again as another attempt.
const (
	SettledHappened Settlement = "happened"
	SettledNot      Settlement = "did_not_happen"
)

// Who names the decision's author in words: a person, who may have started the run, the policy at the
// deadline, or the run that did not wait.
func (d *Decision) Who() string {
	switch {
	case d.Withdrawn && (d.ByPolicy || d.Approver == ""): // by the policy only in records of earlier programs
		return "the run"
	case d.ByPolicy:
		return "policy " + d.Approver
	case d.ByRequester:
		return d.Approver + ", who started the run"
	}
	return d.Approver
}

// Outcome is the decision in a word: approved, rejected, sent back or withdrawn.
func (d *Decision) Outcome() string {
	switch {
	case d.Withdrawn:
		return "withdrawn"
	case d.Settled == SettledHappened:
		return "settled, it happened"
	case d.Settled == SettledNot:
		return "settled, it did not happen"
	case d.Approved && d.EditRef != "":
		return "approved with changes"
	case d.Approved:
		return "approved"
	case d.SendBack:
		return "sent back"
	}
	return "rejected"
}
