package chargehand

import "time"

// A Fact is something that happened to a run, as data. The set is closed: the types in this
// package named in the past tense.
type Fact interface{ fact() }

// A Record is one entry of the journal.
type Record struct {
	Run  string    // "fleet" for the facts all runs share
	Seq  int64     // gapless in its run, from 1
	At   time.Time // UTC, to the microsecond; never before the record preceding it
	Fact Fact
}

// RunStarted opens a run.
type RunStarted struct {
	Objective  Objective `json:"objective"` // document texts are left out
	Team       string    `json:"team"`
	TeamDigest string    `json:"teamDigest"`
	Format     int       `json:"format"` // of the machine that wrote it
	Policy     string    `json:"policy"`
	Budget     Budget    `json:"budget,omitzero"`
	DeadlineAt time.Time `json:"deadlineAt,omitzero"`
	StartedBy  string    `json:"startedBy,omitempty"`
	Tenant     string    `json:"tenant,omitempty"`
	Key        string    `json:"key,omitempty"`
	Seed       string    `json:"seed"`             // random; nonces derive from it
	Parent     *Parent   `json:"parent,omitempty"` // where the run was forked; nil for one that was not
}

// A Parent is the record of another run that a run goes on from.
type Parent struct {
	Run  string `json:"run"`
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"` // of the record as a leaf of the journal's tree: "sha256:" and 64 digits
}

// Forked says that the records before it are another run's under this run's name, and that from
// here on the run goes its own way: what was under way belongs to the other run.
type Forked struct {
	Parent     Parent    `json:"parent"`
	DeadlineAt time.Time `json:"deadlineAt,omitzero"` // as long from now as the other run had
	By         string    `json:"by,omitempty"`
}

// PlanAsked says that a plan was asked for; Errors are those of the plan before, if it was invalid.
type PlanAsked struct {
	Iteration int      `json:"iteration"` // 1 is the first plan; more are replans
	Errors    []string `json:"errors,omitempty"`
	Reserved  Micros   `json:"reservedUSD,omitempty"`
	Ref       string   `json:"ref,omitempty"` // content hash of the plan that a person approved and that is only read; empty: one is made
	Tokens    int64    `json:"reservedTokens,omitempty"`
	Lost      Usage    `json:"lost,omitzero"`  // reserved for the same call before the engine stopped: it counts as spent
	Draft     Draft    `json:"draft,omitzero"` // that goes back with the errors; zero: there is none
}

// PlanRefused says that a plan was invalid, or that none came.
type PlanRefused struct {
	Iteration int      `json:"iteration"`
	Errors    []string `json:"errors"`
	Draft     Draft    `json:"draft,omitzero"` // what was invalid; zero: nothing came
	Usage     Usage    `json:"usage,omitzero"`
}

// A Draft is what a planner made that is not followed: it was invalid, or a person sent it back. The zero
// Draft is none.
type Draft struct {
	Ref  string `json:"ref"`            // content hash
	Text bool   `json:"text,omitempty"` // it is what the planner wrote, which is no plan; false: a plan as JSON
}

// PlanProposed says that a valid plan waits for a person's approval (SPEC.md ·26).
type PlanProposed struct {
	Iteration  int     `json:"iteration"`
	Source     string  `json:"source"`
	Ref        string  `json:"ref"` // content hash of the plan as JSON
	Subtasks   int     `json:"subtasks"`
	Shape      Shape   `json:"shape"`
	Complexity float64 `json:"complexity,omitempty"`
	Estimate   Micros  `json:"estimateUSD"` // of all first attempts
	Usage      Usage   `json:"usage,omitzero"`
}

// PlanAdopted says that a plan is in force. Its subtasks follow in SubtasksPlanned.
type PlanAdopted struct {
	Version    int     `json:"version"`
	Iteration  int     `json:"iteration"`
	Source     string  `json:"source"` // template, func, llm, objective or person
	Subtasks   int     `json:"subtasks"`
	Shape      Shape   `json:"shape"`
	Complexity float64 `json:"complexity,omitempty"`
	Rationale  string  `json:"rationale,omitempty"`
	Estimate   Micros  `json:"estimateUSD"`          // of all first attempts
	Reserve    Micros  `json:"reserveUSD,omitempty"` // set aside for the synthesis, its check included
	Usage      Usage   `json:"usage,omitzero"`

	ReserveTokens int64  `json:"reserveTokens,omitempty"` // set aside as well
	Check         Micros `json:"checkUSD,omitempty"`      // of Reserve, that of the check
	CheckTokens   int64  `json:"checkTokens,omitempty"`   // of ReserveTokens
}

