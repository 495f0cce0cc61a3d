package cli

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/chargehand/chargehand"
)

// A modelForm is what the flags say of language models.
type modelForm struct {
	models []string // "[TIER=]MODEL"
	alone  bool
	judge  string
	prices []string // "MODEL=IN/OUT"
}

func (f *modelForm) register(fl *pflag.FlagSet) {
	fl.StringArrayVar(&f.models, "model", nil, "language model to work with, as [TIER=]PROVIDER/MODEL with tier 1, 2 or 3; may be given more than once")
	fl.BoolVar(&f.alone, "model-alone", false, "have the model work instead of the team's own readers, not beside them")
	fl.StringArrayVar(&f.prices, "price", nil, "what a model of your own costs, as MODEL=IN/OUT in dollars for a million tokens; may be given more than once")
	fl.StringVar(&f.judge, "judge", "", "language model that judges every output that the gate accepts, as PROVIDER/MODEL")
}

// apply is the team with the models that the flags name.
func (a *app) apply(f modelForm, r Ready) (Ready, error) {
	m, err := a.tiers(f.models)
	if err != nil {
		return r, err
	}
	models := m.models
	switch {
	case models == (chargehand.Models{}) && f.alone:
		return r, usage("--model-alone needs a model", "name one with --model PROVIDER/MODEL")
	case models == (chargehand.Models{}):
	case r.WithModels != nil:
		r.Team = r.WithModels(models, f.alone)
	case f.alone:
		return r, usage("--model-alone is not for the team "+r.Team.Name, "its file says who works")
	case !takesModels(&r.Team) && f.judge == "":
		return r, usage("the team "+r.Team.Name+" has nobody who works with a language model",
			"add a worker with `kind: llm`, or a planner with `llm: {}`, to its file")
	default:
		r.Team = remodelled(r.Team, models)
	}
	if len(f.models) > 0 {
		if err := a.seated(&r.Team, m); err != nil {
			return r, err
		}
	}
	if f.judge != "" {
		ref, err := a.model("--judge", f.judge)
		if err != nil {
			return r, err
		}
		r.Team = judged(r.Team, ref)
	}
	r.Team, err = f.priced(a, r.Team)
	return r, err
}

// model is a model's name in full. One without a provider is looked up by its name.
func (a *app) model(flag, name string) (string, error) {
	if strings.TrimSpace(name) == "" {
		return "", usage(flag+" is empty", "name a model, such as "+flag+" anthropic/claude-sonnet-4-5")
	}
	if a.Model == nil {
		return name, nil
	}
	return a.Model(name)
}

func takesModels(t *chargehand.Team) bool {
	return t.Planner.LLM != nil || slices.ContainsFunc(t.Workers, func(w chargehand.WorkerSpec) bool { return w.Kind == chargehand.KindLLM })
}

// remodelled is the team with the models of the tiers replaced that are named, also where workers name
// their own.
func remodelled(t chargehand.Team, m chargehand.Models) chargehand.Team {
	t.Models = over(m, t.Models)
	named := func(tier int) bool { return m.Of(tier) != "" && m.Of(tier) == t.Models.Of(tier) }
	t.Workers = slices.Clone(t.Workers)
	for i := range t.Workers {
		if w := &t.Workers[i]; w.Kind == chargehand.KindLLM && named(w.Tier) {
			w.Model = ""
		}
	}
	if t.Planner.LLM != nil && named(1) {
		p := *t.Planner.LLM
		p.Model, t.Planner.LLM = "", &p
	}
	return t
}

const judgeID = "judge"

// judged is the team with a language model as its reviewer.
func judged(t chargehand.Team, ref string) chargehand.Team {
	id := judgeID
	for t.Worker(id) != nil {
		id += "-model"
	}
	t.Workers = append(slices.Clone(t.Workers), chargehand.WorkerSpec{
		WorkerID: id, Description: "Judges outputs that the gate has accepted.", Capabilities: []string{"judging"}, Model: ref, Tier: 3,
		AverageLatencyMS: 10_000, MaxConcurrentTasks: 4, MaxRiskLevel: chargehand.RiskCritical, Kind: chargehand.KindLLM,
		LLM: &chargehand.LLMKind{MaxTokens: 2_000},
	})
	t.Policy.Reviewer = id
	return t
}
