package local

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/gate"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/internal/turn"
	"github.com/chargehand/chargehand/worker"
)

// A wire is how a worker, planner or reviewer reaches the engine while it works: its text is watched
// and handed to whoever follows, and what it may consume is known to be covered.
type wire struct {
	job
	up     supervise.TopUp      // names the call
	watch  func() *gate.Monitor // of what is said; nil: nobody listens
	cancel func()               // stops a worker that does not mind

	mu      sync.Mutex // of all that follows; held while the machine is asked
	covered supervise.Envelope
	calls   int           // that were covered
	denied  error         // the last answer, where that was no
	asked   int           // how often the machine was asked
	monitor *gate.Monitor // nil until something is said
	said    []byte        // the text, since it began
	offset  int64         // of all that was said, where the next begins
}

const maxTopUps = 1_000 // of one call; more is not asked

// wire is the wire of an attempt. What its worker says is watched for the contract.
func (j job) wire(l *supervise.Launch) *wire {
	tools := false
	if w := j.team.Worker(l.Task.AssignedWorker); w != nil {
		tools = len(w.ToolGrants) > 0
	}
	return &wire{
		job: j, covered: l.Envelope,
		up: supervise.TopUp{
			For: chargehand.HeldForAttempt, Epoch: l.Epoch,
			AttemptRef: chargehand.AttemptRef{Subtask: l.Task.TaskID, Attempt: l.Task.Attempt},
		},
		watch:  func() *gate.Monitor { return j.kit().gate.Monitor(l.Task.ExpectedOutputContract, tools) },
		cancel: func() { j.halt(leaseKey{j.run, l.Epoch}) },
	}
}

// halt ends the context of an attempt, which goes on being one under way.
func (h *hands) halt(key leaseKey) {
	if t := h.term(key); t != nil {
		t.stop()
	}
}

// Say takes more of the text. A text that is not wanted ends here; a worker that goes on all the same
// is stopped.
func (l *wire) Say(text string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watch == nil || text == "" {
		return nil
	}
	if l.monitor == nil {
		l.monitor = l.watch()
	}
	if l.stopped() {
		l.cancel()
		return l.unwanted()
	}
	l.tokens.say(l.run, chargehand.Token{AttemptRef: l.up.AttemptRef, Offset: l.offset, Text: text})
	l.offset += int64(len(text))
	l.said = append(l.said, text...)
	l.monitor.Read(text)
	return l.unwanted()
}

// stopped reports whether the monitor has stopped the text.
func (l *wire) stopped() bool { return l.monitor != nil && l.monitor.Hit() != nil }

// unwanted is why the text is not wanted; nil while it is.
func (l *wire) unwanted() error {
	if !l.stopped() {
		return nil
	}
	return &worker.Error{Kind: worker.Garbage, Message: l.monitor.Hit().Message}
}

// Cover asks the machine for what the envelope lacks, and answers once that is durable. What is said
// after it is a new text: of the next call, or of the same tried again.
func (l *wire) Cover(ctx context.Context, total chargehand.Usage) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.cover(ctx, total); err != nil {
		l.denied = err
		return err
	}
	l.denied = nil
	l.calls++
	if l.monitor != nil && !l.stopped() {
		l.monitor.Anew()
		l.said = l.said[:0]
	}
	return nil
}

func (l *wire) cover(ctx context.Context, total chargehand.Usage) error {
	e := &l.covered
	if (e.AnyUSD || total.USD <= e.USD) && (e.AnyTokens || total.Tokens() <= e.Tokens) {
		return nil
	}
	if l.asked++; l.asked > maxTopUps {
		return uncovered(fmt.Sprintf("it has asked %d times", maxTopUps))
	}
	in := l.up
	in.Total = total
	if e.AnyUSD {
		in.Total.USD = 0
	}
	if e.AnyTokens {
		in.Total.InputTokens, in.Total.OutputTokens = 0, 0
	}
	if err := l.ask(ctx, in); err != nil {
		return err
	}
	e.USD, e.Tokens = max(e.USD, in.Total.USD), max(e.Tokens, in.Total.Tokens())
	return nil
}

// ask tells the machine, and waits for its answer to be durable: a call whose reservation may be lost
// must not be made. Where nothing can be written it is asked again.
func (l *wire) ask(ctx context.Context, in supervise.TopUp) error {
	for {
		done := make(chan answer, 1)
		l.put(envelope{Event: turn.Event{Run: l.run, Input: in}, reply: func(a answer) { done <- a }})
		select {
		case a := <-done:
			switch {
			case a.refusal != nil:
				return uncovered(a.refusal.Why)
			case a.err == nil:
				return nil
			case errors.Is(a.err, errClosed):
				return a.err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if !pause(ctx, respite) {
			return context.Cause(ctx)
		}
	}
}

func uncovered(why string) error {
	return &worker.Error{Kind: worker.Refused, Message: "the call is not covered: " + why, Err: worker.ErrUncovered}
}

// An upshot is what the wire knows of how an attempt came to its end.
type upshot struct {
	stopped *chargehand.Verdict // by the monitor; nil: it was not
	text    []byte              // what had been said
	denied  bool                // money, the last time it asked
	unpaid  bool                // no call was ever covered
}

func (l *wire) upshot() upshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := upshot{denied: l.denied != nil, unpaid: l.calls == 0}
	if l.stopped() {
		v := l.monitor.Verdict()
		o.stopped, o.text = &v, l.said
	}
	return o
}
