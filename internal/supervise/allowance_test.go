package supervise

import (
	"testing"

	"github.com/chargehand/chargehand"
)

// A worker is told how many calls of tools its attempt may make, and what it may consume (SPEC.md ·2).
func TestAllowance(t *testing.T) {
	cases := []struct {
		name, worker, task, start string
		calls                     int
		budget                    chargehand.Budget
	}{
		{name: "no tools and no ceiling", worker: "cost=0.10"},
		{name: "tools", worker: "grants=files.read", calls: chargehand.DefaultToolCalls},
		{name: "tools of a model that may call them as often as it says", worker: "grants=files.read llm=100 calls=7", calls: 7},
		{name: "of a model that does not say", worker: "grants=files.read llm=100", calls: chargehand.DefaultToolCalls},
		{name: "no tools of a model that says", worker: "llm=100 calls=7"},
		{
			name: "what is reserved below a ceiling of money", worker: "cost=0.10", start: "budget=1.00",
			budget: chargehand.Budget{USD: 100_000},
		},
		{
			name: "and below one of tokens", worker: "llm=100", start: "tokens=50000",
			budget: chargehand.Budget{Tokens: 100 + promptTokens + int64(len("the goal")+len("do s1"))/bytesPerToken},
		},
		{
			name: "the subtask's own goes first", worker: "cost=0.10", task: "cost=0.20 tokens=300", start: "budget=1.00 tokens=50000",
			budget: chargehand.Budget{USD: 200_000, Tokens: 300},
		},
		{name: "also without a ceiling", task: "cost=0.20", budget: chargehand.Budget{USD: 200_000}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newScript(t)
			s.cast.team.Tools = []chargehand.ToolServer{{Name: "files", Command: []string{"files"}}}
			s.run("worker a extract " + c.worker + "\ntask s1 extract " + c.task + "\n\nat 0s start " + c.start + "\nplanned\ngrant s1 a\n----\n")
			task := s.m.launch(s.m.board.tasks["s1"]).Task
			if task.MaxToolCalls != c.calls || task.Budget != c.budget {
				t.Errorf("%d calls and %+v, want %d and %+v", task.MaxToolCalls, task.Budget, c.calls, c.budget)
			}
		})
	}
}
