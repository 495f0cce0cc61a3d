package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/fleet"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/internal/turn"
	"github.com/chargehand/chargehand/worker"
)

// hands do what the machines decided: everything that may be slow, random or wrong. Each effect
// runs in a goroutine of its own and reports what came of it as an event.
type hands struct {
	ctx    context.Context // ends with the engine
	store  *store
	kits   *kits
	put    func(envelope)
	log    *slog.Logger
	notary *notary
	now    func() time.Time
	tokens tokens

	owed    atomic.Int64  // effects under way, each of which will report
	busy    atomic.Int64  // of these, those that wait for nobody else; and whoever begins some
	calm    chan struct{} // has an element when nobody may be busy any more
	resting atomic.Int64  // goroutines that wait for one
	idle    chan func()   // takes an effect if one of them does

	wg    sync.WaitGroup
	mu    sync.Mutex
	terms map[leaseKey]*term // of attempts under way
}

// leaseKey names an attempt's hold on a worker; epochs are never used twice.
type leaseKey struct {
	run   string
	epoch int64
}

// begin starts pursuing an effect of a run.
func (h *hands) begin(run string, team *chargehand.Team, e supervise.Effect) {
	if stop, ok := e.(supervise.Stop); ok {
		h.stop(run, stop)
		return
	}
	if r, ok := e.(supervise.Reschedule); ok {
		h.reschedule(run, r)
		return
	}
	j := job{h, run, team}
	if l, ok := e.(supervise.Launch); ok {
		ctx := h.arm(leaseKey{run, l.Epoch}, l.Task.DeadlineAt)
		h.do(func() {
			defer j.survive(func(why string) { j.report(crashed(l, why)) })
			if !j.released(ctx, l) {
				return
			}
			j.attempt(ctx, l)
		})
		return
	}
	h.do(func() {
		for !j.pursued(e) && pause(h.ctx, respite) {
		}
	})
}

// pursued pursues an effect and reports whether that did not break off.
func (j job) pursued(e supervise.Effect) (ok bool) {
	defer j.survive(func(string) { ok = false })
	j.pursue(j.hands.ctx, e)
	return true
}

// do runs an effect in a goroutine of its own: one that has ended another, where there is one, for
// its stack has grown already.
func (h *hands) do(effect func()) {
	h.owed.Add(1)
	h.busy.Add(1)
	select {
	case h.idle <- effect:
	default:
		h.wg.Go(func() { h.work(effect) })
	}
}

// work runs an effect, and others after it.
func (h *hands) work(effect func()) {
	for {
		h.pay(effect)
		if h.resting.Add(1) > maxResting {
			h.resting.Add(-1)
			return
		}
		select {
		case effect = <-h.idle:
			h.resting.Add(-1)
		case <-h.ctx.Done():
			return
		}
	}
}

func (h *hands) pay(effect func()) {
	defer h.rest() // even where a worker's function ends its goroutine
	defer h.owed.Add(-1)
	effect()
}

// await calls somebody else, who may take long to answer.
func (h *hands) await(call func()) {
	h.rest()
	defer h.busy.Add(1)
	call()
}

// rest is said by whoever is busy no more.
func (h *hands) rest() {
	if h.busy.Add(-1) == 0 {
		poke(h.calm)
	}
}

