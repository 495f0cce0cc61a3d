package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/fleet"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/internal/turn"
)

const (
	sweep   = 5 * time.Second // the longest the loop sleeps, should a timer be missed (SPEC.md ·85)
	respite = time.Second     // before a write that failed is tried again
	maxTail = 20_000          // records of the fleet before a fold is given a later place to begin
)

// run is the turn loop: nothing is visible, and nothing begins, before it is durable.
func (e *Engine) run() {
	defer close(e.done)
	for {
		next, err := e.oneTurn(e.hands.ctx)
		if err != nil {
			if e.hands.ctx.Err() == nil {
				e.failure = err
				e.opt.Log.Error("the engine stops", "error", err)
				e.stop()
				e.inbox.close()
			}
			return
		}
		if !e.sleep(next) {
			return
		}
	}
}

// sleep waits for something to happen, until next at the latest; it reports whether to go on.
func (e *Engine) sleep(next time.Time) bool {
	d := sweep
	if !next.IsZero() {
		d = max(0, min(d, next.Sub(e.clock.now())))
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-e.inbox.signal:
	case <-timer.C:
	case <-e.hands.ctx.Done():
		return false
	}
	return true
}

// oneTurn takes what has come in, and answers when the next turn is wanted at the latest.
func (e *Engine) oneTurn(ctx context.Context) (time.Time, error) {
	now := e.clock.now()
	events, err := e.wake(ctx, now, e.inbox.drain())
	if err != nil {
		return time.Time{}, err
	}
	if events = e.takeUp(e.admit(ctx, events)); len(events) > 0 || !e.loop.Next().IsZero() && !e.loop.Next().After(now) {
		if err := e.commit(ctx, now, events); err != nil {
			return now.Add(respite), e.undo(ctx, events, err)
		}
	}
	return earlier(e.loop.Next(), e.parked), nil
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
func (e *Engine) admit(ctx context.Context, events []envelope) []envelope {
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
	return in
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
		e.loop.Add(ev.Run, ev.begin.team, supervise.New(ev.Run, ev.begin.team))
		return nil
	case e.loop.Machine(ev.Run) != nil:
		return nil
	}
	return e.load(ctx, ev.Run)
}

// takeUp tells a run, before anything else and once, what it cannot know: on hold, that what its
// workers did is lost and their deadlines mean nothing; and that it goes on with other versions.
func (e *Engine) takeUp(events []envelope) []envelope {
	if !e.opt.Hold && !e.opt.Force {
		return events
	}
	var out []envelope
	for _, ev := range events {
		m := e.loop.Machine(ev.Run)
		if m == nil || ev.begin != nil || e.told[ev.Run] {
			out = append(out, ev)
			continue
		}
		if _, resumed := ev.Input.(supervise.Resumed); resumed {
			e.told[ev.Run] = true
		} else if e.opt.Hold && !m.Idle() || len(e.kits.of(e.loop.Team(ev.Run)).drift) > 0 {
			e.told[ev.Run] = true
			out = append(out, envelope{Event: turn.Event{Run: ev.Run, Input: e.resumed(ev.Run)}})
		}
		out = append(out, ev)
	}
	return out
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
	e.loop.Add(run, k.team, supervise.Restore(run, k.team, records))
	return nil
}

// commit steps the machines and makes what they say durable; then callers are answered and the
// hands begin.
func (e *Engine) commit(ctx context.Context, now time.Time, events []envelope) error {
	var c commit
	in := make([]turn.Event, len(events))
	for i, ev := range events {
		in[i] = ev.Event
		c.blobs = append(c.blobs, ev.blobs...)
	}
	t := e.loop.Take(now, in)
	if e.loop.Fleet().Tail() > maxTail {
		t.Records = append(t.Records, e.loop.Fleet().Rebase(now).Records...)
	}
	if len(t.Records) > 0 {
		c.records, c.lines = t.Records, e.lines(events, t.Touched)
		if err := e.store.append(ctx, c); err != nil {
			return err
		}
		e.hub.publish(t.Touched)
	}
	for i, ev := range events {
		if ev.reply != nil {
			ev.reply(answer{refusal: t.Refusals[i]})
		}
	}
	e.begin(t)
	e.park(t.Touched)
	return nil
}

// lines are the rows of the runs that were stepped.
func (e *Engine) lines(events []envelope, touched []string) []line {
	opened := map[string]*opening{}
	for _, ev := range events {
		if ev.begin != nil {
			opened[ev.Run] = ev.begin
		}
	}
	var out []line
	for _, run := range touched {
		m := e.loop.Machine(run)
		l := line{summary: m.Summary(), active: !m.Idle(), wake: m.Wake()}
		if o := opened[run]; o != nil {
			l.team, l.key = o.digest, o.key
		}
		out = append(out, l)
	}
	return out
}

