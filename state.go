package chargehand

// A RunState says where a run stands (SPEC.md §3).
type RunState string

// The states of a run. The last four are final.
const (
	RunPending      RunState = "pending"
	RunRunning      RunState = "running"
	RunPaused       RunState = "paused"
	RunHumanControl RunState = "human_control"
	RunCompleted    RunState = "completed"
	RunPartial      RunState = "partial"
	RunFailed       RunState = "failed"
	RunCancelled    RunState = "cancelled"
)

// Final reports whether nothing follows the state.
func (s RunState) Final() bool {
	switch s {
	case RunCompleted, RunPartial, RunFailed, RunCancelled:
		return true
	}
	return false
}

// A StopReason says why a run ended (SPEC.md §3).
type StopReason string

// The reasons a run ends for.
const (
	StopComplete           StopReason = "complete"
	StopMissingEvidence    StopReason = "missing_evidence"
	StopLowConfidence      StopReason = "low_confidence"
	StopUnresolvedConflict StopReason = "unresolved_conflict"
	StopBudgetExhausted    StopReason = "budget_exhausted"
	StopDeadlineReached    StopReason = "deadline_reached"
	StopHumanRequired      StopReason = "human_required"
	StopPolicyBoundary     StopReason = "policy_boundary"
	StopWorkerFailure      StopReason = "worker_failure"
	StopTooManyFailures    StopReason = "too_many_failures"
	StopNoProgress         StopReason = "no_progress"
	StopMaxIterations      StopReason = "max_iterations"
	StopHandedToHuman      StopReason = "handed_to_human"
	StopCancelled          StopReason = "cancelled"
)

// StopReasons lists every reason, in the order of the specification.
func StopReasons() []StopReason {
	return []StopReason{
		StopComplete, StopMissingEvidence, StopLowConfidence, StopUnresolvedConflict, StopBudgetExhausted,
		StopDeadlineReached, StopHumanRequired, StopPolicyBoundary, StopWorkerFailure, StopTooManyFailures,
		StopNoProgress, StopMaxIterations, StopHandedToHuman, StopCancelled,
	}
}

// A SubtaskState says where a subtask stands (SPEC.md §3).
type SubtaskState string

// The states of a subtask.
const (
	SubtaskBlocked          SubtaskState = "blocked"
	SubtaskReady            SubtaskState = "ready"
	SubtaskAwaitingApproval SubtaskState = "awaiting_approval"
	SubtaskQueued           SubtaskState = "queued"
	SubtaskRunning          SubtaskState = "running"
	SubtaskValidating       SubtaskState = "validating"
	SubtaskRetrying         SubtaskState = "retrying"
	SubtaskNeedsHuman       SubtaskState = "needs_human"
	SubtaskUnknown          SubtaskState = "unknown"
	SubtaskAccepted         SubtaskState = "accepted"
	SubtaskAcceptedLow      SubtaskState = "accepted_low_confidence"
	SubtaskAcceptedByHuman  SubtaskState = "accepted_by_human"
	SubtaskRejected         SubtaskState = "rejected"
	SubtaskFailed           SubtaskState = "failed"
	SubtaskDegraded         SubtaskState = "degraded"
	SubtaskSkipped          SubtaskState = "skipped"
	SubtaskNoWorker         SubtaskState = "no_capable_worker"
	SubtaskOverBudget       SubtaskState = "budget_exceeded"
	SubtaskCancelled        SubtaskState = "cancelled"
)

// Final reports whether nothing follows the state.
func (s SubtaskState) Final() bool { return s.Accepted() || s.gap() }

// Accepted reports whether the subtask's output may be used.
func (s SubtaskState) Accepted() bool {
	switch s {
	case SubtaskAccepted, SubtaskAcceptedLow, SubtaskAcceptedByHuman:
		return true
	}
	return false
}

// Failure reports whether the state counts towards the run's failure threshold (SPEC.md ·80).
func (s SubtaskState) Failure() bool {
	switch s {
	case SubtaskFailed, SubtaskDegraded, SubtaskNoWorker:
		return true
	}
	return false
}

func (s SubtaskState) gap() bool {
	switch s {
	case SubtaskRejected, SubtaskFailed, SubtaskDegraded, SubtaskSkipped, SubtaskNoWorker,
		SubtaskOverBudget, SubtaskCancelled:
		return true
	}
	return false
}

// A Tone is the meaning a state's colour carries (UX.md §2.14).
type Tone string

// The tones.
const (
	ToneIdle  Tone = "idle"
	ToneRun   Tone = "run"
	ToneHuman Tone = "human"
	ToneWarn  Tone = "warn"
	ToneOK    Tone = "ok"
	ToneFail  Tone = "fail"
)

