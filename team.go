package chargehand

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// A Team is the declared configuration of a run: workers, contracts, policy and planner. A run
// keeps the team it began with, named by its digest.
type Team struct {
	Name        string          `json:"name"`
	Version     string          `json:"version,omitempty"`
	Description string          `json:"description,omitempty"`
	Workers     []WorkerSpec    `json:"workers"`
	Contracts   []Contract      `json:"contracts,omitempty"`
	Models      Models          `json:"models,omitzero"`   // of workers that name none
	Prices      []ModelPrice    `json:"prices,omitempty"`  // of models that the table of prices lacks, or has otherwise
	Prompts     string          `json:"prompts,omitempty"` // digest of the engine's own words to models; filled in when a run begins
	Tools       []ToolServer    `json:"tools,omitempty"`
	Policy      Policy          `json:"policy,omitzero"`
	Planner     Planner         `json:"planner,omitzero"`
	Synthesis   *Synthesis      `json:"synthesis,omitempty"`
	InputSchema json.RawMessage `json:"inputSchema,omitempty"` // of the objective's input; empty accepts anything
	Invariants  []Rule          `json:"invariants,omitempty"`  // CEL over the facts of all accepted outputs (SPEC.md ·64)
	Routes      []Route         `json:"routes,omitempty"`
	Budget      Budget          `json:"budget,omitzero"`    // where the objective gives none
	Deadline    Duration        `json:"deadline,omitempty"` // of a run, where the objective gives none
}

// A Planner says where a run's plan comes from (SPEC.md ·20). The zero Planner is an error unless
// the objective brings a plan.
type Planner struct {
	Template    *Plan       `json:"template,omitempty"`    // declared here
	Func        string      `json:"func,omitempty"`        // a Go function, handed to the engine under this name
	LLM         *LLMPlanner `json:"llm,omitempty"`         // a language model
	Advice      bool        `json:"advice,omitempty"`      // the function is shown the plan of an earlier run that was about much the same; not where a worker takes risk high
	Replan      bool        `json:"replan,omitempty"`      // the function is asked again after a drain with failures (SPEC.md ·23)
	EstimateUSD Micros      `json:"estimateUSD,omitempty"` // reserved before each call of the function, and its price where it reports none; zero means not declared
	Free        bool        `json:"free,omitempty"`        // a call of the function costs nothing, neither dollars nor tokens; in a file estimateUSD: 0 says the same
}

// Synthesis is the one step over accepted results that makes the run's output (SPEC.md ·141). It
// is checked by the gate like any output.
type Synthesis struct {
	Capability     string `json:"capability"`
	Goal           string `json:"goal,omitempty"`
	OutputContract string `json:"outputContract,omitempty"`
	TimeoutMS      int    `json:"timeoutMs,omitempty"`
}

// A Route decides by declaration, before any selection by load (SPEC.md ·30, ·34, ·35).
type Route struct {
	Capability string   `json:"capability"` // the subtasks it is for
	Strategy   Strategy `json:"strategy"`
	Workers    []string `json:"workers,omitempty"` // for static: in order of preference
}

// A Strategy is one way of choosing a worker.
type Strategy string

// The strategies.
const (
	RouteStatic     Strategy = "static"
	RouteCapability Strategy = "capability"
	RouteLoad       Strategy = "load-aware"
)

// A Policy holds the numbers and choices that decide what happens when something goes wrong. The
// zero Policy is the one SPEC.md names as default.
type Policy struct {
	Version string `json:"version,omitempty"` // "legal-high@7"; empty means "default@1"

	RunConcurrency int            `json:"runConcurrency,omitempty"` // subtasks of one run at once; zero means 3
	Attempts       int            `json:"attempts,omitempty"`       // the first included; zero means 3
	OnSubtaskError OnError        `json:"onSubtaskError,omitempty"` // empty means skip
	Profile        FailureProfile `json:"profile,omitempty"`        // sets the failure ratio
	FailureRatio   *float64       `json:"failureRatio,omitempty"`   // nil means the profile's

	ReviewTimeout Duration     `json:"reviewTimeout,omitempty"` // zero means 30 m
	AutoDecision  AutoDecision `json:"autoDecision,omitempty"`  // empty means reject; approve only at risk low
	WhenOnlyWaits OnWait       `json:"whenOnlyReviewsRemain,omitempty"`

	ApprovePlan bool      `json:"approvePlan,omitempty"` // nothing is begun before a person has approved the plan
	PlanEffects OnEffects `json:"planEffects,omitempty"` // of plans that a model made or an earlier run's plan was an example for; empty means ask

	// Detectors look at every output of the team, whatever its contract.
	Detectors []DetectorRule `json:"detectors,omitempty"`

	Debate    Debate     `json:"debate,omitzero"`
	Reviewer  string     `json:"reviewer,omitempty"`  // workerId of the judge; empty means none, as NoReviewer does
	Conflicts OnConflict `json:"conflicts,omitempty"` // empty means record
	Queue     QueueOrder `json:"queue,omitempty"`     // empty means priority
	CostLimit Micros     `json:"singleActionLimit,omitempty"`
	Unpriced  *Unpriced  `json:"unpriced,omitempty"` // nil means that a run with a ceiling has no work without a declared price
}

