package supervise

import (
	"fmt"
	"time"

	"github.com/chargehand/chargehand"
)

// run is who the run is, and whether it goes on.
type run struct {
	objective chargehand.Objective
	tenant    string
	startedBy string
	started   time.Time
	limit     time.Duration // from started to the deadline, pauses left out; zero: no deadline
	deadline  time.Time     // zero: none, or the run stands still
	left      time.Duration // until the deadline, of a run that stands still
	armed     int64         // seq of the record that set the deadline
	ended     time.Time
	seed      string
	format    int                 // of the machine that began the run
	inherited chargehand.Micros   // settled by the runs it was forked from
	state     chargehand.RunState // empty before Start
	abort     *ending             // the run takes nothing more on; nil while it does
	adrift    bool                // a restart found it paused: what was under way waits until it goes on
}

// An ending is why a run stops before its plan is through.
type ending struct {
	stop  chargehand.StopReason
	cause chargehand.Cause
	why   string
	by    string // who cancelled
}

func (m *Machine) start(now time.Time, in Start, out *Output) {
	o := in.Order
	m.record(now, chargehand.RunStarted{
		Objective: o.Objective, Team: m.team.Name, TeamDigest: in.TeamDigest, Format: Format,
		Policy: m.team.Policy.ID(), Budget: Ceiling(o.Budget, m.team.Budget), DeadlineAt: deadline(now, o, m.team),
		StartedBy: o.StartedBy, Tenant: o.Tenant, Key: o.Key, Seed: in.Seed,
	}, out)
	m.askPlan(now, 1, nil, out)
	//rule:unplanned-end
	m.advance(now, out) // the budget may not even cover a plan
}

// Ceiling is the budget of a run: the order's, and where that has none the team's.
func Ceiling(order, team chargehand.Budget) chargehand.Budget {
	if order.USD == 0 {
		order.USD = team.USD
	}
	if order.Tokens == 0 {
		order.Tokens = team.Tokens
	}
	return order
}

func deadline(now time.Time, o chargehand.Order, t *chargehand.Team) time.Time {
	d := o.Deadline
	if d == 0 {
		d = t.Deadline
	}
	if d == 0 {
		return time.Time{}
	}
	return now.Add(d.Std())
}

func (m *Machine) applyRun(r chargehand.Record, f chargehand.Fact) {
	switch f := f.(type) {
	case chargehand.RunStarted:
		m.run = run{
			objective: f.Objective, tenant: f.Tenant, startedBy: f.StartedBy, started: r.At, seed: f.Seed, format: f.Format,
			state: chargehand.RunRunning,
		}
		m.ledger.ceiling = f.Budget
		m.setDeadline(r, f.DeadlineAt)
	case chargehand.PauseBegan:
		m.run.state = chargehand.RunPaused
		//guard:pause-time
		if f.Still {
			m.stand(r.At)
		}
	case chargehand.PauseEnded:
		m.run.state, m.run.adrift = chargehand.RunRunning, false
		m.goOn(r.At)
	case chargehand.Recovered:
		m.run.adrift = m.run.state == chargehand.RunPaused && !f.Held
	case chargehand.RunStopping:
		m.run.abort = &ending{f.Stop, f.Cause, f.Why, f.By}
	case chargehand.RunEnded:
		m.run.state, m.run.ended = f.State, r.At
		m.closing.result, m.closing.resultHash = f.Result, f.ResultHash
	}
}

// operate follows an operator (SPEC.md ·129). What is already running may finish.
func (m *Machine) operate(now time.Time, in Operate, out *Output) {
	no := func(why string) {
		m.refuse(now, refusal{string(in.Verb), chargehand.CodeNotAllowed, in.By, why}, out)
	}
	in.By, in.Reason = clip(in.By, maxName), clip(in.Reason, maxText)
	switch {
	case m.run.abort != nil:
		no("the run is stopping: " + m.run.abort.why)
	case m.closing.asked:
		no("the run has come to its end, its result is being written")
	case in.Verb == chargehand.Pause && m.run.state == chargehand.RunPaused:
		no("the run is paused already")
	case in.Verb == chargehand.Resume && m.run.state != chargehand.RunPaused:
		no("the run is not paused")
	case in.Verb == chargehand.Cancel && in.Reason == "":
		no("to cancel needs a reason")
	case in.Verb == chargehand.Pause:
		m.record(now, chargehand.PauseBegan{By: in.By, Reason: in.Reason, Still: m.run.format > 1}, out)
		m.withdrawAll(out)
		m.reschedule(out)
	case in.Verb == chargehand.Resume:
		adrift := m.run.adrift
		m.record(now, chargehand.PauseEnded{By: in.By, Reason: in.Reason}, out)
		m.reschedule(out)
		if adrift {
			m.beginAgain(now, out)
		}
		m.reask(out)
		m.lowerTier(now, out)
	case in.Verb == chargehand.Cancel:
		m.abort(now, ending{chargehand.StopCancelled, chargehand.CauseCancelled, in.Reason, in.By}, out)
	default:
		no(fmt.Sprintf("there is no verb %q: want pause, resume or cancel", in.Verb))
	}
}

// abort ends everything that is under way or still to come. The result is then made of what was
// accepted.
func (m *Machine) abort(now time.Time, e ending, out *Output) {
	if m.run.abort != nil || m.closing.asked {
		return
	}
	e.why, e.by = clip(e.why, maxText), clip(e.by, maxName)
	adrift := m.run.adrift
	if m.run.state == chargehand.RunPaused {
		m.record(now, chargehand.PauseEnded{By: e.by, Reason: e.why}, out)
	}
	m.record(now, chargehand.RunStopping{Stop: e.stop, Cause: e.cause, Why: e.why, By: e.by}, out)
	if adrift {
		m.abandonAnswers(now, out)
	}
	m.closeReviews(now, e.why, out)
	for _, k := range m.board.order {
		if !k.state.Final() {
			m.drop(now, k, out)
		}
	}
}

// drop ends one subtask of a run that stops.
func (m *Machine) drop(now time.Time, k *task, out *Output) {
	f := chargehand.SubtaskEnded{
		State: chargehand.SubtaskCancelled, Cause: m.run.abort.cause,
		Why: m.run.abort.why, DecidedBy: m.run.abort.by,
	}
	if k.state == chargehand.SubtaskUnknown || k.state == chargehand.SubtaskRunning && !k.spec.Effect.Reads() {
		f.Why += notKnown
	}
	switch k.state {
	case chargehand.SubtaskQueued:
		out.Fleet = append(out.Fleet, Withdraw{k.ref()})
	case chargehand.SubtaskRunning:
		if k.attempt.adrift {
			out.Fleet = append(out.Fleet, Withdraw{k.ref()})
			m.lose(now, k, chargehand.CauseCancelled, out)
			break
		}
		m.stop(now, k, chargehand.CauseCancelled, m.run.abort.why, out)
	}
	m.end(now, k, f, out)
}
