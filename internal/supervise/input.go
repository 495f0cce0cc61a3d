package supervise

import (
	"time"

	"github.com/chargehand/chargehand"
)

// An Input is something that happened, told to Step. The set is closed.
type Input interface{ input() }

// Start begins the run. The objective's documents carry hashes, not texts.
type Start struct {
	Order      chargehand.Order `json:"order"` // its team is the machine's
	TeamDigest string           `json:"teamDigest"`
	Seed       string           `json:"seed"` // random; review nonces derive from it
}

// Planned answers MakePlan. Err says that no plan came.
type Planned struct {
	Iteration int              `json:"iteration"`
	Plan      chargehand.Plan  `json:"plan"`
	Source    string           `json:"source"`
	Ref       string           `json:"ref,omitempty"`   // content hash of the plan, where it is to be approved or was, or may be refused
	Wrote     string           `json:"wrote,omitempty"` // content hash of what the planner wrote, where that is no plan
	Usage     chargehand.Usage `json:"usage,omitzero"`
	Err       string           `json:"err,omitempty"`

	NotBegun bool `json:"notBegun,omitempty"` // certainly nothing was done, and nothing is billed

	Advice *chargehand.Advice `json:"advice,omitempty"` // that the planner was shown
}

// Granted says that the fleet gave a worker for an attempt.
type Granted struct {
	chargehand.AttemptRef
	Worker   string          `json:"worker"`
	Instance string          `json:"instance"`
	Epoch    int64           `json:"epoch"`
	Load     chargehand.Load `json:"load,omitzero"`
}

// Offered says that a dynamic instance of a worker could be brought up for an attempt that waits, and
// what that is estimated to cost. Fund answers it.
type Offered struct {
	chargehand.AttemptRef
	Worker      string            `json:"worker"`
	Key         string            `json:"key"` // the fleet's, of the worker
	EstimateUSD chargehand.Micros `json:"estimateUSD"`
}

// Warned brings an alert of the fleet that concerns the run.
type Warned struct{ chargehand.Alerted }

// Finished brings an output together with what the gate found of it. The worker has let go.
type Finished struct {
	chargehand.AttemptRef
	Epoch      int64                   `json:"epoch"`
	Status     chargehand.ResultStatus `json:"status"`
	Output     string                  `json:"output"`
	InputHash  string                  `json:"inputHash"`
	Size       int                     `json:"size"`
	Summary    string                  `json:"summary,omitempty"`
	Verdict    chargehand.Verdict      `json:"verdict"`
	VerdictRef string                  `json:"verdictRef,omitempty"`
	Confidence *float64                `json:"confidence,omitempty"`
	Usage      chargehand.Usage        `json:"usage,omitzero"`
	Blockers   []string                `json:"blockers,omitempty"`
	Evidence   []string                `json:"evidence,omitempty"`
	Tools      *chargehand.ToolReport  `json:"tools,omitempty"`
	Transcript string                  `json:"transcript,omitempty"` // content hash
	Stderr     string                  `json:"stderr,omitempty"`     // content hash
	Stances    []chargehand.Stance     `json:"stances,omitempty"`    // each key once; where Launch asks for them
}

// Crashed says that an attempt ended without an output. The worker has let go.
type Crashed struct {
	chargehand.AttemptRef
	Epoch   int64            `json:"epoch"`
	Cause   chargehand.Cause `json:"cause"` // crash, worker_error, or budget where it was denied more
	Message string           `json:"message"`
	Usage   chargehand.Usage `json:"usage,omitzero"`

	NotBegun bool `json:"notBegun,omitempty"` // certainly nothing was done, and nothing is billed
	Final    bool `json:"final,omitempty"`    // to ask the same worker again changes nothing

	Tools      *chargehand.ToolReport `json:"tools,omitempty"`
	Transcript string                 `json:"transcript,omitempty"` // content hash
	Stderr     string                 `json:"stderr,omitempty"`     // content hash
}

// Stopped confirms Stop: the worker has let go.
type Stopped struct {
	chargehand.AttemptRef
	Epoch int64            `json:"epoch"`
	Usage chargehand.Usage `json:"usage,omitzero"`

	NotBegun bool `json:"notBegun,omitempty"` // certainly nothing was done, and nothing is billed

	Tools      *chargehand.ToolReport `json:"tools,omitempty"`
	Transcript string                 `json:"transcript,omitempty"` // content hash
	Stderr     string                 `json:"stderr,omitempty"`     // content hash
}

// JudgeAnswered answers Judge. Err says that the reviewer threw or talked nonsense.
type JudgeAnswered struct {
	chargehand.AttemptRef
	Times   int                `json:"times"`
	Verdict chargehand.Verdict `json:"verdict"`
	Usage   chargehand.Usage   `json:"usage,omitzero"`
	Err     string             `json:"err,omitempty"`

	NotBegun bool `json:"notBegun,omitempty"` // certainly nothing was done, and nothing is billed
}

