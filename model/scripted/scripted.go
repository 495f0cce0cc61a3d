// Package scripted is a Model that answers from a list or a function, for tests of what uses models.
package scripted

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/chargehand/chargehand/model"
)

// A Reply is one answer, or what went wrong instead. Stop may be left out: then it is that calls are wanted
// if there are any, else that the answer is complete.
type Reply struct {
	model.Response
	Err error
}

// Text is a reply of text.
func Text(s string) Reply { return Reply{Response: model.Response{Text: s}} }

// Calls is a reply that wants tools called. Calls without an id are given one.
func Calls(calls ...model.Call) Reply { return Reply{Response: model.Response{Calls: calls}} }

// Fail is a reply that goes wrong in the way that errors of a kind do.
func Fail(k model.Kind) Reply {
	return Reply{Err: &model.Error{Kind: k, Provider: "scripted", Message: "as the script says"}}
}

// A Model answers by its script, one request after the other, and keeps the requests.
type Model struct {
	answer func(n int, r model.Request) Reply

	mu    sync.Mutex
	asked []model.Request
}

// New answers each request with the next of the replies. A request beyond the last is an error that says
// what was asked.
func New(replies ...Reply) *Model {
	replies = slices.Clone(replies)
	return Func(func(n int, r model.Request) Reply {
		if n > len(replies) {
			return Reply{Err: &model.Error{Kind: model.Invalid, Provider: "scripted", Message: fmt.Sprintf(
				"the script has %d answers, and this is request %d: %s", len(replies), n, Brief(&r))}}
		}
		return replies[n-1]
	})
}

// Func answers the n-th request, from 1, by a function, which several goroutines may call at once.
func Func(f func(n int, r model.Request) Reply) *Model { return &Model{answer: f} }

// Complete gives the next reply; its text goes to the request's Stream in pieces.
func (m *Model) Complete(ctx context.Context, r model.Request) (model.Response, error) {
	if err := ctx.Err(); err != nil {
		return model.Response{}, &model.Error{Kind: model.TimedOut, Provider: "scripted", Err: context.Cause(ctx)}
	}
	m.mu.Lock()
	m.asked = append(m.asked, r)
	n := len(m.asked)
	m.mu.Unlock()
	p := m.answer(n, r)
	p.Calls = slices.Clone(p.Calls)
	for i := range p.Calls {
		if p.Calls[i].ID == "" {
			p.Calls[i].ID = fmt.Sprintf("call_%d_%d", n, i+1)
		}
	}
	if p.Stop == "" && p.Err == nil {
		p.Stop = model.StopEnd
		if len(p.Calls) > 0 {
			p.Stop = model.StopCalls
		}
	}
	if r.Stream != nil {
		if said, err := model.Tell(r.Stream, model.Pieces(p.Text, 16)); err != nil {
			p.Text, p.Stop = said, ""
			return p.Response, err
		}
	}
	return p.Response, p.Err
}

// Requests are those that were asked so far, in order.
func (m *Model) Requests() []model.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.asked)
}

// Done is an error unless exactly n requests were asked.
func (m *Model) Done(n int) error {
	if got := len(m.Requests()); got != n {
		return errors.New("scripted: " + fmt.Sprintf("%d requests were asked, want %d", got, n))
	}
	return nil
}

// String is "scripted".
func (m *Model) String() string { return "scripted" }

// Brief is a request in a line: who spoke last, and what was said.
func Brief(r *model.Request) string {
	if len(r.Messages) == 0 {
		return "a request without messages"
	}
	last := r.Messages[len(r.Messages)-1]
	text := last.Text
	if text == "" && len(last.Results) > 0 {
		text = "result of " + last.Results[0].ID + ": " + last.Results[0].Text
	}
	if short := []rune(text); len(short) > 120 {
		text = string(short[:120]) + "…"
	}
	return fmt.Sprintf("message %d, %s: %q", len(r.Messages), last.Role, text)
}