// SubtasksPlanned adds subtasks to the run; a plan of any size comes as several.
type SubtasksPlanned struct {
	Version   int       `json:"version"`
	Synthesis bool      `json:"synthesis,omitempty"` // the engine's own last step
	Subtasks  []Subtask `json:"subtasks"`
}

// SubtasksReplaced says that subtasks which ended without acceptance are made up for: outputs that were
// accepted by a later plan stand in their place, and the result does not lack them (SPEC.md ·23).
type SubtasksReplaced struct {
	Subtasks []string `json:"subtasks"`
	By       []string `json:"by"`   // whose outputs do, or the first of many
	Plan     int      `json:"plan"` // version of the plan that they belong to
}

// SubtasksQueued says that attempts wait for a worker, all for the same list of candidates.
type SubtasksQueued struct {
	Attempts   []AttemptRef `json:"attempts"`
	Strategy   Strategy     `json:"strategy"`
	Tier       int          `json:"tier"`                     // asked for
	Candidates []Candidate  `json:"candidates"`               // the eligible ones, in order
	Reserved   Micros       `json:"reservedUSD,omitempty"`    // for each attempt, the dearest candidate's
	Tokens     int64        `json:"reservedTokens,omitempty"` // for each attempt
}

// AttemptRef names an attempt within its run.
type AttemptRef struct {
	Subtask string `json:"subtask"`
	Attempt int    `json:"attempt"` // from 1
}

// AttemptStarted says that a worker was given a subtask, with its money reserved.
type AttemptStarted struct {
	AttemptRef
	Worker         string        `json:"worker"`
	Instance       string        `json:"instance,omitempty"` // where it is not the worker itself
	Version        string        `json:"version"`
	Epoch          int64         `json:"epoch"` // of the lease; results under another are not used
	DeadlineAt     time.Time     `json:"deadlineAt"`
	Reserved       Micros        `json:"reservedUSD,omitempty"`
	ReservedTokens int64         `json:"reservedTokens,omitempty"`
	Routing        RoutingRecord `json:"routing"`
	Load           Load          `json:"load,omitzero"`
	Feedback       string        `json:"feedback,omitempty"`
}

// AttemptResumed says that an attempt whose worker died with the engine is pursued again.
type AttemptResumed struct {
	AttemptRef
	Epoch      int64     `json:"epoch"`              // another than before where the lease was given back meanwhile
	Instance   string    `json:"instance,omitempty"` // where it is not the worker itself
	DeadlineAt time.Time `json:"deadlineAt"`
	Lost       Usage     `json:"lost,omitzero"` // reserved before the engine stopped: it counts as spent. Zero: what was reserved serves on

	Reserved       Micros `json:"reservedUSD,omitempty"` // anew
	ReservedTokens int64  `json:"reservedTokens,omitempty"`
}

// OutputChecked says that an output arrived, together with what the gate found.
type OutputChecked struct {
	AttemptRef
	Epoch      int64        `json:"epoch"`
	Status     ResultStatus `json:"status"`
	Output     string       `json:"output"`    // content hash
	InputHash  string       `json:"inputHash"` // of what the worker was given, the feedback left out
	Size       int          `json:"size"`
	Summary    string       `json:"summary,omitempty"`
	Verdict    Verdict      `json:"verdict"`              // issues cut to what a record holds
	VerdictRef string       `json:"verdictRef,omitempty"` // the whole
	Confidence *float64     `json:"confidence,omitempty"` // the worker's own
	Usage      Usage        `json:"usage,omitzero"`
	Blockers   []string     `json:"blockers,omitempty"`
	Evidence   []string     `json:"evidence,omitempty"`
	Transcript string       `json:"transcript,omitempty"` // content hash of what the worker says it did
	Stderr     string       `json:"stderr,omitempty"`     // content hash of the end of what its program wrote there

	// Stances are what the output says of each key, where outputs of the run may be debated. Empty: it says
	// nothing that could be compared, or more than a record holds.
	Stances []Stance `json:"stances,omitempty"`
}