// survive keeps a panic in one effect from ending the process. The stack is for operators; it
// holds no payload.
func (j job) survive(report func(why string)) {
	if v := recover(); v != nil {
		j.log.Error("an effect panicked", "run", j.run, "panic", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
		report("the engine's own code panicked; its log says where")
	}
}

// tell tells operators where a function of a user's broke off.
func (j job) tell(who string, err error) {
	if p, ok := errors.AsType[*worker.PanicError](err); ok {
		j.log.Error("a function panicked", "run", j.run, "worker", who, "stack", string(p.Stack))
	}
}

// A job is an effect being pursued for a run.
type job struct {
	*hands
	run  string
	team *chargehand.Team
}

func (j job) pursue(ctx context.Context, e supervise.Effect) {
	switch e := e.(type) {
	case supervise.MakePlan:
		j.plan(ctx, e)
	case supervise.Judge:
		j.judge(ctx, e)
	case supervise.Compare:
		j.compare(ctx, e)
	case supervise.Aggregate:
		j.aggregate(ctx, e)
	case supervise.WriteResult:
		j.writeResult(ctx, e)
	}
}

// report hands an input to the turn loop, with content to be made durable beside it.
func (j job) report(in supervise.Input, blobs ...blob) {
	j.put(envelope{Event: turn.Event{Run: j.run, Input: in}, blobs: blobs})
}

// kit is the run's team, ready for use.
func (j job) kit() *kit { return j.kits.of(j.team) }

// arm makes the context of an attempt, which stop ends. It is the machine that says when the
// deadline has passed; the context's own is the backstop, so that a worker which heeds it does not
// seem to have given up before.
func (h *hands) arm(key leaseKey, deadline time.Time) context.Context {
	t := newTerm(h.ctx, deadline.Sub(h.now())+backstop)
	h.mu.Lock()
	h.terms[key] = t
	h.mu.Unlock()
	return t
}

// reschedule moves the end of an attempt whose run was paused, or goes on.
func (h *hands) reschedule(run string, r supervise.Reschedule) {
	switch t := h.term(leaseKey{run, r.Epoch}); {
	case t == nil:
	case r.DeadlineAt.IsZero():
		t.stand()
	default:
		t.goOn(r.DeadlineAt.Sub(h.now()) + backstop)
	}
}

// term is that of an attempt under way, nil where it is not.
func (h *hands) term(key leaseKey) *term {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.terms[key]
}

// disarm forgets an attempt that has ended.
func (h *hands) disarm(key leaseKey) {
	h.mu.Lock()
	t := h.terms[key]
	delete(h.terms, key)
	h.mu.Unlock()
	if t != nil {
		t.stop()
	}
}

// stop cancels an attempt. The goroutine that runs it reports when its worker has let go; an
// attempt that is not under way has let go already.
func (h *hands) stop(run string, s supervise.Stop) {
	if t := h.term(leaseKey{run, s.Epoch}); t != nil {
		t.stop()
		time.AfterFunc(leaveTime, func() { h.complain(run, s) })
		return
	}
	h.put(envelope{Event: turn.Event{Run: run, Input: supervise.Stopped{AttemptRef: s.AttemptRef, Epoch: s.Epoch}}})
}

// complain tells operators of a worker that was stopped and has not let go: it keeps its slot.
func (h *hands) complain(run string, s supervise.Stop) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.terms[leaseKey{run, s.Epoch}] != nil && h.ctx.Err() == nil {
		h.log.Error("a worker ignores that it was stopped, and keeps its slot", "run", run, "subtask", s.Subtask, "attempt", s.Attempt)
	}
}

// serve pursues an effect of the fleet.
func (h *hands) serve(e fleet.Effect) {
	switch e := e.(type) {
	case fleet.Probe:
		h.wg.Go(func() { h.probe(e) })
	case fleet.Spawn:
		// An instance of a func, exec or http worker is a place to run in, not a thing to bring up.
		h.put(envelope{Event: turn.Event{Fleet: fleet.Spawned{Worker: e.Worker, Instance: e.Instance}}})
	}
}

// wait returns when every goroutine has ended. Those of workers end soon after their context; a
// function that ignores it is left behind.
func (h *hands) wait() {
	done := make(chan struct{})
	go func() {
		h.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(leaveTime):
		h.log.Error("a worker ignores that its context has ended, and is abandoned")
	}
}

const (
	maxResting = 256 // goroutines

	leaveTime = 5 * time.Second
	backstop  = 50 * time.Millisecond
)
