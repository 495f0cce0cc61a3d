package chargehand

import (
	"context"
	"iter"
)

// An Engine supervises runs. The local engine keeps them in one file of this process; a client
// reaches an engine in another. Every method is safe for concurrent use, and what it acknowledges
// is durable.
type Engine interface {
	Supervisor
	Reader
}

// A Supervisor is the part of an Engine that changes something.
type Supervisor interface {
	// Start begins a run and returns its id. A team or objective that cannot be supervised is
	// refused with an *Error of CodeInvalid that lists every problem.
	Start(ctx context.Context, o Order) (string, error)

	// Control pauses, resumes or cancels a run.
	Control(ctx context.Context, run string, c Control) error

	// Fork begins a new run from a record of another, and returns its id. The new run has the
	// records up to that one as its first, what was accepted in them stays accepted, and the other
	// run is left as it is. A record that is not there is refused with an *Error of CodeInvalid, one
	// with which or after which the run ended with CodeEnded.
	Fork(ctx context.Context, run string, f Fork) (string, error)

	// Decide answers a review. The decision must name the review's nonce and the hash of the
	// content it judged; ByPolicy and Timestamp are the engine's to set. A decision that settles what
	// happened to a write brings its output, which the gate checks: one that the checks reject is refused
	// with an *Error of CodeInvalid.
	Decide(ctx context.Context, d Decision) (Decision, error)
}

// A Fork says where a run is forked. The zero Fork goes on from its last record.
type Fork struct {
	// Seq is the record to go on from, together with all that was decided at its moment. Zero or
	// less means the last.
	Seq int64 `json:"seq,omitempty"`

	// By is who starts the new run. Empty means whoever started the other.
	By string `json:"by,omitempty"`
}

// A Reader is the part of an Engine that tells what there is. Ids may be unique prefixes.
type Reader interface {
	// Runs lists runs, newest first.
	Runs(ctx context.Context, f Filter) ([]RunSummary, error)

	// Run is what is known of a run now.
	Run(ctx context.Context, run string) (*View, error)

	// Records yields a run's records after sequence number after, in order. With follow it goes
	// on with the records to come, until the run's end or ctx's.
	Records(ctx context.Context, run string, after int64, follow bool) iter.Seq2[Record, error]

	// Result is what the run hands over. That of a run still under way holds what was accepted
	// so far, with everything else as gaps.
	Result(ctx context.Context, run string) (*Result, error)

	// Reviews lists the reviews that wait, the next deadline first.
	Reviews(ctx context.Context) ([]Review, error)

	// Blob is the content with the given hash.
	Blob(ctx context.Context, hash string) ([]byte, error)

	// Fleet is what is known of the workers now.
	Fleet(ctx context.Context) ([]WorkerStatus, error)
}

// A Filter narrows a list of runs. The zero Filter lists the newest 50.
type Filter struct {
	States     []RunState `json:"states,omitempty"`
	NeedsHuman bool       `json:"needsHuman,omitempty"`
	StartedBy  string     `json:"startedBy,omitempty"`
	Limit      int        `json:"limit,omitempty"` // zero means 50
}

// A WorkerStatus is how a worker of the fleet fares.
type WorkerStatus struct {
	Worker    string   `json:"worker"`
	Active    int      `json:"active"`
	Slots     int      `json:"slots"`
	Instances int      `json:"instances"`
	Queued    int      `json:"queued"` // asks that name it
	Breaker   Breaker  `json:"breaker"`
	Healthy   bool     `json:"healthy"`
	Drained   bool     `json:"drained"`
	Calls     int64    `json:"calls"`
	Failures  int64    `json:"failures"`
	AverageMS int64    `json:"averageMs"` // observed; zero means not known
	Alerts    []string `json:"alerts,omitempty"`
}

// Wait follows a run to its end and returns its result.
func Wait(ctx context.Context, e Reader, run string) (*Result, error) {
	for _, err := range e.Records(ctx, run, 0, true) {
		if err != nil {
			return nil, err
		}
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return e.Result(ctx, run)
}
