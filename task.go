package chargehand

import (
	"encoding/json"
	"time"
)

// A WorkerTask is what a worker is handed for one attempt (SPEC.md ·2).
type WorkerTask struct {
	TaskID         string `json:"taskId"` // the subtask's id
	RunID          string `json:"runId"`
	Attempt        int    `json:"attempt"`        // from 1
	AssignedWorker string `json:"assignedWorker"` // the worker's workerId
	IdempotencyKey string `json:"idempotencyKey"` // the same whenever this attempt is pursued again

	Objective string          `json:"objective"` // the run's goal
	Goal      string          `json:"goal"`      // the subtask's goal
	Input     json.RawMessage `json:"input,omitempty"`
	InputRefs []InputRef      `json:"inputRefs,omitempty"`

	AllowedTools           []string `json:"allowedTools,omitempty"`
	ExpectedOutputContract string   `json:"expectedOutputContract,omitempty"`
	RequiredAspects        []string `json:"requiredAspects,omitempty"`
	MaxToolCalls           int      `json:"maxToolCalls,omitempty"` // the worker's, where it is granted tools; zero means DefaultToolCalls
	Effect                 Effect   `json:"effect,omitempty"`       // the most it may do to the world; empty means read

	// ToolDigests are the definitions of tools that the run knows already, by the tool's name. One
	// that has changed since is not to be called.
	ToolDigests map[string]string `json:"toolDigests,omitempty"`

	// DoneActions are digests of calls of tools that earlier attempts made, and that did something to
	// the world. They are not made again.
	DoneActions []string `json:"doneActions,omitempty"`

	TimeoutMS  int64     `json:"timeoutMs"`
	DeadlineAt time.Time `json:"deadlineAt"`

	// Budget is what the attempt may consume: the subtask's own, and where it has none and the run has a
	// ceiling, what is reserved for the attempt. Zero means that nobody says.
	Budget Budget `json:"budget,omitzero"`

	EscalationConditions []string       `json:"escalationConditions,omitempty"`
	Feedback             string         `json:"feedback,omitempty"`   // the correction: why the last output was not accepted
	LastOutput           *InputRef      `json:"lastOutput,omitempty"` // the worker's own last output, where that is to be revised: data, and not accepted
	Role                 string         `json:"role,omitempty"`
	Hints                []string       `json:"hints,omitempty"`
	Metadata             map[string]any `json:"metadata,omitempty"`
}

// An InputRef is one piece of a task's input: a document of the objective, or the accepted output
// of a subtask it depends on.
type InputRef struct {
	Hash      string `json:"hash"`           // "sha256:" and 64 hexadecimal digits
	Name      string `json:"name"`           // the document's name, or the dependency's subtask id
	From      string `json:"from,omitempty"` // the subtask it comes from, or FromDebate; empty for a document
	MediaType string `json:"mediaType,omitempty"`
	Size      int64  `json:"size"`           // bytes
	Text      string `json:"text,omitempty"` // the content; the engine fills it in when the task is handed over
}

// FromDebate is where an InputRef comes from that is shown for a debate and is nothing to build on:
// another worker's output for the same subtask, which is not accepted, what the gate found of it, or
// an accepted output of another subtask that says otherwise. No subtask has this name.
const FromDebate = "_debate"

// A WorkerResult is what a worker hands back (SPEC.md ·3).
type WorkerResult struct {
	TaskID     string       `json:"taskId,omitempty"`
	Attempt    int          `json:"attempt,omitempty"`
	WorkerName string       `json:"workerName,omitempty"`
	Status     ResultStatus `json:"status"`

	Output       json.RawMessage `json:"output,omitempty"`
	OutputRef    string          `json:"outputRef,omitempty"`
	Summary      string          `json:"summary,omitempty"`
	EvidenceRefs []string        `json:"evidenceRefs,omitempty"`
	Claims       []Claim         `json:"claims,omitempty"`
	Confidence   *float64        `json:"confidence,omitempty"` // 0..1; it may lower an outcome, never raise it

	Blockers             []string        `json:"blockers,omitempty"`
	RecommendedNextSteps []string        `json:"recommendedNextSteps,omitempty"`
	ProposedActions      []string        `json:"proposedActions,omitempty"`
	Usage                Usage           `json:"usage,omitzero"`
	Artifacts            json.RawMessage `json:"artifacts,omitempty"`
	Transcript           json.RawMessage `json:"transcript,omitempty"` // what was said on the way to the output: evidence, and never used

	// Tools is what the executor of the attempt's tools saw and refused. It is no worker's own word,
	// so no answer of a process or a service can hold it.
	Tools *ToolReport `json:"-"`

	// Stderr is the end of what a worker of kind exec wrote there: at most 4 KiB before control
	// characters other than line breaks are escaped, with the names of secrets in the place of their
	// values. No answer of a process or a service can hold it.
	Stderr string `json:"-"`
}

// A ResultStatus is a worker's own word on how it went.
type ResultStatus string

// The statuses.
const (
	StatusSucceeded ResultStatus = "succeeded"
	StatusFailed    ResultStatus = "failed"
	StatusBlocked   ResultStatus = "blocked"
	StatusPartial   ResultStatus = "partial"
)

// Usage is what one call consumed.
type Usage struct {
	InputTokens  int64  `json:"inputTokens,omitempty"`
	OutputTokens int64  `json:"outputTokens,omitempty"`
	USD          Micros `json:"usd,omitempty"`
	ToolCalls    int    `json:"toolCalls,omitempty"`
}

// Tokens is input and output together.
func (u Usage) Tokens() int64 { return u.InputTokens + u.OutputTokens }

// Plus is the sum of both.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.InputTokens + v.InputTokens, u.OutputTokens + v.OutputTokens, u.USD + v.USD, u.ToolCalls + v.ToolCalls}
}

// A Claim is a statement in an output that can be supported, contradicted or not checked.
type Claim struct {
	ID      string   `json:"id"`
	Text    string   `json:"text"`              // the statement, in words
	Path    string   `json:"path,omitempty"`    // JSON pointer into the output
	Support Support  `json:"support,omitempty"` // the gate's word; a worker's own is ignored
	Source  *Passage `json:"source,omitempty"`
}

// Support is what the gate found of a claim.
type Support string

// The grades of support.
const (
	Supported    Support = "supported"
	Partly       Support = "partly"
	Unsupported  Support = "unsupported"
	Contradicted Support = "contradicted"
	NotChecked   Support = "not_checked"
)

// A Passage is a place in a document: byte offsets, half open, and the words that stand there.
type Passage struct {
	Document string `json:"document"` // content hash
	Start    int    `json:"start"`
	End      int    `json:"end"`
	Quote    string `json:"quote,omitempty"`
}
