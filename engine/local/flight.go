package local

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/chargehand/chargehand/internal/turn"
)

// A flight is what turns came to, on its way to disk: one transaction. While one is being written
// the machines step on, and what they say then gathers in the next. If it cannot be written, the
// next is lost with it.
type flight struct {
	turn.Turn
	events []envelope
	lines  []line
	in     map[string]bool // runs that are touched
}

func (f *flight) empty() bool { return len(f.events)+len(f.Records)+len(f.Effects)+len(f.Touched) == 0 }

// take adds a turn.
func (f *flight) take(events []envelope, t turn.Turn) {
	f.events = append(f.events, events...)
	f.Records = append(f.Records, t.Records...)
	f.Effects = append(f.Effects, t.Effects...)
	f.Refusals = append(f.Refusals, t.Refusals...)
	if f.in == nil {
		f.in = map[string]bool{}
	}
	for _, run := range t.Touched {
		if !f.in[run] {
			f.in[run] = true
			f.Touched = append(f.Touched, run)
		}
	}
}

// flights are the one in the air, and the next. The turn loop owns them; what is in the air is the
// writer's until it has landed.
type flights struct {
	air, next *flight
	off       chan *flight
	landed    chan error
}

// start starts the writer. It is stopped, and waited for, by what start returns.
func (fs *flights) start(write func(*flight) error, landed func()) (stop func()) {
	fs.off, fs.landed = make(chan *flight), make(chan error, 1)
	fs.next = &flight{}
	var wg sync.WaitGroup
	wg.Go(func() {
		for f := range fs.off {
			fs.landed <- write(f)
			landed()
		}
	})
	return func() {
		close(fs.off)
		wg.Wait()
	}
}

// take steps the machines. What they say is for the next flight.
func (e *Engine) take(now time.Time, events []envelope) {
	in := make([]turn.Event, len(events))
	for i, ev := range events {
		in[i] = ev.Event
	}
	//guard:effects-after-commit off=t := e.loop.Take(now, in); e.begin(t.Effects); t.Effects = nil; e.flights.next.take(events, t)
	e.flights.next.take(events, e.loop.Take(now, in))
}

// send sends the next flight off, unless one is in the air or there is nothing to send.
func (e *Engine) send() {
	fs := &e.flights
	if fs.air != nil || fs.next.empty() {
		return
	}
	f := fs.next
	f.lines = e.lines(f)
	fs.air, fs.next = f, &flight{}
	fs.off <- f
}

// lines are the rows of the runs that were stepped.
func (e *Engine) lines(f *flight) []line {
	opened := map[string]*opening{}
	for _, ev := range f.events {
		if ev.begin != nil {
			opened[ev.Run] = ev.begin
		}
	}
	out := make([]line, len(f.Touched))
	for i, run := range f.Touched {
		out[i].Row = e.loop.Row(run)
		if o := opened[run]; o != nil {
			out[i].team, out[i].key = o.digest, o.key
		}
	}
	return out
}

// write makes a flight durable; then callers are answered and the hands begin. It is the writer's.
func (e *Engine) write(f *flight) error {
	var c commit
	for i, ev := range f.events {
		c.blobs = append(c.blobs, ev.blobs...)
		if ev.begin != nil && f.Refusals[i] == nil {
			c.records = append(c.records, ev.begin.records...)
		}
	}
	if c.records = append(c.records, f.Records...); len(c.records) > 0 {
		c.lines = f.lines
		if err := e.store.append(e.hands.ctx, c); err != nil {
			//guard:durable-answer off=for _, ev := range f.events { if ev.reply != nil { ev.reply(answer{}) } }; return err
			return err
		}
		e.hub.publish(c.records)
		e.notary.committed(&e.store.tree, ends(f.Records))
	}
	for i, ev := range f.events {
		if ev.reply != nil {
			ev.reply(answer{refusal: f.Refusals[i]})
		}
	}
	e.hands.busy.Add(1)
	defer e.hands.rest()
	e.begin(f.Effects)
	return nil
}

func (e *Engine) begin(effects []turn.Effect) {
	for _, eff := range effects {
		if e.opt.Hold && eff.CallsWorker() {
			continue // the fold remembers what is open
		}
		if eff.Fleet != nil {
			e.hands.serve(eff.Fleet)
			continue
		}
		e.hands.begin(eff.Run, eff.Team, eff.Do)
	}
}

// land is told what came of the flight in the air.
func (e *Engine) land(ctx context.Context, err error) error {
	fs := &e.flights
	f := fs.air
	if fs.air = nil; err != nil {
		events := slices.Concat(f.events, fs.next.events)
		fs.next = &flight{}
		return e.undo(ctx, events, err)
	}
	e.taken.Kept()
	e.underWay = true
	idle := slices.DeleteFunc(f.Touched, func(run string) bool { return fs.next.in[run] }) // of the rest not all is durable
	e.parked = earlier(e.parked, e.loop.Park(idle))
	return nil
}

// settled returns when all that was taken is durable, or lost.
func (e *Engine) settled(ctx context.Context) error {
	for e.flights.air != nil || !e.flights.next.empty() {
		e.send()
		if err := e.land(ctx, <-e.flights.landed); err != nil {
			return err
		}
	}
	return nil
}
