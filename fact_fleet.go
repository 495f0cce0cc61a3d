package chargehand

import "time"

// FleetStream is the Run of the records that all runs share.
const FleetStream = "fleet"

// WorkersRegistered says which workers the fleet knows; a later one of the same name replaces it.
type WorkersRegistered struct {
	Workers []FleetWorker `json:"workers"`
}

// A FleetWorker is what the fleet needs to know of a worker. Slots, breaker and health belong to what is
// called, not to a name: another program under a name that is taken has a key of its own.
type FleetWorker struct {
	Worker    string `json:"worker"`             // the key: the worker's name, or "name~digest" where the name is taken
	Name      string `json:"name,omitempty"`     // the worker's name, where the key is another
	Identity  string `json:"identity,omitempty"` // digest of what is called (Team.Identity); empty in records of older formats
	Slots     int    `json:"slots"`              // of one instance; at least 1
	Min       int    `json:"min"`                // static instances kept; at least 1
	Max       int    `json:"max"`                // static instances at most; at least Min
	LatencyMS int    `json:"latencyMs,omitempty"`
	Spawn     *Spawn `json:"spawn,omitempty"`
	Health    string `json:"health,omitempty"` // address to ask; empty: taken to be well
}

// LeaseGranted says that an instance works on an attempt.
type LeaseGranted struct {
	Epoch int64  `json:"epoch"` // rises with every lease
	Run   string `json:"run"`
	AttemptRef
	Worker   string `json:"worker"`
	Instance string `json:"instance"` // "worker", "worker#2", or for a dynamic one "worker+1"
	Tenant   string `json:"tenant,omitempty"`
	Probe    bool   `json:"probe,omitempty"` // the one call a half-open breaker lets through
}

// LeaseFreed says that it no longer does.
type LeaseFreed struct {
	Epoch   int64   `json:"epoch"`
	Outcome Outcome `json:"outcome"`
}

// An Outcome is what a freed lease says about its worker's health.
type Outcome string

// The outcomes.
const (
	OutcomeFine     Outcome = "fine"     // it answered, well or badly
	OutcomeFailed   Outcome = "failed"   // it crashed, or could not be reached
	OutcomeLate     Outcome = "late"     // it was stopped at its deadline
	OutcomeUnused   Outcome = "unused"   // it was given back before anything was sent
	OutcomeRepaired Outcome = "repaired" // no attempt stood behind it when the engine started
)

// BreakerMoved says that a worker's circuit breaker changed (SPEC.md ·74).
type BreakerMoved struct {
	Worker string    `json:"worker"`
	State  Breaker   `json:"state"`
	Until  time.Time `json:"until,omitzero"` // open: when one probe is let through
	Why    string    `json:"why"`
}

// A Breaker is the state of a circuit breaker.
type Breaker string

// The breaker states.
const (
	BreakerClosed   Breaker = "closed"
	BreakerHalfOpen Breaker = "half_open"
	BreakerOpen     Breaker = "open"
)

// HealthChanged says what a worker's health endpoint answered, where that is news.
type HealthChanged struct {
	Worker  string `json:"worker"`
	Healthy bool   `json:"healthy"`
	Why     string `json:"why,omitempty"`
}

// InstanceSpawned says that a dynamic instance is there, or a static one is back.
type InstanceSpawned struct {
	Worker   string `json:"worker"`
	Instance string `json:"instance"`
	Dynamic  bool   `json:"dynamic,omitempty"`
}

// SpawnAsked says that a dynamic instance is being brought up, and which attempt it is for: that
// one's run pays, and it is served first.
type SpawnAsked struct {
	Worker   string `json:"worker"`
	Instance string `json:"instance"` // never a name that was used before
	Try      int    `json:"try"`      // 1 or 2
	Run      string `json:"run"`
	AttemptRef
	EstimateUSD Micros `json:"estimateUSD,omitempty"`
}

// SpawnFailed says that it did not come up.
type SpawnFailed struct {
	Worker   string `json:"worker"`
	Instance string `json:"instance"`
	Why      string `json:"why"`
}

// InstanceRetired says that an idle instance was let go.
type InstanceRetired struct {
	Worker   string `json:"worker"`
	Instance string `json:"instance"`
}

