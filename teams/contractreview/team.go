// Package contractreview is the ready-made team "contract-review". It reads a contract for the 41
// categories of the CUAD annotation scheme, reads those that decide risk twice and independently,
// rates risks by declared rules, and writes a report in which every statement leads to a subtask,
// an attempt and a passage.
//
// Its workers are Go functions and call no model: reader.go finds clauses by way of packages
// pattern and lexical, segment.go makes an outline, risk.go rates, report.go writes. What each must
// deliver is in contract.go, who does what in plan.go. Package saboteur has workers that lie and
// stall, for demo.go.
package contractreview

import (
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/worker"
)

// Name of the team.
const Name = "contract-review"

// Team is the team's declaration.
func Team() chargehand.Team {
	return chargehand.Team{
		Name: Name, Version: "1",
		Description: "Reads a contract for 41 kinds of clause, rates its risks and writes a report with the evidence.",
		Workers:     workerSpecs(), Contracts: contracts(),
		Policy: chargehand.Policy{
			Version: Name + "@1", RunConcurrency: 4, Attempts: 3, ReviewTimeout: chargehand.Duration(30 * time.Minute),
		},
		Planner:   chargehand.Planner{Template: plan()},
		Synthesis: synthesis(), Invariants: invariants(),
		Budget:   chargehand.Budget{USD: 1 * chargehand.USD},
		Deadline: chargehand.Duration(30 * time.Minute),
	}
}

func synthesis() *chargehand.Synthesis {
	return &chargehand.Synthesis{
		Capability: capReport, OutputContract: contractReport, TimeoutMS: readTimeoutMS,
		Goal: "Rate the risks by the declared rules and write the report, each statement with its evidence.",
	}
}

// workerSpecs are the registry entries. They call nothing that bills. The readers are not asked again after a rejection: they
// would say the same.
func workerSpecs() []chargehand.WorkerSpec {
	never := false
	return []chargehand.WorkerSpec{
		{
			WorkerID: "pattern-reader", Description: "Finds clauses of all 41 categories by patterns over sentences.",
			Capabilities: []string{capPattern}, OutputContracts: []string{contractClauses}, Tier: 2,
			AverageLatencyMS: 300, Free: true, MaxConcurrentTasks: 4, SupportsParallel: true,
			Idempotent: true, MaxRiskLevel: chargehand.RiskHigh, FailurePolicy: chargehand.FailurePolicy{Retryable: &never},
		},
		{
			WorkerID: "lexical-reader", Description: "Reads the categories that decide risk by weighing words, apart from the first reader.",
			Capabilities: []string{capLexical}, OutputContracts: []string{contractClauses}, Tier: 2,
			AverageLatencyMS: 200, Free: true, MaxConcurrentTasks: 4, SupportsParallel: true,
			Idempotent: true, MaxRiskLevel: chargehand.RiskHigh, FailurePolicy: chargehand.FailurePolicy{Retryable: &never},
		},
		{
			WorkerID: "segmenter", Description: "Lists the sections of a contract.",
			Capabilities: []string{capSegment}, OutputContracts: []string{contractSegments}, Tier: 3,
			AverageLatencyMS: 50, Free: true, MaxConcurrentTasks: 4, SupportsParallel: true,
			Idempotent: true, MaxRiskLevel: chargehand.RiskHigh, FailurePolicy: chargehand.FailurePolicy{Retryable: &never},
		},
		{
			WorkerID: "report-writer", Description: "Rates risks by declared rules and writes the report.",
			Capabilities: []string{capReport}, OutputContracts: []string{contractReport}, Tier: 2,
			AverageLatencyMS: 50, Free: true, MaxConcurrentTasks: 4, SupportsParallel: true,
			Idempotent: true, MaxRiskLevel: chargehand.RiskHigh, FailurePolicy: chargehand.FailurePolicy{Retryable: &never},
		},
	}
}

// Workers are the functions behind the team's workers. Each call makes a set of its own.
func Workers() worker.Set {
	return worker.Set{
		"pattern-reader": worker.Func(newPatternReader().Do),
		"lexical-reader": worker.Func(newLexicalReader().Do),
		"segmenter":      worker.Func(segment),
		"report-writer":  worker.Func(writeReport),
	}
}

// Objective asks for the review of the given documents, which are one contract with its annexes.
func Objective(docs []chargehand.Document) chargehand.Objective {
	o := chargehand.Objective{
		Title: "Contract review", Documents: docs,
		Goal: "Review the contract: find its clauses, rate its risks, and say what is not there.",
	}
	if len(docs) > 0 && docs[0].Name != "" {
		o.Title = "Review of " + docs[0].Name
	}
	return o
}
