package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/tool"
	"github.com/chargehand/chargehand/worker"
)

// Worker is the worker of kind mcp that a registry entry describes: one tool, which the entry
// itself grants. The task's input is the tool's arguments. The output is the structured answer;
// without one it is the answer's text, as it stands where that is a JSON object or list, else as a
// JSON string. A tool that says it failed is a failed result.
func Worker(belt *tool.Belt, spec *chargehand.WorkerSpec) (worker.Worker, error) {
	if spec.MCP == nil || spec.MCP.Tool == "" {
		return nil, fmt.Errorf("worker %q: mcp.tool is empty", spec.WorkerID)
	}
	return &single{belt, spec.WorkerID, spec.MCP.Tool}, nil
}

type single struct {
	belt *tool.Belt
	id   string
	tool string
}

// Do calls the tool once.
func (w *single) Do(ctx context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	t.AllowedTools = []string{w.tool}
	x, err := w.belt.Executor(ctx, &t)
	if err != nil {
		return chargehand.WorkerResult{}, w.failure(ctx, err)
	}
	defer func() { _ = x.Close() }()
	a, err := x.Answer(ctx, w.tool, string(t.Input))
	r := chargehand.WorkerResult{
		TaskID: t.TaskID, Attempt: t.Attempt, WorkerName: w.id,
		Usage: chargehand.Usage{ToolCalls: x.Calls()}, Tools: x.Report(),
	}
	if blocked, ok := errors.AsType[*tool.BlockedError](x.Err()); ok {
		r.Status, r.Blockers = chargehand.StatusBlocked, blocked.Blockers()
		return r, nil
	}
	if err != nil {
		return r, w.failure(ctx, err)
	}
	if a.Failed {
		r.Status, r.Blockers = chargehand.StatusFailed, []string{a.Text}
		return r, nil
	}
	r.Status, r.Output = chargehand.StatusSucceeded, output(a)
	return r, nil
}

// failure is what an error of the executor means for the task.
func (w *single) failure(ctx context.Context, err error) error {
	e := &worker.Error{Kind: worker.Crash, Message: fmt.Sprintf("worker %q", w.id), Err: err}
	if lost, ok := errors.AsType[*tool.Error](err); ok {
		e.NotBegun = lost.NotBegun
	}
	if _, denied := errors.AsType[*tool.DeniedError](err); denied {
		e.Kind, e.NotBegun = worker.Refused, true
		return e
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		e.Kind = worker.Timeout
	case ctx.Err() != nil:
		e.Kind = worker.Cancelled
	}
	return e
}

func output(a tool.Answer) json.RawMessage {
	if len(a.Structured) > 0 {
		return a.Structured
	}
	text := bytes.TrimSpace([]byte(a.Text))
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') && json.Valid(text) {
		return text
	}
	b, err := json.Marshal(a.Text)
	if err != nil {
		panic("mcp: a text cannot be written: " + err.Error())
	}
	return b
}
