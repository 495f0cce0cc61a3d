package chargehand

import (
	"strings"
	"testing"
	"time"
)

func TestRemarks(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Team)
		want   string
	}{
		{"nothing left open", func(*Team) {}, ""},
		{
			"grants of a worker outside", func(t *Team) { first(t).Kind, first(t).ToolGrants = KindHTTP, []string{"files.read"} },
			"$.workers[0].toolGrants: are told to a worker of kind `http`, and nothing holds it to them: its calls are its own (give it no more than it may do anyway)",
		},
		{"grants of a model", func(t *Team) { first(t).Kind, first(t).ToolGrants = KindLLM, []string{"files.read"} }, ""},
		{
			"a model writes the result", func(t *Team) { t.Workers[1].Kind = KindLLM },
			"$.synthesis.outputContract: has no `statements`: a model writes the result, and nothing ties its sentences to what was found (name a contract with `statements`)",
		},
		{"a model writes statements", func(t *Team) {
			t.Workers[1].Kind, t.Synthesis.OutputContract, t.Contracts[0].Statements = KindLLM, "facts", &StatementRule{Path: "/said"}
		}, ""},
		{
			"a run that ends before its reviews", func(t *Team) { t.Deadline, t.Policy.ReviewTimeout = Duration(time.Minute), 0 },
			"$.deadline: is 1m0s, and a review waits for 30m0s: the run ends before the time to decide is over (give the run longer, or set `policy.reviewTimeout` below it)",
		},
		{"a run as long as its reviews", func(t *Team) {
			t.Deadline, t.Policy.ReviewTimeout = Duration(time.Minute), Duration(time.Minute)
		}, ""},
		{
			"a worker that may take a minute", func(t *Team) { first(t).AverageLatencyMS = 0 },
			"$.workers[0].averageLatencyMs: is missing: a subtask of `reader` without `timeoutMs` gets a minute (set it, and such a subtask gets twice that, at least a second)",
		},
		{"deadlines of a plan that has its own", func(t *Team) {
			first(t).AverageLatencyMS = 0
			for i := range t.Planner.Template.Subtasks {
				t.Planner.Template.Subtasks[i].TimeoutMS = 500
			}
		}, ""},
		{"no synthesis", func(t *Team) { t.Workers[1].Kind, t.Synthesis = KindLLM, nil }, ""},
		{
			"tokens that nobody counts", func(t *Team) { first(t).Kind, t.Budget.Tokens = KindA2A, 100 },
			"$.budget.tokens: is a ceiling, and nothing is set aside for the tokens of `reader` before it is called (give its subtasks a `budget.tokens`)",
		},
		{"tokens of a plan that counts them", func(t *Team) {
			first(t).Kind, t.Budget.Tokens = KindA2A, 100
			t.Planner.Template.Subtasks[0].Budget.Tokens = 10
		}, ""},
		{"tokens of a planner", func(t *Team) {
			first(t).Kind, t.Budget.Tokens, t.Planner = KindA2A, 100, Planner{Func: "f"}
		}, "$.budget.tokens: is a ceiling, and nothing is set aside for the tokens of `reader` before it is called (give its subtasks a `budget.tokens`)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			team := sound()
			for i := range team.Workers {
				team.Workers[i].AverageLatencyMS = 1000
			}
			tt.change(team)
			var got []string
			for _, p := range team.Remarks() {
				got = append(got, p.String())
			}
			if text := strings.Join(got, "\n"); text != tt.want {
				t.Errorf("got\n%s\nwant\n%s", text, tt.want)
			}
		})
	}
}
