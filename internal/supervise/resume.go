package supervise

import (
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/route"
)

// interrupt records a restart or a fork before anything falls due: an attempt that died with the
// process before, or is another run's, has missed no deadline, and a write among them is not
// reassigned.
func (m *Machine) interrupt(now time.Time, in Input, out *Output) {
	switch in := in.(type) {
	case Resumed:
		held := m.Leases()
		m.record(now, chargehand.Recovered{Boot: in.Boot, Forced: first(in.Forced, 20), Held: in.Held}, out)
		m.giveUp(held, out)
	case Fork:
		m.fork(now, in, out)
	}
}

// giveUp gives back the leases of attempts that have come adrift: while the run is paused, others
// may have their workers.
func (m *Machine) giveUp(held []Lease, out *Output) {
	for _, l := range held {
		if k := m.board.tasks[l.Subtask]; k.adrift() && k.attempt.epoch == l.Epoch {
			out.give(l.Epoch, chargehand.OutcomeRepaired)
		}
	}
}

// resume takes the run up after a restart: whatever was under way outside is gone, and what the
// fold says is open is begun again (SPEC.md ·160); in a paused run only when that goes on (·129).
func (m *Machine) resume(now time.Time, out *Output) {
	m.releaseStopping(now, out)
	if m.run.abort != nil {
		m.abandonAnswers(now, out)
	}
	if !m.run.adrift {
		m.beginAgain(now, out)
	}
	m.reask(out)
	switch {
	case m.closing.asked:
		out.begin(m.writeResult())
	case m.closing.round > 0 && m.closing.aggregate == "" && !m.outgrown():
		out.begin(m.aggregation())
	}
}

// beginAgain begins what the process before took with it, as far as that can do no harm.
func (m *Machine) beginAgain(now time.Time, out *Output) {
	for _, k := range m.board.order {
		switch {
		case k.adrift():
			if !repeatable(k, m.team.Worker(k.attempt.worker)) {
				m.pursue(now, k, Granted{}, out)
			}
		case k.state == chargehand.SubtaskRunning:
			m.pursue(now, k, Granted{Epoch: k.attempt.epoch, Instance: k.attempt.instance}, out)
		case k.attempt.judging:
			m.judgeAgain(now, k, out)
		case k.debate.stage == comparing:
			out.begin(m.comparison(k))
		}
	}
	if m.planning.asked {
		m.planAgain(now, out)
	}
}

// pursue begins an attempt again that died with the engine, under the lease it has, if that can do
// no harm and the money reaches. A write whose outcome nobody knows goes to a person.
func (m *Machine) pursue(now time.Time, k *task, l Granted, out *Output) {
	w := m.team.Worker(k.attempt.worker)
	f, fits := m.resumption(now, k, w)
	if fits && repeatable(k, w) {
		f.Epoch, f.Instance = l.Epoch, instance(l)
		m.record(now, f, out)
		out.begin(m.launch(k))
		return
	}
	if l.Epoch != 0 {
		out.give(l.Epoch, chargehand.OutcomeRepaired)
	}
	t := trouble{
		cause: chargehand.CauseUnknown,
		why:   "the engine stopped while it ran, and whether it took effect is not known",
	}
	if k.spec.Effect.Reads() {
		t.cause = chargehand.CauseBudget // it may go on with another attempt when money comes back
		t.why = "the engine stopped while it ran, and there is no money to begin it again: " + m.shortOf(k, amount{f.Reserved, f.ReservedTokens})
	}
	m.lose(now, k, t.cause, out)
	m.recover(now, k, t, out)
}

// resumption is how an attempt is pursued again, and whether the money reaches for it. What it has
// consumed nobody knows, so all that was reserved for it counts as spent, and as much is reserved
// anew; but a worker that does the work of one key once is paid once.
func (m *Machine) resumption(now time.Time, k *task, w *chargehand.WorkerSpec) (chargehand.AttemptResumed, bool) {
	f := chargehand.AttemptResumed{AttemptRef: k.ref(), DeadlineAt: now.Add(route.Timeout(w, k.spec))}
	key := forAttempt(k.ref())
	if w.Idempotent && w.Kind != chargehand.KindLLM {
		return f, m.ledger.fits(key, m.ledger.held[key])
	}
	after := *k // as it stands when all that was reserved is spent
	f.Lost = m.wholeEnvelope(k.attempt, k)
	after.spent.usd, after.spent.tokens = k.spent.usd+f.Lost.USD, k.spent.tokens+f.Lost.Tokens()
	need := m.needs(&after, w, k.attempt.instance)
	f.Reserved, f.ReservedTokens = need.usd, need.tokens
	//rule:crash-ceiling off=return f, true
	return f, m.bears(&after, w) && m.ledger.fits("", need)
}

// lose ends an attempt that died with the engine. All that was reserved for it counts.
func (m *Machine) lose(now time.Time, k *task, c chargehand.Cause, out *Output) {
	m.record(now, chargehand.AttemptFailed{
		AttemptRef: k.ref(), Epoch: k.attempt.epoch, Cause: c,
		Message: "the engine stopped while it ran", Usage: m.wholeEnvelope(k.attempt, k),
	}, out)
}

