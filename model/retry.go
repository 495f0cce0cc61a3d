package model

import (
	"context"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// RetryOptions are how a Model is asked again. The zero RetryOptions ask four times, within the deadline.
type RetryOptions struct {
	Tries int           // the first included. Zero means 4
	First time.Duration // the wait before the second try; each further one is twice as long, all are drawn around that. Zero means half a second
	Most  time.Duration // the longest wait where the provider does not say how long. Zero means a minute

	// Free says that a call does no harm if it is made twice, apart from its price. Without it a call that
	// got no answer in time is not made again, for it may have been carried out.
	Free bool

	// Again is asked before each further try, with its number, from 2, and what went wrong with the one
	// before; it is where the money for the try is reserved. An error from it ends the call, which returns the one before. Nil means yes.
	Again func(ctx context.Context, try int, last error) error
}

// Retry is a Model that asks m again after errors that pass (SPEC.md ·70): it waits as long as the provider
// asks for, however long that is, else longer from try to try. Where the wait would end after the deadline
// it gives up at once, with an error that says so. Without a deadline no wait is longer than 15 minutes.
// A call whose text was handed on is not made again. The usage of all tries is added up, and stands
// beside an error too.
func Retry(m Model, o RetryOptions) Model {
	if o.Tries <= 0 {
		o.Tries = 4
	}
	if o.First <= 0 {
		o.First = 500 * time.Millisecond
	}
	if o.Most <= 0 {
		o.Most = time.Minute
	}
	return &retry{m, o}
}

type retry struct {
	m Model
	o RetryOptions
}

// Complete asks until there is an answer, or no point in asking.
func (t *retry) Complete(ctx context.Context, r Request) (Response, error) {
	heard := false
	if hear := r.Stream; hear != nil {
		r.Stream = func(text string) error {
			heard = true
			return hear(text)
		}
	}
	waits := &backoff.ExponentialBackOff{InitialInterval: t.o.First, RandomizationFactor: 0.5, Multiplier: 2, MaxInterval: t.o.Most}
	waits.Reset()
	var spent Usage
	for try := 1; ; try++ {
		res, err := t.m.Complete(ctx, r)
		spent = spent.Plus(res.Usage)
		res.Usage = spent
		if err == nil || heard || try == t.o.Tries || !t.repeatable(err) {
			return res, err
		}
		if late := t.pause(ctx, err, waits.NextBackOff()); late != nil {
			return res, late
		}
		if t.o.Again != nil && t.o.Again(ctx, try+1, err) != nil {
			return res, err
		}
	}
}

// String is that of the Model below.
func (t *retry) String() string { return Name(t.m) }

func (t *retry) repeatable(err error) bool {
	e, ok := err.(*Error) //nolint:errorlint // the Model's own, and no other's that stopped it
	return ok && e.Passing() && (t.o.Free || !e.Sent || e.Kind != TimedOut)
}

// pause waits before the next try. Where there is no time for it, it returns err at once, with that reason.
func (t *retry) pause(ctx context.Context, err error, wait time.Duration) error {
	if asked := err.(*Error).RetryAfter; asked > 0 { //nolint:errorlint // as in repeatable
		wait = asked + min(wait, asked/10) // a little later: others wait for the same moment
	}
	left, why := 15*time.Minute, "the longest wait without a deadline is"
	if end, ok := ctx.Deadline(); ok {
		left, why = time.Until(end), "the deadline is in"
	}
	if left <= wait {
		return fmt.Errorf("%w; it is not asked again: the wait is %s and %s %s", err, wait.Round(time.Millisecond), why, left.Round(time.Millisecond))
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return err
	}
}

// Name is what a Model calls itself, where it does: "provider/model".
func Name(m Model) string {
	if s, ok := m.(interface{ String() string }); ok {
		return s.String()
	}
	return "model"
}
