package chargehand

import "time"

// A View is what people are shown of a run. It is a fold of the run's records and nothing else,
// so every list, page and command that shows it agrees (SPEC.md ·162).
type View struct {
	RunSummary
	Objective  Objective         `json:"objective"`
	TeamDigest string            `json:"teamDigest"`
	Parent     *Parent           `json:"parent,omitempty"` // where the run was forked
	Policy     string            `json:"policy"`
	Plan       PlanView          `json:"plan"`
	Rows       []*SubtaskView    `json:"rows"` // in plan order
	Reviews    []Review          `json:"reviews"`
	Phases     map[string]Micros `json:"costByPhase"`
	Tokens     int64             `json:"tokens"`
	Failures   int               `json:"failures"`
	LowBudget  bool              `json:"lowBudget"`           // past 80 % of the ceiling
	Overbilled OverbilledView    `json:"overbilled,omitzero"` // zero: every bill kept to what was reserved
	PausedBy   string            `json:"pausedBy,omitempty"`
	Why        string            `json:"why,omitempty"`
	Seq        int64             `json:"seq"` // of the last record applied
	At         time.Time         `json:"at"`

	rows map[string]*SubtaskView
}

// An OverbilledView is by how much calls were billed above what was reserved for them, under a
// ceiling that the run has.
type OverbilledView struct {
	Calls  int    `json:"calls"`
	USD    Micros `json:"usd,omitempty"`    // above what was reserved, of all these calls
	Tokens int64  `json:"tokens,omitempty"` // likewise
}

// A PlanView is the plan as adopted.
type PlanView struct {
	Version  int    `json:"version"`
	Source   string `json:"source,omitempty"`
	Shape    Shape  `json:"shape,omitempty"`
	Estimate Micros `json:"estimateUSD"`
}

// A SubtaskView is a subtask's row.
type SubtaskView struct {
	Subtask
	State     SubtaskState  `json:"state"`
	Synthesis bool          `json:"synthesis,omitempty"`
	Cause     Cause         `json:"cause,omitempty"`
	Why       string        `json:"why,omitempty"`
	Score     float64       `json:"score,omitempty"`
	DecidedBy string        `json:"decidedBy,omitempty"`
	Lacks     []string      `json:"lacks,omitempty"`   // what its accepted output is known not to cover
	Against   string        `json:"against,omitempty"` // why the checks did not accept the output that was accepted
	Used      int           `json:"used,omitempty"`    // the attempt whose output is used
	Attempts  []AttemptView `json:"attempts"`
	Inherited Usage         `json:"inherited,omitzero"` // what no attempt here consumed: one left to the run this one was forked from, or bringing up an instance
	Debate    *DebateView   `json:"debate,omitempty"`   // nil: it was not debated

	ReplacedBy []string `json:"replacedBy,omitempty"` // whose outputs make up for it, or the first of many; empty: none do
}

// A DebateView is how far a debate has come.
type DebateView struct {
	Cause       Cause        `json:"cause"`
	Why         string       `json:"why"` // it was contested
	Rounds      int          `json:"rounds"`
	Round       int          `json:"round"`     // of the last position; zero before the second
	Positions   []int        `json:"positions"` // attempts that took one
	Agree       bool         `json:"agree,omitempty"`
	Differ      []string     `json:"differ,omitempty"`
	Settled     bool         `json:"settled,omitempty"`
	By          Adjudication `json:"by,omitempty"` // empty: the sides agree, nobody answered, or it is not settled
	Outcome     string       `json:"outcome,omitempty"`
	ConfirmedBy string       `json:"confirmedBy,omitempty"`
}

// An AttemptView is one lane of a subtask's row.
type AttemptView struct {
	Attempt    int           `json:"attempt"`
	Worker     string        `json:"worker"`
	StartedAt  time.Time     `json:"startedAt"`
	EndedAt    time.Time     `json:"endedAt,omitzero"`
	DeadlineAt time.Time     `json:"deadlineAt,omitzero"` // zero also while its run is paused
	Left       Duration      `json:"left,omitempty"`      // until its deadline, while its run is paused
	Limit      Duration      `json:"limit,omitempty"`     // the time it has in all; zero: from StartedAt to DeadlineAt
	Output     string        `json:"output,omitempty"`
	Verdict    *Verdict      `json:"verdict,omitempty"`
	VerdictRef string        `json:"verdictRef,omitempty"`
	Judge      *Verdict      `json:"judge,omitempty"`
	Cause      Cause         `json:"cause,omitempty"` // why it ended without acceptance
	Message    string        `json:"message,omitempty"`
	Usage      Usage         `json:"usage,omitzero"`
	Feedback   string        `json:"feedback,omitempty"`
	Transcript string        `json:"transcript,omitempty"` // content hash of what the worker says it did
	Stderr     string        `json:"stderr,omitempty"`     // content hash of the end of what its program wrote there
	Routing    RoutingRecord `json:"routing"`
}

