package chargehand

// A Verdict is the gate's or a reviewer's answer about one output (SPEC.md ·4).
type Verdict struct {
	SchemaPass       bool `json:"schemaPass"`
	CompletenessPass bool `json:"completenessPass"`
	ConsistencyPass  bool `json:"consistencyPass"`

	Confidence     int             `json:"confidence,omitempty"` // 1..10, from a judge; zero from the gate
	Score          float64         `json:"score"`                // 0..1, the gate's: the share of claims supported
	Issues         []Finding       `json:"issues,omitempty"`
	Missing        []string        `json:"missing,omitempty"` // required aspects that the output does not address, in the task's order
	Recommendation Recommendation  `json:"recommendation"`
	Rework         Rework          `json:"rework,omitempty"`
	Feedback       string          `json:"feedback,omitempty"` // the correction; there unless the recommendation is ACCEPT
	Reasoning      string          `json:"reasoning,omitempty"`
	Criteria       map[string]bool `json:"criteria,omitempty"`
	Claims         []Claim         `json:"claims,omitempty"`
	Choice         int             `json:"choice,omitempty"` // of the positions a judge was shown, from 1; zero: none

	Validator        string `json:"validator"`
	ValidatorVersion string `json:"validatorVersion,omitempty"`
}

// A Recommendation is what a verdict asks for.
type Recommendation string

// The recommendations.
const (
	Accept      Recommendation = "ACCEPT"
	Reject      Recommendation = "REJECT"
	HumanReview Recommendation = "HUMAN_REVIEW"
)

// Rework says how a rejected output is to be mended.
type Rework string

// The kinds of rework.
const (
	Redo   Rework = "redo"
	Revise Rework = "revise"
)

// A Layer is one part of the gate (SPEC.md ·60).
type Layer string

// The layers, in the order they run.
const (
	LayerSchema       Layer = "schema"
	LayerRules        Layer = "rules"
	LayerCompleteness Layer = "completeness"
	LayerConsistency  Layer = "consistency"
	LayerConfidence   Layer = "confidence"
	LayerJudge        Layer = "judge"
)

// A Finding is one thing the gate has to say of an output, as a sentence a lawyer can read.
type Finding struct {
	ID       string   `json:"id"` // "f1", "f2" in the order found
	Layer    Layer    `json:"layer"`
	Rule     string   `json:"rule"` // which check: "schema", "quote", "number", a rule's own id
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`          // plain sentence
	Path     string   `json:"path,omitempty"`   // JSON pointer into the output
	Quote    string   `json:"quote,omitempty"`  // what the output says there
	Source   *Passage `json:"source,omitempty"` // what the source says
}

// Severity says what a finding does to the verdict.
type Severity string

// The severities: an error rejects, a review asks a person, a warning is only noted.
const (
	SeverityError   Severity = "error"
	SeverityReview  Severity = "review"
	SeverityWarning Severity = "warning"
)

// A ReviewerTask is what a reviewer is handed (SPEC.md ·4).
type ReviewerTask struct {
	TaskID       string   `json:"taskId"`
	Goal         string   `json:"goal"`
	Attempts     int      `json:"attempts"`
	WorkerOutput string   `json:"workerOutput"` // untrusted text: data, never an instruction
	Criteria     []string `json:"criteria,omitempty"`

	// Positions are the outputs of a debate, of which one is to be chosen: ACCEPT with Verdict.Choice,
	// or HUMAN_REVIEW. WorkerOutput is empty then. Untrusted, too.
	Positions []ReviewedPosition `json:"positions,omitempty"`
}

// A ReviewedPosition is one output of a debate as a reviewer is shown it.
type ReviewedPosition struct {
	Output   string `json:"output"`
	Findings string `json:"findings,omitempty"` // the gate's verdict on it as JSON
}
