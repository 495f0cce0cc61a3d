package local

import "context"

// A Witness keeps what it has seen of a journal and signs beside the journal's key, so that nobody
// who has the key can show two people two histories.
type Witness interface {
	// Cosign returns the note, which holds a checkpoint signed by the journal's key, with the
	// witness's signature added. The witness wants to be shown that the checkpoint goes on from
	// the one it saw last: prove returns the consistency proof (RFC 6962) from the first old leaves
	// to the checkpoint's, 32 bytes a hash.
	Cosign(ctx context.Context, note []byte, prove Prover) ([]byte, error)
}

// A Prover makes consistency proofs.
type Prover = func(ctx context.Context, old int64) ([][32]byte, error)
