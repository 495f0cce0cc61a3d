package fleet

import (
	"fmt"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
)

// When a breaker opens, for how long, and how carefully it closes (SPEC.md ·74).
const (
	tripRow    = 5  // failures in a row
	tripRecent = 20 // or half of so many calls
	openFor    = 30 * time.Second
	rampStart  = 2 // leases at once after it closed; doubles with every success
)

// A breaker keeps work from a worker that fails.
type breaker chargehand.BreakerState

func (w *worker) breaker() *breaker { return (*breaker)(&w.Breaker) }

// applyBreaker folds a change of state in. The leases up to epoch are from before the breaker
// opened and say nothing new.
func (w *worker) applyBreaker(f chargehand.BreakerMoved, epoch int64) {
	b := w.breaker()
	*b = breaker{State: f.State, Until: f.Until, Stale: b.Stale}
	if f.State == chargehand.BreakerOpen {
		b.Why = f.Why
	}
	switch f.State {
	case chargehand.BreakerOpen:
		b.Stale, w.old = epoch, w.active
	case chargehand.BreakerClosed:
		b.Ramp = rampStart
	}
}

// count folds the outcome of a lease in.
func (b *breaker) count(epoch int64, o chargehand.Outcome, capacity int) {
	if epoch == b.Probe {
		b.Probe = 0
		return
	}
	if b.State != chargehand.BreakerClosed || epoch <= b.Stale {
		return
	}
	switch o {
	case chargehand.OutcomeFine:
		b.Row = 0
		b.remember(".")
		if b.Ramp *= 2; b.Ramp >= capacity {
			b.Ramp = 0
		}
	case chargehand.OutcomeFailed, chargehand.OutcomeLate:
		b.Row++
		b.remember("x")
	}
}

func (b *breaker) remember(mark string) {
	b.Recent += mark
	b.Recent = b.Recent[max(0, len(b.Recent)-tripRecent):]
}

// tripped is why a closed breaker must open, empty if it need not.
func (b *breaker) tripped() string {
	failed := strings.Count(b.Recent, "x")
	switch {
	case b.State != chargehand.BreakerClosed:
		return ""
	//guard:breaker
	case b.Row >= tripRow:
		return fmt.Sprintf("%d failures in a row", b.Row)
	case len(b.Recent) == tripRecent && 2*failed >= tripRecent:
		return fmt.Sprintf("%d of the last %d calls failed", failed, tripRecent)
	}
	return ""
}

// trip opens the breaker, if it must.
func (m *Machine) trip(w *worker, out *Output) {
	if why := w.breaker().tripped(); why != "" {
		m.open(w, why, out)
		m.record(chargehand.Alerted{What: "breaker_open", Worker: w.Worker, Why: why}, out)
	}
}

func (m *Machine) open(w *worker, why string, out *Output) {
	m.record(chargehand.BreakerMoved{
		Worker: w.Worker, State: chargehand.BreakerOpen,
		Until: m.now.Add(openFor), Why: why,
	}, out)
	m.tellOpen(w, out)
}

// halfOpen lets one probe through, once an open breaker's time is up.
func (m *Machine) halfOpen(w *worker, out *Output) {
	b := w.breaker()
	if b.State != chargehand.BreakerOpen || b.Until.After(m.now) {
		return
	}
	m.record(chargehand.BreakerMoved{
		Worker: w.Worker, State: chargehand.BreakerHalfOpen,
		Why: "one probe is let through",
	}, out)
}

// probed closes the breaker or opens it again. An outcome that says nothing leaves the next lease
// to be the probe.
func (m *Machine) probed(w *worker, o chargehand.Outcome, out *Output) {
	switch o {
	case chargehand.OutcomeFine:
		m.record(chargehand.BreakerMoved{
			Worker: w.Worker, State: chargehand.BreakerClosed,
			Why: "the probe succeeded",
		}, out)
	case chargehand.OutcomeFailed, chargehand.OutcomeLate:
		m.open(w, "the probe failed", out)
	}
}
