package worker

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
)

// A Reviewer judges an output that has passed the deterministic part of the gate (SPEC.md ·66).
// An error is a reviewer's failure and never a verdict; the usage counts all the same.
type Reviewer interface {
	Review(ctx context.Context, t chargehand.ReviewerTask) (chargehand.Verdict, chargehand.Usage, error)
}

// A ReviewerFunc is a reviewer in this process, and a Worker, so that it may stand in a Set. It is
// handed the task as it is; as a Worker it takes one as input and puts the verdict out.
//
// What the function answers means what it would mean as JSON (DecodeVerdict). A verdict that says
// of no layer that it passed mentions none.
type ReviewerFunc func(ctx context.Context, t chargehand.ReviewerTask) (chargehand.Verdict, chargehand.Usage, error)

// Review calls the function. A panic is an Error of kind Crash, and an answer that is no verdict
// one of kind Garbage. The verdict shares nothing with what the function may still hold.
func (f ReviewerFunc) Review(ctx context.Context, t chargehand.ReviewerTask) (v chargehand.Verdict, u chargehand.Usage, err error) {
	defer func() {
		if p := recover(); p != nil {
			v, err = chargehand.Verdict{}, panicked(p)
		}
	}()
	t.Criteria = slices.Clone(t.Criteria)
	if v, u, err = f(ctx, t); err != nil {
		return chargehand.Verdict{}, countable(u), err
	}
	if v, err = own(v); err == nil {
		v, err = settle(v)
	}
	if err == nil && negative(u) {
		err = errors.New("the usage is negative")
	}
	if err != nil {
		return chargehand.Verdict{}, countable(u), &Error{Kind: Garbage, Message: "the verdict is malformed", Err: err}
	}
	return v, u, nil
}

// own is a verdict that shares nothing with v, all of it text that a record can hold as it is.
func own(v chargehand.Verdict) (chargehand.Verdict, error) {
	if !v.SchemaPass && !v.CompletenessPass && !v.ConsistencyPass {
		v.SchemaPass, v.CompletenessPass, v.ConsistencyPass = true, true, true
	}
	texts := []string{v.Feedback, v.Reasoning}
	v.Criteria = maps.Clone(v.Criteria)
	texts = slices.AppendSeq(texts, maps.Keys(v.Criteria))
	v.Issues, v.Claims = slices.Clone(v.Issues), slices.Clone(v.Claims)
	for i := range v.Issues {
		f := &v.Issues[i]
		texts = append(texts, f.Rule, f.Message, f.Path, f.Quote)
		f.Source, texts = ownPassage(f.Source, texts)
	}
	for i := range v.Claims {
		c := &v.Claims[i]
		texts = append(texts, c.ID, c.Text, c.Path, string(c.Support))
		c.Source, texts = ownPassage(c.Source, texts)
	}
	if slices.ContainsFunc(texts, func(s string) bool { return !utf8.ValidString(s) }) {
		return v, errors.New("it is not UTF-8")
	}
	return v, nil
}

func ownPassage(p *chargehand.Passage, texts []string) (*chargehand.Passage, []string) {
	if p == nil {
		return nil, texts
	}
	c := *p
	return &c, append(texts, c.Document, c.Quote)
}

// Do is Review for a task of which the input is the reviewer's task.
func (f ReviewerFunc) Do(ctx context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	var asked chargehand.ReviewerTask
	if err := json.Unmarshal(t.Input, &asked); err != nil {
		return chargehand.WorkerResult{}, &Error{Kind: Refused, Message: "the input is not a reviewer's task", Err: err, NotBegun: true}
	}
	v, u, err := f.Review(ctx, asked)
	if err != nil {
		return chargehand.WorkerResult{Usage: u}, err
	}
	out, err := json.Marshal(v)
	if err != nil {
		return chargehand.WorkerResult{Usage: u}, &Error{Kind: Crash, Message: "encode the verdict", Err: err}
	}
	return chargehand.WorkerResult{Status: chargehand.StatusSucceeded, Output: out, Usage: u}, nil
}

// AsReviewer makes a reviewer of a worker. One that is a Reviewer is handed the task as it is, and
// its answers are held to what ReviewerFunc holds them to. Of any other the reviewer's task is the
// input, its output the verdict, as DecodeVerdict reads it.
func AsReviewer(w Worker) Reviewer {
	plain := w
	if c, ok := w.(caught); ok {
		plain = c.worker
	}
	switch r := plain.(type) {
	case ReviewerFunc:
		return r
	case Reviewer:
		return ReviewerFunc(r.Review)
	}
	return reviewer{w}
}

type reviewer struct{ worker Worker }

// Review asks the worker. Each call has an idempotency key of its own, so that a reviewer asked
// once more does not repeat a stored answer.
func (r reviewer) Review(ctx context.Context, t chargehand.ReviewerTask) (chargehand.Verdict, chargehand.Usage, error) {
	task, err := reviewTask(ctx, t)
	if err != nil {
		return chargehand.Verdict{}, chargehand.Usage{}, err
	}
	res, err := r.worker.Do(ctx, task)
	if err != nil {
		return chargehand.Verdict{}, res.Usage, err
	}
	if res.Status != chargehand.StatusSucceeded {
		return chargehand.Verdict{}, res.Usage, &Error{Kind: Garbage, Message: fmt.Sprintf("the reviewer says %q, which is not a verdict", res.Status)}
	}
	v, err := DecodeVerdict(res.Output)
	if err != nil {
		return chargehand.Verdict{}, res.Usage, err
	}
	return v, res.Usage, nil
}

func reviewTask(ctx context.Context, t chargehand.ReviewerTask) (chargehand.WorkerTask, error) {
	input, err := json.Marshal(t)
	if err != nil {
		return chargehand.WorkerTask{}, fmt.Errorf("encode the reviewer's task: %w", err)
	}
	task := chargehand.WorkerTask{
		TaskID:         t.TaskID,
		Attempt:        max(1, t.Attempts),
		IdempotencyKey: "review-" + rand.Text(),
		Goal:           t.Goal,
		Input:          input,
	}
	if deadline, ok := ctx.Deadline(); ok {
		task.DeadlineAt = deadline
		task.TimeoutMS = max(1, time.Until(deadline).Milliseconds())
	}
	return task, nil
}
