package chargehand

// AdviceAbove is the confidence above which advice is applied (SPEC.md ·25).
const AdviceAbove = 0.8

// Advice is the plan of an earlier run of the same team and tenant that was about much the same.
// It is an example for a planner, and nothing else: the plan that comes of it is checked like any
// other.
type Advice struct {
	Run        string   `json:"run"`        // that it comes from
	Confidence float64  `json:"confidence"` // 0..1: how alike the objectives are, less where that run had gaps
	Outcome    RunState `json:"outcome"`    // how that run ended
	Summary    string   `json:"summary"`    // its plan in a line
}

// PlanAdvised says that a planner was shown an earlier run's plan. The plan it made follows.
type PlanAdvised struct {
	Iteration int    `json:"iteration"`
	Advice    Advice `json:"advice"`
}

func (PlanAdvised) fact() {}
