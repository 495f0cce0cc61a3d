package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/worker"
)

// A meter makes the model calls of one attempt, review or plan: what the next call may cost is
// covered before it is made, and what it cost is added up after (SPEC.md ·90). Covered is the dearest
// step of the model's price; what counts is the step that the call's reported input reaches.
type meter struct {
	model model.Model
	price *chargehand.ModelPrice
	tries int // of one call, the first included

	spent chargehand.Usage
	tried bool   // a call was made
	seen  prefix // of the conversation, as the provider counted it
}

// A prefix is the part of a conversation of which the provider has counted the tokens: the next call
// begins with it.
type prefix struct {
	messages int
	tokens   int64
}

// call makes one call, and again where the failure passes. Every try is covered and counted: a
// provider may bill what it never answered.
func (m *meter) call(ctx context.Context, r model.Request) (model.Response, error) {
	if err := m.cover(ctx, &r); err != nil {
		return model.Response{}, err
	}
	var uncovered error
	resp, err := model.Retry(m.counted(r.Stream), model.RetryOptions{
		Tries: m.tries, Free: true,
		Again: func(ctx context.Context, _ int, _ error) error {
			uncovered = m.cover(ctx, &r)
			return uncovered
		},
	}).Complete(ctx, unheard(r))
	if uncovered != nil {
		err = uncovered
	}
	return resp, err
}

// unheard is a request whose text nobody hears, so that it may be made again. What is said anew
// after a call is covered is a new text (worker.Line).
func unheard(r model.Request) model.Request {
	r.Stream = nil
	return r
}

// counted is the model, of which each try is added up and heard.
func (m *meter) counted(hear func(string) error) model.Model {
	return model.Func(func(ctx context.Context, r model.Request) (model.Response, error) {
		most := m.most(&r)
		r.Stream, m.tried = hear, true
		resp, err := m.model.Complete(ctx, r)
		used := settled(resp, err, most)
		m.spent = m.spent.Plus(used.Bill(m.price))
		if err == nil {
			m.seen = prefix{messages: len(r.Messages), tokens: used.Input}
		}
		return resp, err
	})
}

// cover makes sure that what was consumed and the most that the call can cost is reserved.
func (m *meter) cover(ctx context.Context, r *model.Request) error {
	most := m.most(r)
	if err := worker.LineOf(ctx).Cover(ctx, m.spent.Plus(most.Most(m.price))); err != nil {
		return fmt.Errorf("cover a call of the model: %w", err)
	}
	return nil
}

// most is what a call can consume: what is known of the conversation so far, and of the rest a
// token for each byte, which no tokenizer exceeds.
func (m *meter) most(r *model.Request) model.Usage {
	in := m.seen.tokens
	rest := r.Messages
	if m.seen.messages > 0 && m.seen.messages <= len(rest) {
		rest = rest[m.seen.messages:]
	} else {
		in = int64(len(r.System) + len(r.Schema) + perCall)
		for _, t := range r.Tools {
			in += int64(len(t.Name) + len(t.Description) + len(t.Schema) + perMessage)
		}
	}
	for i := range rest {
		in += size(&rest[i])
	}
	return model.Usage{Input: in, Output: int64(r.Tokens())}
}

// What providers put around the text of a call and of a message, in tokens.
const (
	perCall    = 512
	perMessage = 32
)

// size is the most tokens that a message can be.
func size(m *model.Message) int64 {
	n := len(m.Text) + len(m.Opaque) + perMessage
	for _, c := range m.Calls {
		n += len(c.ID) + len(c.Name) + len(c.Arguments) + len(c.Opaque) + perMessage
	}
	for _, r := range m.Results {
		n += len(r.ID) + len(r.Text) + perMessage
	}
	return int64(n)
}

// settled is what a call counts for. Where the provider does not say what it consumed, that is the
// most it can have been, and never nothing.
func settled(resp model.Response, err error, most model.Usage) model.Usage {
	u := resp.Usage
	if err != nil && u == (model.Usage{}) {
		if !billed(err) {
			return u
		}
		return most
	}
	if u.Input <= 0 {
		u.Input, u.CachedInput, u.CacheWrite = most.Input, 0, 0
	}
	if u.Output <= 0 && (resp.Text != "" || len(resp.Calls) > 0 || err != nil) {
		u.Output = most.Output
	}
	return u
}

// billed reports whether a call that failed may have been made and charged: it went out, and the
// answer was not one that turns it away.
func billed(err error) bool {
	e, ok := errors.AsType[*model.Error](err)
	if !ok {
		return true
	}
	return e.Sent && (e.Status < 400 || e.Kind == model.TimedOut)
}
