package sim

import (
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/internal/turn"
)

// ask asks for more money for a call under way, and is told once the answer is durable. While
// nothing can be written the call waits, as it does in the local engine.
func (w *world) ask(run string, in supervise.TopUp, told func(covered bool)) {
	if w.host == nil {
		return
	}
	boot := w.boots
	then := func(after time.Duration, do func()) {
		w.later(after, func() {
			if w.host != nil && w.boots == boot {
				do()
			}
		})
	}
	w.post(letter{Event: turn.Event{Run: run, Input: in}, reply: func(no *chargehand.Error, err error) {
		switch {
		case err != nil:
			then(time.Second, func() { w.ask(run, in, told) })
		case no == nil:
			w.tally.branch("top-up granted")
			then(0, func() {
				w.law.Covers(run, in)
				told(true)
			})
		default:
			w.tally.branch("top-up denied")
			then(0, func() { told(false) })
		}
	}})
}

// needs has a worker find, while it is at an attempt, that it needs more than was reserved: once, or
// several times. One that is denied stops.
func (w *world) needs(boot int64, j *job, takes time.Duration, at spot) {
	at.what = "needs"
	d := w.dice(at)
	ref := refOf(j.launch)
	in := supervise.TopUp{For: chargehand.HeldForAttempt, AttemptRef: ref, Epoch: j.launch.Epoch}
	in.Total = chargehand.Usage{USD: j.launch.Envelope.USD, InputTokens: j.launch.Envelope.Tokens}
	n := pick(d, 0, 0, 1, 2)
	for i := range n {
		w.later(takes*time.Duration(i+1)/time.Duration(n+1), func() {
			if boot != w.boots || j.over || w.host == nil {
				return
			}
			in.Total.USD += chargehand.Micros(d.IntN(4)) * 5_000
			in.Total.InputTokens += int64(d.IntN(3)) * 30
			total := in.Total
			w.ask(j.run, in, func(covered bool) { j.covered(w, boot, total, covered, at) })
		})
	}
}

// covered goes on as the answer says: what was given may be consumed, and no more.
func (j *job) covered(w *world, boot int64, total chargehand.Usage, yes bool, at spot) {
	switch {
	case boot != w.boots || j.over:
	case yes:
		if f, ok := j.result.(supervise.Finished); ok && !j.lies {
			f.Usage = total
			j.result = f
		}
	default:
		j.over = true
		w.answer(j.run, supervise.Crashed{
			AttemptRef: refOf(j.launch), Epoch: j.launch.Epoch, Cause: chargehand.CauseBudget, Message: "the call is not covered",
			Usage: chargehand.Usage{USD: j.launch.Envelope.USD / 2, InputTokens: j.launch.Envelope.Tokens / 2},
		}, 0, at)
	}
}

// pays has a planner or reviewer ask for more before it answers, now and then, and reports what its
// bill may be then. One that is denied answers with its failure.
func (w *world) pays(run string, in supervise.TopUp, e supervise.Envelope, d dice, answer func(chargehand.Usage, bool)) {
	if !d.one(3) {
		answer(chargehand.Usage{}, true)
		return
	}
	in.Total = chargehand.Usage{USD: e.USD + chargehand.Micros(d.IntN(3))*8_000, InputTokens: e.Tokens + int64(d.IntN(3))*20}
	w.ask(run, in, func(covered bool) { answer(in.Total, covered) })
}
