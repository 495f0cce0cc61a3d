package chargehand

import "time"

// A View is what people are shown of a run. It is a fold of the run's records and nothing else,
// so every list, page and command that shows it agrees (SPEC.md ·162).
type View struct {
	RunSummary
	Objective  Objective         `json:"objective"`
	TeamDigest string            `json:"teamDigest"`
	Policy     string            `json:"policy"`
	Plan       PlanView          `json:"plan"`
	Rows       []*SubtaskView    `json:"rows"` // in plan order
	Reviews    []Review          `json:"reviews"`
	Phases     map[string]Micros `json:"costByPhase"`
	Tokens     int64             `json:"tokens"`
	Failures   int               `json:"failures"`
	LowBudget  bool              `json:"lowBudget"` // past 80 % of the ceiling
	PausedBy   string            `json:"pausedBy,omitempty"`
	Why        string            `json:"why,omitempty"`
	ResultRef  string            `json:"resultRef,omitempty"`
	ResultHash string            `json:"resultHash,omitempty"`
	Seq        int64             `json:"seq"` // of the last record applied
	At         time.Time         `json:"at"`

	rows map[string]*SubtaskView
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
	Used      int           `json:"used,omitempty"` // the attempt whose output is used
	Attempts  []AttemptView `json:"attempts"`
}

// An AttemptView is one lane of a subtask's row.
type AttemptView struct {
	Attempt    int           `json:"attempt"`
	Worker     string        `json:"worker"`
	StartedAt  time.Time     `json:"startedAt"`
	EndedAt    time.Time     `json:"endedAt,omitzero"`
	DeadlineAt time.Time     `json:"deadlineAt"`
	Output     string        `json:"output,omitempty"`
	Verdict    *Verdict      `json:"verdict,omitempty"`
	VerdictRef string        `json:"verdictRef,omitempty"`
	Judge      *Verdict      `json:"judge,omitempty"`
	Cause      Cause         `json:"cause,omitempty"` // why it ended without acceptance
	Message    string        `json:"message,omitempty"`
	Usage      Usage         `json:"usage,omitzero"`
	Feedback   string        `json:"feedback,omitempty"`
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
	case SubtasksQueued, AttemptStarted, OutputChecked, AttemptFailed, JudgeAsked, Judged, RetryPlanned, SubtaskEnded:
		v.progressed(r.At, f)
	case ReviewOpened, ReviewDecided:
		v.judgedByPeople(f)
	case PauseBegan, PauseEnded, RunStopping, RunEnded, BudgetLow:
		v.controlled(r.At, f)
	}
	v.spend(r.Fact)
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
	v.Objective, v.TeamDigest, v.Policy = f.Objective, f.TeamDigest, f.Policy
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
		a.Verdict, a.Usage = &verdict, a.Usage.Plus(f.Usage)
	case AttemptFailed:
		_, a := v.attempt(f.AttemptRef)
		a.EndedAt, a.Cause, a.Message, a.Usage = at, f.Cause, f.Message, a.Usage.Plus(f.Usage)
	case JudgeAsked:
		v.row(f.Subtask).State = SubtaskValidating
	case Judged:
		_, a := v.attempt(f.AttemptRef)
		verdict := f.Verdict
		a.Judge, a.Usage = &verdict, a.Usage.Plus(f.Usage)
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
	row.DecidedBy, row.Used = f.DecidedBy, f.Attempt
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

func (v *View) judgedByPeople(f Fact) {
	switch f := f.(type) {
	case ReviewOpened:
		v.Reviews = append(v.Reviews, f.Review)
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
			}
		}
	}
}

func (v *View) controlled(at time.Time, f Fact) {
	switch f := f.(type) {
	case PauseBegan:
		v.State, v.PausedBy, v.Why = RunPaused, f.By, f.Reason
	case PauseEnded:
		v.State, v.PausedBy, v.Why = RunRunning, "", ""
	case RunStopping:
		v.Why = f.Why
	case BudgetLow:
		v.LowBudget = true
	case RunEnded:
		v.State, v.Stop, v.Why, v.EndedAt = f.State, f.Stop, f.Why, at
		v.ResultRef, v.ResultHash = f.Result, f.ResultHash
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
	case PlanRefused:
		return f.Usage, PhasePlanning
	case PlanAdopted:
		return f.Usage, PhasePlanning
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

func (v *View) spend(f Fact) {
	use, phase := Spending(f, func(s string) bool { return v.row(s).Synthesis })
	if use == (Usage{}) {
		return
	}
	v.Spent += use.USD
	v.Tokens += use.Tokens()
	v.Phases[phase] += use.USD
}
