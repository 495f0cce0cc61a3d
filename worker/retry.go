package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/chargehand/chargehand"
)

// Retry is w, asked again when it fails with kind Transient: at growing, jittered intervals from
// half a second on, not before the time the worker asks for, however long, and never past the context's
// deadline. Without a deadline it asks for at most 15 minutes in all. A failure that outlasts the tries has kind Crash (SPEC.md ·70).
// NewHTTP includes it. The usage of every try counts.
func Retry(w Worker, l Limits) Worker { return retrying{w, l.tries()} }

type onceKey struct{}

// Once is ctx under which Retry asks again only where NotBegun says that no work was done. It is
// for a task that does something to the world, handed to a worker that does not tell a repeated
// idempotency key from a new one.
func Once(ctx context.Context) context.Context { return context.WithValue(ctx, onceKey{}, true) }

type retrying struct {
	worker Worker
	tries  int
}

// Do asks until there is a result, a failure that is not transient, or no try left.
func (r retrying) Do(ctx context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	var (
		wait = newSchedule(ctx)
		last error
		used chargehand.Usage
	)
	result, err := backoff.Retry(ctx, func() (chargehand.WorkerResult, error) {
		var result chargehand.WorkerResult
		result, last = r.worker.Do(ctx, t)
		used = used.Plus(result.Usage)
		result.Usage = used
		return result, wait.sift(last)
	}, backoff.WithBackOff(wait), backoff.WithMaxTries(uint(r.tries)), backoff.WithMaxElapsedTime(longestOf(ctx)))
	if err == nil {
		return result, nil
	}
	return result, wait.final(last)
}

// longestOf is how long a call is repeated for. Zero means up to its deadline.
func longestOf(ctx context.Context) time.Duration {
	if _, ok := ctx.Deadline(); ok {
		return 0
	}
	return 15 * time.Minute
}

// A schedule is the waiting times of one call.
type schedule struct {
	ctx   context.Context // of the call, which the schedule does not outlive
	grow  *backoff.ExponentialBackOff
	after time.Duration // what the worker asked for last
	tried int           // failures so far
	begun bool          // one of them may have done work
}

func newSchedule(ctx context.Context) *schedule {
	grow := backoff.NewExponentialBackOff()
	grow.Multiplier = 2
	return &schedule{ctx: ctx, grow: grow}
}

// sift marks a failure that is not worth another try.
func (s *schedule) sift(err error) error {
	if err == nil {
		return nil
	}
	s.tried++
	e, ok := errors.AsType[*Error](err)
	s.begun = s.begun || !ok || !e.NotBegun
	if !ok || e.Kind != Transient || (s.ctx.Value(onceKey{}) != nil && s.begun) {
		return backoff.Permanent(err)
	}
	s.after = e.RetryAfter
	return err
}

// longestWait is how long a worker may ask to be left alone, and still be asked again by another
// attempt at once.
const longestWait = time.Minute

// final is what the last failure comes to when nobody asks again.
func (s *schedule) final(last error) error {
	e, ok := errors.AsType[*Error](last)
	if !ok {
		return last
	}
	final := *e
	switch {
	case e.Kind != Transient:
	case s.ctx.Err() != nil:
		final = *ended(s.ctx, e.Message)
	case e.RetryAfter > longestWait:
		final.Kind = Refused
	default:
		final.Kind = Crash
	}
	if e.RetryAfter > 0 {
		final.Message = fmt.Sprintf("%s (asks to be left alone for %s)", final.Message, e.RetryAfter)
	}
	if s.tried > 1 {
		final.Message = fmt.Sprintf("%s (tried %d times)", final.Message, s.tried)
	}
	final.NotBegun = !s.begun
	return &final
}

// NextBackOff is the wait before the next try. What the worker asks for is a lower bound; the
// jitter on top keeps tasks apart that were turned away together.
func (s *schedule) NextBackOff() time.Duration {
	next := s.after + s.grow.NextBackOff()
	if deadline, ok := s.ctx.Deadline(); ok && time.Until(deadline) <= next {
		return backoff.Stop
	}
	return next
}

// Reset starts the growth again.
func (s *schedule) Reset() { s.grow.Reset() }
