package chargehand

// A Holder is a kind of call that money and tokens are reserved for.
type Holder string

// The holders.
const (
	HeldForAttempt Holder = "attempt"
	HeldForJudge   Holder = "judge"
	HeldForPlan    Holder = "plan" // its subtask and attempt are empty
)

// ReservationRaised says that a call under way may consume more than it could before (SPEC.md ·90):
// so much in all.
type ReservationRaised struct {
	For Holder `json:"for"`
	AttemptRef
	Reserved Micros `json:"reservedUSD,omitempty"`
	Tokens   int64  `json:"reservedTokens,omitempty"`
}

// ReservationDenied says that it may not. What was reserved for it stays so.
type ReservationDenied struct {
	For Holder `json:"for"`
	AttemptRef
	Wanted Micros `json:"wantedUSD,omitempty"` // in all
	Tokens int64  `json:"wantedTokens,omitempty"`
	Why    string `json:"why"`
}

// Overbilled says that a call was billed above what was reserved for it, under a ceiling of the run
// or of the call's subtask: the record before it holds the bill, which counts. Under a ceiling of the
// run nothing more is sent.
type Overbilled struct {
	For Holder `json:"for"`
	AttemptRef
	Worker         string `json:"worker,omitempty"` // who billed it; empty for a planner
	Own            bool   `json:"own,omitempty"`    // only the subtask's own budget is passed: the run goes on
	Reserved       Micros `json:"reservedUSD,omitempty"`
	ReservedTokens int64  `json:"reservedTokens,omitempty"`
	Billed         Micros `json:"billedUSD,omitempty"`
	BilledTokens   int64  `json:"billedTokens,omitempty"`
}

// SpawnCharged says that a dynamic instance of a worker is brought up for an attempt. What that is
// estimated to cost counts as spent from then on, whether it comes up or not (SPEC.md ·93).
type SpawnCharged struct {
	AttemptRef
	Worker string `json:"worker"`
	USD    Micros `json:"usd"`
}

func (SpawnCharged) fact()      {}
func (ReservationRaised) fact() {}
func (ReservationDenied) fact() {}
func (Overbilled) fact()        {}
