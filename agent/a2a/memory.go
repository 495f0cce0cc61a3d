package a2a

import (
	"sync"

	"github.com/chargehand/chargehand"
)

// ids are what is known of one attempt's task at an agent.
type ids struct {
	begun bool   // the message may have reached the agent
	task  string // the agent's id of the task; empty while it is not known
}

// memory is what of the attempts in this process has been sent. The zero value is ready.
type memory struct {
	mu   sync.Mutex
	sent map[string]*ids   // by idempotency key
	held map[string]string // by run and subtask: a task that waits for a person, so that the next attempt looks at it
	old  []string          // keys of sent, oldest first
}

// mostSent is how many attempts are remembered.
const mostSent = 4096

// of is what is known of an attempt. The next attempt at a subtask whose task waits for a person
// begins with that task.
func (m *memory) of(t chargehand.WorkerTask) *ids {
	m.mu.Lock()
	defer m.mu.Unlock()
	if have := m.sent[t.IdempotencyKey]; have != nil {
		return have
	}
	if m.sent == nil {
		m.sent, m.held = map[string]*ids{}, map[string]string{}
	}
	if len(m.old) >= mostSent {
		delete(m.sent, m.old[0])
		m.old = m.old[1:]
	}
	known := &ids{}
	if held := m.held[subtask(t)]; held != "" {
		*known = ids{true, held}
		delete(m.held, subtask(t))
	}
	m.sent[t.IdempotencyKey], m.old = known, append(m.old, t.IdempotencyKey)
	return known
}

// hold keeps a task that waits for a person for the subtask's next attempt.
func (m *memory) hold(t chargehand.WorkerTask, task string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.held) >= mostSent {
		clear(m.held)
	}
	m.held[subtask(t)] = task
}

func subtask(t chargehand.WorkerTask) string { return t.RunID + "/" + t.TaskID }
