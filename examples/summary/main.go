// Command summary supervises one worker that summarises a text, under a contract that its answer
// has to keep.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	summarise := worker.Typed(func(_ context.Context, _ json.RawMessage, t chargehand.WorkerTask) (map[string]string, error) {
		first, _, _ := strings.Cut(t.InputRefs[0].Text, ".")
		return map[string]string{"summary": first + "."}, nil
	})
	team := chargehand.Team{
		Name:    "summary",
		Workers: []chargehand.WorkerSpec{{WorkerID: "summarise", Capabilities: []string{"summarise"}}},
		Contracts: []chargehand.Contract{{
			Name:     "summary",
			Schema:   json.RawMessage(`{"type": "object", "required": ["summary"]}`),
			Grounded: []string{"/summary"}, // every figure and name must stand in the text
			Rules:    []chargehand.Rule{{ID: "short", CEL: "size(output.summary) < 200", Message: "The summary is too long."}},
		}},
		Policy: chargehand.Policy{WhenOnlyWaits: chargehand.ReturnPartial}, // do not wait for a person
		Planner: chargehand.Planner{Template: &chargehand.Plan{Subtasks: []chargehand.Subtask{
			{ID: "s1", Goal: "Summarise the text.", Capability: "summarise", OutputContract: "summary"},
		}}},
	}
	engine, err := local.Open(ctx, local.Options{Workers: worker.Set{"summarise": summarise}})
	if err != nil {
		return err
	}
	defer engine.Close()
	id, err := engine.Start(ctx, chargehand.Order{Team: team, Objective: chargehand.Objective{
		Goal:      "Summarise the text.",
		Documents: []chargehand.Document{{Name: "text", Text: "The fee is EUR 500. It is due on 1 May 2027."}},
	}})
	if err != nil {
		return err
	}
	result, err := chargehand.Wait(ctx, engine, id)
	if err != nil {
		return err
	}
	for _, gap := range result.Gaps {
		fmt.Println("gap:", gap.Label, gap.Why)
	}
	fmt.Println(result.Status, string(result.Output))
	return nil
}
