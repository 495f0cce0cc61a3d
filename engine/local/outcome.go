package local

import (
	"context"
	"encoding/json"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/gate"
	"github.com/chargehand/chargehand/internal/supervise"
)

// given is the output that a person gives for a write that happened (SPEC.md ·160), checked like a worker's
// and as content; nil where the decision is another one.
func (e *Engine) given(ctx context.Context, run string, d chargehand.Decision) (*supervise.Given, []blob, error) {
	if len(d.Output) == 0 {
		return nil, nil, nil
	}
	if !json.Valid(d.Output) {
		return nil, nil, &chargehand.Error{Code: chargehand.CodeInvalid, What: "the output of " + d.ReviewID + " is not JSON", Next: "give it as JSON, a text in quotation marks"}
	}
	v, err := e.Run(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	m, _, err := e.machine(ctx, v)
	if err != nil {
		return nil, nil, err
	}
	l, ok := m.Unsettled(d.ReviewID)
	if !ok {
		return &supervise.Given{}, nil, nil // the machine says why it cannot be settled
	}
	verdict, items, err := e.inspect(ctx, v.TeamDigest, l, d.Output)
	if err != nil {
		return nil, nil, err
	}
	said, err := json.Marshal(verdict)
	if err != nil {
		return nil, nil, err
	}
	output, err := e.store.keep(d.Output)
	if err != nil {
		return nil, nil, err
	}
	kept, err := e.store.keep(said)
	if err != nil {
		return nil, nil, err
	}
	g := &supervise.Given{Output: output.hash, Size: len(d.Output), Verdict: verdict, VerdictRef: kept.hash}
	if l.Stances {
		g.Stances = stances(items)
	}
	return g, []blob{output, kept}, nil
}

// inspect puts an output through the gate, as one of the attempt that was launched.
func (e *Engine) inspect(ctx context.Context, team string, l supervise.Launch, output []byte) (chargehand.Verdict, []gate.Item, error) {
	k, err := e.kits.load(ctx, team)
	if err != nil {
		return chargehand.Verdict{}, nil, err
	}
	for i := range l.Task.InputRefs {
		r := &l.Task.InputRefs[i]
		if r.Text, err = e.store.text(ctx, r.Hash); err != nil {
			return chargehand.Verdict{}, nil, err
		}
	}
	v, items := k.gate.CheckItems(gate.Submission{
		Contract: l.Task.ExpectedOutputContract, Task: judged(l.Task), Facts: l.Facts, AllowPartial: l.Partial,
		Result:   chargehand.WorkerResult{Status: chargehand.StatusSucceeded, Output: output},
		Unwanted: func() bool { return ctx.Err() != nil },
	})
	if v.Recommendation == "" {
		return v, nil, context.Cause(ctx)
	}
	return v, items, nil
}
