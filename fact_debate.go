package chargehand

// DebateOpened says that another worker is asked, for what the checks say of an attempt's output
// needs a person, or for accepted outputs say otherwise than it (SPEC.md ·69). That output is the first
// position.
type DebateOpened struct {
	AttemptRef
	Cause      Cause        `json:"cause"`
	Why        string       `json:"why"`
	Rounds     int          `json:"rounds"` // at most
	Adjudicate Adjudication `json:"adjudicate"`

	Against    []string `json:"against,omitempty"`    // subtasks whose accepted outputs say otherwise, the first three
	Acceptable bool     `json:"acceptable,omitempty"` // the checks accept the output by itself
	Score      float64  `json:"score,omitempty"`      // 0..1, at which they do
}

// PositionTaken says that a debated attempt's output stands as its worker's position. It is being
// compared with the other side's.
type PositionTaken struct {
	AttemptRef
	Round      int     `json:"round"` // from 1
	Acceptable bool    `json:"acceptable,omitempty"`
	Score      float64 `json:"score,omitempty"` // 0..1, at which it would be accepted
	Why        string  `json:"why,omitempty"`   // it is not acceptable
}

// PositionsCompared says whether both sides say the same, by the facts that their contract names.
type PositionsCompared struct {
	AttemptRef          // the later of the two
	Agree      bool     `json:"agree"`
	Points     int      `json:"points"`           // keys that either names
	Differ     []string `json:"differ,omitempty"` // the first of those that they differ in
}

// DebateSettled ends a debate. What is used, if anything, follows in SubtaskEnded; what a person is
// asked follows in ReviewOpened, and is about the leading position.
type DebateSettled struct {
	AttemptRef                // of the position that is used or leads
	By           Adjudication `json:"by,omitempty"`           // empty: the sides agree, or nobody answered what the checks accept
	Why          string       `json:"why"`                    //
	ConfirmedBy  string       `json:"confirmedBy,omitempty"`  // the other side's worker, where it says the same
	OtherAttempt int          `json:"otherAttempt,omitempty"` // the other side's; zero: it never took a position
}

func (DebateOpened) fact()      {}
func (PositionTaken) fact()     {}
func (PositionsCompared) fact() {}
func (DebateSettled) fact()     {}
