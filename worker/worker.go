// Package worker is how work gets done: a task goes in, a result comes out. A worker is a Go
// function, a process that reads its task from stdin, or a service that a task is posted to; the
// engine sees no difference (SPEC.md ·1 to ·3, ·53).
//
// Nothing a worker answers is trusted. What this package hands on is well-formed JSON within
// bounds and nothing more; whether it is right is for the gate to say.
package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/chargehand/chargehand"
)

// A Worker does one task at a time per call and keeps nothing between calls. Do may be called by
// several goroutines at once, up to the worker's maxConcurrentTasks.
//
// Do returns soon after ctx ends. A result that comes with an error counts only for its Usage, and its
// Transcript is kept.
// KindOf tells what an error means for the task.
type Worker interface {
	Do(ctx context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error)
}

// Versioned is a worker that knows which version of itself it is. An engine refuses to go on with a
// run that began with another (SPEC.md ·161).
type Versioned interface {
	Worker
	Version() string // as in the registry entry
}

// A Set is the workers an engine can reach, by workerId.
type Set map[string]Worker

// A Func is a worker in this process. A result without a status counts as succeeded, and one
// whose output is not sound JSON as Garbage.
type Func func(ctx context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error)

// Do calls the function. A panic in it becomes an Error of kind Crash that wraps a *PanicError;
// one in a goroutine that the function started cannot be caught.
func (f Func) Do(ctx context.Context, t chargehand.WorkerTask) (r chargehand.WorkerResult, err error) {
	defer func() {
		if v := recover(); v != nil {
			r, err = chargehand.WorkerResult{}, panicked(v)
		}
	}()
	if r, err = f(ctx, t); err != nil {
		return r, err
	}
	return sealFunc(t, r)
}

// Caught is w with its panics caught: each becomes an Error of kind Crash that wraps a *PanicError.
func Caught(w Worker) Worker { return caught{w} }

type caught struct{ worker Worker }

// Do asks the worker.
func (c caught) Do(ctx context.Context, t chargehand.WorkerTask) (r chargehand.WorkerResult, err error) {
	defer func() {
		if v := recover(); v != nil {
			r, err = chargehand.WorkerResult{}, panicked(v)
		}
	}()
	return c.worker.Do(ctx, t)
}

// Typed is a Func for a function over Go types: it decodes the task's input into In and encodes
// what f returns as the output of a succeeded result. A task without input leaves In at its zero
// value. An input that does not fit is Refused, and f is not called.
func Typed[In, Out any](f func(ctx context.Context, in In, t chargehand.WorkerTask) (Out, error)) Func {
	return func(ctx context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		var in In
		if len(t.Input) > 0 {
			if err := json.Unmarshal(t.Input, &in); err != nil {
				return chargehand.WorkerResult{}, &Error{Kind: Refused, Message: "the input does not fit", Err: err, NotBegun: true}
			}
		}
		out, err := f(ctx, in, t)
		if err != nil {
			return chargehand.WorkerResult{}, err
		}
		b, err := json.Marshal(out)
		if err != nil {
			return chargehand.WorkerResult{}, &Error{Kind: Crash, Message: "encode the output", Err: err}
		}
		return chargehand.WorkerResult{Status: chargehand.StatusSucceeded, Output: b}, nil
	}
}

// FromSpec is the worker that a registry entry of kind exec or http describes, with the default
// Limits. Dir is the folder of the team file, which relative paths start from; empty means the
// current one.
func FromSpec(spec *chargehand.WorkerSpec, dir string) (Worker, error) {
	switch spec.Kind {
	case chargehand.KindExec:
		return NewExec(spec, dir, Limits{})
	case chargehand.KindHTTP:
		return NewHTTP(spec, Limits{})
	case chargehand.KindFunc, "":
		return nil, fmt.Errorf("worker %q is a Go function: give it to the engine under that name", spec.WorkerID)
	}
	return nil, fmt.Errorf("worker %q: kind %q is none of func, exec, http", spec.WorkerID, spec.Kind)
}

// Limits bound one call of a worker. The zero Limits are the defaults.
type Limits struct {
	// OutputBytes is the most a worker may write as its result. Zero means 8 MiB.
	OutputBytes int64

	// Grace is how long a process may take to end once it is asked to, and how long whatever it
	// started may hold its output open once it ended. Zero means 2 s.
	Grace time.Duration

	// Tries is how often a task is sent when failures are transient, the first included. Zero
	// means 4.
	Tries int
}

func (l Limits) outputBytes() int64 { return orDefault(l.OutputBytes, 8<<20) }

func (l Limits) grace() time.Duration { return orDefault(l.Grace, 2*time.Second) }

func (l Limits) tries() int { return orDefault(l.Tries, 4) }

func orDefault[T int | int64 | time.Duration](v, d T) T {
	if v <= 0 {
		return d
	}
	return v
}
