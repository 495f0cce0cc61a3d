package supervise

import (
	"strings"

	"github.com/chargehand/chargehand"
)

// A cast is what the head of a script declares: a team, the first plan, and subtasks for later
// ones.
type cast struct {
	team  chargehand.Team
	plan  chargehand.Plan
	later map[string]chargehand.Subtask
}

func newCast() cast {
	return cast{team: chargehand.Team{Name: "test"}, later: map[string]chargehand.Subtask{}}
}

// declare takes one line of a script's head in, and reports whether it is one.
func (c *cast) declare(l line) bool {
	switch l.word(0) {
	case "worker":
		c.team.Workers = append(c.team.Workers, declaredWorker(l))
	case "policy":
		c.team.Policy = declaredPolicy(l)
	case "task":
		c.plan.Subtasks = append(c.plan.Subtasks, declaredTask(l))
	case "later":
		s := declaredTask(l)
		c.later[s.ID] = s
	case "synthesis":
		c.team.Synthesis = &chargehand.Synthesis{Capability: l.word(1)}
	case "route":
		c.team.Routes = append(c.team.Routes, chargehand.Route{
			Capability: l.word(1), Strategy: chargehand.RouteStatic,
			Workers: l.list("workers"),
		})
	case "replan":
		c.team.Planner = chargehand.Planner{Func: "planner", Replan: true, Advice: l.has("advice"), EstimateUSD: l.money("cost")}
	default:
		return false
	}
	return true
}

// complete is the cast with a planner, as the team's check wants it.
func (c cast) complete() cast {
	if c.team.Planner.Func == "" {
		c.team.Planner.Template = &c.plan
	}
	return c
}

// declaredWorker takes 10 s on average unless it says more: its attempts may last 20 s.
func declaredWorker(l line) chargehand.WorkerSpec {
	w := chargehand.WorkerSpec{
		WorkerID: l.word(1), Capabilities: strings.Split(l.word(2), ","), ToolGrants: l.list("grants"), Tier: l.number("tier", 0),
		AverageLatencyMS: max(int(l.duration("latency").Milliseconds()), 10_000), CostPerCallEstimateUSD: l.money("cost"),
		MaxRiskLevel: chargehand.Risk(l.opts["risk"]), Tenants: l.list("tenants"), Idempotent: l.has("idempotent"),
		FailurePolicy: chargehand.FailurePolicy{
			Required: l.has("required"), MaxAttempts: l.number("attempts", 0),
			FallbackWorker: l.opts["fallback"], AllowPartialResult: l.has("partial"),
		},
	}
	w.Free = l.has("free")
	if l.money("spawn-call") > 0 {
		w.Spawn = &chargehand.Spawn{Max: 1, CostPerCallEstimate: l.money("spawn-call")}
	}
	if n := l.number("llm", 0); n > 0 {
		w.Kind, w.Model, w.LLM = chargehand.KindLLM, "some/model", &chargehand.LLMKind{MaxTokens: n, MaxTools: l.number("calls", 0)}
	}
	if l.has("once") {
		no := false
		w.FailurePolicy.Retryable = &no
	}
	return w
}

func declaredPolicy(l line) chargehand.Policy {
	return chargehand.Policy{
		Unpriced:       declaredUnpriced(l),
		RunConcurrency: l.number("concurrency", 0), Attempts: l.number("attempts", 0),
		OnSubtaskError: chargehand.OnError(l.opts["error"]), FailureRatio: l.float("ratio"),
		ReviewTimeout: chargehand.Duration(l.duration("patience")), AutoDecision: chargehand.AutoDecision(l.opts["auto"]),
		WhenOnlyWaits: chargehand.OnWait(l.opts["wait"]), Reviewer: l.opts["reviewer"],
		Conflicts: chargehand.OnConflict(l.opts["conflicts"]), ApprovePlan: l.has("approve-plan"),
		PlanEffects: chargehand.OnEffects(l.opts["plan-effects"]),
		Debate: chargehand.Debate{
			Rounds: l.number("rounds", 0), Adjudicate: chargehand.Adjudication(l.opts["adjudicate"]), Always: l.has("debate"),
		},
	}
}

func declaredUnpriced(l line) *chargehand.Unpriced {
	u := chargehand.Unpriced{Allow: true, MaxUSD: l.money("unpriced"), MaxTokens: int64(l.number("unpriced-tokens", 0))}
	if u.MaxUSD == 0 && u.MaxTokens == 0 {
		return nil
	}
	return &u
}

func declaredTask(l line) chargehand.Subtask {
	s := chargehand.Subtask{
		ID: l.word(1), Goal: "do " + l.word(1), Capability: l.word(2), Deps: l.list("after"), Priority: l.number("priority", 0),
		Criticality: chargehand.Criticality(l.opts["crit"]), Required: l.has("required"), Debate: l.has("debate"), RiskLevel: chargehand.Risk(l.opts["risk"]),
		Effect: chargehand.Effect(l.opts["effect"]), TimeoutMS: int(l.duration("timeout").Milliseconds()),
		RequiredAspects: l.list("aspects"), Replaces: l.list("replaces"), Role: l.opts["role"], Assignee: l.opts["assignee"],
		Budget: chargehand.Budget{USD: l.money("cost"), Tokens: int64(l.number("tokens", 0))},
	}
	if l.has("big") {
		s.Input = []byte(`"` + strings.Repeat("x", 20_000) + `"`)
	}
	return s
}
