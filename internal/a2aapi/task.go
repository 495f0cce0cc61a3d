package a2aapi

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/chargehand/chargehand"
)

// status is what the projection says now.
func (p *projection) status() status {
	return status{State: p.state, Timestamp: p.since.UTC(), Message: &message{
		MessageID: fmt.Sprintf("%s-%d", p.view.RunID, p.seq), ContextID: p.origin.Context, TaskID: p.view.RunID,
		Role: roleAgent, Parts: []part{textPart(p.words)},
	}}
}

// metadata is what is told of the run besides. "seq" is the last record that is taken into account,
// by which streams are resumed.
func (p *projection) metadata() map[string]any {
	m := map[string]any{"seq": p.view.Seq, "runState": p.view.State}
	if p.view.Stop != "" {
		m["stopReason"] = p.view.Stop
	}
	if p.state.final() {
		m["usage"] = map[string]any{"usd": p.view.Spent, "tokens": p.view.Tokens}
	}
	var waits []map[string]any
	for i := range p.view.Reviews {
		if r := &p.view.Reviews[i]; r.Open() {
			waits = append(waits, map[string]any{
				"reviewId": r.ID, "subtask": r.TaskID, "description": r.Description, "risk": r.Risk,
				"deadline": r.Due().UTC(), "where": p.where(*r),
			})
		}
	}
	if len(waits) > 0 {
		m["reviews"] = waits
	}
	return map[string]any{"chargehand": m}
}

// A shape is how much of a task is asked for.
type shape struct {
	history   *int // messages at most; nil means all
	artifacts bool
}

// task is the task as the projection has it.
func (a *agent) task(ctx context.Context, p *projection, s shape) (*task, error) {
	t := &task{ID: p.view.RunID, ContextID: p.origin.Context, Status: p.status(), Metadata: p.metadata()}
	if s.history == nil || *s.history > 0 {
		first, err := a.firstMessage(ctx, p)
		if err != nil {
			return nil, err
		}
		t.History = []message{first}
	}
	if s.artifacts && p.state.final() {
		var err error
		if t.Artifacts, err = a.artifacts(ctx, p); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// repeated is how many bytes of documents a history repeats; those beyond are named.
const repeated = 256 << 10

// firstMessage is the message that began the run, as it is on record.
func (a *agent) firstMessage(ctx context.Context, p *projection) (message, error) {
	o := &p.view.Objective
	m := message{MessageID: p.origin.Message, ContextID: p.origin.Context, TaskID: p.view.RunID, Role: roleUser, Parts: []part{textPart(o.Goal)}}
	if len(o.Input) > 0 {
		m.Parts = append(m.Parts, part{Data: o.Input, MediaType: "application/json"})
	}
	left := int64(repeated)
	for _, d := range o.Documents {
		said := part{Filename: d.Name, MediaType: d.MediaType, Metadata: map[string]any{"hash": d.Hash, "size": d.Size}}
		text := fmt.Sprintf("[%s, not repeated here]", count(d.Size, "byte"))
		if left -= d.Size; left >= 0 {
			body, err := a.engine.Blob(ctx, d.Hash)
			if err != nil {
				return m, err
			}
			text = string(body)
		}
		said.Text = &text
		m.Parts = append(m.Parts, said)
	}
	return m, nil
}

// artifacts are what an ended run hands over: what was asked for, and the engine's report of it.
func (a *agent) artifacts(ctx context.Context, p *projection) ([]artifact, error) {
	res, err := a.engine.Result(ctx, p.view.RunID)
	if err != nil {
		return nil, err
	}
	output := res.Output
	if len(output) == 0 && len(res.Items) > 0 {
		if output, err = encode(map[string]any{"items": res.Items}); err != nil {
			return nil, err
		}
	}
	var all []artifact
	if len(output) > 0 {
		all = append(all, artifact{
			ArtifactID: "output", Name: "output", Description: "What was asked for.",
			Parts: []part{{Data: output, MediaType: "application/json"}},
		})
	}
	report, err := reportOf(res)
	if err != nil {
		return nil, err
	}
	return append(all, artifact{
		ArtifactID: "report", Name: "report",
		Description: "How it was found: what it does not cover, conflicts, low confidence, who decided, what it cost.",
		Parts:       []part{{Data: report, MediaType: "application/json"}},
	}), nil
}

// reportOf is a result without what the output artifact holds.
func reportOf(res *chargehand.Result) (json.RawMessage, error) {
	rest := *res
	rest.Output = nil
	if len(res.Output) == 0 {
		rest.Items = []chargehand.Item{}
	}
	return encode(rest)
}
