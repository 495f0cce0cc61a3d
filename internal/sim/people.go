package sim

import (
	"fmt"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/sim/law"
	"github.com/chargehand/chargehand/internal/supervise"
	"github.com/chargehand/chargehand/internal/turn"
)

// people are reviewers and operators. They see what is durable, and outlive processes.
type people struct {
	open  map[string]bool // reviews, by id
	acked []acked
}

// acked is a decision somebody was told to be made.
type acked struct {
	run string
	chargehand.Decision
}

func newPeople() people { return people{open: map[string]bool{}} }

// read has people see a record.
func (p *people) read(w *world, r chargehand.Record) {
	switch f := r.Fact.(type) {
	case chargehand.RunStarted:
		p.operate(w, r.Run)
	case chargehand.ReviewDecided:
		delete(p.open, f.Decision.ReviewID)
	case chargehand.ReviewOpened:
		p.open[f.Review.ID] = true
		p.review(w, r.Run, f.Review)
	case chargehand.RunEnded:
		p.afterwards(w, r.Run)
	}
}

// review has somebody decide, as a rule before the deadline.
func (p *people) review(w *world, run string, r chargehand.Review) {
	o := w.orders[run]
	o.reviews++
	at := spot{what: "review", run: run, task: r.TaskID, a: r.Attempt, b: o.reviews}
	d := w.dice(at)
	patience := r.Deadline.Sub(r.OpenedAt)
	in := supervise.Decide{
		ReviewID: r.ID, Approved: d.IntN(3) > 0 && (r.OutputRef != "" || r.Subject == chargehand.SubjectTools), Approver: "ana", ContentHash: r.ContentHash, Nonce: r.Nonce,
	}
	switch {
	case in.Approved && r.Subject == chargehand.SubjectPlan && d.one(4):
		in.EditRef = w.keepPlan(chargehand.Plan{Subtasks: w.palette.tasks(d, fmt.Sprintf("e%s_", r.ID[len(r.ID)-4:]))})
	case r.Cause == chargehand.CauseUnknown && r.Subject == chargehand.SubjectOutput && d.one(2):
		in.Settled, in.Given, in.Approved = chargehand.SettledHappened, w.given(d, run, r.TaskID), true
	case r.Cause == chargehand.CauseUnknown && d.one(2):
		in.Settled = chargehand.SettledNot
	case !in.Approved && d.one(2):
		in.SendBack, in.Comment = true, "look again"
	}
	after := d.within(time.Second, patience*9/10)
	if !w.strikes(People, 0.6, at) {
		w.later(after, func() {
			if p.open[r.ID] { // else there is nothing left to decide
				p.decide(w, run, in, 0)
			}
		})
		return
	}
	switch d.IntN(10) {
	case 0: // nobody does
	case 1:
		p.decide(w, run, in, patience+d.within(0, time.Hour))
	case 2:
		p.decide(w, run, in, after)
		p.decide(w, run, in, after+d.within(0, time.Second))
	case 3, 4:
		other := in
		other.Approver, other.Approved, other.SendBack, other.EditRef = "bo", !in.Approved, false, ""
		other.Settled, other.Given = "", nil
		p.decide(w, run, in, after)
		p.decide(w, run, other, after+d.within(0, 2*time.Millisecond))
	case 5:
		in.Nonce = "stolen"
		p.decide(w, run, in, after)
	case 6:
		in.ContentHash = "sha256:other"
		p.decide(w, run, in, after)
	case 7:
		in.Approver = ""
		p.decide(w, run, in, after)
	case 8:
		in.ReviewID = "rev_none"
		p.decide(w, run, in, after)
	case 9:
		in.Approved = true // even where there is nothing to approve
		p.decide(w, run, in, after)
	}
}

// decide says what somebody decides, again if nobody took it down.
func (p *people) decide(w *world, run string, in supervise.Decide, after time.Duration) {
	w.later(after, func() {
		again := func() { p.decide(w, run, in, 20*time.Second) }
		if w.host == nil {
			again()
			return
		}
		w.post(letter{Event: turn.Event{Run: run, Input: in}, reply: func(no *chargehand.Error, err error) {
			switch {
			case err != nil:
				again()
			case no == nil:
				w.tally.branch("decision acknowledged")
				p.acked = append(p.acked, acked{run, chargehand.Decision{
					ReviewID: in.ReviewID, Approved: in.Approved, Approver: in.Approver, Nonce: in.Nonce, SendBack: in.SendBack,
				}})
			default:
				w.tally.branch("decision refused " + string(no.Code))
			}
		}})
		w.lost(again)
	})
}

// operate has somebody meddle with a run: pause it, and resume or cancel it later.
func (p *people) operate(w *world, run string) {
	at := spot{what: "operate", run: run}
	if !w.strikes(People, 0.2, at) {
		return
	}
	d := w.dice(at)
	after := d.within(0, 30*time.Second)
	switch d.IntN(4) {
	case 0:
		p.control(w, run, chargehand.Cancel, after, nil)
	case 1:
		p.pause(w, run, after, d.within(time.Second, 10*time.Second), chargehand.Cancel)
	default:
		p.pause(w, run, after, d.within(time.Second, 30*time.Minute), chargehand.Resume)
		p.pause(w, run, after+d.within(0, 10*time.Second), d.within(time.Second, time.Minute), chargehand.Resume)
	}
	p.control(w, run, "stroke", after+d.within(0, time.Minute), nil)
	p.control(w, run, chargehand.Resume, after+d.within(0, time.Minute), nil)
}

// pause has a run paused, and something else done once it is.
func (p *people) pause(w *world, run string, after, while time.Duration, then chargehand.Verb) {
	p.control(w, run, chargehand.Pause, after, func(*chargehand.Error) { // refused, it may be paused already
		p.control(w, run, then, while, nil)
	})
}

// afterwards has somebody ask for something when it is too late.
func (p *people) afterwards(w *world, run string) {
	at := spot{what: "afterwards", run: run}
	if w.strikes(People, 0.2, at) {
		p.control(w, run, pick(w.dice(at), chargehand.Pause, chargehand.Cancel), time.Minute, nil)
		p.decide(w, run, supervise.Decide{ReviewID: "rev_none", Approved: true, Approver: "ana", Nonce: "n"}, 2*time.Minute)
	}
}

// control asks something of a run until it is heard.
func (p *people) control(w *world, run string, v chargehand.Verb, after time.Duration, then func(*chargehand.Error)) {
	in := supervise.Operate{Control: chargehand.Control{Verb: v, By: "op", Reason: "because"}}
	w.later(after, func() { w.always(letter{Event: turn.Event{Run: run, Input: in}}, then) })
}

// settle judges that every decision somebody was told of is in the records.
func (p *people) settle(w *world) *law.Breach {
	for _, a := range p.acked {
		if b := w.law.Acknowledged(a.run, a.Decision); b != nil {
			return b
		}
	}
	return nil
}
