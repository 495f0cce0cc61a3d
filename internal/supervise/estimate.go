package supervise

import (
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/route"
)

// What a call of a language model is taken to consume where nobody says. Attempts that need more
// top their envelope up; what they do not need comes back.
const (
	promptTokens  = 1_000 // of what the engine says in a prompt
	bytesPerToken = 3     // of what is read: fewer than is usual
	answerTokens  = 4_096 // where LLMKind.MaxTokens is zero
	planTokens    = 8_192 // where LLMPlanner.MaxTokens is zero
)

// needs is what an attempt of the task by the worker has to reserve.
func (m *Machine) needs(k *task, w *chargehand.WorkerSpec, instance string) amount {
	a := amount{m.price(w, instance), m.tokens(k, w)}
	if own := k.spec.Budget.USD; own > 0 && !w.Free {
		a.usd = m.ownLeft(k).usd
	}
	wanted := m.wanted(k)
	return amount{max(a.usd, wanted.usd), max(a.tokens, wanted.tokens)}
}

// wanted is what an attempt before was denied, as far as the subtask's own budget leaves as much.
func (m *Machine) wanted(k *task) amount {
	a, own, left := k.wanted, k.spec.Budget, m.ownLeft(k)
	if own.USD > 0 {
		a.usd = min(a.usd, left.usd)
	}
	if own.Tokens > 0 {
		a.tokens = min(a.tokens, left.tokens)
	}
	return a
}

// price is what one call of a worker costs, which a dynamic instance may say otherwise.
func (m *Machine) price(w *chargehand.WorkerSpec, instance string) chargehand.Micros {
	if w.Spawn != nil && w.Spawn.CostPerCallEstimate > 0 && !w.Free && strings.HasPrefix(instance, w.WorkerID+"+") {
		return w.Spawn.CostPerCallEstimate
	}
	return route.Price(w, m.unpriced().usd)
}

// unpriced is what a call of a worker without a declared price counts as, where the run has a ceiling.
func (m *Machine) unpriced() amount {
	var a amount
	p := m.team.Policy.Unpriced
	if p == nil || !p.Allow {
		return a
	}
	if m.ledger.ceiling.USD > 0 {
		a.usd = p.MaxUSD
	}
	if m.ledger.ceiling.Tokens > 0 {
		a.tokens = p.MaxTokens
	}
	return a
}

// ownLeft is what the subtask's own budget leaves the next attempt. Attempts whose workers have not
// let go may still bill all that is reserved for them.
func (m *Machine) ownLeft(k *task) amount {
	left := amount{k.spec.Budget.USD - k.spent.usd, k.spec.Budget.Tokens - k.spent.tokens}
	for _, a := range k.stopping {
		h := m.ledger.held[forAttempt(chargehand.AttemptRef{Subtask: k.spec.ID, Attempt: a.number})]
		left.usd, left.tokens = left.usd-h.usd, left.tokens-h.tokens
	}
	return amount{max(0, left.usd), max(0, left.tokens)}
}

// bears reports whether the subtask's own budget bears an attempt by the worker. The calls of a
// language model are covered one by one: any rest will do for it to begin.
func (m *Machine) bears(k *task, w *chargehand.WorkerSpec) bool {
	own, left := k.spec.Budget, m.ownLeft(k)
	switch {
	case own == (chargehand.Budget{}) || w == nil || w.Free:
		return true
	case own.USD > 0 && (left.usd == 0 || w.Bills() && route.Price(w, m.unpriced().usd) > left.usd):
		return false
	}
	return own.Tokens == 0 || left.tokens > 0
}

// tokens is what an attempt reserves of the run's tokens: what is left of the subtask's own budget,
// or where there is a ceiling what one call of the worker is taken to consume.
func (m *Machine) tokens(k *task, w *chargehand.WorkerSpec) int64 {
	switch {
	case w.Free:
		return 0
	case k.spec.Budget.Tokens > 0:
		return m.ownLeft(k).tokens
	case m.counted(w):
		return mostAnswer(w) + promptTokens + m.reads(k)/bytesPerToken
	case w.Bills():
		return m.unpriced().tokens
	}
	return 0
}

// counted reports whether a worker's calls have to be reserved in tokens, by what they read.
func (m *Machine) counted(w *chargehand.WorkerSpec) bool {
	return m.ledger.ceiling.Tokens > 0 && w != nil && !w.Free && w.Kind == chargehand.KindLLM
}

func mostAnswer(w *chargehand.WorkerSpec) int64 {
	if w.LLM != nil && w.LLM.MaxTokens > 0 {
		return int64(w.LLM.MaxTokens)
	}
	return answerTokens
}

// longest is how many bytes the longest answer of the workers' models may have.
func (m *Machine) longest(cs []chargehand.Candidate) int64 {
	n := int64(0)
	for _, c := range cs {
		if w := m.team.Worker(c.Worker); m.counted(w) {
			n = max(n, mostAnswer(w)*bytesPerToken)
		}
	}
	return n
}

// reads is how many bytes a task's worker is given to read.
func (m *Machine) reads(k *task) int64 {
	n := int64(len(m.run.objective.Goal)+len(k.spec.Goal)+len(m.input(k))+len(k.correction)) + k.debate.shown()
	for _, d := range m.run.objective.Documents {
		n += d.Size
	}
	if k.synthesis {
		for _, dep := range m.board.order {
			if dep.state.Accepted() {
				n += int64(dep.attempt.size)
			}
		}
		return n
	}
	for _, id := range k.spec.Deps {
		if dep := m.board.tasks[id]; dep != nil {
			n += int64(dep.attempt.size)
		}
	}
	return n
}

// check is what asking the reviewer about an output of so many bytes has to reserve.
func (m *Machine) check(size int64) amount {
	w := m.team.Worker(m.team.Policy.Judge())
	a := amount{usd: m.priceOf(m.team.Policy.Judge(), "")}
	switch {
	case m.counted(w):
		a.tokens = mostAnswer(w) + promptTokens + size/bytesPerToken
	case w != nil && w.Bills() && !w.Free:
		a.tokens = m.unpriced().tokens
	}
	return a
}

// planNeeds is what a call of the planner has to reserve.
func (m *Machine) planNeeds() amount {
	p := &m.team.Planner
	a := amount{usd: p.EstimateUSD}
	if p.Func != "" && !p.Free {
		if a.usd == 0 {
			a.usd = m.unpriced().usd
		}
		a.tokens = m.unpriced().tokens
	}
	if p.LLM == nil || m.ledger.ceiling.Tokens == 0 {
		return a
	}
	if a.tokens = int64(p.LLM.MaxTokens); a.tokens <= 0 {
		a.tokens = planTokens
	}
	o := &m.run.objective
	a.tokens += promptTokens + int64(len(o.Goal)+len(o.Input))/bytesPerToken
	return a
}
