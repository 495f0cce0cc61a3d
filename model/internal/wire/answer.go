package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/chargehand/chargehand/model"
)

// An Answer gathers what a model says, within the limit, and hands its text on.
type Answer struct {
	Model  string
	Stop   model.Stop
	Opaque json.RawMessage // what the provider wants back; its parts were counted by Think

	call  *Call
	hand  func(string) error
	left  int
	first int // of the numbers that ids are made up of
	usage model.Usage

	heard   int  // bytes of what the model said, thought and called
	counted int  // of them, those that came before the provider last counted
	unknown bool // what the provider counted cannot be, so nothing of it counts

	text  strings.Builder
	calls []*toolCall
	index map[int64]*toolCall // by the provider's number
	ids   map[string]bool
}

type toolCall struct {
	id, name  string
	arguments strings.Builder
	opaque    json.RawMessage
}

// Answer begins to gather.
func (c *Call) Answer(r *model.Request) *Answer {
	a := &Answer{call: c, hand: r.Stream, left: c.c.limit(), index: map[int64]*toolCall{}, ids: map[string]bool{}}
	for i := range r.Messages {
		a.first += len(r.Messages[i].Calls)
	}
	return a
}

// stopped is the error of whoever the text is handed to: it ends the call, and is what the call returns.
type stopped struct{ error }

// Say adds text.
func (a *Answer) Say(text string) error {
	if err := a.hear(len(text)); err != nil || text == "" {
		return err
	}
	a.text.WriteString(text)
	if a.hand == nil {
		return nil
	}
	if err := a.hand(text); err != nil {
		return stopped{err}
	}
	return nil
}

// Silent reports whether no text has come.
func (a *Answer) Silent() bool { return a.text.Len() == 0 }

// Said is how many bytes of text and how many calls have come.
func (a *Answer) Said() (text, calls int) { return a.text.Len(), len(a.calls) }

// Think counts what is no text, so that it cannot go on for ever either.
func (a *Answer) Think(text string) error { return a.hear(len(text)) }

// Begin opens a call of a tool, which has a number of the provider's. An id that is empty is made up, as some
// servers give none: of nine letters and digits, which Mistral insists on, and another one than those of the
// conversation so far. Two calls of one id could not be told apart.
func (a *Answer) Begin(n int64, id, name string) error {
	if id == "" {
		id = fmt.Sprintf("call%05d", a.first+len(a.calls))
	}
	if a.Open(n) || a.ids[id] {
		return a.call.malformed("the answer has two calls of a tool under one id", nil)
	}
	c := &toolCall{id: id, name: name}
	a.index[n], a.ids[id], a.calls = c, true, append(a.calls, c)
	return a.hold(len(id) + len(name) + 128)
}

// Open reports whether a call has begun under that number.
func (a *Answer) Open(n int64) bool { return a.index[n] != nil }

// GoesOn reports whether a part of a call under that number belongs to the call that is open there. Some
// servers give all calls one number: a part with another id begins a new one, and so does one with a name and
// no id once the arguments are whole.
func (a *Answer) GoesOn(n int64, id, name string) bool {
	c := a.index[n]
	switch {
	case c == nil:
		return false
	case id != "":
		return id == c.id
	}
	return name == "" || !json.Valid([]byte(c.arguments.String()))
}

// Leave frees the number of a call that is open, for another call.
func (a *Answer) Leave(n int64) { delete(a.index, n) }

// Next is a number that no call has.
func (a *Answer) Next() int64 {
	n := int64(len(a.calls))
	for a.Open(n) {
		n++
	}
	return n
}

// Argue adds to the arguments of a call.
func (a *Answer) Argue(n int64, part string) error {
	c := a.index[n]
	if c == nil {
		return a.call.malformed("the answer has arguments of no call", nil)
	}
	c.arguments.WriteString(part)
	return a.hear(len(part))
}

// Attach keeps what the provider wants back with a call, the latest of it.
func (a *Answer) Attach(n int64, opaque json.RawMessage) error {
	c := a.index[n]
	if c == nil || len(opaque) == 0 || string(opaque) == "null" {
		return nil
	}
	c.opaque = bytes.Clone(opaque)
	return a.hold(len(opaque))
}

func (a *Answer) hold(n int) error {
	if a.left -= n; a.left < 0 {
		return a.call.malformed("the answer is larger than "+size(a.call.c.limit()), nil)
	}
	return nil
}

// hear counts so many bytes of what the model produced.
func (a *Answer) hear(n int) error {
	a.heard += n
	return a.hold(n)
}

// Spent takes a count of tokens, which providers repeat and raise but never lower. A count that cannot be
// ends the answer, and none of its counts are relied on.
func (a *Answer) Spent(u model.Usage) error {
	if err := u.Check(); err != nil {
		a.unknown = true
		return a.call.malformed(err.Error(), nil)
	}
	if u.CachedInput+u.CacheWrite > max(u.Input, a.usage.Input) {
		u.CachedInput, u.CacheWrite = 0, 0 // of what, is not known: no price of a cache applies
	}
	a.usage.Input = max(a.usage.Input, u.Input)
	a.usage.CachedInput = max(a.usage.CachedInput, u.CachedInput)
	a.usage.CacheWrite = max(a.usage.CacheWrite, u.CacheWrite)
	a.usage.Reasoning = max(a.usage.Reasoning, u.Reasoning)
	if u.Output > a.usage.Output {
		a.usage.Output, a.counted = u.Output, a.heard
	}
	return nil
}

// used is what the provider counted and, of an answer that did not come to its end, an estimate of what was
// heard after that.
func (a *Answer) used(err error) model.Usage {
	u := a.usage
	switch {
	case a.unknown:
		return model.Usage{}
	case err != nil && a.heard > a.counted:
		u.Output += model.Estimate(a.heard - a.counted)
		u.Estimated = true
	}
	return u
}

// End is what the call returns: all that came, and what went wrong.
func (a *Answer) End(ctx context.Context, err error) (model.Response, error) {
	res := model.Response{Text: a.text.String(), Stop: a.Stop, Model: a.Model, Usage: a.used(err), Opaque: a.Opaque}
	for _, c := range a.calls {
		args := c.arguments.String()
		if args == "" {
			args = "{}" // a tool without parameters
		}
		res.Calls = append(res.Calls, model.Call{ID: c.id, Name: c.name, Arguments: args, Opaque: c.opaque})
	}
	if err == nil {
		if len(res.Calls) > 0 && res.Stop == model.StopEnd { // as some servers say it
			res.Stop = model.StopCalls
		}
		return res, nil
	}
	if s, ok := errors.AsType[stopped](err); ok {
		return res, s.error
	}
	return res, a.call.ended(ctx, err)
}

// ended is the error of a call whose SDK says err: what this package said, or that the answer is none.
func (c *Call) ended(ctx context.Context, err error) error {
	if e, ok := errors.AsType[*model.Error](err); ok {
		return e
	}
	if ctx.Err() != nil {
		return c.broke(ctx, err)
	}
	return c.malformed("", err)
}
