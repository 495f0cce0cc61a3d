package chargehand

import "testing"

// TestCeilingWantsPrices: under a ceiling it is known of each worker what a call may cost (SPEC.md ·90).
//
//guard:unpriced
func TestCeilingWantsPrices(t *testing.T) {
	usd, tokens := Budget{USD: 300_000}, Budget{Tokens: 1_200}
	missing := "$.workers[0].costPerCallEstimateUSD: is missing: the budget of $0.30 is a ceiling, and it is not known what a call of `reader` costs at most " +
		"(declare it, 0 if a call costs nothing, or set `policy.unpriced: {allow: true, maxUSD: ...}` for all workers without a price)"
	uncounted := "$.workers[0].free: is not set: the budget of 1200 tokens is a ceiling, and it is not known how many a call of `reader` uses at most " +
		"(write `free: true` if it uses none, give its subtasks a `budget.tokens`, or set `policy.unpriced: {allow: true, maxTokens: ...}`)"
	for _, c := range []struct {
		name   string
		budget Budget
		change func(*Team)
		want   string
	}{
		{"no ceiling", Budget{}, func(*Team) {}, ""},
		{"undeclared", usd, func(*Team) {}, missing},
		{"a process", usd, func(t *Team) { first(t).Kind = KindExec }, missing},
		{"free", usd, func(t *Team) { first(t).Free = true }, ""},
		{"priced", usd, func(t *Team) { first(t).CostPerCallEstimateUSD = 1 }, ""},
		{"allowed", usd, func(t *Team) { t.Policy.Unpriced = &Unpriced{Allow: true, MaxUSD: 1} }, ""},
		{"allowed, in tokens only", usd, func(t *Team) { t.Policy.Unpriced = &Unpriced{Allow: true, MaxTokens: 1} }, missing},
		{"a model", usd, func(t *Team) { first(t).Kind = KindLLM }, ""},
		{"a tool", usd, func(t *Team) { first(t).Kind = KindMCP }, ""},
		{"bounded by its subtasks", usd, func(t *Team) { t.Planner.Template.Subtasks[0].Budget.USD = 1 }, ""},
		{"bounded, and the reviewer", usd, func(t *Team) {
			t.Planner.Template.Subtasks[0].Budget.USD, t.Policy.Reviewer = 1, "reader"
		}, missing},
		{"tokens", tokens, func(t *Team) { first(t).CostPerCallEstimateUSD = 1 }, uncounted},
		{"tokens bounded", tokens, func(t *Team) { t.Planner.Template.Subtasks[0].Budget.Tokens = 1 }, ""},
		{"tokens free", tokens, func(t *Team) { first(t).Free = true }, ""},
		{"tokens allowed", tokens, func(t *Team) { t.Policy.Unpriced = &Unpriced{Allow: true, MaxTokens: 1} }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			team := sound()
			team.Workers[1].Free = true // both can read; one of them is looked at
			c.change(team)
			if got := lines(team.CheckBudget(c.budget)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if team.Budget = c.budget; lines(team.CheckCeiling()) != c.want {
				t.Errorf("the team's own budget: %s", lines(team.CheckCeiling()))
			}
		})
	}
}

// TestCeilingWantsThePlannersPrice: a planner that is a Go function is no exception.
func TestCeilingWantsThePlannersPrice(t *testing.T) {
	usd, tokens := Budget{USD: 300_000}, Budget{Tokens: 1_200}
	missing := "$.planner.estimateUSD: is missing: the budget of $0.30 is a ceiling, and it is not known what a call of the planner `split` costs at most " +
		"(declare it, or write `free: true` if a call costs nothing, or set `policy.unpriced: {allow: true, maxUSD: ...}`)"
	uncounted := "$.planner.free: is not set: the budget of 1200 tokens is a ceiling, and it is not known how many a call of the planner `split` uses at most " +
		"(write `free: true` if it uses none, or set `policy.unpriced: {allow: true, maxTokens: ...}`)"
	for _, c := range []struct {
		name   string
		budget Budget
		change func(*Team)
		want   string
	}{
		{"no ceiling", Budget{}, func(*Team) {}, ""},
		{"undeclared", usd, func(*Team) {}, missing},
		{"priced", usd, func(t *Team) { t.Planner.EstimateUSD = 1 }, ""},
		{"free", usd, func(t *Team) { t.Planner.Free = true }, ""},
		{"allowed", usd, func(t *Team) { t.Policy.Unpriced = &Unpriced{Allow: true, MaxUSD: 1} }, ""},
		{"allowed, in tokens only", usd, func(t *Team) { t.Policy.Unpriced = &Unpriced{Allow: true, MaxTokens: 1} }, missing},
		{"a model", usd, func(t *Team) { t.Planner = Planner{LLM: &LLMPlanner{}} }, ""},
		{"tokens", tokens, func(t *Team) { t.Planner.EstimateUSD = 1 }, uncounted},
		{"tokens free", tokens, func(t *Team) { t.Planner.Free = true }, ""},
		{"tokens allowed", tokens, func(t *Team) { t.Policy.Unpriced = &Unpriced{Allow: true, MaxTokens: 1} }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			team := sound()
			team.Planner = Planner{Func: "split"}
			for i := range team.Workers {
				team.Workers[i].Free = true
			}
			c.change(team)
			if got := lines(team.CheckBudget(c.budget)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	team := sound()
	team.Planner = Planner{Func: "split", Free: true, EstimateUSD: 1}
	if got := lines(team.Check()); got != "$.planner.free: cannot be: a call costs $0.000001" {
		t.Error(got)
	}
}

// TestUnpricedSaysAMaximum: what is allowed has a maximum, and no more than one action may cost.
func TestUnpricedSaysAMaximum(t *testing.T) {
	for want, p := range map[string]Unpriced{
		"": {Allow: true, MaxUSD: 250_000, MaxTokens: 500},
		"$.policy.unpriced: says no maximum (give `maxUSD`, `maxTokens`, or both: what one call may cost at most)":                  {Allow: true},
		"$.policy.unpriced.allow: is not true: the maximum is for work that is allowed (write `allow: true`, or delete `unpriced`)": {MaxTokens: 1},
		"$.policy.unpriced.maxTokens: must not be negative":                                                                         {Allow: true, MaxTokens: -1},
	} {
		team := sound()
		team.Policy.Unpriced = &p
		if got := lines(team.Check()); got != want {
			t.Errorf("%+v: %s", p, got)
		}
	}
}
