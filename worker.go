package chargehand

import (
	"encoding/json"
	"fmt"
	"iter"
	"time"
)

// A WorkerSpec is a registry entry: what can execute subtasks, and within which limits
// (SPEC.md ·1).
type WorkerSpec struct {
	WorkerID    string `json:"workerId"`          // the worker's one name, everywhere
	Version     string `json:"version,omitempty"` // empty means "1"
	Description string `json:"description,omitempty"`

	Capabilities []string `json:"capabilities"`
	TaskTypes    []string `json:"taskTypes,omitempty"` // empty means any

	AcceptedInputSchema json.RawMessage `json:"acceptedInputSchema,omitempty"` // JSON Schema 2020-12; empty accepts anything
	OutputContracts     []string        `json:"outputContracts,omitempty"`     // names of contracts; empty means any

	ToolGrants []string `json:"toolGrants,omitempty"`
	Model      string   `json:"model,omitempty"`
	Tier       int      `json:"tier,omitempty"` // 1 (best) to 3 (cheapest); zero serves every tier

	AverageLatencyMS       int    `json:"averageLatencyMs,omitempty"`       // zero means not known
	CostPerCallEstimateUSD Micros `json:"costPerCallEstimateUSD,omitempty"` // reserved before each call; zero means not declared
	Free                   bool   `json:"free,omitempty"`                   // a call costs nothing, neither dollars nor tokens; in a file costPerCallEstimateUSD: 0 says the same
	MaxConcurrentTasks     int    `json:"maxConcurrentTasks,omitempty"`     // across all runs; zero means 1

	MaxRiskLevel   Risk     `json:"maxRiskLevel,omitempty"` // empty means low
	HealthEndpoint string   `json:"healthEndpoint,omitempty"`
	OwnerTeam      string   `json:"ownerTeam,omitempty"`
	Tenants        []string `json:"tenants,omitempty"` // empty means all

	SupportsStreaming bool `json:"supportsStreaming,omitempty"`
	SupportsParallel  bool `json:"supportsParallel,omitempty"`
	Idempotent        bool `json:"idempotent,omitempty"` // it does the work of one idempotency key once

	Min   int    `json:"min,omitempty"` // static instances kept when idle; zero means 1
	Max   int    `json:"max,omitempty"` // static instances at most; zero means Min
	Spawn *Spawn `json:"spawn,omitempty"`

	FailurePolicy FailurePolicy `json:"failurePolicy,omitzero"`

	Kind WorkerKind `json:"kind,omitempty"` // empty means func
	Exec *ExecKind  `json:"exec,omitempty"`
	HTTP *HTTPKind  `json:"http,omitempty"`
	LLM  *LLMKind   `json:"llm,omitempty"`
	MCP  *MCPKind   `json:"mcp,omitempty"`
	A2A  *A2AKind   `json:"a2a,omitempty"`
}

// A WorkerKind says how a worker is reached.
type WorkerKind string

// The kinds.
const (
	KindFunc WorkerKind = "func" // a Go function, handed to the engine under the worker's name
	KindExec WorkerKind = "exec" // a process: the task on stdin, the result on stdout, both JSON
	KindHTTP WorkerKind = "http" // a service: the task is posted, the answer is the result
	KindLLM  WorkerKind = "llm"  // a language model with a prompt and tools
	KindMCP  WorkerKind = "mcp"  // one tool of an MCP server
	KindA2A  WorkerKind = "a2a"  // an agent that speaks A2A
)

// ExecKind is how a process is started for each task.
type ExecKind struct {
	Command []string          `json:"command"`       // program and arguments; no shell is involved
	Dir     string            `json:"dir,omitempty"` // working directory; relative to the team file
	Env     map[string]string `json:"env,omitempty"` // added to PATH, HOME, LANG and TMPDIR, the only ones passed on; $NAME in a value is taken from the environment

	Reach
}

// An Isolation says what keeps a program from the engine, its files and other programs. It may also be
// "user:NAME", which has the program run as another account; that needs root.
type Isolation string

// The isolations.
const (
	IsolationAuto  Isolation = "auto"  // bubblewrap where it works, else none
	IsolationBwrap Isolation = "bwrap" // bubblewrap (Linux), or the team is refused
	IsolationNone  Isolation = "none"  // the program can do whatever the engine's account can
)

