package sim

import (
	"fmt"
	"time"

	"github.com/chargehand/chargehand"
)

// scarcely makes the team one worker's, with a slot or two that all runs want at once.
func scarcely(d dice, team *chargehand.Team) {
	w := &team.Workers[0]
	w.MaxConcurrentTasks, w.Min, w.Max, w.Spawn, w.FailurePolicy.FallbackWorker = pick(d, 1, 1, 2), 0, 0, nil, ""
	team.Workers, team.Policy.Reviewer, team.Policy.RunConcurrency = team.Workers[:1], "", 4
	team.Policy.Debate = chargehand.Debate{} // there is no second
}

// alike makes subtasks all the same, so that nothing but the queue decides who goes first.
func alike(d dice, list []chargehand.Subtask) {
	for i := range list {
		list[i] = chargehand.Subtask{ID: list[i].ID, Goal: "do", Capability: "x", Priority: d.IntN(2)}
	}
}

// draw makes a small team that passes its check, and the plan that its planner makes first.
func draw(d dice) (*chargehand.Team, chargehand.Plan) {
	team := &chargehand.Team{
		Name: "drawn", Version: "1", Contracts: contracts(), Policy: drawPolicy(d),
		Tools: []chargehand.ToolServer{{Name: "files", Command: []string{"files"}}}, // for those that are granted some of its tools
	}
	n := d.between(1, 3)
	for i := range n {
		team.Workers = append(team.Workers, drawWorker(d, string(rune('a'+i))))
	}
	team.Workers[0].Capabilities = []string{"x", "y"}
	team.Workers = append(team.Workers, chargehand.WorkerSpec{WorkerID: "spare", Capabilities: []string{"z"}, ToolGrants: []string{"none"}, Free: true})
	if d.one(2) {
		team.Workers[0].WorkerID = "all"
	}
	for i := 1; i < n; i++ {
		if d.one(3) {
			team.Workers[i].FailurePolicy.FallbackWorker = team.Workers[0].WorkerID
		}
	}
	if d.one(3) {
		team.Policy.Reviewer = "judge"
		team.Workers = append(team.Workers, chargehand.WorkerSpec{WorkerID: "judge", Capabilities: []string{"judge"}, CostPerCallEstimateUSD: cents(d), Tier: 3})
	}
	if d.one(2) {
		argues(d, team)
	}
	if d.one(3) {
		team.Synthesis = &chargehand.Synthesis{Capability: "y", OutputContract: pick(d, "", "note")}
	}
	plan := chargehand.Plan{Subtasks: usual.tasks(d, "s"), ComplexityScore: 0.5}
	if team.Policy.Debate.Always && d.one(2) {
		contend(plan.Subtasks)
	}
	switch d.IntN(3) {
	case 0:
		team.Planner = chargehand.Planner{Func: "plan", Replan: d.one(2), EstimateUSD: cents(d), Advice: d.one(3)}
	default:
		team.Planner.Template = &plan
	}
	if d.one(5) {
		team.Routes = []chargehand.Route{{Capability: "x", Strategy: pick(d, chargehand.RouteLoad, chargehand.RouteCapability)}}
	}
	return team, plan
}

func cents(d dice) chargehand.Micros { return chargehand.Micros(d.IntN(4)) * 10_000 }

func drawPolicy(d dice) chargehand.Policy {
	p := chargehand.Policy{
		RunConcurrency: pick(d, 0, 0, 1, 2, 4), Attempts: pick(d, 0, 0, 1, 2, 4),
		OnSubtaskError: pick[chargehand.OnError](d, "", "", "", chargehand.FailRun),
		AutoDecision:   pick[chargehand.AutoDecision](d, "", chargehand.AutoApprove),
		WhenOnlyWaits:  pick[chargehand.OnWait](d, "", "", chargehand.WaitForPeople, chargehand.ReturnPartial),
		Conflicts:      pick[chargehand.OnConflict](d, "", chargehand.ReviewConflict),
		Queue:          pick(d, "", chargehand.QueueFair, chargehand.QueueOldest, chargehand.QueueDeadline),
		ReviewTimeout:  chargehand.Duration(pick(d, 0, time.Minute, 10*time.Minute)),
		Profile:        pick(d, "", "", chargehand.ProfileDataAnalysis, chargehand.ProfileCritical),
	}
	p.ApprovePlan = d.one(6)
	if d.one(3) {
		p.Unpriced = &chargehand.Unpriced{Allow: true, MaxUSD: pick[chargehand.Micros](d, 10_000, 30_000), MaxTokens: pick[int64](d, 60, 100)}
	}
	if d.one(3) {
		ratio := float64(d.IntN(21)) / 20
		p.FailureRatio = &ratio
	}
	return p
}