// judgeAgain asks the reviewer once more what the process before took with it. What that consumed
// is not known, so all that was reserved for it counts. Where the money does not reach twice, the
// output waits for what is under way to be settled.
func (m *Machine) judgeAgain(now time.Time, k *task, out *Output) {
	held, price := m.ledger.held[forJudge(k.ref())], m.check(int64(k.attempt.size))
	choice := k.debate.stage == choosing
	if choice {
		price = m.check(k.debate.shown())
	}
	if !m.ledger.fits("", price) {
		m.record(now, chargehand.JudgeFailed{AttemptRef: k.ref(), Times: k.attempt.judgings, Message: "the engine stopped", Usage: held.usage()}, out)
		if choice && k.state == chargehand.SubtaskValidating {
			m.leaveToPerson(now, k, k.debate.disagreement()+", and there is no money to ask the reviewer again: "+m.ledger.shortage(price), out)
		}
		return
	}
	if held != (amount{}) {
		m.record(now, chargehand.JudgeAsked{
			AttemptRef: k.ref(), Times: k.attempt.judgings, Reserved: price.usd, Tokens: price.tokens, Lost: held.usage(), Debate: choice,
		}, out)
	}
	out.begin(m.judge(k))
}

// planAgain has the plan made that the process before was about.
func (m *Machine) planAgain(now time.Time, out *Output) {
	if m.planning.approved != "" {
		out.begin(m.makePlan()) // it is read, and nobody is paid for it
		return
	}
	held, need := m.ledger.held[forPlan], m.planNeeds()
	if !m.ledger.fits("", need) {
		m.abandonPlan(now, held.usage(), out)
		m.abortUnplanned(now, out)
		return
	}
	if held != (amount{}) {
		m.record(now, chargehand.PlanAsked{
			Iteration: m.planning.iteration, Errors: m.planning.refused, Reserved: need.usd, Tokens: need.tokens, Lost: held.usage(),
			Draft: m.planning.draft,
		}, out)
	}
	out.begin(m.makePlan())
}

// usage is the amount as a bill: which of the tokens were read and which written is not known.
func (a amount) usage() chargehand.Usage { return chargehand.Usage{USD: a.usd, InputTokens: a.tokens} }

// repeatable reports whether an attempt may be pursued again when nobody knows how far it came.
func repeatable(k *task, w *chargehand.WorkerSpec) bool {
	//guard:no-blind-retry off=return true
	return k.spec.Effect.Reads() || w != nil && w.Idempotent
}

// releaseStopping lets go of attempts that were being stopped by the process before. What they
// consumed is not known, so all that was reserved counts.
func (m *Machine) releaseStopping(now time.Time, out *Output) {
	for _, k := range m.board.order {
		for len(k.stopping) > 0 {
			a := k.stopping[0]
			m.record(now, chargehand.AttemptStopped{
				Epoch: a.epoch, Usage: m.wholeEnvelope(a, k),
				AttemptRef: chargehand.AttemptRef{Subtask: k.spec.ID, Attempt: a.number},
			}, out)
			out.give(a.epoch, chargehand.OutcomeRepaired)
		}
	}
}

// abandonAnswers gives up the plan and the verdicts that nobody waits for any more, and that the
// process before took with it.
func (m *Machine) abandonAnswers(now time.Time, out *Output) {
	if m.planning.asked {
		m.abandonPlan(now, m.ledger.held[forPlan].usage(), out)
	}
	for _, k := range m.board.order {
		if k.attempt.judging {
			m.record(now, chargehand.JudgeFailed{
				AttemptRef: k.ref(), Times: k.attempt.judgings, Message: "the engine stopped",
				Usage: m.ledger.held[forJudge(k.ref())].usage(),
			}, out)
		}
	}
}

func (m *Machine) wholeEnvelope(a attempt, k *task) chargehand.Usage {
	//guard:crash-cost off=return chargehand.Usage{}
	return m.ledger.held[forAttempt(chargehand.AttemptRef{Subtask: k.spec.ID, Attempt: a.number})].usage()
}

// Leases are the attempts that hold one, the stopping ones included. The fleet's must be the same.
func (m *Machine) Leases() []Lease {
	var out []Lease
	for _, k := range m.board.order {
		if k.state == chargehand.SubtaskRunning && !k.attempt.adrift {
			out = append(out, Lease{k.ref(), k.attempt.epoch})
		}
		for _, a := range k.stopping {
			out = append(out, Lease{chargehand.AttemptRef{Subtask: k.spec.ID, Attempt: a.number}, a.epoch})
		}
	}
	return out
}

// A Lease is an attempt's hold on a worker.
type Lease struct {
	chargehand.AttemptRef
	Epoch int64
}

// Idle reports whether the machine only waits for people or for time: nothing outside works for it.
func (m *Machine) Idle() bool {
	b, c := &m.board, &m.closing
	if b.open+b.judging+b.comparing+b.stopping > 0 || m.planning.asked {
		return false
	}
	return m.run.state.Final() || !c.asked && (c.round == 0 || c.aggregate != "")
}