// NoReviewer as a policy's reviewer (`reviewer: false`) says that the gate alone is to look at outputs:
// they count as unreviewed, and what is at risk high needs a second reading (SPEC.md ·66).
const NoReviewer = "false"

// Judge is the workerId of the reviewer, empty if there is none.
func (p *Policy) Judge() string {
	if p.Reviewer == NoReviewer {
		return ""
	}
	return p.Reviewer
}

// OnError says what the end of a subtask without acceptance does to the run (SPEC.md ·52).
type OnError string

// The choices. "retry" is read as skip.
const (
	SkipDependants OnError = "skip"
	FailRun        OnError = "fail"
)

// A FailureProfile names a failure ratio (SPEC.md ·80).
type FailureProfile string

// The profiles: 0.5, 0.2 and 0.
const (
	ProfileDefault      FailureProfile = "default"
	ProfileDataAnalysis FailureProfile = "data_analysis"
	ProfileCritical     FailureProfile = "critical"
)

// AutoDecision is what the policy decides when nobody does.
type AutoDecision string

// The automatic decisions.
const (
	AutoReject  AutoDecision = "reject"
	AutoApprove AutoDecision = "approve"
)

// OnWait says what a run does when only reviews remain.
type OnWait string

// The choices: wait for the people, or return what there is.
const (
	WaitForPeople OnWait = "wait"
	ReturnPartial OnWait = "partial"
)

// OnEffects says what becomes of a plan that nobody of the team's wrote, where a subtask of it may do
// more than read.
type OnEffects string

// The choices: a person approves the plan before anything of it begins, or nobody has to see it. What
// may be granted is then up to a model, and to the texts that it reads.
const (
	AskEffects   OnEffects = "ask"
	AllowEffects OnEffects = "allow"
)

// OnConflict says what becomes of two accepted outputs that disagree (SPEC.md ·140).
type OnConflict string

// The choices: record it in the result, or ask a person before the run ends.
const (
	RecordConflict OnConflict = "record"
	ReviewConflict OnConflict = "review"
)

// A QueueOrder decides who goes first when workers are short (SPEC.md ·102).
type QueueOrder string

// The orders: by priority, deadline and age; by tenant's share first; by age; by deadline.
const (
	QueuePriority QueueOrder = "priority"
	QueueFair     QueueOrder = "fair"
	QueueOldest   QueueOrder = "oldest"
	QueueDeadline QueueOrder = "deadline"
)

// Defaults of a policy, each from SPEC.md §4.
const (
	DefaultRunConcurrency = 3
	DefaultAttempts       = 3
	DefaultReviewTimeout  = 30 * time.Minute
	DefaultCostLimit      = 1 * USD
	DefaultTimeout        = time.Minute // of an attempt whose subtask has no limit and whose worker no latency
	DefaultMaxIterations  = 3
	MaxPlanSize           = 10_000
	HumanBelow            = 0.6
	LowBelow              = 0.7
	LowBudgetShare        = 0.8
	SpawnShare            = 0.5
)

// Digest names the team by its content: "sha256:" and the hash of its JSON.
func (t *Team) Digest() string {
	b, err := json.Marshal(t)
	if err != nil {
		panic("chargehand: a team holds only plain data: " + err.Error())
	}
	return Hash(b)
}

// Hash is the content hash of b as it is written everywhere: "sha256:" and hexadecimal digits.
func Hash(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Worker is the registry entry called id, nil if there is none.
func (t *Team) Worker(id string) *WorkerSpec {
	for i := range t.Workers {
		if t.Workers[i].WorkerID == id {
			return &t.Workers[i]
		}
	}
	return nil
}

// Contract is the contract called name, nil if there is none.
func (t *Team) Contract(name string) *Contract {
	for i := range t.Contracts {
		if t.Contracts[i].Name == name {
			return &t.Contracts[i]
		}
	}
	return nil
}

// Route is the declared route of a capability; without one it is by capability.
func (t *Team) Route(capability string) Route {
	for _, r := range t.Routes {
		if r.Capability == capability {
			return r
		}
	}
	return Route{Capability: capability, Strategy: RouteCapability}
}

// Concurrency is how many subtasks of one run are under way at once.
func (p *Policy) Concurrency() int { return cmp.Or(p.RunConcurrency, DefaultRunConcurrency) }

// MaxAttempts is how often a subtask may be tried, the first included.
func (p *Policy) MaxAttempts() int { return cmp.Or(p.Attempts, DefaultAttempts) }

// Ratio is the share of failed subtasks a run survives.
func (p *Policy) Ratio() float64 {
	switch {
	case p.FailureRatio != nil:
		return *p.FailureRatio
	case p.Profile == ProfileDataAnalysis:
		return 0.2
	case p.Profile == ProfileCritical:
		return 0
	}
	return 0.5
}

// Patience is how long a review waits for a person.
func (p *Policy) Patience() time.Duration {
	return cmp.Or(p.ReviewTimeout.Std(), DefaultReviewTimeout)
}

// ID is the policy's name and version.
func (p *Policy) ID() string { return cmp.Or(p.Version, "default@1") }
