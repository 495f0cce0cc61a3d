package fleet

import (
	"time"

	"github.com/chargehand/chargehand"
)

// An Output is what a step asks for, in the order in which it must happen.
type Output struct {
	Records []chargehand.Record // to make durable first
	Grants  []Grant             // to tell the runs, in the same turn
	Offers  []Offer             // to tell the runs, in the same turn; Fund answers each
	Notices []Notice            // to tell the runs, in the same turn
	Orphans []Holding           // of Reconcile: attempts that have no lease
	Effects []Effect            // to begin once the records are durable
	Wake    time.Time           // when to Step with Tick at the latest; zero: never
	Refusal *chargehand.Error   // why the input was not followed; nil if it was
}

// A Grant answers an Ask. The worker works on the attempt until Return names the epoch.
type Grant struct {
	Run string `json:"run"`
	chargehand.AttemptRef
	Worker   string          `json:"worker"`
	Instance string          `json:"instance"`
	Epoch    int64           `json:"epoch"`
	Load     chargehand.Load `json:"load"` // what decided; zero where an old grant is told again
}

// An Offer asks a run to pay for a dynamic instance of a worker, for an attempt of it that waits.
type Offer struct {
	Run string `json:"run"`
	chargehand.AttemptRef
	Worker      string            `json:"worker"`
	EstimateUSD chargehand.Micros `json:"estimateUSD"`
}

// A Notice is an alert that a run's own log must hold.
type Notice struct {
	Run string
	chargehand.Alerted
}

// An Effect is a goal for the hands outside: safe to pursue twice. The set is closed.
type Effect interface{ effect() }

// Probe wants to know whether a worker is well; Healthy answers it, also when nothing answers.
type Probe struct {
	Worker  string `json:"worker"`
	Address string `json:"address"`
}

// Spawn wants a dynamic instance to be there; Spawned answers it. After a restart no dynamic
// instance is there but those that Spawn asks for.
type Spawn struct {
	Worker   string `json:"worker"`
	Instance string `json:"instance"`
}

// Retire wants an instance gone. Nothing answers it.
type Retire struct {
	Worker   string `json:"worker"`
	Instance string `json:"instance"`
}

func (Probe) effect()  {}
func (Spawn) effect()  {}
func (Retire) effect() {}

func (out *Output) begin(e Effect) { out.Effects = append(out.Effects, e) }
