package supervise

import (
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
func (m *Machine) needs(k *task, w *chargehand.WorkerSpec) amount {
	a := amount{route.Cost(w, k.spec), m.tokens(k, w)}
	return amount{max(a.usd, k.wanted.usd), max(a.tokens, k.wanted.tokens)}
}

// tokens is what an attempt reserves of the run's tokens: the subtask's own budget, or what one
// call of the worker's model is taken to consume where there is a ceiling.
func (m *Machine) tokens(k *task, w *chargehand.WorkerSpec) int64 {
	switch {
	case k.spec.Budget.Tokens > 0:
		return k.spec.Budget.Tokens
	case !m.counted(w):
		return 0
	}
	return mostAnswer(w) + promptTokens + m.reads(k)/bytesPerToken
}

// counted reports whether a worker's calls have to be reserved in tokens.
func (m *Machine) counted(w *chargehand.WorkerSpec) bool {
	return m.ledger.ceiling.Tokens > 0 && w != nil && w.Kind == chargehand.KindLLM
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
	a := amount{usd: m.priceOf(m.team.Policy.Judge())}
	if m.counted(w) {
		a.tokens = mostAnswer(w) + promptTokens + size/bytesPerToken
	}
	return a
}

// planNeeds is what a call of the planner has to reserve.
func (m *Machine) planNeeds() amount {
	p := &m.team.Planner
	a := amount{usd: p.EstimateUSD}
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
