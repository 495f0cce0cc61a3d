package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/bench/overhead/host"
)

// proveApart lets a process of its own prove it, so that this one has run nothing yet.
func proveApart(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, self, "-prove").CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w", bytes.TrimSpace(out), err)
	}
	return nil
}

// prove shows that the contract which every output is held to refuses one with an altered quote:
// a worker lies once, and its first attempt must be rejected for the quote, its second be used.
func prove(ctx context.Context) (err error) {
	dir, err := host.Folder("overhead")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	w := workloads["W1"]
	w.subtasks = 1
	e, err := newEngine(ctx, setting{w, &model{lying: true}, dir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	if _, err := e.run(ctx); err != nil {
		return err
	}
	return e.liesRefused(ctx)
}

func (e *engine) liesRefused(ctx context.Context) error {
	id, err := e.latest(ctx)
	if err != nil {
		return err
	}
	refused, used := false, 0
	for r, err := range e.Records(ctx, id, 0, false) {
		if err != nil {
			return err
		}
		switch f := r.Fact.(type) {
		case chargehand.OutputChecked:
			if f.Subtask == "task-0" && f.Attempt == 1 {
				refused = f.Verdict.Recommendation == chargehand.Reject && !f.Verdict.ConsistencyPass
			}
		case chargehand.SubtaskEnded:
			if f.Subtask == "task-0" {
				used = f.Attempt
			}
		}
	}
	if !refused || used != 2 {
		return fmt.Errorf("an altered quote was let through: refused %v, attempt %d used", refused, used)
	}
	return nil
}

// latest is the id of the newest run.
func (e *engine) latest(ctx context.Context) (string, error) {
	runs, err := e.Runs(ctx, chargehand.Filter{Limit: 1})
	if err != nil {
		return "", err
	}
	if len(runs) == 0 {
		return "", errors.New("there is no run")
	}
	return runs[0].RunID, nil
}
