package a2a

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/internal/secret"
	"github.com/chargehand/chargehand/worker"
)

// A pursuit is one attempt at a task: begun, or found, and followed until it is settled.
type pursuit struct {
	*line
	task chargehand.WorkerTask
	ids  *ids
	said worker.Line
	used chargehand.Usage

	known *secret.Values

	state state // the last one seen
	reply *message
}

// run is the settled task. Nil with no error: the agent answered with a message and no task.
func (p *pursuit) run(ctx context.Context) (*task, error) {
	if p.ids.begun {
		if err := p.find(ctx); err != nil {
			return nil, err
		}
	}
	if p.ids.task == "" {
		if err := p.send(ctx); err != nil {
			return nil, err
		}
	}
	if p.reply != nil {
		return nil, nil
	}
	return p.poll(ctx)
}

// find looks for the task of a message that may have been sent. Where the agent has none in the
// context that was made up for it, the message has not arrived, or not yet: that is for whoever
// asks again to decide.
func (p *pursuit) find(ctx context.Context) error {
	if p.ids.task != "" {
		return nil
	}
	var l taskList
	if err := p.do(ctx, opList, params{ContextID: contextID(p.task)}, &l); err != nil {
		if e, ok := errors.AsType[*worker.Error](err); ok {
			e.NotBegun = false // of the message, which this was not
		}
		return err
	}
	for i := range l.Tasks {
		if l.Tasks[i].ContextID == contextID(p.task) && l.Tasks[i].ID != "" {
			p.ids.task = l.Tasks[i].ID
			return nil
		}
	}
	return nil
}

// send sends the message, and follows what comes back as long as the connection lasts.
func (p *pursuit) send(ctx context.Context) error {
	m, err := p.message()
	if err != nil {
		return &worker.Error{Kind: worker.Refused, Message: p.named("not sent"), Err: err, NotBegun: true}
	}
	none := 0
	q := params{Message: m, Configuration: &configuration{
		AcceptedOutputModes: []string{"application/json", "text/plain"}, HistoryLength: &none,
	}}
	before := *p.ids
	p.ids.begun = true
	if p.door.streaming {
		err = p.stream(ctx, q)
	} else {
		q.Configuration.ReturnImmediately = true
		var first event
		if err = p.do(ctx, opSend, q, &first); err == nil {
			err = p.take(&first)
		}
	}
	failure, ok := errors.AsType[*worker.Error](err)
	switch {
	case err == nil:
		if p.ids.task == "" && p.reply == nil {
			return p.broken("it answered with neither a task nor a message")
		}
		return nil
	case ok && failure.NotBegun:
		*p.ids = before
		return err
	case ctx.Err() == nil && ok && failure.Kind == worker.Transient:
		// It may have arrived: what has come of it is looked up, and not done again.
		if p.find(ctx) == nil && p.ids.task != "" {
			return nil
		}
	}
	return err
}

// stream sends the message and reads events until the task is settled or the stream ends.
func (p *pursuit) stream(ctx context.Context, q params) error {
	resp, err := p.post(ctx, opStream, q, "text/event-stream, application/json")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if !isStream(resp) {
		body, err := p.read(ctx, resp)
		if err != nil {
			return err
		}
		var e event
		if err := p.decode(body, &e); err != nil {
			return err
		}
		return p.take(&e)
	}
	return p.events(ctx, resp.Body, func(data []byte) (bool, error) {
		var e event
		if err := p.decode(data, &e); err != nil {
			return false, p.late(err)
		}
		err := p.take(&e)
		return p.reply == nil && !p.state.settled(), err
	})
}

// late is an error that comes when the task has begun.
func (p *pursuit) late(err error) error {
	if e, ok := errors.AsType[*worker.Error](err); ok && p.ids.task != "" {
		e.NotBegun = false
	}
	return err
}

// take takes an event in.
func (p *pursuit) take(e *event) error {
	switch {
	case e.Task != nil:
		if e.Task.ID == "" {
			return p.broken("it began a task without an id")
		}
		if p.ids.task == "" {
			p.ids.task = e.Task.ID
		}
		return p.moved(e.Task.ID, e.Task.Status.State)
	case e.Message != nil:
		if p.ids.task != "" {
			return p.broken("it answered with a message after it had begun a task")
		}
		p.reply = e.Message
		return nil
	case p.ids.task == "":
		return p.broken("it told of a task that it had not begun")
	case e.StatusUpdate != nil:
		return p.moved(e.StatusUpdate.TaskID, e.StatusUpdate.Status.State)
	case e.ArtifactUpdate != nil:
		return p.heard(e.ArtifactUpdate.TaskID, &e.ArtifactUpdate.Artifact)
	}
	return nil // an event of a kind that a later version has
}

