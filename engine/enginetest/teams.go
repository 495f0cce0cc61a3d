package enginetest

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/worker"
)

// document is what the suite's workers read.
const document = "The fee is EUR 500 per month. Either party may end the agreement with 30 days' notice."

func documents() []chargehand.Document {
	return []chargehand.Document{{Name: "agreement.txt", Text: document}}
}

// finding is an item of the suite's contract.
type finding struct {
	Key     string `json:"key"`
	Present bool   `json:"present"`
	Quote   string `json:"quote"`
	Start   int    `json:"start"`
	End     int    `json:"end"`
	Answer  string `json:"answer"`
}

// says is a worker whose answer to every attempt is given by say.
func says(say func(t chargehand.WorkerTask) finding) worker.Func {
	return worker.Typed(func(_ context.Context, _ json.RawMessage, t chargehand.WorkerTask) (map[string]any, error) {
		return map[string]any{"items": []finding{say(t)}}, nil
	})
}

func honest(chargehand.WorkerTask) finding {
	start := strings.Index(document, "EUR 500 per month")
	return finding{"fee", true, "EUR 500 per month", start, start + len("EUR 500 per month"), "EUR 500"}
}

// lying answers with another amount than the one it quotes.
func lying(t chargehand.WorkerTask) finding {
	f := honest(t)
	f.Answer = "EUR 5,000"
	return f
}

var findings = chargehand.Contract{
	Name: "findings",
	Schema: json.RawMessage(`{"type":"object","required":["items"],"additionalProperties":false,"properties":{"items":{"type":"array",
		"items":{"type":"object","required":["key","present"],"properties":{"key":{"type":"string"},"present":{"type":"boolean"},
		"answer":{"type":"string"}}}}}}`),
	Items: &chargehand.ItemRule{Path: "/items"},
}

// team is a team with one worker per capability given, reading the fee.
func team(workers ...chargehand.WorkerSpec) chargehand.Team {
	t := chargehand.Team{Name: "readers", Workers: workers, Contracts: []chargehand.Contract{findings}}
	for i := range t.Workers {
		w := &t.Workers[i]
		w.OutputContracts = []string{"findings"}
		if len(w.Capabilities) == 0 {
			w.Capabilities = []string{"read"}
		}
		if w.AverageLatencyMS == 0 {
			w.AverageLatencyMS = 2000
		}
	}
	t.Planner.Template = &chargehand.Plan{Subtasks: []chargehand.Subtask{subtask("s1")}}
	return t
}

func subtask(id string, deps ...string) chargehand.Subtask {
	return chargehand.Subtask{
		ID: id, Goal: "Find the fee.", Capability: "read", OutputContract: "findings", Deps: deps,
		RequiredAspects: []string{"fee"},
	}
}

func reader(id string) chargehand.WorkerSpec { return chargehand.WorkerSpec{WorkerID: id} }

func order(t chargehand.Team) chargehand.Order {
	return chargehand.Order{Team: t, Objective: chargehand.Objective{Goal: "Say what the document says.", Documents: documents()}}
}
