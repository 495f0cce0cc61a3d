package local

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/supervise"
)

// writeResult stores the run's result and reports its hashes.
func (j job) writeResult(ctx context.Context, e supervise.WriteResult) {
	r, d, err := j.complete(ctx, e)
	var b blob
	if err == nil {
		b, err = j.store.keepDraft(d)
		b.made = r
	}
	if err != nil {
		j.retry(ctx, e, err)
		return
	}
	j.report(supervise.ResultWritten{Result: b.hash, ResultHash: r.ResultHash}, b)
}

// complete adds what is content to a result: items and conflicts from the aggregate, and the
// synthesis' output. It answers the result and its JSON.
func (j job) complete(ctx context.Context, e supervise.WriteResult) (*chargehand.Result, draft, error) {
	r := e.Result
	items := draft{body: []byte("[]")}
	if e.Aggregate != "" {
		a, err := made[aggregate](ctx, j.store, e.Aggregate)
		if err == nil {
			items, err = j.itemsOf(ctx, a, e.Aggregate)
		}
		if err != nil {
			return nil, draft{}, err
		}
		r.Items, r.Conflicts = a.Items, a.Conflicts
		r.MissingEvidence = append(r.MissingEvidence, a.MissingEvidence...)
		r.Output = outputOf(a.Outputs)
	}
	if e.Output != "" {
		body, err := j.store.content(ctx, e.Output)
		if err != nil {
			return nil, draft{}, err
		}
		if r.Output, err = j.settleStatements(ctx, e, body, &r); err != nil {
			return nil, draft{}, err
		}
	}
	for _, c := range r.Conflicts {
		r.OpenQuestions = append(r.OpenQuestions, chargehand.Note{Key: c.Key, Text: c.Why})
	}
	var err error
	if r.ResultHash, err = resultHash(&r, items.body); err != nil {
		return nil, draft{}, err
	}
	bare := r
	bare.Items = nil
	head, tail, err := around(bare)
	if err != nil {
		return nil, draft{}, err
	}
	return &r, items.within(head, tail), nil
}

// itemsOf is an aggregate's list of items, with which the aggregate ends: a copy of it.
func (j job) itemsOf(ctx context.Context, a *aggregate, ref string) (draft, error) {
	body, err := j.store.content(ctx, ref)
	if err != nil {
		return draft{}, err
	}
	list := a.list
	if list.size == 0 {
		var again draft
		if err := again.list(a.Items, nil); err != nil {
			return draft{}, err
		}
		list = excerpt{at: len(body) - len(again.body) - len("}"), size: len(again.body)}
		if list.at < 0 || !bytes.Equal(body[list.at:list.at+list.size], again.body) {
			return draft{body: again.body}, nil
		}
	}
	return draft{
		body:   body[list.at : list.at+list.size],
		copies: []excerpt{{size: list.size, from: ref, start: list.at}},
	}, nil
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

// resultHash covers what the run found, and not what it cost (SPEC.md ·7). The items are a JSON list.
func resultHash(r *chargehand.Result, items []byte) (string, error) {
	head, tail, err := around(struct {
		Output    json.RawMessage       `json:"output,omitempty"`
		Items     []chargehand.Item     `json:"items"`
		Gaps      []chargehand.Gap      `json:"gaps"`
		Conflicts []chargehand.Conflict `json:"conflicts"`
	}{r.Output, nil, r.Gaps, r.Conflicts})
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, part := range [][]byte{head, items, tail} {
		h.Write(part)
	}
	return contentHash(h.Sum(nil)), nil
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