// Apply folds the next record in. Records come in order, each once.
func (v *View) Apply(r Record) {
	v.Seq, v.At = r.Seq, r.At
	switch f := r.Fact.(type) {
	case RunStarted:
		v.begin(r, f)
	case PlanAdopted, SubtasksPlanned:
		v.planned(f)
	case SubtasksReplaced:
		v.replaced(f)
	case SubtasksQueued, AttemptStarted, OutputChecked, OutputSupplied, AttemptFailed, JudgeAsked, Judged, RetryPlanned, SubtaskEnded:
		v.progressed(r.At, f)
	case AttemptStopped:
		v.afterwards(f.AttemptRef, f.Transcript, f.Stderr)
	case LateResult:
		v.afterwards(f.AttemptRef, f.Transcript, f.Stderr)
	case DebateOpened, PositionTaken, PositionsCompared, DebateSettled:
		v.debated(f)
	case ReviewOpened, ReviewDecided:
		v.judgedByPeople(f)
	case PauseBegan:
		v.paused(r.At, f)
	case PauseEnded:
		v.resumed(r.At)
	case Recovered, AttemptResumed:
		v.restarted(r.At, f)
	case RunStopping, RunEnded, BudgetLow:
		v.controlled(r.At, f)
	case Overbilled:
		v.Overbilled.Calls++
		v.Overbilled.USD += f.Billed - f.Reserved
		v.Overbilled.Tokens += f.BilledTokens - f.ReservedTokens
	case Forked:
		v.forked(r.At, f)
	}
	v.spend(r.Fact)
}

// Usage is what the subtask consumed in all its attempts, their checks included.
func (v *SubtaskView) Usage() Usage {
	sum := v.Inherited
	for i := range v.Attempts {
		sum = sum.Plus(v.Attempts[i].Usage)
	}
	return sum
}

// consume adds to an attempt, or to what no attempt here consumed, so that the rows sum to the total.
func (v *SubtaskView) consume(attempt int, use Usage) {
	for i := range v.Attempts {
		if a := &v.Attempts[i]; a.Attempt == attempt {
			a.Usage = a.Usage.Plus(use)
			return
		}
	}
	v.Inherited = v.Inherited.Plus(use)
}

// forked leaves the attempts under way to the parent: those that only read are begun anew, and what
// becomes of the others follows.
func (v *View) forked(at time.Time, f Forked) {
	v.StartedAt, v.Inherited = at, v.Spent
	if v.DeadlineAt = f.DeadlineAt; v.Left > 0 {
		v.DeadlineAt, v.Left = time.Time{}, Duration(f.DeadlineAt.Sub(at))
	}
	if f.By != "" {
		v.StartedBy = f.By
	}
	for _, row := range v.Rows {
		if row.State != SubtaskQueued && (row.State != SubtaskRunning || !row.Effect.Reads()) {
			continue
		}
		n := len(row.Attempts)
		if row.State == SubtaskRunning {
			n--
			row.Inherited = row.Inherited.Plus(row.Attempts[n].Usage)
		}
		row.Attempts, row.State = row.Attempts[:n], SubtaskReady
		if n > 0 {
			row.State = SubtaskRetrying
		}
	}
}

// row is a subtask's row, nil if there is none. A View that came as JSON finds its rows again.
func (v *View) row(subtask string) *SubtaskView {
	if v.rows == nil {
		v.rows = map[string]*SubtaskView{}
		for _, r := range v.Rows {
			v.rows[r.ID] = r
		}
	}
	return v.rows[subtask]
}

func (v *View) begin(r Record, f RunStarted) {
	v.RunSummary = RunSummary{
		RunID: r.Run, Title: f.Objective.Title, Team: f.Team, State: RunRunning, Budget: f.Budget.USD,
		StartedAt: r.At, DeadlineAt: f.DeadlineAt, StartedBy: f.StartedBy, Tenant: f.Tenant,
	}
	v.Objective, v.TeamDigest, v.Policy, v.Parent = f.Objective, f.TeamDigest, f.Policy, f.Parent
	v.rows, v.Phases = map[string]*SubtaskView{}, map[string]Micros{}
}

func (v *View) planned(f Fact) {
	switch f := f.(type) {
	case PlanAdopted:
		v.Plan = PlanView{f.Version, f.Source, f.Shape, v.Plan.Estimate + f.Estimate}
	case SubtasksPlanned:
		for _, s := range f.Subtasks {
			row := &SubtaskView{Subtask: s, State: SubtaskBlocked, Synthesis: f.Synthesis}
			v.row(s.ID)
			v.Rows, v.rows[s.ID] = append(v.Rows, row), row
		}
		if !f.Synthesis {
			v.Subtasks += len(f.Subtasks)
		}
	}
}

