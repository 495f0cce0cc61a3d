package chargehand

// A RoutingRecord says how one subtask came to one worker (SPEC.md ·6). There is one for every
// routing decision.
type RoutingRecord struct {
	RoutingID       string      `json:"routingId"` // run/subtask/attempt
	RunID           string      `json:"runId"`
	TaskID          string      `json:"taskId"`
	Route           string      `json:"route"` // the worker chosen
	RoutingStrategy Strategy    `json:"routingStrategy"`
	Candidates      []Candidate `json:"candidates"`
	Confidence      float64     `json:"confidence"` // 1 for a deterministic decision
	Rationale       string      `json:"rationale"`
	FallbackUsed    bool        `json:"fallbackUsed"`
	PolicyVersion   string      `json:"policyVersion"`
	TaxonomyVersion string      `json:"taxonomyVersion,omitempty"`
}

// A Candidate is a worker that was considered for a subtask.
type Candidate struct {
	Worker          string `json:"worker"`
	Rank            int    `json:"rank"`                      // 0 is preferred; a higher rank serves only when the lower cannot
	Tier            int    `json:"tier,omitempty"`            // the worker's
	CostUSD         Micros `json:"costUSD,omitempty"`         // of one call
	ExcludedBecause string `json:"excludedBecause,omitempty"` // empty: eligible
}

// A Load is what the fleet knew of the worker it chose.
type Load struct {
	Active int `json:"active"` // attempts on the instance before this one
	Slots  int `json:"slots"`
	Queued int `json:"queued"` // asks waiting for the same workers
}

// A Cause names why an attempt, or a subtask, did not end in acceptance (SPEC.md §4.6).
type Cause string

// The causes.
const (
	CauseDeadline      Cause = "deadline"        // ·71
	CauseSchema        Cause = "schema"          // ·72
	CauseQuality       Cause = "quality"         // ·73
	CauseCrash         Cause = "crash"           // ·74: died, unreachable, or not to be understood
	CauseWorkerError   Cause = "worker_error"    // ·70: the worker said that it failed
	CauseNoWorker      Cause = "no_worker"       // ·75
	CauseBudget        Cause = "budget"          // ·76
	CauseBlocked       Cause = "blocked"         // ·78
	CausePartial       Cause = "partial"         // ·78
	CauseNoProgress    Cause = "no_progress"     // ·79
	CauseReviewerError Cause = "reviewer_error"  // ·70
	CauseLowConfidence Cause = "low_confidence"  // ·65
	CauseAskedPerson   Cause = "gate_asks"       // the gate itself asks for a person
	CauseUnknown       Cause = "unknown_outcome" // ·160: a write whose outcome a crash hid
	CauseDependency    Cause = "dependency"      // ·51
	CauseRejected      Cause = "rejected"        // ·127
	CauseApproval      Cause = "approval"        // ·26: nothing is wrong; the policy wants a person's word
	CauseSentBack      Cause = "sent_back"       // ·123
	CauseContested     Cause = "contested"       // ·69: workers who debated it did not come to an output that can be used
	CauseConflict      Cause = "conflict"        // ·69: an accepted output of another subtask says otherwise
	CauseCancelled     Cause = "cancelled"
	CauseRunDeadline   Cause = "run_deadline"
)
