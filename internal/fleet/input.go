package fleet

import (
	"time"

	"github.com/chargehand/chargehand"
)

// An Input is something that happened, told to Step. The set is closed.
type Input interface{ input() }

// Register says which workers there are, with what limits. Workers it does not name stay as they
// are.
type Register struct {
	Workers []chargehand.FleetWorker `json:"workers"`
}

// Ask wants a worker for an attempt. A Grant answers it, in the same step or a later one. An ask
// that already waits stays where it is; one that already has a lease is told of it again.
type Ask struct {
	Run string `json:"run"`
	chargehand.AttemptRef
	Candidates []chargehand.Candidate `json:"candidates"`          // only eligible ones; at least one
	Strategy   chargehand.Strategy    `json:"strategy,omitempty"`  // empty means capability
	Order      chargehand.QueueOrder  `json:"order,omitempty"`     // empty means priority
	Priority   int                    `json:"priority,omitempty"`  // higher goes first
	Deadline   time.Time              `json:"deadline,omitzero"`   // of the run; zero means none
	Timeout    time.Duration          `json:"timeout,omitempty"`   // of the attempt; zero means the worker's own
	RunStarted time.Time              `json:"runStarted,omitzero"` // age decides between equals
	Tenant     string                 `json:"tenant,omitempty"`    // the empty one is a tenant too
	SpawnUpTo  chargehand.Micros      `json:"spawnUpTo,omitempty"` // a dynamic worker must be estimated below it (SPEC.md ·93)
}

// Withdraw takes an ask back. One that was granted meanwhile is given back with Return.
type Withdraw struct {
	Run string `json:"run"`
	chargehand.AttemptRef
}

// Fund answers an Offer: whether its run pays. The instance of one that does is brought up.
type Fund struct {
	Run string `json:"run"`
	chargehand.AttemptRef
	Worker string `json:"worker"`
	Pays   bool   `json:"pays"`
}

// Return frees a lease: its worker has let go.
type Return struct {
	Epoch   int64              `json:"epoch"`
	Outcome chargehand.Outcome `json:"outcome"`
}

// Reconcile compares the leases with the attempts that are open when an engine starts. Leases
// without an attempt are freed, attempts without a lease come back as Orphans, and spawns that
// still hold are asked for again.
type Reconcile struct {
	Held []Holding `json:"held"`
}

// A Holding names the lease an attempt has.
type Holding struct {
	Epoch int64  `json:"epoch"`
	Run   string `json:"run"`
	chargehand.AttemptRef
}

// Healthy answers Probe.
type Healthy struct {
	Worker string `json:"worker"`
	OK     bool   `json:"ok"`
	Why    string `json:"why,omitempty"` // where it is not
}

// Spawned answers Spawn. Err says that the instance did not come up.
type Spawned struct {
	Worker   string `json:"worker"`
	Instance string `json:"instance"`
	Err      string `json:"err,omitempty"`
}

// Drain stops giving a worker anything new, or takes that back. What it works on it may finish.
type Drain struct {
	Worker string `json:"worker"`
	On     bool   `json:"on"`
	By     string `json:"by,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Stepped says that the wall clock was set: it is Off ahead of the time that the machine is told.
type Stepped struct {
	Off time.Duration `json:"off"`
}

// Tick says only what time it is.
type Tick struct{}

func (Register) input()  {}
func (Ask) input()       {}
func (Withdraw) input()  {}
func (Fund) input()      {}
func (Return) input()    {}
func (Reconcile) input() {}
func (Healthy) input()   {}
func (Spawned) input()   {}
func (Drain) input()     {}
func (Stepped) input()   {}
func (Tick) input()      {}