// moved takes a new state of the task in, and holds the agent to the order of states.
func (p *pursuit) moved(id string, to state) error {
	switch {
	case id != p.ids.task:
		return p.broken(fmt.Sprintf("it told of task %q, this is %q", excerpt.Line(id), excerpt.Line(p.ids.task)))
	case to.rank() == 0:
		return p.broken(fmt.Sprintf("%q is no state of a task", excerpt.Line(string(to))))
	case to.rank() < p.state.rank(), p.state.final() && to != p.state:
		return p.broken(fmt.Sprintf("its task went from %s to %s", p.state, to))
	}
	p.state = to
	return nil
}

// heard hands the text of an artifact on as it comes: it is shown and watched, and never used.
func (p *pursuit) heard(id string, a *artifact) error {
	if id != p.ids.task {
		return p.broken(fmt.Sprintf("it told of task %q, this is %q", excerpt.Line(id), excerpt.Line(p.ids.task)))
	}
	for _, part := range a.Parts {
		if part.Text == nil {
			continue
		}
		if err := p.said.Say(p.known.Redact(*part.Text)); err != nil {
			return err
		}
	}
	return nil
}

// broken is the error for an agent that does not keep to the protocol.
func (p *pursuit) broken(how string) error {
	return &worker.Error{Kind: worker.Garbage, Message: p.named("the agent breaks the protocol: " + how), Raw: []byte(how)}
}

// poll asks for the task until it is settled. What a stream said last is asked for too: the whole
// task, with nothing of it lost on the way.
func (p *pursuit) poll(ctx context.Context) (*task, error) {
	wait := newPause(ctx)
	failures := 0
	t, err := backoff.Retry(ctx, func() (*task, error) {
		var t task
		err := p.do(ctx, opGet, params{ID: p.ids.task, HistoryLength: new(int)}, &t)
		if err == nil {
			failures = 0
			err = p.moved(t.ID, t.Status.State)
		}
		e, ok := errors.AsType[*worker.Error](err)
		switch {
		case err == nil && t.Status.State.settled():
			return &t, nil
		case err == nil:
			return nil, errUnsettled
		case ok && e.Kind == worker.Transient && failures < 5:
			failures++
			wait.after = e.RetryAfter
			return nil, err
		}
		return nil, backoff.Permanent(err)
	}, backoff.WithBackOff(wait), backoff.WithMaxElapsedTime(0))
	if err == nil {
		return t, nil
	}
	if e, ok := errors.AsType[*worker.Error](err); ok {
		e.NotBegun = false
		if peer, ok := errors.AsType[*peerError](e.Err); ok && peer.unknownTask() {
			e.Kind, e.Message = worker.Crash, p.named("the agent has lost the task that it began")
		}
		return nil, err
	}
	return nil, p.lost(ctx, err, true)
}

// A pause is the time between two questions about a task: growing, and never less than what the agent asks for.
type pause struct {
	*backoff.ExponentialBackOff
	ctx   context.Context //nolint:containedctx // of the attempt, which the pause does not outlive
	after time.Duration   // what the agent asked for last
}

func newPause(ctx context.Context) *pause {
	grow := backoff.NewExponentialBackOff()
	grow.InitialInterval, grow.MaxInterval = 250*time.Millisecond, 5*time.Second
	return &pause{ExponentialBackOff: grow, ctx: ctx}
}

// longestPause is how long an agent may ask to be left alone by an attempt that has no deadline.
const longestPause = 15 * time.Minute

// NextBackOff ends the attempt where the agent asks to be left alone until its deadline or longer.
func (p *pause) NextBackOff() time.Duration {
	after := p.after
	p.after = 0
	left := longestPause
	if end, ok := p.ctx.Deadline(); ok {
		left = time.Until(end)
	}
	if after > 0 && after >= left {
		return backoff.Stop
	}
	return max(after, p.ExponentialBackOff.NextBackOff())
}

var errUnsettled = errors.New("the task is under way")

// abandon is err, with the task canceled at the agent where nobody waits for it any more. An engine
// that closes sends the same message again later, and is to find the same task then.
func (p *pursuit) abandon(ctx context.Context, err error) error {
	e, ok := errors.AsType[*worker.Error](err)
	gone := ctx.Err() != nil || !ok || e.Kind == worker.Garbage
	if !gone || !p.ids.begun || p.state.final() || errors.Is(context.Cause(ctx), worker.ErrClosing) {
		return err
	}
	const patience = 3 * time.Second
	last, stop := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer stop()
	if p.ids.task == "" && p.find(last) != nil || p.ids.task == "" {
		return err
	}
	// Whether it could still be canceled changes nothing for this attempt.
	_ = p.do(last, opCancel, params{ID: p.ids.task}, new(task))
	return err
}
