package supervise

import (
	"fmt"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
)

// team is a random team that passes its check, and a first plan for it.
func (d *dice) team(t fataler) (*chargehand.Team, chargehand.Plan) {
	team := &chargehand.Team{Name: "test", Policy: d.policy()}
	for i := range d.between(1, 4) {
		team.Workers = append(team.Workers, d.worker(i))
	}
	team.Workers = append(team.Workers, chargehand.WorkerSpec{
		WorkerID: "all", Capabilities: []string{"x", "y", "judge"},
		CostPerCallEstimateUSD: d.cents(), Tier: 2,
	}, chargehand.WorkerSpec{WorkerID: "spare", Capabilities: []string{"z"}, ToolGrants: []string{"none"}})
	if d.one(2) {
		team.Policy.Reviewer = "all"
	}
	if d.one(2) {
		team.Synthesis = &chargehand.Synthesis{Capability: "y"}
	}
	if by := &team.Policy.Debate.Adjudicate; *by == chargehand.AdjudicateByJudge && team.Policy.Reviewer == "" {
		*by = ""
	}
	plan := chargehand.Plan{Subtasks: d.tasks("s", nil)}
	if d.one(2) {
		team.Planner = chargehand.Planner{Func: "planner", Replan: true, EstimateUSD: d.cents()}
	} else {
		team.Planner.Template = &plan
	}
	for _, p := range team.Check() {
		t.Fatalf("the team is wrong: %s", p)
	}
	return team, plan
}

func (d *dice) cents() chargehand.Micros { return chargehand.Micros(d.below(4)) * 10_000 }

func (d *dice) worker(i int) chargehand.WorkerSpec {
	w := chargehand.WorkerSpec{
		WorkerID:               string(rune('a' + i)),
		Capabilities:           pick(d, []string{"x"}, []string{"y"}, []string{"x", "y"}),
		Tier:                   d.below(4),
		CostPerCallEstimateUSD: d.cents(),
		Idempotent:             d.one(2),
		FailurePolicy:          chargehand.FailurePolicy{Required: d.one(10), MaxAttempts: d.below(3), AllowPartialResult: d.one(2)},
	}
	if d.one(3) {
		no := false
		w.FailurePolicy.Retryable = &no
	}
	if d.one(3) {
		w.FailurePolicy.FallbackWorker = "all"
	}
	if d.one(3) {
		w.Kind, w.Model, w.LLM = chargehand.KindLLM, "some/model", &chargehand.LLMKind{MaxTokens: pick(d, 20, 50)}
	}
	return w
}

func (d *dice) policy() chargehand.Policy {
	ratio := pick(d, 0, 0.2, 0.5, 1)
	return chargehand.Policy{
		RunConcurrency: d.below(5), Attempts: d.below(5), FailureRatio: &ratio,
		OnSubtaskError: pick[chargehand.OnError](d, "", "", chargehand.FailRun),
		AutoDecision:   pick[chargehand.AutoDecision](d, "", chargehand.AutoApprove),
		WhenOnlyWaits:  pick[chargehand.OnWait](d, "", chargehand.WaitForPeople, chargehand.ReturnPartial),
		Conflicts:      pick[chargehand.OnConflict](d, "", chargehand.ReviewConflict),
		Debate: chargehand.Debate{
			Rounds: d.below(4), Always: d.one(2),
			Adjudicate: pick(d, "", chargehand.AdjudicateByRules, chargehand.AdjudicateByJudge, chargehand.AdjudicateByJudge),
		},
	}
}

