package worker

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/chargehand/chargehand"
)

// A Reviewer judges an output that has passed the deterministic part of the gate (SPEC.md ·66).
// An error is a reviewer's failure and never a verdict; the usage counts all the same.
type Reviewer interface {
	Review(ctx context.Context, t chargehand.ReviewerTask) (chargehand.Verdict, chargehand.Usage, error)
}

// A ReviewerFunc is a reviewer in this process.
type ReviewerFunc func(ctx context.Context, t chargehand.ReviewerTask) (chargehand.Verdict, chargehand.Usage, error)

// Review calls the function. A panic is an Error of kind Crash, and a verdict that CheckVerdict
// refuses one of kind Garbage.
func (f ReviewerFunc) Review(ctx context.Context, t chargehand.ReviewerTask) (v chargehand.Verdict, u chargehand.Usage, err error) {
	defer func() {
		if p := recover(); p != nil {
			v, err = chargehand.Verdict{}, panicked(p)
		}
	}()
	if v, u, err = f(ctx, t); err != nil {
		return chargehand.Verdict{}, u, err
	}
	if err := CheckVerdict(v); err != nil {
		return chargehand.Verdict{}, u, &Error{Kind: Garbage, Message: "the verdict is malformed", Err: err}
	}
	return v, u, nil
}

// AsReviewer makes a reviewer of a worker: the reviewer's task is its input, its output the
// verdict, as DecodeVerdict reads it.
func AsReviewer(w Worker) Reviewer { return reviewer{w} }

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
		return chargehand.Verdict{}, res.Usage, &Error{Kind: Garbage, Message: fmt.Sprintf("the reviewer says %q, which is no verdict", res.Status)}
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

// CheckVerdict reports what is missing from a reviewer's verdict (SPEC.md ·4): a recommendation, a
// confidence of 1 to 10, and feedback unless the recommendation is ACCEPT.
func CheckVerdict(v chargehand.Verdict) error {
	switch {
	case v.Recommendation != chargehand.Accept && v.Recommendation != chargehand.Reject && v.Recommendation != chargehand.HumanReview:
		return fmt.Errorf("the recommendation %q is none of ACCEPT, REJECT, HUMAN_REVIEW", clip(string(v.Recommendation), 40))
	case v.Rework != "" && v.Rework != chargehand.Redo && v.Rework != chargehand.Revise:
		return fmt.Errorf("the rework %q is none of redo, revise", clip(string(v.Rework), 40))
	case v.Confidence < 1 || v.Confidence > 10:
		return errors.New("the confidence is not a whole number from 1 to 10")
	case v.Recommendation != chargehand.Accept && blank(v.Feedback):
		return errors.New("the feedback is missing; only ACCEPT goes without")
	}
	return nil
}
