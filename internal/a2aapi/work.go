package a2aapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/chargehand/chargehand"
)

// send begins a run, or finds the one that the same message began, and answers with its task.
func (a *agent) send(ctx context.Context, who Caller, q sendParams) (*task, error) {
	p, err := a.begin(ctx, who, q)
	if err != nil {
		return nil, err
	}
	if !q.Configuration.ReturnImmediately {
		if err := a.await(ctx, p, state.settled); err != nil {
			return nil, err
		}
	}
	return a.task(ctx, p, shape{q.Configuration.HistoryLength, true})
}

// begin begins the run of a message.
func (a *agent) begin(ctx context.Context, who Caller, q sendParams) (*projection, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	m := q.Message
	if m.TaskID != "" {
		return nil, a.followUp(ctx, who, m)
	}
	o, err := a.objective(m)
	if err != nil {
		return nil, err
	}
	from := origin{who, cmp.Or(m.ContextID, newContext(who, m.MessageID)), m.MessageID}
	run, err := a.engine.Start(ctx, chargehand.Order{
		Team: *a.team, Objective: o, StartedBy: who.Name, Tenant: who.Tenant, Key: from.key(),
	})
	if e, ok := errors.AsType[*chargehand.Error](err); ok && e.Code == chargehand.CodeKeyTaken {
		return nil, wrong("message.messageId", e.Why+": give each message an id of its own")
	}
	if err != nil {
		return nil, err
	}
	p, err := a.fold(ctx, run, 0)
	switch {
	case err != nil:
		return nil, err
	case !a.owns(who, p.origin, &p.view.RunSummary):
		return nil, wrong("message.messageId", "this id is taken: give each message an id of its own")
	}
	return p, nil
}

// owns reports whether a run is a task of a caller with this agent: begun by a message, and by the
// caller. That a key says so is not enough: keys are what clients of every door make up.
func (a *agent) owns(who Caller, o origin, r *chargehand.RunSummary) bool {
	return o.Message != "" && r.StartedBy == who.Name && r.Tenant == who.Tenant && r.Team == a.team.Name
}

// followUp is why a message to a task is not taken. A task's objective does not change once it is
// begun, and what waits in it is decided by people who are known, never by a message (SPEC.md ·125).
func (a *agent) followUp(ctx context.Context, who Caller, m *message) error {
	p, err := a.find(ctx, who, m.TaskID)
	switch {
	case err != nil:
		return err
	case m.ContextID != "" && m.ContextID != p.origin.Context:
		return wrong("message.contextId", "task "+p.view.RunID+" belongs to another context")
	case p.state.final():
		return unsupported.because(fmt.Sprintf("task %s has ended (%s): send a new message, without a taskId", p.view.RunID, p.state))
	case p.state == inputRequired:
		return unsupported.because("the message was not taken. " + p.words)
	}
	return unsupported.because("task " + p.view.RunID + " is under way and takes no further messages: subscribe to it, wait, or cancel it")
}

// find is the task of a caller, folded from the run's records. One of another caller, another team
// or another door is not there.
func (a *agent) find(ctx context.Context, who Caller, run string) (*projection, error) {
	if run == "" {
		return nil, wrong("id", "is missing: which task?")
	}
	p, err := a.fold(ctx, run, 0)
	if err != nil {
		return nil, err
	}
	if p.view.RunID != run || !a.owns(who, p.origin, &p.view.RunSummary) {
		return nil, taskNotFound.failure()
	}
	return p, nil
}

// getParams are what GetTask takes.
type getParams struct {
	Tenant        string `json:"tenant"`
	ID            string `json:"id"`
	HistoryLength *int   `json:"historyLength"`
}

func (a *agent) get(ctx context.Context, who Caller, q getParams) (*task, error) {
	if err := cmp.Or(checkTenant(q.Tenant), checkHistory(q.HistoryLength)); err != nil {
		return nil, err
	}
	p, err := a.find(ctx, who, q.ID)
	if err != nil {
		return nil, err
	}
	return a.task(ctx, p, shape{q.HistoryLength, true})
}

// checkTenant refuses what a client would name only if a card had asked for it.
func checkTenant(tenant string) error {
	if tenant != "" {
		return wrong("tenant", "this agent names none in its card")
	}
	return nil
}

