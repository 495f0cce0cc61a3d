package chargehand

import "time"

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
	ContentHash string       `json:"contentHash"`          // of what is judged; a decision names it
	OutputRef   string       `json:"outputRef,omitempty"`  // where it can be read; empty: there is nothing to accept
	VerdictRef  string       `json:"verdictRef,omitempty"` // the gate's whole verdict
	Nonce       string       `json:"nonce"`                // used up by the decision
	RequestedBy string       `json:"requestedBy"`
	OpenedAt    time.Time    `json:"openedAt"`
	Deadline    time.Time    `json:"deadline"`
	Auto        AutoDecision `json:"autoDecision"` // what the policy decides at the deadline
	Policy      string       `json:"policyVersion"`
	Required    bool         `json:"required"`         // a no ends the run
	Blocks      int          `json:"blocks,omitempty"` // subtasks that wait for the answer
	Decision    *Decision    `json:"decision,omitempty"`
}

// Open reports whether the review still waits.
func (r *Review) Open() bool { return r.Decision == nil }

// A Subject is what a review is about.
type Subject string

// The subjects.
const (
	SubjectOutput    Subject = "output"
	SubjectPlan      Subject = "plan"
	SubjectConflicts Subject = "conflicts"
)

// A Decision is what a person, or the policy at the deadline, answered.
type Decision struct {
	ReviewID    string    `json:"reviewId"`
	Approved    bool      `json:"approved"`
	Approver    string    `json:"approver"` // the principal, or the policy's name
	ByPolicy    bool      `json:"byPolicy,omitempty"`
	Withdrawn   bool      `json:"withdrawn,omitempty"` // the run ended without waiting; nobody decided
	ContentHash string    `json:"contentHash"`
	Nonce       string    `json:"nonce"`
	Comment     string    `json:"comment,omitempty"`
	Timestamp   time.Time `json:"timestamp"`
}
