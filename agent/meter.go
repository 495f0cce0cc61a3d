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
		sent := m.sent(&r)
		r.Stream, m.tried = hear, true
		resp, err := m.model.Complete(ctx, r)
		if bad := resp.Usage.Check(); bad != nil {
			resp, err = model.Response{}, &model.Error{Kind: model.Malformed, Provider: model.Name(m.model), Message: bad.Error(), Sent: true}
		}
		resp.Usage = settled(resp, err, sent)
		m.spent = m.spent.Plus(resp.Usage.Bill(m.price))
		if err == nil {
			m.seen = prefix{messages: len(r.Messages), tokens: resp.Usage.Input}
		}
		return resp, err
	})
}

// cover makes sure that what was consumed and the most that the call can cost is reserved.
func (m *meter) cover(ctx context.Context, r *model.Request) error {
	most := m.sent(r).most()
	if err := worker.LineOf(ctx).Cover(ctx, m.spent.Plus(most.Most(m.price))); err != nil {
		return fmt.Errorf("cover a call of the model: %w", err)
	}
	return nil
}

// A sentCall is what is known of a call's tokens before it is made.
type sentCall struct {
	known int64 // tokens of the conversation so far, as the provider counted them
	bytes int   // of what the provider has not counted yet
	out   int   // tokens that the answer may have
}

// most is what the call can consume: of what was not counted a token for each byte, which no tokenizer exceeds.
func (s sentCall) most() model.Usage {
	return model.Usage{Input: s.known + int64(s.bytes), Output: int64(s.out)}
}

func (m *meter) sent(r *model.Request) sentCall {
	s := sentCall{known: m.seen.tokens, out: r.Tokens()}
	rest := r.Messages
	if m.seen.messages > 0 && m.seen.messages <= len(rest) {
		rest = rest[m.seen.messages:]
	} else {
		s.known, s.bytes = 0, len(r.System)+len(r.Schema)+perCall
		for _, t := range r.Tools {
			s.bytes += len(t.Name) + len(t.Description) + len(t.Schema) + perMessage
		}
	}
	for i := range rest {
		s.bytes += size(&rest[i])
	}
	return s
}

// What providers put around the text of a call and of a message, in tokens.
const (
	perCall    = 512
	perMessage = 32
)

// size is the most tokens that a message can be.
func size(m *model.Message) int {
	n := len(m.Text) + len(m.Opaque) + perMessage
	for _, c := range m.Calls {
		n += len(c.ID) + len(c.Name) + len(c.Arguments) + len(c.Opaque) + perMessage
	}
	for _, r := range m.Results {
		n += len(r.ID) + len(r.Text) + perMessage
	}
	return n
}

// settled is what a call counts for. Of an answer that was stopped, or broke off, that is what was heard: as the
// provider counted it, and an estimate of the rest (model.Estimate). Where nothing was heard, and where a
// complete answer does not say what it consumed, it is the most it can have been, and never nothing.
func settled(resp model.Response, err error, sent sentCall) model.Usage {
	u, most := resp.Usage, sent.most()
	heard := heardBytes(resp)
	switch {
	case err != nil && u == (model.Usage{}) && heard == 0:
		if !billed(err) {
			return u
		}
		most.Estimated = true
		return most
	case err != nil:
		if u.Output <= 0 {
			u.Output, u.Estimated = model.Estimate(heard), true
		}
		if u.Input <= 0 {
			u.Input, u.CachedInput, u.CacheWrite, u.Estimated = sent.known+model.Estimate(sent.bytes), 0, 0, true
		}
		if u.Estimated {
			u.Output = min(u.Output, most.Output)
		}
		return u
	}
	if u.Input <= 0 {
		u.Input, u.CachedInput, u.CacheWrite, u.Estimated = most.Input, 0, 0, true
	}
	if u.Output <= 0 && heard > 0 {
		u.Output, u.Estimated = most.Output, true
	}
	return u
}

// heardBytes is how much of an answer has come.
func heardBytes(r model.Response) int {
	n := len(r.Text)
	for _, c := range r.Calls {
		n += len(c.Name) + len(c.Arguments)
	}
	return n
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
