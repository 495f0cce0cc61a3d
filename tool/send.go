package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/cenkalti/backoff/v5"

	"github.com/chargehand/chargehand/internal/excerpt"
)

// An UnknownError is a call of which it is not known whether it took effect. It is never made
// again: a person settles it (RELIABILITY.md 29).
type UnknownError struct {
	Tool string // "server.tool"
	Key  string // idempotency key of the call
	Err  error  // what came instead of an answer
}

// Error names the tool and the key.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("it is not known whether %s took effect (key %s): %v", e.Tool, e.Key, e.Err)
}

// Unwrap is the error beneath.
func (e *UnknownError) Unwrap() error { return e.Err }

// key is the same whenever the subtask wants the same done, in whichever attempt (SPEC.md ·55).
func (x *Executor) key(action string) string { return x.run + "/" + x.subtask + "/" + action }

// A doing is a call that does something to the world, under way or done.
type doing struct {
	over   chan struct{} // closed when there is an outcome
	answer Answer
	err    error
}

// once makes a call that does something to the world, unless this attempt or an earlier one of the
// subtask has made the very same already: one key is one deed.
func (x *Executor) once(ctx context.Context, g *granted, args json.RawMessage) (Answer, error) {
	action := ActionDigest(g.Name, args)
	if !g.Idempotent && slices.Contains(x.before, action) {
		return Answer{Text: "An earlier attempt of this subtask has called " + g.Name + " with these arguments; it was not called again."}, nil
	}
	key := x.key(action)
	x.mu.Lock()
	d, again := x.done[key]
	if !again {
		d = &doing{over: make(chan struct{})}
		x.done[key] = d
	}
	x.mu.Unlock()
	if again {
		select {
		case <-d.over:
			return d.repeated(g), d.err
		case <-ctx.Done():
			return Answer{}, context.Cause(ctx)
		}
	}
	a, err := x.send(ctx, g, args, key)
	if e, ok := errors.AsType[*Error](err); err != nil && !(ok && e.NotBegun) {
		err = &UnknownError{g.Name, key, err}
		x.mu.Lock()
		x.unknown = err
		x.mu.Unlock()
	}
	d.answer, d.err = x.vouched(g, a), err
	switch {
	case err != nil || a.Failed:
		x.forget(key, err)
	case !g.Idempotent:
		x.did(action)
	}
	close(d.over)
	return d.answer, d.err
}

// did notes what no attempt of the subtask does again.
func (x *Executor) did(action string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.actions = append(x.actions, action)
}

// forget lets a call that did nothing be wished again.
func (x *Executor) forget(key string, err error) {
	if _, unknown := errors.AsType[*UnknownError](err); unknown {
		return
	}
	x.mu.Lock()
	delete(x.done, key)
	x.mu.Unlock()
}

func (d *doing) repeated(g *granted) Answer {
	if d.err != nil {
		return d.answer
	}
	a := d.answer
	a.Text = "This attempt has called " + g.Name + " with these arguments already; it was not called again. The answer was:\n" + a.Text
	return a
}

// send calls the tool, and calls it again where that is safe: it certainly did nothing, or only
// reads, or does what one key asks for once.
func (x *Executor) send(ctx context.Context, g *granted, args json.RawMessage, key string) (Answer, error) {
	source := x.belt.sourceOf(g.Name)
	again := g.Effect.Reads() || g.Idempotent
	begun := false
	a, err := backoff.Retry(ctx, func() (Answer, error) {
		ctx, cancel := x.bounded(ctx)
		defer cancel()
		a, err := source.Call(ctx, g.Name, args, key)
		if err == nil {
			return a, nil
		}
		e, ok := errors.AsType[*Error](err)
		nothing := ok && e.NotBegun
		begun = begun || !nothing
		//guard:tool-once
		if !nothing && !again {
			return a, backoff.Permanent(err)
		}
		return a, err
	}, backoff.WithMaxTries(uint(x.belt.opt.tries())))
	return a, outcome(g, err, begun)
}

func (x *Executor) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if limit := x.belt.opt.Timeout; limit > 0 {
		return context.WithTimeoutCause(ctx, limit, fmt.Errorf("it did not answer within %s", limit))
	}
	return context.WithCancel(ctx)
}

// outcome is the error of all tries together: of several, one may have done what the last did not.
func outcome(g *granted, err error, begun bool) error {
	if err == nil {
		return nil
	}
	message := "no answer from " + g.Name
	if e, ok := errors.AsType[*Error](err); ok && e.NotBegun != begun {
		return err
	}
	return &Error{Message: message, Err: err, NotBegun: !begun}
}

// vouched is an answer as it may be handed on.
func (x *Executor) vouched(g *granted, a Answer) Answer {
	most := x.belt.opt.answerBytes()
	if b := g.keepsWord(a, most); b != nil {
		x.belt.opt.Log.Warn("a tool's answer is not what it promised", "run", x.run, "subtask", x.subtask, "tool", g.Name, "fault", b.what)
		return Answer{Text: fmt.Sprintf("The answer of %s cannot be used: %v.", g.Name, b), Failed: true}
	}
	whole := clean(a.Text)
	text := excerpt.Head(whole, most)
	if text != whole {
		text += fmt.Sprintf("\n[cut: the answer has %d bytes, this is the first part of it]", len(a.Text))
	}
	a.Text = text
	return a
}

// A breach is how an answer breaks its tool's word.
type breach struct {
	what string // in words of this program's own, fit for a log (SPEC.md ·182)
	err  error  // what exactly, which may have names and values of the answer in it; nil where there is no more to say
}

func (b *breach) Error() string {
	if b.err == nil {
		return b.what
	}
	return b.what + ": " + b.err.Error()
}

// keepsWord compares an answer with the schema that the tool itself declares; nil if it fits.
func (g *granted) keepsWord(a Answer, most int) *breach {
	switch {
	case a.Failed:
		return nil // an error promises nothing
	case len(a.Structured) > most:
		return &breach{what: fmt.Sprintf("its structured part has %d bytes, the most is %d", len(a.Structured), most)}
	case len(a.Structured) == 0 && g.answer == nil:
		return nil
	case len(a.Structured) == 0:
		return &breach{what: "it has no structured part, which the tool's own definition promises"}
	}
	v, err := sound(a.Structured)
	if err != nil {
		return &breach{"its structured part is not sound JSON", err}
	}
	if err := g.answer.check(v); err != nil {
		return &breach{"it does not fit the tool's own schema", err}
	}
	return nil
}
