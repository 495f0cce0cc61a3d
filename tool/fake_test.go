package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/chargehand/chargehand"
)

// A shop is a source of tools in this process.
type shop struct {
	mu    sync.Mutex
	tools []Definition
	calls []string // "name key arguments"
	do    func(n int, name string, args json.RawMessage) (Answer, error)
}

func (s *shop) Tools(context.Context) ([]Definition, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Definition(nil), s.tools...), nil
}

func (s *shop) Call(ctx context.Context, name string, args json.RawMessage, key string) (Answer, error) {
	s.mu.Lock()
	s.calls = append(s.calls, fmt.Sprintf("%s %s %s", name, key, args))
	n, do := len(s.calls), s.do
	s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	if do == nil {
		return Answer{Text: "done"}, nil
	}
	return do(n, name, args)
}

func (s *shop) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}

// change redefines a tool.
func (s *shop) change(name string, f func(*Definition)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.tools {
		if s.tools[i].Name == name {
			f(&s.tools[i])
		}
	}
}

const objectOf = `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`

// files is a server that reads, writes, deletes and pays.
func files() *shop {
	s := &shop{}
	for _, name := range []string{"read", "write", "append", "delete", "pay"} {
		s.tools = append(s.tools, Definition{Name: "files." + name, Description: name + " a file", Schema: json.RawMessage(objectOf)})
	}
	return s
}

func team() *chargehand.Team {
	return &chargehand.Team{Tools: []chargehand.ToolServer{{Name: "files", Tools: map[string]chargehand.ToolPolicy{
		"read":   {Effect: chargehand.EffectRead},
		"write":  {Effect: chargehand.EffectWrite},
		"append": {Effect: chargehand.EffectWrite, Idempotent: true},
		"delete": {Effect: chargehand.EffectIrreversible},
		"pay":    {Effect: chargehand.EffectPayment},
	}}}}
}

func task(effect chargehand.Effect, allowed ...string) *chargehand.WorkerTask {
	return &chargehand.WorkerTask{RunID: "run1", TaskID: "t1", Attempt: 1, Effect: effect, AllowedTools: allowed}
}

func belt(t *testing.T, s *shop, opt Options) *Belt {
	t.Helper()
	b, err := NewBelt(team(), map[string]Source{"files": s}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func executor(t *testing.T, b *Belt, task *chargehand.WorkerTask) *Executor {
	t.Helper()
	x, err := b.Executor(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}
