package contractreview

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/teams/contractreview/saboteur"
	"github.com/chargehand/chargehand/worker"
)

//go:embed sample/nordwind-msa.md
var sampleText string

// Sample is an invented contract; sample/README.md tells what is hidden in it.
func Sample() chargehand.Document {
	return chargehand.Document{
		Name: "nordwind-msa.md", MediaType: "text/markdown", Text: sampleText,
		Hash: chargehand.Hash([]byte(sampleText)), Size: int64(len(sampleText)),
	}
}

// A Demonstration is all that a run needs.
type Demonstration struct {
	Team      chargehand.Team
	Workers   worker.Set
	Objective chargehand.Objective
}

// Demo is the review of the sample by a smaller team, two of whose workers are saboteurs (UX.md
// §4): the one that reads the liability cap lies twice, and the first that is asked for data
// protection never answers. Its $0.50 run past 80 % before the last subtask. Money is virtual.
func Demo() Demonstration {
	return Demonstration{demoTeam(), demoWorkers(), chargehand.Objective{
		Title: "Nordwind MSA review", Documents: []chargehand.Document{Sample()},
		Goal: "Summarise the Nordwind master services agreement for publication, with its risks.",
	}}
}

func demoTeam() chargehand.Team {
	t := Team()
	t.Name, t.Version = "contract-review-demo", "1"
	t.Description = "Reviews the sample contract in six subtasks. Two of its workers do harm on purpose."
	t.Workers = demoSpecs()
	t.Policy = chargehand.Policy{
		Version: "legal-high@7", RunConcurrency: 3, Attempts: 3, ReviewTimeout: chargehand.Duration(15 * time.Second),
	}
	t.Planner.Template = demoPlan()
	t.Synthesis.TimeoutMS = demoTimeoutMS
	t.Budget = chargehand.Budget{USD: cents(50)}
	t.Deadline = chargehand.Duration(5 * time.Minute)
	return t
}

// Capabilities that only the demo's saboteurs and their honest twin have.
const (
	capLiability = "clauses.liability"
	capData      = "clauses.data-protection"
)

const (
	demoTimeoutMS  = 20_000
	stallTimeoutMS = 2_500 // what the worker that never answers is given
)

func demoPlan() *chargehand.Plan {
	read := func(id, label, capability string, categories ...string) chargehand.Subtask {
		return chargehand.Subtask{
			ID: id, Label: label, Goal: "Find and quote every clause of this kind, or show that there is none.",
			Capability: capability, OutputContract: contractClauses, RequiredAspects: categories,
			RiskLevel: chargehand.RiskMedium, TimeoutMS: demoTimeoutMS,
		}
	}
	names := read("s1", "Identity and term", capPattern, "Document Name", "Parties", "Agreement Date", "Expiration Date",
		"Renewal Term", "Notice Period to Terminate Renewal", "Governing Law")
	prices := read("s2", "Commercial terms", capPattern, group{id: "commercial"}.categories()...)
	liability := read("s3", "Liability cap", capLiability, "Cap on Liability", "Uncapped Liability")
	liability.Required, liability.Criticality = true, chargehand.Critical
	data := read("s4", "Data protection and control", capData, "Audit Rights", "Change of Control", "Anti-Assignment")
	data.TimeoutMS = stallTimeoutMS
	licences := read("s5", "Licences and IP", capPattern, append(group{id: "license"}.categories(), group{id: "ip"}.categories()...)...)
	again := read("s6", "Control, second reading", capLexical, "Change of Control", "Anti-Assignment")
	again.Deps = []string{data.ID}
	return &chargehand.Plan{
		Subtasks:        []chargehand.Subtask{names, prices, liability, data, licences, again},
		Rationale:       "Five parts of the contract, and a second reading of what decides who may own the other side.",
		ComplexityScore: 0.6,
	}
}