// Compared answers Compare.
type Compared struct {
	chargehand.AttemptRef
	Agree  bool     `json:"agree"`
	Points int      `json:"points"`           // keys that either output names
	Differ []string `json:"differ,omitempty"` // those of which they do not say the same
}

// TopUp asks, before a call under way sends more, that what is reserved for it covers so much in
// all. It is granted or denied at once: Output.Refusal says which.
type TopUp struct {
	For chargehand.Holder `json:"for"`
	chargehand.AttemptRef
	Epoch int64            `json:"epoch,omitempty"` // of an attempt
	Times int              `json:"times,omitempty"` // of a judge; of a plan the iteration
	Total chargehand.Usage `json:"total"`
}

// Decide is a person's answer to a review.
type Decide struct {
	ReviewID    string `json:"reviewId"`
	Approved    bool   `json:"approved"`
	Approver    string `json:"approver"`
	ContentHash string `json:"contentHash"`
	Nonce       string `json:"nonce"`
	Comment     string `json:"comment,omitempty"`
	SendBack    bool   `json:"sendBack,omitempty"`
	EditRef     string `json:"editRef,omitempty"` // content hash of the plan to follow instead, which was checked

	Settled chargehand.Settlement `json:"settled,omitempty"`
	Given   *Given                `json:"given,omitempty"` // the output of a write that happened
}

// Given is an output that a person gives, and what the gate found of it.
type Given struct {
	Output     string              `json:"output"` // content hash
	Size       int                 `json:"size"`
	Verdict    chargehand.Verdict  `json:"verdict"`
	VerdictRef string              `json:"verdictRef,omitempty"`
	Stances    []chargehand.Stance `json:"stances,omitempty"`
}

// Operate is an operator's pause, resume or cancel.
type Operate struct{ chargehand.Control }

// WorkAggregated answers Aggregate.
type WorkAggregated struct {
	Round     int    `json:"round"`
	Ref       string `json:"ref"`
	Items     int    `json:"items"`
	Conflicts int    `json:"conflicts"`
	Missing   int    `json:"missing"`
}

// ResultWritten answers WriteResult.
type ResultWritten struct {
	Result     string `json:"result"`     // content hash of the result's JSON
	ResultHash string `json:"resultHash"` // over output, items, gaps and conflicts
}

// Resumed says that another process took the run up: whatever was under way is no longer.
type Resumed struct {
	Boot   int64    `json:"boot"`
	Forced []string `json:"forced,omitempty"` // how the program differs from the one the run began with
	Held   bool     `json:"held,omitempty"`   // nobody works for it in that process either: what is open stays so
}

// Fork begins the run from the records of another, which Branch has put under this run's name: the
// machine is the fold of them.
type Fork struct {
	Parent chargehand.Parent `json:"parent"`
	By     string            `json:"by,omitempty"` // empty means whoever started the other run
}

// Refolded says that the fleet forgot its queue, as after a write that failed.
type Refolded struct{}

// Tick says only what time it is.
type Tick struct{}

func (Start) input()          {}
func (Planned) input()        {}
func (Granted) input()        {}
func (Offered) input()        {}
func (Warned) input()         {}
func (Finished) input()       {}
func (Crashed) input()        {}
func (Stopped) input()        {}
func (JudgeAnswered) input()  {}
func (Compared) input()       {}
func (TopUp) input()          {}
func (Decide) input()         {}
func (Operate) input()        {}
func (WorkAggregated) input() {}
func (ResultWritten) input()  {}
func (Resumed) input()        {}
func (Fork) input()           {}
func (Refolded) input()       {}
func (Tick) input()           {}

// An Output is what a step asks for, in the order in which it must happen.
type Output struct {
	Records []chargehand.Record // to make durable first
	Fleet   []Message           // to give the fleet in the same turn
	Effects []Effect            // to begin once the records are durable
	Wake    time.Time           // when to Step with Tick at the latest; zero: never
	Done    bool                // the run has ended
	Refusal *chargehand.Error   // why the input was not followed; nil if it was
}

// A Message goes to the fleet. The set is closed.
type Message interface{ message() }

// Ask wants a worker for an attempt.
type Ask struct {
	chargehand.AttemptRef
	Candidates []chargehand.Candidate
	Strategy   chargehand.Strategy
	Priority   int
	Timeout    time.Duration     // of the attempt; zero means the worker's own
	SpawnUpTo  chargehand.Micros // a dynamic worker may be brought up below this estimate (SPEC.md ·93)
}

// Withdraw takes an ask back.
type Withdraw struct{ chargehand.AttemptRef }

// Give returns a lease.
type Give struct {
	Epoch   int64
	Outcome chargehand.Outcome
}

// Fund answers an offer: whether the run pays for the instance.
type Fund struct {
	chargehand.AttemptRef
	Key  string // of the offer
	Pays bool
}

func (Fund) message()     {}
func (Ask) message()      {}
func (Withdraw) message() {}
func (Give) message()     {}

func (out *Output) give(epoch int64, o chargehand.Outcome) {
	out.Fleet = append(out.Fleet, Give{epoch, o})
}

func (out *Output) begin(e Effect) { out.Effects = append(out.Effects, e) }
