package local

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/chargehand/chargehand"
)

// Replay folds a run's records into its machine anew, and compares what that says with what is
// kept beside the records: the run's line in the list, and the result it handed over. The error
// names the first difference.
func (r *reader) Replay(ctx context.Context, run string) error {
	v, err := r.Run(ctx, run)
	if err != nil {
		return err
	}
	if v.TeamDigest == "" {
		return spoilt("run "+v.RunID+" cannot be folded", "it is in the list, and has no record of its start")
	}
	m, _, err := r.machine(ctx, v)
	if err != nil {
		return err
	}
	listed, err := r.store.summary(ctx, v.RunID)
	if err != nil {
		return err
	}
	if err := same("the line in the list", listed, m.Summary()); err != nil {
		return err
	}
	if v.ResultRef == "" {
		return nil
	}
	kept, err := r.Result(ctx, v.RunID)
	if err != nil {
		return err
	}
	folded := m.Result()
	if err := same("the result's provenance", kept.Provenance, folded.Provenance); err != nil {
		return err
	}
	return same("the result's gaps", kept.Gaps, folded.Gaps)
}

// same compares two values as JSON.
func same(what string, kept, folded any) error {
	a, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	b, err := json.Marshal(folded)
	if err != nil || string(a) == string(b) {
		return err
	}
	return &chargehand.Error{
		Code: chargehand.CodeInternal, What: what + " is not what the records say",
		Why: fmt.Sprintf("kept %s, folded %s", plain(string(a)), plain(string(b))), Next: auditNext,
	}
}