// WorkerDrained says that a worker takes nothing new, or takes work again.
type WorkerDrained struct {
	Worker  string `json:"worker"`
	Drained bool   `json:"drained"`
	By      string `json:"by,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// Alerted says that an operator should know something. It changes nothing.
type Alerted struct {
	What    string `json:"what"` // breaker_open, straggler, sla_at_risk; of a run cost_over_plan, checking_over_share
	Worker  string `json:"worker,omitempty"`
	Run     string `json:"run,omitempty"`
	Subtask string `json:"subtask,omitempty"`
	Why     string `json:"why"`
}

// ClockStepped says that somebody set the wall clock while a process supervised. Records go on by that
// process's own time until the next one begins.
type ClockStepped struct {
	Wall  time.Time `json:"wall"`  // what the wall clock says where the record's time is At
	OffMS int64     `json:"offMs"` // that it is ahead of At, in milliseconds; negative: behind
}

// FleetRebased holds what all the fleet's records before it come to: a fold may begin at one of
// part 1, and the records before that may go. A large fleet takes several, written together. Who
// waits for a worker is not part of it: runs ask again.
type FleetRebased struct {
	Part    int           `json:"part"`  // 1 forgets everything before it
	Parts   int           `json:"parts"` // in all
	Epoch   int64         `json:"epoch"` // of the latest lease
	Workers []WorkerState `json:"workers,omitempty"`
	Leases  []Lease       `json:"leases,omitempty"` // open ones, by epoch
}

// A Lease is one that has not been freed.
type Lease struct {
	LeaseGranted
	GrantedAt time.Time `json:"grantedAt"`
}

// A WorkerState is all that the fleet's records say of one worker, its leases left out.
type WorkerState struct {
	FleetWorker
	Drained   bool   `json:"drained,omitempty"`
	Unhealthy string `json:"unhealthy,omitempty"` // why; empty: it is well

	Calls     int64 `json:"calls,omitempty"`     // that ended fine, failed or late
	Failures  int64 `json:"failures,omitempty"`  // that ended failed or late
	Samples   int64 `json:"samples,omitempty"`   // calls that ended fine
	AverageUS int64 `json:"averageUs,omitempty"` // their moving average, in microseconds

	Breaker   BreakerState    `json:"breaker"`
	Spawns    int             `json:"spawns,omitempty"`        // dynamic instances asked for so far
	SpawnRest time.Time       `json:"spawnRestUntil,omitzero"` // no dynamic instance before
	Instances []InstanceState `json:"instances"`
}

// A BreakerState is what a circuit breaker counts.
type BreakerState struct {
	State  Breaker   `json:"state"`
	Until  time.Time `json:"until,omitzero"`   // open: when one probe is let through
	Row    int       `json:"row,omitempty"`    // failures since the last success
	Recent string    `json:"recent,omitempty"` // the last 20 calls: "." fine, "x" not
	Stale  int64     `json:"stale,omitempty"`  // leases up to this epoch no longer count
	Why    string    `json:"why,omitempty"`    // it is open
	Probe  int64     `json:"probe,omitempty"`  // epoch of the probe's lease; zero: none is out
	Ramp   int       `json:"ramp,omitempty"`   // leases at once after it closed; zero: no limit
}

// An InstanceState is one instance of a worker.
type InstanceState struct {
	Instance  string     `json:"instance"`
	Dynamic   bool       `json:"dynamic,omitempty"`
	Try       int        `json:"try,omitempty"`      // of a spawn that has not been answered; zero: it is up
	IdleSince time.Time  `json:"idleSince,omitzero"` // zero: it holds a lease, or is not up
	Run       string     `json:"run,omitempty"`      // of the attempt it was spawned for
	For       AttemptRef `json:"for,omitzero"`
}

func (WorkersRegistered) fact() {}
func (ClockStepped) fact()      {}
func (LeaseGranted) fact()      {}
func (LeaseFreed) fact()        {}
func (BreakerMoved) fact()      {}
func (HealthChanged) fact()     {}
func (InstanceSpawned) fact()   {}
func (SpawnAsked) fact()        {}
func (SpawnFailed) fact()       {}
func (InstanceRetired) fact()   {}
func (WorkerDrained) fact()     {}
func (Alerted) fact()           {}
func (FleetRebased) fact()      {}