// AttemptFailed says that an attempt ended without an output that could be checked.
type AttemptFailed struct {
	AttemptRef
	Epoch    int64  `json:"epoch"`
	Cause    Cause  `json:"cause"`
	Message  string `json:"message"`
	Usage    Usage  `json:"usage,omitzero"`
	Stopping bool   `json:"stopping,omitempty"` // its worker has not confirmed the stop, and keeps its slot

	Transcript string `json:"transcript,omitempty"` // content hash of what the worker says it did until then
	Stderr     string `json:"stderr,omitempty"`     // content hash of the end of what its program wrote there
}

// AttemptStopped says that a stopping attempt's worker has let go.
type AttemptStopped struct {
	AttemptRef
	Epoch      int64  `json:"epoch"`
	Usage      Usage  `json:"usage,omitzero"`
	Transcript string `json:"transcript,omitempty"` // content hash of what the worker says it did until then
	Stderr     string `json:"stderr,omitempty"`     // content hash of the end of what its program wrote there
}

// LateResult keeps a result that came after its attempt had ended. It is evidence and never used.
type LateResult struct {
	AttemptRef
	Epoch  int64  `json:"epoch"`
	Output string `json:"output,omitempty"`
	Usage  Usage  `json:"usage,omitzero"`
	Why    string `json:"why"`

	Transcript string `json:"transcript,omitempty"` // content hash of what the worker says it did
	Stderr     string `json:"stderr,omitempty"`     // content hash of the end of what its program wrote there
}

// JudgeAsked says that the reviewer was asked about an output the gate accepted.
type JudgeAsked struct {
	AttemptRef
	Times    int    `json:"times"` // 1 or 2
	Reserved Micros `json:"reservedUSD,omitempty"`
	Tokens   int64  `json:"reservedTokens,omitempty"`
	Lost     Usage  `json:"lost,omitzero"` // reserved for the same call before the engine stopped: it counts as spent

	Debate bool `json:"debate,omitempty"` // it is to choose between the positions of a debate
}

// Judged is the reviewer's verdict.
type Judged struct {
	AttemptRef
	Verdict Verdict `json:"verdict"`
	Usage   Usage   `json:"usage,omitzero"`
	Debate  bool    `json:"debate,omitempty"` // it is about the debate, and not about the attempt's output
}

// JudgeFailed says that the reviewer threw, or answered something that is no verdict.
type JudgeFailed struct {
	AttemptRef
	Times   int    `json:"times"`
	Message string `json:"message"`
	Usage   Usage  `json:"usage,omitzero"`
}

// RetryPlanned says that a subtask is tried again.
type RetryPlanned struct {
	AttemptRef          // the attempt to come
	Cause      Cause    `json:"cause"`
	Reassign   bool     `json:"reassign"`         // to another worker
	Prefer     string   `json:"prefer,omitempty"` // the worker that goes first
	Avoid      []string `json:"avoid,omitempty"`  // workers left out
	Correction string   `json:"correction,omitempty"`
	Revise     string   `json:"revise,omitempty"` // content hash of the last output, which its worker is to revise; empty: the work begins again
}

// SubtaskEnded says that nothing more will be done for a subtask.
type SubtaskEnded struct {
	Subtask   string       `json:"subtask"`
	Attempt   int          `json:"attempt,omitempty"` // whose output is used
	State     SubtaskState `json:"state"`
	Cause     Cause        `json:"cause,omitempty"`
	Label     string       `json:"failureLabel,omitempty"` // failed-review, reviewer-error, worker-error or skipped
	Score     float64      `json:"score,omitempty"`        // 0..1, what decided
	Why       string       `json:"why,omitempty"`
	DecidedBy string       `json:"decidedBy,omitempty"` // a principal or a policy

	Lacks   []string `json:"lacks,omitempty"`   // what an accepted output is known not to cover, a sentence each
	Against string   `json:"against,omitempty"` // why the checks did not accept an output that a person or the policy accepted
}

// ReviewOpened asks a person.
type ReviewOpened struct {
	Review Review `json:"review"`
}

// ReviewDecided closes a review.
type ReviewDecided struct {
	Decision Decision `json:"decision"`
}

