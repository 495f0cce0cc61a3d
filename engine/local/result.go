package local

import (
	"context"
	"encoding/json"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/supervise"
)

// writeResult stores the run's result and reports its hashes.
func (j job) writeResult(ctx context.Context, e supervise.WriteResult) {
	r, err := j.complete(ctx, e)
	var b blob
	if err == nil {
		var body []byte
		if body, err = json.Marshal(r); err == nil {
			b, err = j.store.keep(body)
		}
	}
	if err != nil {
		j.retry(ctx, e, err)
		return
	}
	j.report(supervise.ResultWritten{Result: b.hash, ResultHash: r.ResultHash}, b)
}

// complete adds what is content to a result: items and conflicts from the aggregate, and the
// synthesis' output.
func (j job) complete(ctx context.Context, e supervise.WriteResult) (*chargehand.Result, error) {
	r := e.Result
	if e.Aggregate != "" {
		body, err := j.store.content(ctx, e.Aggregate)
		if err != nil {
			return nil, err
		}
		var a aggregate
		if err := json.Unmarshal(body, &a); err != nil {
			return nil, err
		}
		r.Items, r.Conflicts = a.Items, a.Conflicts
		r.MissingEvidence = append(r.MissingEvidence, a.MissingEvidence...)
		r.Output = outputOf(a.Outputs)
	}
	if e.Output != "" {
		body, err := j.store.content(ctx, e.Output)
		if err != nil {
			return nil, err
		}
		r.Output = body
	}
	for _, c := range r.Conflicts {
		r.OpenQuestions = append(r.OpenQuestions, chargehand.Note{Key: c.Key, Text: c.Why})
	}
	hash, err := resultHash(&r)
	r.ResultHash = hash
	return &r, err
}

// outputOf is the output of a run without a synthesis: that of its only subtask without items, or
// those of all by subtask.
func outputOf(parts []part) json.RawMessage {
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0].Output
	}
	all := map[string]json.RawMessage{}
	for _, p := range parts {
		all[p.Subtask] = p.Output
	}
	body, err := json.Marshal(all) // sorted by key
	if err != nil {
		return nil
	}
	return body
}

// resultHash covers what the run found, and not what it cost (SPEC.md ·7).
func resultHash(r *chargehand.Result) (string, error) {
	body, err := json.Marshal(struct {
		Output    json.RawMessage       `json:"output,omitempty"`
		Items     []chargehand.Item     `json:"items"`
		Gaps      []chargehand.Gap      `json:"gaps"`
		Conflicts []chargehand.Conflict `json:"conflicts"`
	}{r.Output, r.Items, r.Gaps, r.Conflicts})
	return chargehand.Hash(body), err
}

// pause waits, and reports whether the time passed before the context's end.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