// tasks are up to six subtasks that depend on earlier ones, or on those given.
func (d *dice) tasks(prefix string, ids []string) []chargehand.Subtask {
	var out []chargehand.Subtask
	for i := range d.between(1, 6) {
		s := chargehand.Subtask{
			ID: prefix + string(rune('1'+i)), Goal: "do", Capability: pick(d, "x", "y"), Priority: d.below(3), Required: d.one(10),
			Criticality: pick[chargehand.Criticality](d, "", chargehand.Critical, chargehand.Simple),
			Effect:      pick[chargehand.Effect](d, "", "", "", chargehand.EffectWrite),
			TimeoutMS:   pick(d, 0, 0, 2_000, 90_000),
			Budget:      chargehand.Budget{USD: d.cents() * chargehand.Micros(d.below(2)), Tokens: pick[int64](d, 0, 0, 100)},
		}
		s.Debate = s.Effect.Reads() && d.one(3)
		if d.one(15) {
			s.ToolGrants = []string{"none"} // that no worker with the capability has
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

func (d *dice) order() chargehand.Order {
	return chargehand.Order{
		Objective: chargehand.Objective{Goal: "the goal", Documents: []chargehand.Document{{Name: "d", Hash: "sha256:d"}}},
		Budget:    chargehand.Budget{USD: pick[chargehand.Micros](d, 0, 0, 60_000, 200_000), Tokens: pick[int64](d, 0, 0, 0, 600, 4_000, 9_000)},
		Deadline:  chargehand.Duration(pick(d, 0, 0, 0, 10*time.Second, 2*time.Hour)),
	}
}

// words is a text that a worker or a client might send; a hostile one sends what no record holds.
func (d *dice) words() string {
	if !d.hostile {
		return pick(d, "", "no", "amount contradicts 9.2")
	}
	return pick(d, "no", "\xff\xfe\x00", strings.Repeat("\x01", 3_000), strings.Repeat(`"long`, 8_000), strings.Repeat("é", 9_999))
}

func (d *dice) many() []string {
	list := make([]string, pick(d, 0, 0, 1, 40))
	for i := range list {
		list[i] = d.words()
	}
	return list
}

// stances are what an output says of a few keys; a hostile one says more than a record holds, of keys
// that are none.
func (d *dice) stances() []chargehand.Stance {
	var out []chargehand.Stance
	for _, key := range []string{"fee", "term", "law"} {
		if d.one(2) {
			out = append(out, chargehand.Stance{Key: key, Says: pick(d, "1", "2", "3")})
		}
	}
	if d.hostile && d.one(3) {
		n := pick(d, 1, 90, 400)
		for i := range n {
			out = append(out, chargehand.Stance{Key: fmt.Sprintf("%.70s%d", d.words(), i), Says: "0123456789ab"})
		}
	}
	return out
}

func (d *dice) usage() chargehand.Usage {
	u := chargehand.Usage{USD: pick[chargehand.Micros](d, 0, 0, 5_000, 10_000, 40_000), InputTokens: pick[int64](d, 0, 50, 100, 300)}
	if d.hostile && d.one(4) {
		u = chargehand.Usage{USD: pick[chargehand.Micros](d, -1_000_000, 1<<62), InputTokens: pick[int64](d, -500, 1<<62), OutputTokens: 1 << 62}
	}
	return u
}

func (d *dice) verdict() chargehand.Verdict {
	words := d.words()
	v := chargehand.Verdict{
		SchemaPass: !d.one(8), Score: pick(d, 0.3, 0.6, 0.65, 0.7, 1, 1, 1, 1), Feedback: words, Reasoning: words, Validator: "gate",
		Recommendation: pick(d, chargehand.Accept, chargehand.Accept, chargehand.Accept, chargehand.Accept, chargehand.Accept,
			chargehand.Reject, chargehand.HumanReview, "", "MAYBE"),
		Confidence: pick(d, 0, 5, 6, 7, 8, 9, 10, 11), Choice: pick(d, 0, 1, 2, 2, 3, -1),
	}
	for range pick(d, 0, 1, 30) {
		v.Issues = append(v.Issues, chargehand.Finding{
			ID: "f", Rule: words, Path: words, Quote: words, Message: words,
			Severity: chargehand.SeverityError, Source: &chargehand.Passage{Document: words, Quote: words},
		})
	}
	if d.one(4) {
		v.Criteria = map[string]bool{words: true}
	}
	return v
}