// A Sign is how a state is shown to people: a glyph, its ASCII fallback, words and a tone.
type Sign struct {
	Glyph, ASCII, Label string
	Tone                Tone
}

// Sign is how the state is shown (UX.md §2.4).
func (s SubtaskState) Sign() Sign { return subtaskSigns[s] }

// Sign is how the state is shown (UX.md §2.4).
func (s RunState) Sign() Sign { return runSigns[s] }

// Sign is how the run is shown. One that only waits for people has a sign of its own, which is never
// that of a running one.
func (v *View) Sign() Sign {
	if v.Waiting() {
		return Sign{"✋", "!", "Waiting for a person", ToneHuman}
	}
	return v.RunSummary.Sign()
}

// Sign is how the run is shown: its state's sign, but for a complete run with an output that was accepted
// against the checks.
func (s *RunSummary) Sign() Sign { return s.State.sign(s.Overridden) }

// Sign is how the result is shown, as its run is.
func (r *Result) Sign() Sign {
	n := 0
	for i := range r.LowConfidence {
		if r.LowConfidence[i].Override != nil {
			n++
		}
	}
	return r.Status.sign(n)
}

func (s RunState) sign(overridden int) Sign {
	if s == RunCompleted && overridden > 0 {
		return Sign{"✓☚", "+h", "Complete, accepted against the checks", ToneWarn}
	}
	return s.Sign()
}

// Sign is how the subtask is shown: its state's sign, but for an output that is known to be incomplete.
func (v *SubtaskView) Sign() Sign {
	if v.State.Accepted() && len(v.Lacks) > 0 {
		return Sign{"✓?", "+?", "Accepted in part", ToneWarn}
	}
	if len(v.ReplacedBy) > 0 {
		return Sign{"⇄", "=", "Replaced", ToneIdle}
	}
	return v.State.Sign()
}

// RowSign is how a subtask of the run is shown. Of one that a run ended without, nobody is asked any more.
func (v *View) RowSign(row *SubtaskView) Sign {
	if v.State.Final() && !row.State.Final() {
		return Sign{"◐", "/", "Left out: not decided", ToneWarn}
	}
	return row.Sign()
}

var subtaskSigns = map[SubtaskState]Sign{
	SubtaskBlocked:          {"○", "o", "Waiting", ToneIdle},
	SubtaskReady:            {"○", "o", "Ready", ToneIdle},
	SubtaskAwaitingApproval: {"✋", "!", "Needs approval", ToneHuman},
	SubtaskQueued:           {"◔", "~", "Waiting for a worker", ToneIdle},
	SubtaskRunning:          {"▶", ">", "Running", ToneRun},
	SubtaskValidating:       {"◇", "?", "Being checked", ToneRun},
	SubtaskRetrying:         {"↻", "r", "Retrying with correction", ToneWarn},
	SubtaskNeedsHuman:       {"✋", "!", "Needs a decision", ToneHuman},
	SubtaskUnknown:          {"✋", "!", "Outcome unknown", ToneHuman},
	SubtaskAccepted:         {"✓", "+", "Accepted", ToneOK},
	SubtaskAcceptedLow:      {"✓?", "+?", "Accepted, low confidence", ToneWarn},
	SubtaskAcceptedByHuman:  {"✓☚", "+h", "Accepted by a person", ToneOK},
	SubtaskRejected:         {"✗", "x", "Rejected", ToneFail},
	SubtaskFailed:           {"✗", "x", "Failed", ToneFail},
	SubtaskDegraded:         {"◐", "/", "Left out: deadline", ToneWarn},
	SubtaskSkipped:          {"⤼", "-", "Skipped", ToneIdle},
	SubtaskNoWorker:         {"∅", "0", "Left out: no capable worker", ToneWarn},
	SubtaskOverBudget:       {"$", "$", "Left out: budget", ToneWarn},
	SubtaskCancelled:        {"⊘", "/", "Cancelled", ToneIdle},
}

var runSigns = map[RunState]Sign{
	RunPending:      {"○", "o", "Waiting", ToneIdle},
	RunRunning:      {"▶", ">", "Running", ToneRun},
	RunPaused:       {"❚❚", "||", "Paused", ToneIdle},
	RunHumanControl: {"☚", "h", "Taken over", ToneHuman},
	RunCompleted:    {"✓", "+", "Complete", ToneOK},
	RunPartial:      {"✓?", "+?", "Complete with gaps", ToneWarn},
	RunFailed:       {"✗", "x", "Failed", ToneFail},
	RunCancelled:    {"⊘", "/", "Cancelled", ToneIdle},
}
