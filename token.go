package chargehand

import (
	"context"
	"iter"
)

// A Token is a piece of the text that a worker is writing (SPEC.md ·162). It is provisional: it is on
// no record, nothing is decided by it, and what becomes of the whole is for the gate to say.
type Token struct {
	Run string `json:"run"`
	AttemptRef
	Offset int64  `json:"offset"` // bytes that the attempt's worker had said before
	Text   string `json:"text"`

	// Lost is how many bytes of the attempt's text right before this piece were not handed on: the
	// follower was too slow, or came later.
	Lost int64 `json:"lost,omitempty"`

	Provisional bool `json:"provisional"` // always true
}

// A Streamer is an Engine that hands on the texts of workers as they write. Ids may be unique
// prefixes.
type Streamer interface {
	// Tokens yields what the workers of a run say from now on, until the run's end or ctx's. A
	// follower that falls behind loses text and is told so; it holds nobody up.
	Tokens(ctx context.Context, run string) iter.Seq2[Token, error]
}
