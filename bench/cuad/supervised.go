package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/teams/contractreview"
)

// A supervised run is what the engine hands over for one contract.
type supervised struct {
	reading
	contested map[string]bool // categories on which the two readers disagree
}

// supervise reviews all contracts as concurrent runs of one engine, in a temporary folder. A run
// that does not complete is an error: there is nothing to score.
func supervise(ctx context.Context, contracts []contract) (runs []supervised, err error) {
	e, err := local.Open(ctx, local.Options{Workers: contractreview.Workers()})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	var ids []string
	for _, c := range contracts {
		id, err := e.Start(ctx, chargehand.Order{
			Team:      contractreview.Team(),
			Objective: contractreview.Objective([]chargehand.Document{{Name: c.file, Text: c.text}}),
			StartedBy: "bench",
		})
		if err != nil {
			return nil, fmt.Errorf("start the review of %s: %w", c.file, err)
		}
		ids = append(ids, id)
	}
	for i, id := range ids {
		res, err := chargehand.Wait(ctx, e, id)
		if err != nil {
			return nil, fmt.Errorf("wait for the review of %s: %w", contracts[i].file, err)
		}
		run, err := newSupervised(res)
		if err != nil {
			return nil, fmt.Errorf("review of %s: %w", contracts[i].file, err)
		}
		runs = append(runs, run)
	}
	return runs, nil
}

func newSupervised(res *chargehand.Result) (supervised, error) {
	if res.Status != chargehand.RunCompleted {
		return supervised{}, fmt.Errorf("the run ended as %s: %s %v", res.Status, res.StopReason, res.Gaps)
	}
	r, err := newReading(res.Items, contractreview.Team().Planner.Template.Subtasks)
	if err != nil {
		return supervised{}, err
	}
	out := supervised{r, map[string]bool{}}
	for _, c := range res.Conflicts {
		out.contested[c.Key] = true
	}
	return out, nil
}
