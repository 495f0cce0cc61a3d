package chargehand

import "encoding/json"

// A Plan is a versioned DAG of subtasks (SPEC.md ·5). Any later change is a new version.
type Plan struct {
	Version         int       `json:"version,omitempty"`
	Subtasks        []Subtask `json:"subtasks"`
	Rationale       string    `json:"rationale,omitempty"`
	ComplexityScore float64   `json:"complexityScore,omitempty"` // 0..1

	// AgentTypes[i] is the role of Subtasks[i] where that has none of its own (SPEC.md ·24). Fewer than
	// there are subtasks leave the rest, and an empty one leaves its own, a generalist.
	AgentTypes []string `json:"agentTypes,omitempty"`
}

// A Subtask is one bounded piece of work with a typed contract.
type Subtask struct {
	ID         string   `json:"id"`
	Label      string   `json:"label,omitempty"` // for people; the id where empty
	Goal       string   `json:"goal"`
	Capability string   `json:"capability"`
	TaskType   string   `json:"taskType,omitempty"`
	Deps       []string `json:"deps,omitempty"` // ids whose accepted outputs this one receives

	Priority    int         `json:"priority,omitempty"`    // higher goes first
	Criticality Criticality `json:"criticality,omitempty"` // empty means standard
	Required    bool        `json:"required,omitempty"`
	Debate      bool        `json:"debate,omitempty"` // an output that needs a person, or contradicts an accepted one, goes to a second worker first; only for what reads
	Role        string      `json:"role,omitempty"`   // shapes the worker's prompt; empty means that of the plan's agentTypes, else generalist

	Action           string `json:"action,omitempty"`
	RiskLevel        Risk   `json:"riskLevel,omitempty"`
	RequiresApproval bool   `json:"requiresApproval,omitempty"`
	Effect           Effect `json:"effect,omitempty"` // empty means read

	Input           json.RawMessage `json:"input,omitempty"`
	RequiredAspects []string        `json:"requiredAspects,omitempty"`
	OutputContract  string          `json:"outputContract,omitempty"`
	ToolGrants      []string        `json:"toolGrants,omitempty"` // tools it needs

	TimeoutMS    int    `json:"timeoutMs,omitempty"` // zero means max(2 × the worker's average latency, 1 s)
	Budget       Budget `json:"budget,omitzero"`
	Assignee     string `json:"assignee,omitempty"`     // a worker's name; only templates and people write one
	Compensation string `json:"compensation,omitempty"` // capability that undoes it

	// Replaces are subtasks of earlier plans that ended without acceptance, and that this one makes up for. Only
	// a plan that is made after failures has them. One in which no subtask does makes up for all that
	// failed before, as a whole.
	Replaces []string `json:"replaces,omitempty"`
}

// Criticality decides the tier a subtask is served by (SPEC.md ·92).
type Criticality string

// The criticalities.
const (
	Critical Criticality = "critical"
	Standard Criticality = "standard"
	Simple   Criticality = "simple"
)

// Tier is 1 for critical, 2 for standard, 3 for simple.
func (c Criticality) Tier() int {
	switch c {
	case Critical:
		return 1
	case Simple:
		return 3
	}
	return 2
}

// An Effect is the class of what a subtask does to the world. The zero value is read.
type Effect string

// The effect classes, rising.
const (
	EffectRead         Effect = "read"
	EffectWrite        Effect = "write"
	EffectIrreversible Effect = "irreversible"
	EffectExternalComm Effect = "external_comm"
	EffectPayment      Effect = "payment"
)

// Reads reports whether the effect leaves the world as it is, so that it may be pursued again.
func (e Effect) Reads() bool { return e == "" || e == EffectRead }

// Final reports whether what is done cannot be taken back (SPEC.md ·120).
func (e Effect) Final() bool {
	return e == EffectIrreversible || e == EffectExternalComm || e == EffectPayment
}

// A Budget bounds what may be consumed. The zero Budget limits nothing.
type Budget struct {
	USD    Micros `json:"usd,omitempty"`    // the most that may be spent, everything included; zero means no limit
	Tokens int64  `json:"tokens,omitempty"` // zero means no limit
}

// A Shape says where a run's subtasks come from (SPEC.md ·22).
type Shape string

// The shapes.
const (
	ShapeDirect    Shape = "direct"
	ShapeDAG       Shape = "dag"
	ShapeSupervise Shape = "supervise"
)

// Shape is the plan's shape: direct for one subtask without tools and a complexity below 0.3, dag
// for at most five, supervise for more. Dependencies alone never force one.
func (p *Plan) Shape() Shape {
	switch {
	case len(p.Subtasks) <= 1 && p.ComplexityScore < 0.3 && !p.usesTools():
		return ShapeDirect
	case len(p.Subtasks) <= 5 && !p.asksPeople():
		return ShapeDAG
	}
	return ShapeSupervise
}

func (p *Plan) usesTools() bool {
	for i := range p.Subtasks {
		if len(p.Subtasks[i].ToolGrants) > 0 {
			return true
		}
	}
	return false
}

func (p *Plan) asksPeople() bool {
	for i := range p.Subtasks {
		if p.Subtasks[i].RequiresApproval {
			return true
		}
	}
	return false
}

// Name is the subtask's label, its id where it has none.
func (s *Subtask) Name() string {
	if s.Label != "" {
		return s.Label
	}
	return s.ID
}
