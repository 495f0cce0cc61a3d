package contractreview

import (
	_ "embed"

	"github.com/chargehand/chargehand"
)

// capModel is what a language model that reads contracts can do.
const capModel = "clauses.model"

const modelReader = "model-reader"

//go:embed prompt/reader.txt
var readerPrompt string

// WithModels is the team with a reader that is a language model: it reads every group of categories
// as well, under the same contract, and what it says otherwise than the others is a conflict in the
// result. With alone it reads instead of them. Models are those of the tiers; the reader has the
// second. The outline and the report stay the work of functions.
func WithModels(models chargehand.Models, alone bool) chargehand.Team {
	t := Team()
	t.Models = models
	t.Budget.USD = 5 * chargehand.USD
	t.Workers = append(t.Workers, chargehand.WorkerSpec{
		WorkerID: modelReader, Description: "Reads a contract with a language model.",
		Capabilities: []string{capModel}, OutputContracts: []string{contractClauses}, Tier: 2,
		AverageLatencyMS: 30_000, MaxConcurrentTasks: 4, SupportsParallel: true, SupportsStreaming: true, Idempotent: true,
		MaxRiskLevel: chargehand.RiskHigh,
		Kind:         chargehand.KindLLM, LLM: &chargehand.LLMKind{Prompt: readerPrompt, MaxTokens: 16_000},
	})
	t.Planner.Template = planWithModels(alone)
	return t
}

func planWithModels(alone bool) *chargehand.Plan {
	p := plan()
	var readings, rest []chargehand.Subtask
	for _, g := range groups {
		s := reading(g)
		s.Capability = capModel
		if !alone {
			s.ID, s.Label = g.id+"-model", g.label+", read by a model"
		}
		readings = append(readings, s)
	}
	for _, s := range p.Subtasks {
		if !alone || s.Capability != capPattern && s.Capability != capLexical {
			rest = append(rest, s)
		}
	}
	p.Subtasks = append(readings, rest...)
	p.Rationale = "A language model reads each group of categories"
	if alone {
		p.Rationale += ", and an outline is made to cite clauses by."
	} else {
		p.Rationale += " beside the readers that are functions; where they differ a person decides."
	}
	return p
}