func (v *View) progressed(at time.Time, f Fact) {
	switch f := f.(type) {
	case SubtasksQueued:
		for _, a := range f.Attempts {
			v.row(a.Subtask).State = SubtaskQueued
		}
	case AttemptStarted:
		row := v.row(f.Subtask)
		row.State = SubtaskRunning
		row.Attempts = append(row.Attempts, AttemptView{
			Attempt: f.Attempt, Worker: f.Worker, StartedAt: at, DeadlineAt: f.DeadlineAt,
			Feedback: f.Feedback, Routing: f.Routing,
		})
	case OutputChecked:
		row, a := v.attempt(f.AttemptRef)
		verdict := f.Verdict
		row.State, a.EndedAt, a.Output, a.VerdictRef = SubtaskValidating, at, f.Output, f.VerdictRef
		a.Verdict, a.Transcript, a.Stderr = &verdict, f.Transcript, f.Stderr
	case OutputSupplied:
		_, a := v.attempt(f.AttemptRef)
		verdict := f.Verdict
		a.Output, a.Verdict, a.VerdictRef = f.Output, &verdict, f.VerdictRef
	case AttemptFailed:
		_, a := v.attempt(f.AttemptRef)
		a.EndedAt, a.Cause, a.Message, a.Transcript, a.Stderr = at, f.Cause, f.Message, f.Transcript, f.Stderr
	case JudgeAsked:
		v.row(f.Subtask).State = SubtaskValidating
	case Judged:
		_, a := v.attempt(f.AttemptRef)
		if verdict := f.Verdict; !f.Debate {
			a.Judge = &verdict
		}
	case RetryPlanned:
		row := v.row(f.Subtask)
		row.State, row.Cause = SubtaskRetrying, f.Cause
		if n := len(row.Attempts); n > 0 {
			row.Attempts[n-1].Cause = f.Cause
		}
	case SubtaskEnded:
		v.ended(f)
	}
}

// afterwards takes down what came of an attempt that had ended.
func (v *View) afterwards(ref AttemptRef, transcript, stderr string) {
	_, a := v.attempt(ref)
	if transcript != "" {
		a.Transcript = transcript
	}
	if stderr != "" {
		a.Stderr = stderr
	}
}

// debated follows a debate.
func (v *View) debated(f Fact) {
	switch f := f.(type) {
	case DebateOpened:
		v.row(f.Subtask).Debate = &DebateView{Cause: f.Cause, Why: f.Why, Rounds: f.Rounds, Positions: []int{f.Attempt}}
	case PositionTaken:
		d := v.row(f.Subtask).Debate
		d.Round, d.Positions = f.Round, append(d.Positions, f.Attempt)
	case PositionsCompared:
		d := v.row(f.Subtask).Debate
		d.Agree, d.Differ = f.Agree, f.Differ
	case DebateSettled:
		d := v.row(f.Subtask).Debate
		d.Settled, d.By, d.Outcome, d.ConfirmedBy = true, f.By, f.Why, f.ConfirmedBy
	}
}

func (v *View) attempt(ref AttemptRef) (*SubtaskView, *AttemptView) {
	row := v.row(ref.Subtask)
	for i := range row.Attempts {
		if row.Attempts[i].Attempt == ref.Attempt {
			return row, &row.Attempts[i]
		}
	}
	return row, &AttemptView{}
}

func (v *View) ended(f SubtaskEnded) {
	row := v.row(f.Subtask)
	row.State, row.Cause, row.Why, row.Score = f.State, f.Cause, f.Why, f.Score
	row.DecidedBy, row.Used, row.Lacks, row.Against = f.DecidedBy, f.Attempt, f.Lacks, f.Against
	if f.Against != "" {
		v.Overridden++
	}
	if len(f.Lacks) > 0 {
		v.Gaps++
	}
	if f.State.Failure() {
		v.Failures++
	}
	if row.Synthesis {
		return
	}
	if f.State.Accepted() {
		v.Accepted++
	} else {
		v.Gaps++
	}
}

// replaced takes what others made up for out of what is lacking.
func (v *View) replaced(f SubtasksReplaced) {
	for _, id := range f.Subtasks {
		row := v.row(id)
		row.ReplacedBy = f.By
		v.Subtasks--
		v.Replaced++
		v.Gaps--
		if row.State.Failure() {
			v.Failures--
		}
	}
}

// Lacking reports whether a run that is over lacks the subtask's output, or a part of it.
func (v *SubtaskView) Lacking() bool {
	return (!v.State.Accepted() || len(v.Lacks) > 0) && len(v.ReplacedBy) == 0
}

