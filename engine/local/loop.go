package local

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/fleet"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/internal/turn"
)

const (
	lull  = 64   // times to yield in silence before a commit is begun while more may come
	bunch = 16   // events that make a turn worth taking
	crowd = 1024 // and a commit, be another under way or not

	while = 200 * time.Microsecond // the longest that hands which work are waited for in silence

	sweep   = 5 * time.Second // the longest the loop sleeps, should a timer be missed (SPEC.md ·85)
	respite = time.Second     // before a write that failed is tried again
)

// run is the turn loop: nothing is visible, and nothing begins, before it is durable. The machines
// step on while what they said last is being written (flight.go).
func (e *Engine) run() {
	defer close(e.done)
	defer e.flights.start(e.write, func() { poke(e.hands.calm) })()
	for {
		next, err := e.guarded(e.hands.ctx)
		if err == nil {
			err = e.sleep(e.hands.ctx, next)
		}
		if e.hands.ctx.Err() != nil {
			return
		}
		if err != nil {
			e.failure = err
			e.opt.Log.Error("the engine stops", "error", err)
			e.stop()
			e.inbox.close()
			e.hub.close(errors.Join(errClosed, err))
			return
		}
	}
}

// sleep waits for something to happen, until next at the latest.
func (e *Engine) sleep(ctx context.Context, next time.Time) error {
	d := sweep
	if !next.IsZero() {
		d = max(0, min(d, next.Sub(e.clock.now())))
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-e.inbox.signal:
	case err := <-e.flights.landed:
		return e.land(ctx, err)
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}

// gather lets answers that come in a crowd come in: one commit for all of them costs little more
// than one for the first. It reports whether a bunch of them is there and more may come. While hands
// work it sleeps, and leaves its processor to them; a loop that only yields would be found again before
// any work of theirs is. Where every hand waits for somebody else it yields for a moment. Where what is
// being written has landed, it is over.
func (e *Engine) gather(ctx context.Context) (more bool) {
	have := e.inbox.want(bunch)
	defer e.inbox.want(0)
	for quiet := 0; have < bunch && quiet < lull && e.expects(); {
		if e.hands.busy.Load() == 0 {
			runtime.Gosched()
			quiet++
		} else if !e.linger(ctx) {
			quiet = lull
		}
		if n := e.inbox.len(); n > have {
			quiet, have = 0, n
		}
	}
	return have >= bunch
}

// linger waits for a bunch of answers, or for the hands to be calm. It reports false where neither comes
// in a while.
func (e *Engine) linger(ctx context.Context) bool {
	e.alarm.Reset(while)
	defer e.alarm.Stop()
	select {
	case <-e.inbox.signal:
		return true
	case <-e.hands.calm:
		return true
	case <-e.alarm.C:
	case <-ctx.Done():
	}
	return false
}

// expects reports whether to wait for more answers at all.
func (e *Engine) expects() bool {
	return e.hands.owed.Load() > 0 && (e.flights.air == nil || len(e.flights.landed) == 0)
}

// guarded is oneTurn in which a panic ends the engine, and not the process: a machine panics where its
// records are none that an engine wrote.
func (e *Engine) guarded(ctx context.Context) (next time.Time, err error) {
	defer func() {
		if v := recover(); v != nil {
			e.opt.Log.Error("the turn loop panicked", "panic", v, "stack", string(debug.Stack()))
			err = spoilt("the runs of "+e.opt.Dir+" cannot be supervised", fmt.Sprint(v))
		}
	}()
	return e.oneTurn(ctx)
}

// oneTurn takes what has come in, sends what the machines say off to be written unless something is
// being written already, and answers when the next turn is wanted at the latest.
func (e *Engine) oneTurn(ctx context.Context) (next time.Time, err error) {
	for more := true; more && len(e.flights.next.events) < crowd; {
		more = e.gather(ctx)
		if next, err = e.step(ctx); err != nil {
			return next, err
		}
	}
	e.send()
	return next, nil
}

// step takes what has come in, and answers when the next turn is wanted at the latest.
func (e *Engine) step(ctx context.Context) (time.Time, error) {
	if !e.steady() {
		if err := e.settled(ctx); err != nil {
			return time.Time{}, err
		}
	}
	e.takeNext(ctx)
	now := e.clock.now()
	off, stepped := e.clock.stepped(now)
	events, err := e.wake(ctx, now, e.inbox.drain(crowd-len(e.flights.next.events)))
	if err != nil {
		return time.Time{}, err
	}
	if stepped {
		e.opt.Log.Warn("the wall clock was set", "ahead", off.Round(time.Millisecond))
		events = append(events, envelope{Event: turn.Event{Fleet: fleet.Stepped{Off: off}}})
	}
	if events, err = e.admit(ctx, events); err != nil {
		return time.Time{}, err
	}
	e.takeUp(events)
	if len(events) > 0 || e.due(now) {
		e.take(now, events)
	}
	switch {
	case len(e.pile.left) > 0:
		return now, nil
	case e.again.After(now):
		return e.again, nil
	}
	return earlier(e.loop.Next(), e.parked), nil
}

// steady reports whether every run that was to be taken up has been told so. Until then a turn is
// durable before the next is taken: whom it told depends on it.
func (e *Engine) steady() bool {
	return e.underWay && !e.opt.Hold && !e.opt.Force && len(e.pile.left) == 0
}

// due reports whether a machine wants to be told the time.
func (e *Engine) due(now time.Time) bool {
	next := e.loop.Next()
	return !next.IsZero() && !next.After(now) && !e.again.After(now)
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// wake adds a tick for every parked run that wanted one by now.
func (e *Engine) wake(ctx context.Context, now time.Time, events []envelope) ([]envelope, error) {
	if e.opt.Hold || e.parked.IsZero() || e.parked.After(now) {
		return events, nil
	}
	due, next, err := e.store.due(ctx, now)
	if err != nil {
		return nil, err
	}
	e.parked = next
	for _, run := range due {
		events = append(events, envelope{Event: turn.Event{Run: run, Input: supervise.Tick{}}})
	}
	return events, nil
}

// admit brings the machine of every event's run into memory, and turns away what has none. Of runs
// that compete for something, one is opened in a turn; the rest see its records in the next.
func (e *Engine) admit(ctx context.Context, events []envelope) ([]envelope, error) {
	if slices.ContainsFunc(events, envelope.reads) {
		if err := e.settled(ctx); err != nil {
			return nil, err
		}
	}
	in := events[:0]
	taken := map[string]bool{}
	for _, ev := range events {
		if ev.look != nil {
			ev.look()
			ev.reply(answer{})
			continue
		}
		if ev.begin.competes(taken) {
			e.inbox.put(ev)
			continue
		}
		if err := e.ready(ctx, ev); err != nil {
			e.turnAway(ev, err)
			continue
		}
		in = append(in, ev)
	}
	return in, nil
}

// reads reports whether an event asks for what is durable, beyond its own run's records.
func (ev envelope) reads() bool {
	return ev.look != nil || ev.begin != nil && (ev.begin.key != "" || ev.begin.tenant != "")
}

// competes reports whether another opening of this turn is for the same key or tenant.
func (o *opening) competes(taken map[string]bool) bool {
	if o == nil || o.key == "" && o.tenant == "" {
		return false
	}
	key, tenant := "key "+o.key, "tenant "+o.tenant
	if o.key != "" && taken[key] || o.tenant != "" && taken[tenant] {
		return true
	}
	taken[key], taken[tenant] = o.key != "", o.tenant != ""
	return false
}

func (e *Engine) turnAway(ev envelope, err error) {
	if ev.reply != nil {
		ev.reply(answer{err: err})
		return
	}
	e.opt.Log.Error("an event is dropped", "run", ev.Run, "error", err)
}

func (e *Engine) ready(ctx context.Context, ev envelope) error {
	switch {
	case ev.Run == "":
		return nil
	case ev.begin != nil:
		if err := e.startedAs(ctx, ev.begin); err != nil {
			return err
		}
		if err := e.quota(ctx, ev.begin); err != nil {
			return err
		}
		e.loop.Add(ev.Run, ev.begin.team, ev.begin.machine)
		return nil
	case e.loop.Machine(ev.Run) != nil:
		return nil
	}
	return e.load(ctx, ev.Run)
}

// takeUp tells a run, before anything else and once, what it cannot know: on hold, that what its
// workers did is lost and their deadlines mean nothing; and that it goes on with other versions.
func (e *Engine) takeUp(events []envelope) {
	if !e.opt.Hold && !e.opt.Force && len(e.pile.left) == 0 {
		return
	}
	for _, ev := range events {
		if ev.begin == nil && (e.pile.take(ev.Run) || e.taken.Due(e.loop, ev.Event)) {
			e.loop.First(turn.Event{Run: ev.Run, Input: e.resumed(ev.Run)})
		}
	}
}

// quota refuses a run that its tenant's budget does not cover (SPEC.md ·95). The loop alone opens
// runs, so two cannot be let in for the same money.
func (e *Engine) quota(ctx context.Context, o *opening) error {
	limit, ok := e.opt.Tenants[o.tenant]
	if !ok || limit.USD == 0 {
		return nil
	}
	spent, err := e.store.committed(ctx, o.tenant)
	if err != nil {
		return err
	}
	//guard:tenant-quota
	if left := limit.USD - spent; o.budget == 0 || o.budget > left {
		return &chargehand.Error{
			Code: chargehand.CodeNotAllowed, What: "the run cannot be started",
			Why:  fmt.Sprintf("tenant %s has $%s of $%s left, the run may spend $%s", o.tenant, left, limit.USD, o.budget),
			Next: "give the run a budget that fits, or raise the tenant's",
		}
	}
	return nil
}

// load folds a run's records into a machine.
func (e *Engine) load(ctx context.Context, run string) error {
	digest, err := e.store.team(ctx, run)
	if err != nil {
		return err
	}
	k, err := e.kits.load(ctx, digest)
	if err != nil {
		return err
	}
	records, err := e.store.records(ctx, run, 0)
	if err != nil {
		return err
	}
	m, err := restored(run, k.team, records)
	if err != nil {
		return err
	}
	e.loop.Add(run, k.team, m)
	return nil
}

// undo answers a write that failed. Whoever asked for something is told; what hands reported is
// kept and tried again; every machine is folded anew from what is on disk. An error that leaves
// the disk's state unknown ends the engine.
func (e *Engine) undo(ctx context.Context, events []envelope, cause error) error {
	if fatal(cause) || ctx.Err() != nil {
		return cause
	}
	e.opt.Log.Error("a write failed and will be tried again", "error", cause)
	e.again = e.clock.now().Add(respite)
	var again []envelope
	for _, ev := range events {
		if ev.reply != nil {
			ev.reply(answer{err: unusable(e.opt.Dir, cause)})
			continue
		}
		again = append(again, ev)
	}
	e.taken.Lost()
	if err := e.refold(ctx); err != nil {
		return errors.Join(cause, err)
	}
	time.AfterFunc(respite, func() {
		for _, ev := range again {
			e.inbox.put(ev)
		}
	})
	return nil
}

// refold builds the loop anew from disk, and has every active run told why: until a turn is kept,
// that this process takes it up.
func (e *Engine) refold(ctx context.Context) error {
	f, err := e.store.fleet(ctx)
	if err != nil {
		return err
	}
	e.loop, e.parked = turn.New(f), time.Unix(0, 0)
	if e.loop.Hold = e.opt.Hold; e.opt.Hold {
		return nil
	}
	active, err := e.store.active(ctx)
	if err != nil {
		return fmt.Errorf("read active runs: %w", err)
	}
	if !e.underWay && len(active) > pileSize {
		e.pile.heap(active)
		return nil
	}
	e.loadAll(ctx, active)
	e.loop.Refold(active, func(run string) supervise.Input {
		if e.underWay && !e.pile.take(run) {
			return supervise.Refolded{}
		}
		return e.resumed(run)
	})
	return nil
}

func (e *Engine) loadAll(ctx context.Context, runs []string) {
	for _, run := range runs {
		if err := e.load(ctx, run); err != nil {
			e.opt.Log.Error("a run is left as it is", "run", run, "error", err)
		}
	}
}

// recover takes up every run that was under way when the last owner of the journal stopped.
func (e *Engine) recover(ctx context.Context) error {
	var facts []chargehand.Fact
	var err error
	if e.notary, facts, err = vouch(ctx, e.store, &e.opt); err != nil {
		return err
	}
	e.hands.notary = e.notary
	if err := e.refold(ctx); err != nil {
		return err
	}
	return e.register(ctx, facts)
}

// resumed is what a run is told that this process takes up.
func (e *Engine) resumed(run string) supervise.Input {
	e.taken.Telling(run)
	return supervise.Resumed{Boot: e.store.boot, Forced: e.kits.of(e.loop.Team(run)).drift, Held: e.opt.Hold}
}
