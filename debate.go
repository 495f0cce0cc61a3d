package chargehand

import "cmp"

// Debate says what becomes of an output that needs a person, or that says otherwise than an accepted
// one, of a subtask that may be debated: a second worker does the same work knowing the first one's
// output, and both are compared (SPEC.md ·69). No debate makes an output acceptable that the checks do
// not accept by itself.
type Debate struct {
	Rounds     int          `json:"rounds,omitempty"`     // answers to the other's output, at most 3; zero means 1
	Adjudicate Adjudication `json:"adjudicate,omitempty"` // empty means person
	Always     bool         `json:"always,omitempty"`     // every subtask that only reads, not those that say `debate`
}

// An Adjudication says who decides when workers still disagree after the last round.
type Adjudication string

// The adjudications. Whatever they do not settle goes to a person.
const (
	AdjudicateByPerson Adjudication = "person"
	AdjudicateByRules  Adjudication = "rules" // what the checks accept, if it alone contradicts no accepted output, or else if the gate's score is strictly higher
	AdjudicateByJudge  Adjudication = "judge" // what the policy's reviewer chooses, if the checks accept it
)

// MaxDebateRounds bounds Debate.Rounds.
const MaxDebateRounds = 3

// MaxRounds is how often a worker answers the other's output.
func (d *Debate) MaxRounds() int { return min(cmp.Or(d.Rounds, 1), MaxDebateRounds) }

// Debates reports whether the policy or the subtask itself wants its contested outputs debated.
// What changes the world is not done twice.
func (p *Policy) Debates(s *Subtask) bool {
	return (s.Debate || p.Debate.Always) && s.Effect.Reads()
}

// A Position is what one side of a debate says.
type Position struct {
	Attempt        int            `json:"attempt"`
	Worker         string         `json:"worker"`
	OutputRef      string         `json:"outputRef"`
	VerdictRef     string         `json:"verdictRef,omitempty"`
	GateScore      float64        `json:"gateScore"` // 0..1
	Recommendation Recommendation `json:"recommendation"`
	Acceptable     bool           `json:"acceptable,omitempty"` // the checks would accept it by itself
}

// A Stance is what an output says of one key. Outputs that say the same of it have the same.
type Stance struct {
	Key  string `json:"key"`
	Says string `json:"says"` // a digest of the value
}