// OutputSupplied says that a person gave the output of an attempt whose outcome was not known, and what
// the gate found. The decision follows.
type OutputSupplied struct {
	AttemptRef
	Output     string   `json:"output"` // content hash
	Size       int      `json:"size"`
	Verdict    Verdict  `json:"verdict"`
	VerdictRef string   `json:"verdictRef,omitempty"`
	Stances    []Stance `json:"stances,omitempty"`
	By         string   `json:"by"`
}

// InputRefused says that something was asked of the run that could not be done.
type InputRefused struct {
	What string `json:"what"`
	Code Code   `json:"code"`
	Why  string `json:"why"`
	By   string `json:"by,omitempty"`
}

// BudgetLow says that four fifths of the tighter ceiling are settled (SPEC.md ·91).
type BudgetLow struct {
	Settled       Micros `json:"settledUSD"`
	Ceiling       Micros `json:"ceilingUSD,omitempty"`
	Tokens        int64  `json:"tokens,omitempty"`
	TokensCeiling int64  `json:"tokensCeiling,omitempty"`
}

// AggregateAsked says that the accepted outputs are being put together.
type AggregateAsked struct {
	Round int `json:"round"`
}

// Aggregated says that they were.
type Aggregated struct {
	Ref       string `json:"ref"` // content hash of the aggregate
	Items     int    `json:"items"`
	Conflicts int    `json:"conflicts"`
	Missing   int    `json:"missing"` // aspects without evidence
}

// ResultAsked says that the result is being written.
type ResultAsked struct {
	State RunState   `json:"state"`
	Stop  StopReason `json:"stopReason"`
	Why   string     `json:"why,omitempty"`
	Gaps  int        `json:"gaps"` // subtasks that the result lacks, the synthesis included
}

// RunEnded closes a run. Late results and refused decisions may follow.
type RunEnded struct {
	State      RunState   `json:"state"`
	Stop       StopReason `json:"stopReason"`
	Why        string     `json:"why,omitempty"`
	Result     string     `json:"result,omitempty"` // content hash of the Result as JSON
	ResultHash string     `json:"resultHash,omitempty"`
}

// PauseBegan says that nothing new starts until PauseEnded.
type PauseBegan struct {
	By     string `json:"by"`
	Reason string `json:"reason,omitempty"`
	Still  bool   `json:"still,omitempty"` // the time of the run and of its attempts stands still; reviews keep their deadlines
}

// PauseEnded ends a pause.
type PauseEnded struct {
	By     string `json:"by"`
	Reason string `json:"reason,omitempty"`
}

// RunStopping says that the run takes nothing more on: it was cancelled, or ran into a limit.
type RunStopping struct {
	Stop  StopReason `json:"stopReason"`
	Cause Cause      `json:"cause"`
	Why   string     `json:"why"`
	By    string     `json:"by,omitempty"` // who cancelled
}

// Recovered says that the run was taken up again by another process.
type Recovered struct {
	Boot   int64    `json:"boot"`
	Forced []string `json:"forced,omitempty"` // how the program differs from the one the run began with
	Held   bool     `json:"held,omitempty"`   // the process decides and calls no worker
}

func (RunStarted) fact()       {}
func (PlanAsked) fact()        {}
func (PlanRefused) fact()      {}
func (PlanProposed) fact()     {}
func (SubtasksReplaced) fact() {}
func (PlanAdopted) fact()      {}
func (SubtasksPlanned) fact()  {}
func (SubtasksQueued) fact()   {}
func (AttemptStarted) fact()   {}
func (AttemptResumed) fact()   {}
func (OutputChecked) fact()    {}
func (AttemptFailed) fact()    {}
func (AttemptStopped) fact()   {}
func (LateResult) fact()       {}
func (JudgeAsked) fact()       {}
func (Judged) fact()           {}
func (JudgeFailed) fact()      {}
func (RetryPlanned) fact()     {}
func (SubtaskEnded) fact()     {}
func (ReviewOpened) fact()     {}
func (ReviewDecided) fact()    {}
func (OutputSupplied) fact()   {}
func (InputRefused) fact()     {}
func (BudgetLow) fact()        {}
func (AggregateAsked) fact()   {}
func (Aggregated) fact()       {}
func (ResultAsked) fact()      {}
func (RunEnded) fact()         {}
func (PauseBegan) fact()       {}
func (PauseEnded) fact()       {}
func (RunStopping) fact()      {}
func (Recovered) fact()        {}
func (Forked) fact()           {}