// demoSpecs are the registry entries of the demo. A second reader of a lower tier is there to be
// used once 80 % of the budget is spent.
func demoSpecs() []chargehand.WorkerSpec {
	spec := func(id, capability, contract string, tier int, price float64) chargehand.WorkerSpec {
		return chargehand.WorkerSpec{
			WorkerID: id, Capabilities: []string{capability}, OutputContracts: []string{contract}, Tier: tier,
			AverageLatencyMS: 300, CostPerCallEstimateUSD: cents(price), MaxConcurrentTasks: 2, Idempotent: true,
			MaxRiskLevel: chargehand.RiskHigh,
		}
	}
	return []chargehand.WorkerSpec{
		spec("clause-reader", capPattern, contractClauses, 2, 6),
		spec("liability-reader", capLiability, contractClauses, 1, 5),
		spec("dp-worker-a", capData, contractClauses, 2, 5),
		spec("dp-worker-b", capData, contractClauses, 2, 7.5),
		spec("second-reader", capLexical, contractClauses, 2, 3),
		spec("second-reader-economy", capLexical, contractClauses, 3, 1),
		spec("report-writer", capReport, contractReport, 2, 3),
	}
}

func demoWorkers() worker.Set {
	first, second := worker.Func(newPatternReader().Do), worker.Func(newLexicalReader().Do)
	return worker.Set{
		"clause-reader": first,
		"liability-reader": saboteur.Liar(first, saboteur.Lie{
			True:  "shall not exceed EUR 500,000 in the aggregate",
			False: "shall not exceed EUR 5,000,000 in the aggregate",
			Claim: "Yes, EUR 5,000,000 per contract year",
		}),
		"dp-worker-a":           saboteur.Staller(),
		"dp-worker-b":           first,
		"second-reader":         second,
		"second-reader-economy": second,
		"report-writer":         worker.Func(writeReport),
	}
}

// PlainReport is what a caller without a supervisor makes of the demo: it calls the first worker
// that has the capability, one subtask after the other, believes what it hears, goes on when one
// gives up, and writes the report.
func PlainReport(ctx context.Context) (string, error) {
	d := Demo()
	doc := inputOf(d.Objective.Documents[0])
	var all struct {
		Items []chargehand.Item `json:"items"`
	}
	for _, s := range d.Team.Planner.Template.Subtasks {
		w := firstWith(d.Team.Workers, s.Capability)
		items, err := plainCall(ctx, d.Workers[w], s, doc)
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if err != nil {
			continue
		}
		for _, fields := range items {
			all.Items = append(all.Items, chargehand.Item{Fields: fields, Subtask: s.ID, Attempt: 1, Worker: w})
		}
	}
	aggregate, err := json.Marshal(all)
	if err != nil {
		return "", fmt.Errorf("encode aggregate: %w", err)
	}
	ref := chargehand.InputRef{Name: "aggregate", From: "aggregate", Text: string(aggregate)}
	m, err := gather(chargehand.WorkerTask{InputRefs: []chargehand.InputRef{doc, ref}})
	if err != nil {
		return "", err
	}
	return compose(m).Report.Text, nil
}

func inputOf(d chargehand.Document) chargehand.InputRef {
	return chargehand.InputRef{Hash: d.Hash, Name: d.Name, MediaType: d.MediaType, Size: d.Size, Text: d.Text}
}

func firstWith(specs []chargehand.WorkerSpec, capability string) string {
	for i := range specs {
		if specs[i].Can(capability) {
			return specs[i].WorkerID
		}
	}
	return ""
}

func plainCall(ctx context.Context, w worker.Worker, s chargehand.Subtask, doc chargehand.InputRef) ([]json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(s.TimeoutMS)*time.Millisecond)
	defer cancel()
	r, err := w.Do(ctx, chargehand.WorkerTask{
		TaskID: s.ID, Attempt: 1, Goal: s.Goal, RequiredAspects: s.RequiredAspects, InputRefs: []chargehand.InputRef{doc},
	})
	if err != nil {
		return nil, err
	}
	var out struct {
		Items []json.RawMessage `json:"items"`
	}
	return out.Items, json.Unmarshal(r.Output, &out)
}

// cents is a price in the demo's virtual money.
func cents(n float64) chargehand.Micros { return (chargehand.USD / 100).Times(n) }