func (v *View) judgedByPeople(f Fact) {
	switch f := f.(type) {
	case ReviewOpened:
		v.Reviews = append(v.Reviews, f.Review.Within(v.DeadlineAt))
		v.NeedsHuman++
		if row := v.row(f.Review.TaskID); row != nil {
			row.State = SubtaskNeedsHuman
			if f.Review.Cause == CauseUnknown {
				row.State = SubtaskUnknown
			}
		}
	case ReviewDecided:
		for i := range v.Reviews {
			if v.Reviews[i].ID == f.Decision.ReviewID {
				d := f.Decision
				v.Reviews[i].Decision = &d
				v.NeedsHuman--
				if d.ByRequester {
					v.OwnWord++
				}
			}
		}
	}
}

func (v *View) controlled(at time.Time, f Fact) {
	switch f := f.(type) {
	case RunStopping:
		v.Why = f.Why
	case BudgetLow:
		v.LowBudget = true
	case RunEnded:
		v.State, v.Stop, v.Why, v.EndedAt = f.State, f.Stop, f.Why, at
		v.ResultRef, v.ResultHash = f.Result, f.ResultHash
		v.leaveOpen()
	}
}

// leaveOpen counts what the result does not cover, and says of the subtasks that the run ended without
// why they are missing, in the words of the result.
func (v *View) leaveOpen() {
	v.Gaps = 0
	for _, row := range v.Rows {
		if row.Lacking() {
			v.Gaps++
		}
		if row.State.Final() {
			continue
		}
		row.Cause, row.Why = CauseDependency, "what it depends on was not decided"
		for i := range v.Reviews {
			if r := &v.Reviews[i]; r.TaskID == row.ID { // the last counts
				row.Cause, row.Why = r.Cause, r.Undecided(&row.Subtask)
			}
		}
	}
}

// The phases that a run's cost is told by.
const (
	PhasePlanning  = "planning"
	PhaseWorkers   = "workers"
	PhaseChecking  = "checking"
	PhaseSynthesis = "synthesis"
)

// Spending is what a fact says was consumed, and in which phase; synthesis tells whether a subtask
// is the engine's own last step.
func Spending(f Fact, synthesis func(subtask string) bool) (Usage, string) {
	work := func(subtask string) string {
		if synthesis(subtask) {
			return PhaseSynthesis
		}
		return PhaseWorkers
	}
	switch f := f.(type) {
	case PlanAsked:
		return f.Lost, lost(f.Lost, PhasePlanning)
	case AttemptResumed:
		return f.Lost, lost(f.Lost, work(f.Subtask))
	case JudgeAsked:
		return f.Lost, lost(f.Lost, PhaseChecking)
	case PlanRefused:
		return f.Usage, PhasePlanning
	case PlanProposed:
		return f.Usage, PhasePlanning
	case PlanAdopted:
		return f.Usage, PhasePlanning
	case SpawnCharged:
		return Usage{USD: f.USD}, work(f.Subtask)
	case OutputChecked:
		return f.Usage, work(f.Subtask)
	case AttemptFailed:
		return f.Usage, work(f.Subtask)
	case AttemptStopped:
		return f.Usage, work(f.Subtask)
	case LateResult:
		return f.Usage, work(f.Subtask)
	case Judged:
		return f.Usage, PhaseChecking
	case JudgeFailed:
		return f.Usage, PhaseChecking
	}
	return Usage{}, ""
}

// lost is the phase of what a call is taken to have consumed before the engine stopped; empty where
// that is nothing.
func lost(u Usage, phase string) string {
	if u == (Usage{}) {
		return ""
	}
	return phase
}

// attemptOf names the attempt that what a fact says was consumed counts towards; false for a plan's.
func attemptOf(f Fact) (AttemptRef, bool) {
	switch f := f.(type) {
	case AttemptResumed:
		return f.AttemptRef, true
	case SpawnCharged:
		return f.AttemptRef, true
	case OutputChecked:
		return f.AttemptRef, true
	case AttemptFailed:
		return f.AttemptRef, true
	case AttemptStopped:
		return f.AttemptRef, true
	case LateResult:
		return f.AttemptRef, true
	case JudgeAsked:
		return f.AttemptRef, true
	case Judged:
		return f.AttemptRef, true
	case JudgeFailed:
		return f.AttemptRef, true
	}
	return AttemptRef{}, false
}

func (v *View) spend(f Fact) {
	use, phase := Spending(f, func(s string) bool { return v.row(s).Synthesis })
	if use == (Usage{}) {
		return
	}
	if ref, ok := attemptOf(f); ok {
		v.row(ref.Subtask).consume(ref.Attempt, use)
	}
	v.Spent += use.USD
	v.Tokens += use.Tokens()
	v.Phases[phase] += use.USD
}