func drawWorker(d dice, name string) chargehand.WorkerSpec {
	w := chargehand.WorkerSpec{
		WorkerID: name, Capabilities: pick(d, []string{"x"}, []string{"y"}, []string{"x", "y"}, []string{"x", "y"}),
		Tier: d.IntN(4), CostPerCallEstimateUSD: cents(d), AverageLatencyMS: pick(d, 0, 200, 1_000, 5_000),
		MaxConcurrentTasks: pick(d, 0, 1, 2, 3), Idempotent: d.one(3), ToolGrants: []string{"files.read"},
		FailurePolicy: chargehand.FailurePolicy{Required: d.one(15), MaxAttempts: pick(d, 0, 0, 0, 1, 2), AllowPartialResult: d.one(3)},
	}
	if d.one(4) {
		no := false
		w.FailurePolicy.Retryable = &no
	}
	if d.one(8) {
		w.Free, w.CostPerCallEstimateUSD = true, 0
	}
	if d.one(4) {
		w.Kind, w.Model, w.LLM = chargehand.KindLLM, "some/model", &chargehand.LLMKind{MaxTokens: pick(d, 20, 200)}
	}
	if d.one(3) {
		w.Min, w.Max = pick(d, 0, 1, 2), pick(d, 0, 2, 3)
	}
	if d.one(3) {
		w.Spawn = &chargehand.Spawn{Max: d.between(1, 2), EstimateUSD: cents(d), CostPerCallEstimate: cents(d)}
		if w.Free {
			w.Spawn.CostPerCallEstimate = 0
		}
	}
	if d.one(3) {
		w.HealthEndpoint = "http://127.0.0.1/" + name
	}
	return w
}

// A palette is what subtasks are drawn from.
type palette struct{ capabilities, contracts []string }

var usual = palette{[]string{"x", "y"}, []string{"", "note", "facts", "facts", "sum"}}

// paletteOf is what a team's workers can do.
func paletteOf(t *chargehand.Team) palette {
	p := palette{contracts: []string{""}}
	for i := range t.Workers {
		p.capabilities = append(p.capabilities, t.Workers[i].Capabilities...)
	}
	for i := range t.Contracts {
		p.contracts = append(p.contracts, t.Contracts[i].Name)
	}
	return p
}

// tasks are up to five subtasks that may depend on earlier ones.
func (p palette) tasks(d dice, prefix string) []chargehand.Subtask {
	var ids []string
	var out []chargehand.Subtask
	for i := range d.between(1, pick(d, 2, 3, 5)) {
		s := chargehand.Subtask{
			ID: fmt.Sprintf("%s%d", prefix, i+1), Goal: "do", Capability: pick(d, p.capabilities...), Priority: d.IntN(3), Required: d.one(10),
			Criticality:    pick(d, "", chargehand.Critical, chargehand.Simple),
			Effect:         pick(d, "", "", "", chargehand.EffectWrite),
			OutputContract: pick(d, p.contracts...),
			TimeoutMS:      pick(d, 0, 0, 0, 8_000, 30_000),
		}
		if d.one(8) {
			s.Budget = chargehand.Budget{USD: cents(d), Tokens: pick(d, int64(0), 100)}
		}
		s.Debate = s.Effect.Reads() && d.one(4)
		if d.one(20) {
			s.ToolGrants = []string{"none"} // that no worker with the capability has
		}
		if s.OutputContract == "facts" {
			s.RequiredAspects = pick(d, nil, []string{"term"}, []string{"term", "fee", "notice"})
		}
		for _, id := range ids {
			if d.one(4) {
				s.Deps = append(s.Deps, id)
			}
		}
		ids = append(ids, s.ID)
		out = append(out, s)
	}
	return out
}

// drawOrder is a run's order; its ceilings are drawn by the fault of that name.
func drawOrder(d dice) chargehand.Order {
	return chargehand.Order{
		Objective: chargehand.Objective{
			Goal:      "read the lease",
			Documents: []chargehand.Document{{Name: "lease", MediaType: "text/plain", Hash: sourceHash, Size: int64(len(source))}},
		},
		Deadline:  chargehand.Duration(pick(d, 0, 0, 0, 0, 20*time.Second, 2*time.Hour)),
		Tenant:    pick(d, "", "", "north", "south"),
		StartedBy: "ana",
	}
}
