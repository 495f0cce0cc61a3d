package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/chargehand/chargehand/internal/audit"
)

// attest shows the witness the newest checkpoint whenever there is one, until shown is closed.
func (n *notary) attest(ctx context.Context, shown <-chan struct{}) {
	for range shown {
		for ctx.Err() == nil && n.show(ctx, witnessTime) != nil {
			select {
			case <-time.After(respite):
			case <-ctx.Done():
			}
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	_ = n.show(ctx, farewell) // operators are told
}

// show has the witness sign the newest checkpoint, and keeps that.
func (n *notary) show(ctx context.Context, within time.Duration) error {
	n.mu.Lock()
	size, msg := n.kept, n.note
	behind := n.seen < size && msg != nil
	n.mu.Unlock()
	if !behind {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	cosigned, err := n.witness.Cosign(ctx, msg, func(ctx context.Context, old int64) ([][32]byte, error) {
		return n.prove(ctx, size, old)
	})
	if err == nil {
		err = n.still(msg, cosigned)
	}
	if err == nil {
		err = n.keep(size, cosigned)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if err != nil {
		if n.unseen != err.Error() {
			n.unseen = err.Error()
			n.log.Error("the witness has not signed: effects that cannot be undone wait, everything else continues for some time", "error", err)
		}
		return err
	}
	n.seen, n.unseen = size, ""
	n.release()
	return nil
}

// still reports whether what the witness returned is the note it was given, with a signature more:
// it is to stand among the checkpoints.
func (n *notary) still(msg, cosigned []byte) error {
	keys, err := audit.Verifiers(n.key.Public())
	if err != nil {
		return err
	}
	given, _, err := audit.OpenCheckpoint(msg, keys)
	if err != nil {
		return err
	}
	notes, rest, err := audit.Notes(cosigned)
	if err != nil || len(notes) != 1 || len(rest) > 0 {
		return errors.New("the witness returned something that is not a signed note")
	}
	got, signed, err := audit.OpenCheckpoint(cosigned, keys)
	if err != nil {
		return fmt.Errorf("the witness returned another note: %w", err)
	}
	if got != given || len(signed.UnverifiedSigs) == 0 {
		return errors.New("the witness returned another note, or did not sign it")
	}
	return nil
}

// prove shows that the tree of size leaves goes on from its first old ones.
func (n *notary) prove(ctx context.Context, size, old int64) ([][32]byte, error) {
	if old == 0 || old == size {
		return nil, nil
	}
	proof, err := tlog.ProveTree(size, old, tiles(ctx, n.store.read))
	if err != nil {
		return nil, fmt.Errorf("prove that the journal continues from %d records: %w", old, err)
	}
	out := make([][32]byte, len(proof))
	for i, h := range proof {
		out[i] = h
	}
	return out, nil
}