func checkHistory(n *int) error {
	if n != nil && *n < 0 {
		return wrong("historyLength", "want a number from 0")
	}
	return nil
}

// idParams are what CancelTask and SubscribeToTask take.
type idParams struct {
	Tenant string `json:"tenant"`
	ID     string `json:"id"`
}

// cancel cancels a run and waits for it to end, as long as an answer may take.
func (a *agent) cancel(ctx context.Context, who Caller, q idParams) (*task, error) {
	if err := checkTenant(q.Tenant); err != nil {
		return nil, err
	}
	p, err := a.find(ctx, who, q.ID)
	if err != nil {
		return nil, err
	}
	if p.state.final() {
		return nil, a.notCancelable(p)
	}
	err = a.engine.Control(ctx, p.view.RunID, chargehand.Control{Verb: chargehand.Cancel, By: who.Name, Reason: "canceled over A2A"})
	if chargehand.CodeOf(err) == chargehand.CodeEnded && err != nil {
		return nil, a.notCancelable(p)
	}
	if err != nil {
		return nil, err
	}
	wait, stop := context.WithTimeout(ctx, a.opt.Timeout/2)
	defer stop()
	if err := a.await(wait, p, state.final); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	return a.task(ctx, p, shape{artifacts: true})
}

func (a *agent) notCancelable(p *projection) error {
	return taskNotCancelable.because(fmt.Sprintf("task %s has ended (%s)", p.view.RunID, p.state))
}

// An event is a piece of a stream. The last one that a record gives rise to carries its number, so
// whoever resumes after an event misses nothing.
type event struct {
	seq  int64 // zero: others of its record follow
	body response
}

// A feed is the events of a task, the task itself first.
type feed = iter.Seq2[event, error]

// stream begins a run, or finds the one that the message began, and tells of it.
func (a *agent) stream(ctx context.Context, who Caller, q sendParams) (feed, error) {
	p, err := a.begin(ctx, who, q)
	if err != nil {
		return nil, err
	}
	return a.tell(ctx, p, q.Configuration.HistoryLength)
}

// subscribe tells of a task from where it stands, or from after an event that the caller has seen.
func (a *agent) subscribe(ctx context.Context, who Caller, q idParams, after int64) (feed, error) {
	if err := checkTenant(q.Tenant); err != nil {
		return nil, err
	}
	p, err := a.find(ctx, who, q.ID)
	switch {
	case err != nil:
		return nil, err
	case p.state.final():
		return nil, unsupported.because(fmt.Sprintf("task %s has ended (%s): get it", p.view.RunID, p.state))
	case after > p.view.Seq:
		return nil, wrong("Last-Event-ID", fmt.Sprintf("the task has no event %d yet", after))
	case after > 0:
		if p, err = a.fold(ctx, p.view.RunID, after); err != nil {
			return nil, err
		}
	}
	return a.tell(ctx, p, nil)
}

// tell is the task as the projection has it, and everything from there to its end.
func (a *agent) tell(ctx context.Context, p *projection, history *int) (feed, error) {
	first, err := a.task(ctx, p, shape{history, true})
	if err != nil {
		return nil, err
	}
	return func(yield func(event, error) bool) {
		if !yield(event{p.view.Seq, response{Task: first}}, nil) || p.state.final() {
			return
		}
		for x, err := range a.follow(ctx, p.view.RunID, p.view.Seq) {
			if err != nil {
				yield(event{}, err)
				return
			}
			if p.apply(x) && (!a.tellNews(ctx, p, yield) || p.state.final()) {
				return
			}
		}
	}, nil
}

// tellNews yields what the last record gave rise to, and reports whether more is wanted.
func (a *agent) tellNews(ctx context.Context, p *projection, yield func(event, error) bool) bool {
	id, in := p.view.RunID, p.origin.Context
	if p.state.final() {
		artifacts, err := a.artifacts(ctx, p)
		if err != nil {
			yield(event{}, err)
			return false
		}
		for _, x := range artifacts {
			if !yield(event{body: response{ArtifactUpdate: &artifactUpdate{id, in, x, true}}}, nil) {
				return false
			}
		}
	}
	return yield(event{p.seq, response{StatusUpdate: &statusUpdate{id, in, p.status(), p.metadata()}}}, nil)
}