// A Reach is what a program may have to do with the machine that it runs on. Without isolation nothing
// holds it to that. In isolation it can read its team's folder, its own and the system's programs, and
// has temporary files of its own. Paths are relative to the team file.
type Reach struct {
	Isolation Isolation `json:"isolation,omitempty"` // empty means auto
	Read      []string  `json:"read,omitempty"`      // further files and folders that it may read
	Write     []string  `json:"write,omitempty"`     // files and folders that it may write
	Network   bool      `json:"network,omitempty"`   // whether it may reach the network, this machine's own addresses included
}

// Programs are what the team has started on this machine, by the path of its declaration: workers of
// kind exec, and tool servers with a command.
func (t *Team) Programs() iter.Seq2[string, *Reach] {
	return func(yield func(string, *Reach) bool) {
		for i := range t.Workers {
			if x := t.Workers[i].Exec; x != nil && !yield(fmt.Sprintf("$.workers[%d].exec", i), &x.Reach) {
				return
			}
		}
		for i := range t.Tools {
			if s := &t.Tools[i]; len(s.Command) > 0 && !yield(fmt.Sprintf("$.tools[%d]", i), &s.Reach) {
				return
			}
		}
	}
}

// HTTPKind is where a task is posted to.
type HTTPKind struct {
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"` // $NAME in a value is taken from the environment
}

// Spawn is the template of the dynamic workers that the fleet adds when every static one is busy
// (SPEC.md ·100).
type Spawn struct {
	Max                 int      `json:"max"`                           // dynamic instances at most
	IdleTimeout         Duration `json:"idleTimeout,omitempty"`         // zero means 60 s, which is also the most
	EstimateUSD         Micros   `json:"estimateUSD,omitempty"`         // what bringing one up costs its run
	CostPerCallEstimate Micros   `json:"costPerCallEstimate,omitempty"` // zero means the worker's own
}

// A FailurePolicy says what a worker's failure means for its subtask.
type FailurePolicy struct {
	Required           bool   `json:"required,omitempty"`
	Retryable          *bool  `json:"retryable,omitempty"`   // nil means true; false skips the retry on the same worker
	MaxAttempts        int    `json:"maxAttempts,omitempty"` // lowers the policy's attempts; zero leaves them
	FallbackWorker     string `json:"fallbackWorker,omitempty"`
	AllowPartialResult bool   `json:"allowPartialResult,omitempty"`
}

// A Risk grades what can go wrong. The zero value is low.
type Risk string

// The grades, rising.
const (
	RiskLow      Risk = "low"
	RiskMedium   Risk = "medium"
	RiskHigh     Risk = "high"
	RiskCritical Risk = "critical"
)

// Level is 0 for low to 3 for critical, and -1 for a word that is no grade.
func (r Risk) Level() int {
	switch r {
	case "", RiskLow:
		return 0
	case RiskMedium:
		return 1
	case RiskHigh:
		return 2
	case RiskCritical:
		return 3
	}
	return -1
}

// ID is "worker@version", the name of one version of a worker.
func (w *WorkerSpec) ID() string { return w.WorkerID + "@" + w.VersionOrDefault() }

// VersionOrDefault is the version, "1" where none is given.
func (w *WorkerSpec) VersionOrDefault() string {
	if w.Version == "" {
		return "1"
	}
	return w.Version
}

// Slots is how many tasks one instance takes at once, at least 1.
func (w *WorkerSpec) Slots() int { return max(1, w.MaxConcurrentTasks) }

// Latency is the declared average latency; zero means not known.
func (w *WorkerSpec) Latency() time.Duration {
	return time.Duration(w.AverageLatencyMS) * time.Millisecond
}

// Bills reports whether the worker itself says what its calls cost. The engine counts the calls of
// language models and of tools.
func (w *WorkerSpec) Bills() bool { return w.Kind != KindLLM && w.Kind != KindMCP }

// Priced reports whether the worker says what a call costs.
func (w *WorkerSpec) Priced() bool { return w.Free || w.CostPerCallEstimateUSD > 0 || !w.Bills() }

// CanRetry reports whether the same worker may be asked again.
func (p FailurePolicy) CanRetry() bool { return p.Retryable == nil || *p.Retryable }

// Can reports whether the worker has the capability.
func (w *WorkerSpec) Can(capability string) bool { return contains(w.Capabilities, capability) }

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
