// Package a2a has the worker of kind a2a: an agent elsewhere that speaks A2A 1.0
// (https://a2a-protocol.org). Each attempt is a message, and the task that it begins is followed to
// its end. What the agent says, its card included, is untrusted: it is bounded, held to the
// protocol's order, and reaches nothing but the gate.
//
// The message's id is the attempt's idempotency key. When a connection is lost the task is looked up,
// by its id or by the context that was made up for it, and not sent again; where it cannot be found,
// the failure says that the agent may have begun (RELIABILITY 29).
package a2a

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/secret"
	"github.com/chargehand/chargehand/worker"
)

// Options say how agents are reached. The zero Options reach any address.
type Options struct {
	// Client sends requests. It is where outbound addresses are checked, those a card names
	// included. Nil means one without a proxy that checks none.
	Client *http.Client

	// Limits bound one attempt. OutputBytes is of each answer, and of a whole stream.
	Limits worker.Limits
}

// New is the worker that a registry entry of kind a2a describes. Contracts are those of its team,
// whose schemas the agent is shown.
func New(spec *chargehand.WorkerSpec, contracts []chargehand.Contract, o Options) (worker.Worker, error) {
	if spec.A2A == nil {
		return nil, fmt.Errorf("worker %q: a2a.card is empty", spec.WorkerID)
	}
	places, err := cardURLs(spec.A2A.Card)
	if err != nil {
		return nil, fmt.Errorf("worker %q: a2a.card: %w", spec.WorkerID, err)
	}
	client := o.Client
	if client == nil {
		client = &http.Client{Transport: &http.Transport{
			DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext, TLSHandshakeTimeout: 10 * time.Second,
			MaxResponseHeaderBytes: 64 << 10, IdleConnTimeout: 90 * time.Second,
		}}
	}
	tasks := *client // a task is not carried on to where a redirect leads
	tasks.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	most := o.Limits.OutputBytes
	if most <= 0 {
		most = 8 << 20
	}
	a := &agent{
		id: spec.WorkerID, card: places[0], cardAt: places, pinned: spec.A2A.Digest, headers: maps.Clone(spec.A2A.Headers),
		cards: client, tasks: &tasks, most: most, contracts: contracts,
	}
	return worker.Retry(worker.Func(a.do), o.Limits), nil
}

// An agent is one agent elsewhere.
type agent struct {
	id        string       // of the worker
	card      *url.URL     // as the team gives it
	cardAt    []*url.URL   // where the card may be, all on the host of card
	place     atomic.Int32 // of cardAt: where it was found
	pinned    string       // digest of the card, where the team says it
	headers   map[string]string
	cards     *http.Client
	tasks     *http.Client
	most      int64 // bytes of an answer
	contracts []chargehand.Contract

	pins pins
	sent memory
}

// do does one task.
func (a *agent) do(ctx context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	known := &secret.Values{}
	r, err := a.pursue(ctx, t, known)
	return clean(known, r, err)
}

func (a *agent) pursue(ctx context.Context, t chargehand.WorkerTask, known *secret.Values) (chargehand.WorkerResult, error) {
	h, err := a.header(known)
	if err != nil {
		return chargehand.WorkerResult{}, refused(fmt.Sprintf("worker %q: not sent: %s", a.id, err))
	}
	c, err := a.fetch(ctx, t, h)
	if changed, ok := errors.AsType[*changedError](err); ok {
		return chargehand.WorkerResult{
			Status: chargehand.StatusBlocked, Blockers: []string{changed.Error()},
			Tools: &chargehand.ToolReport{Changed: []chargehand.ToolChange{changed.ToolChange}},
		}, nil
	}
	if err != nil {
		return chargehand.WorkerResult{}, err
	}
	went := &chargehand.ToolReport{Pins: []chargehand.ToolPin{{Tool: chargehand.CardName(t.AssignedWorker), Digest: c.digest}}}
	d, err := a.enter(c)
	if err != nil {
		return chargehand.WorkerResult{Tools: went}, err
	}
	p := &pursuit{line: &line{a, d, h}, task: t, ids: a.sent.of(t), said: worker.LineOf(ctx), known: known}
	end, err := p.run(ctx)
	if err != nil {
		return chargehand.WorkerResult{Usage: p.used, Tools: went}, p.abandon(ctx, err)
	}
	r, err := p.result(end)
	r.Tools = went
	return r, err
}

// header is what every request carries.
func (a *agent) header(known *secret.Values) (http.Header, error) {
	h := http.Header{}
	for _, name := range slices.Sorted(maps.Keys(a.headers)) {
		value, err := known.Expand(a.headers[name])
		if err != nil {
			return nil, fmt.Errorf("a2a.headers.%s: %w", name, err)
		}
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return nil, fmt.Errorf("a2a.headers.%s: the value holds a control character", name)
		}
		h.Set(name, value)
	}
	h.Set("A2A-Version", version)
	h.Set("User-Agent", "chargehand")
	return h, nil
}
