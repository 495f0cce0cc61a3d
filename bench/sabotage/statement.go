package main

import (
	"encoding/json"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/gate"
	"github.com/chargehand/chargehand/teams/contractreview"
)

// A statement is one output about one contract: an item of the contract-review team's own contract
// "clauses", or a summary under the contract "brief".
type statement struct {
	contract string // that holds the output: "clauses" or "brief"
	docs     []chargehand.InputRef
	aspect   string
	output   any
	made     string // how, for a reader
}

// An item is an element of an output under the contract "clauses".
type item struct {
	Category   string             `json:"category"`
	Present    bool               `json:"present"`
	Document   string             `json:"document,omitempty"`
	Quote      string             `json:"quote"`
	Start      *int               `json:"start,omitempty"`
	End        *int               `json:"end,omitempty"`
	Answer     string             `json:"answer"`
	Confidence float64            `json:"confidence"`
	Search     *chargehand.Search `json:"search,omitempty"`
}

// quoting is an item that quotes words as standing at an offset.
func quoting(c *contract, category, quote string, start, end int, answer string) item {
	return item{
		Category: category, Present: true, Document: c.doc.Hash, Quote: quote, Start: &start, End: &end,
		Answer: answer, Confidence: 1,
	}
}

// about is the output with one item.
func about(c *contract, it item) statement {
	return statement{
		contract: "clauses", docs: []chargehand.InputRef{c.doc}, aspect: it.Category,
		output: map[string]any{"items": []item{it}},
	}
}

// summing is an output in words.
func summing(c *contract, summary string) statement {
	return statement{contract: "brief", docs: []chargehand.InputRef{c.doc}, output: map[string]any{"summary": summary}, made: summary}
}

// brief is what a team declares of a summary in words: its figures, dates and names stand in the
// document.
var brief = chargehand.Contract{
	Name: "brief", Grounded: []string{"/summary"},
	Schema: json.RawMessage(`{"type":"object","required":["summary"],"properties":{"summary":{"type":"string","minLength":1}}}`),
}

// newGate compiles the team contract-review as it is, with the contract of summaries added.
func newGate() *gate.Gate { return gateOf(contractreview.Team()) }

// newWordlessGate is newGate without the words that the team expects under its categories.
func newWordlessGate() *gate.Gate {
	team := contractreview.Team()
	for i := range team.Contracts {
		if items := team.Contracts[i].Items; items != nil {
			items.Triggers, items.Cues = nil, nil
		}
	}
	return gateOf(team)
}

func gateOf(team chargehand.Team) *gate.Gate {
	team.Contracts = append(team.Contracts, brief)
	g, problems := gate.Compile(&team)
	if len(problems) > 0 {
		panic(problems[0].Message)
	}
	return g
}

// judge puts a statement through the gate. Accepted means without any error or question: with the
// score at which a run takes an output as it is.
func judge(g *gate.Gate, s statement) (chargehand.Verdict, error) {
	body, err := json.Marshal(s.output)
	if err != nil {
		return chargehand.Verdict{}, err
	}
	task := chargehand.WorkerTask{TaskID: "t", Attempt: 1, InputRefs: s.docs, ExpectedOutputContract: s.contract}
	if s.aspect != "" {
		task.RequiredAspects = []string{s.aspect}
	}
	return g.Check(gate.Submission{
		Contract: s.contract, Task: task,
		Result: chargehand.WorkerResult{Status: chargehand.StatusSucceeded, Output: body},
	}), nil
}

// accepted reports whether a run would use the output: accepted, or accepted and flagged.
func accepted(v chargehand.Verdict) bool {
	return v.Recommendation == chargehand.Accept && v.Score >= chargehand.HumanBelow
}
