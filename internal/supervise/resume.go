package supervise

import (
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/route"
)

// interrupt records a restart before anything falls due: an attempt that died with the process
// before has missed no deadline, and a write among them is not reassigned.
func (m *Machine) interrupt(now time.Time, in Input, out *Output) {
	if in, ok := in.(Resumed); ok {
		m.record(now, chargehand.Recovered{Boot: in.Boot, Forced: first(in.Forced, 20)}, out)
	}
}

// resume takes the run up after a restart: whatever was under way outside is gone, and what the
// fold says is open is begun again (SPEC.md ·160).
func (m *Machine) resume(now time.Time, out *Output) {
	m.releaseStopping(now, out)
	if m.run.abort != nil {
		m.abandonAnswers(now, out)
	}
	for _, k := range m.board.order {
		switch {
		case k.state == chargehand.SubtaskRunning:
			m.pursue(now, k, out)
		case k.attempt.judging:
			out.begin(m.judge(k))
		}
	}
	m.reask(out)
	switch {
	case m.planning.asked:
		out.begin(m.makePlan())
	case m.closing.asked:
		out.begin(m.writeResult())
	case m.closing.round > 0 && m.closing.aggregate == "" && !m.outgrown():
		out.begin(m.aggregation())
	}
}

// pursue begins an attempt again that died with the engine, if that can do no harm. A write whose
// outcome nobody knows goes to a person.
func (m *Machine) pursue(now time.Time, k *task, out *Output) {
	w := m.team.Worker(k.attempt.worker)
	if repeatable(k, w) {
		m.record(now, chargehand.AttemptResumed{
			AttemptRef: k.ref(), Epoch: k.attempt.epoch,
			DeadlineAt: now.Add(route.Timeout(w, k.spec)),
		}, out)
		out.begin(m.launch(k))
		return
	}
	out.give(k.attempt.epoch, chargehand.OutcomeRepaired)
	m.record(now, chargehand.AttemptFailed{
		AttemptRef: k.ref(), Epoch: k.attempt.epoch, Cause: chargehand.CauseUnknown,
		Message: "the engine stopped while it ran", Usage: m.wholeEnvelope(k.attempt, k),
	}, out)
	m.recover(now, k, trouble{
		cause: chargehand.CauseUnknown,
		why:   "the engine stopped while it ran, and whether it took effect is not known",
	}, out)
}

// repeatable reports whether an attempt may be pursued again when nobody knows how far it came.
func repeatable(k *task, w *chargehand.WorkerSpec) bool {
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
		m.abandonPlan(now, chargehand.Usage{}, out)
	}
	for _, k := range m.board.order {
		if k.attempt.judging {
			m.record(now, chargehand.JudgeFailed{
				AttemptRef: k.ref(), Times: k.attempt.judgings, Message: "the engine stopped",
				Usage: chargehand.Usage{USD: m.ledger.held[forJudge(k.ref())].usd},
			}, out)
		}
	}
}

func (m *Machine) wholeEnvelope(a attempt, k *task) chargehand.Usage {
	held := m.ledger.held[forAttempt(chargehand.AttemptRef{Subtask: k.spec.ID, Attempt: a.number})]
	return chargehand.Usage{USD: held.usd, InputTokens: held.tokens}
}

// Leases are the attempts that hold one, the stopping ones included. The fleet's must be the same.
func (m *Machine) Leases() []Lease {
	var out []Lease
	for _, k := range m.board.order {
		if k.state == chargehand.SubtaskRunning {
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
	if b.open+b.judging+b.stopping > 0 || m.planning.asked {
		return false
	}
	return m.run.state.Final() || !c.asked && (c.round == 0 || c.aggregate != "")
}