func (e *Engine) begin(t turn.Turn) {
	for _, eff := range t.Effects {
		if e.opt.Hold && callsWorker(eff) {
			continue // the fold remembers what is open
		}
		if eff.Fleet != nil {
			e.hands.serve(eff.Fleet)
			continue
		}
		e.hands.begin(eff.Run, e.loop.Team(eff.Run), eff.Do)
	}
}

// callsWorker reports whether an effect leaves the engine, which on hold none does.
func callsWorker(eff turn.Effect) bool {
	switch eff.Do.(type) {
	case supervise.MakePlan, supervise.Launch, supervise.Judge:
		return true
	}
	return eff.Fleet != nil
}

// park lets runs out of memory that only wait for people or for time.
func (e *Engine) park(touched []string) {
	for _, run := range touched {
		if m := e.loop.Machine(run); m != nil && m.Idle() {
			e.parked = earlier(e.parked, m.Wake())
			e.loop.Evict(run)
		}
	}
}

// undo answers a write that failed. Whoever asked for something is told; what hands reported is
// kept and tried again; every machine is folded anew from what is on disk. An error that leaves
// the disk's state unknown ends the engine.
func (e *Engine) undo(ctx context.Context, events []envelope, cause error) error {
	if fatal(cause) || ctx.Err() != nil {
		return cause
	}
	e.opt.Log.Error("a write failed and will be tried again", "error", cause)
	var again []envelope
	for _, ev := range events {
		if ev.reply != nil {
			ev.reply(answer{err: unusable(e.opt.Dir, cause)})
			continue
		}
		again = append(again, ev)
	}
	if err := e.refold(ctx, func(run string) supervise.Input { return supervise.Refolded{} }); err != nil {
		return errors.Join(cause, err)
	}
	time.AfterFunc(respite, func() {
		for _, ev := range again {
			e.inbox.put(ev)
		}
	})
	return nil
}

// refold builds the loop anew from disk and tells every active run why.
func (e *Engine) refold(ctx context.Context, tell func(run string) supervise.Input) error {
	records, err := e.store.fleet(ctx)
	if err != nil {
		return err
	}
	e.loop, e.parked = turn.New(fleet.Restore(records)), time.Unix(0, 0)
	if e.opt.Hold {
		return nil
	}
	active, err := e.store.active(ctx)
	if err != nil {
		return fmt.Errorf("read active runs: %w", err)
	}
	var held []fleet.Holding
	for _, run := range active {
		if err := e.load(ctx, run); err != nil {
			e.opt.Log.Error("a run is left as it is", "run", run, "error", err)
			continue
		}
		for _, l := range e.loop.Machine(run).Leases() {
			held = append(held, fleet.Holding{Epoch: l.Epoch, Run: run, AttemptRef: l.AttemptRef})
		}
	}
	e.inbox.put(envelope{Event: turn.Event{Fleet: fleet.Reconcile{Held: held}}})
	for _, run := range active {
		if e.loop.Machine(run) != nil {
			e.inbox.put(envelope{Event: turn.Event{Run: run, Input: tell(run)}})
		}
	}
	return nil
}

// recover takes up every run that was under way when the last owner of the journal stopped.
func (e *Engine) recover(ctx context.Context) error {
	if err := e.refold(ctx, e.resumed); err != nil {
		return err
	}
	if records := e.loop.Fleet().Rebase(e.clock.now()); len(records.Records) > 0 {
		return e.store.append(ctx, commit{records: records.Records})
	}
	return nil
}

// resumed is what a run is told that this process takes up.
func (e *Engine) resumed(run string) supervise.Input {
	return supervise.Resumed{Boot: e.store.boot, Forced: e.kits.of(e.loop.Team(run)).drift}
}

// workers are what the fleet must know of a team.
func workers(t *chargehand.Team) fleet.Register {
	var r fleet.Register
	for i := range t.Workers {
		w := &t.Workers[i]
		r.Workers = append(r.Workers, chargehand.FleetWorker{
			Worker: w.WorkerID, Slots: w.Slots(), Min: max(1, w.Min),
			Max: max(1, w.Min, w.Max), LatencyMS: w.AverageLatencyMS, Spawn: w.Spawn, Health: w.HealthEndpoint,
		})
	}
	return r
}
