package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// slow supervises a run of two subtasks: one that its first worker never ends, so that it falls to
// the second at its deadline, and one whose output a person has a short time to look at. It leaves
// the file "waiting" in the world's folder once both are on their way, and writes the run's records.
func slow(dir, outside string) error {
	ctx := context.Background()
	doubtful := 0.3
	e, err := local.Open(ctx, local.Options{Dir: dir, Workers: worker.Set{
		"first": worker.Func(func(ctx context.Context, _ chargehand.WorkerTask) (chargehand.WorkerResult, error) {
			<-ctx.Done()
			return chargehand.WorkerResult{}, context.Cause(ctx)
		}),
		"second": worker.Func(echo),
		"unsure": worker.Func(func(ctx context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
			r, err := echo(ctx, t)
			r.Confidence = &doubtful
			return r, err
		}),
	}})
	if err != nil {
		return err
	}
	run, err := e.Start(ctx, slowOrder())
	if err != nil {
		return err
	}
	var v chargehand.View
	records := []chargehand.Record{}
	for r, err := range e.Records(ctx, run, 0, true) {
		if err != nil {
			return err
		}
		v.Apply(r)
		records = append(records, r)
		if v.NeedsHuman == 1 && len(v.Rows[0].Attempts) == 1 {
			if err := os.WriteFile(filepath.Join(outside, "waiting"), nil, 0o600); err != nil {
				return err
			}
		}
	}
	if err := e.Close(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(records)
}

// patience is how long the run waits for workers and for people.
func patience() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("CHARGEHAND_PATIENCE")); err == nil {
		return d
	}
	return 3 * time.Second
}

func slowOrder() chargehand.Order {
	spec := func(id, capability string, tier int) chargehand.WorkerSpec {
		return chargehand.WorkerSpec{WorkerID: id, Capabilities: []string{capability}, AverageLatencyMS: 1, CostPerCallEstimateUSD: chargehand.Micros(tier)}
	}
	t := chargehand.Team{Name: "slow", Workers: []chargehand.WorkerSpec{spec("first", "c", 1), spec("second", "c", 2), spec("unsure", "u", 1)}}
	t.Policy.ReviewTimeout = chargehand.Duration(patience())
	t.Planner.Template = &chargehand.Plan{Subtasks: []chargehand.Subtask{
		{ID: "stuck", Goal: "do", Capability: "c", TimeoutMS: int(patience().Milliseconds())}, {ID: "doubtful", Goal: "do", Capability: "u"},
	}}
	return chargehand.Order{Team: t, Objective: chargehand.Objective{Goal: "do it"}, StartedBy: "sam", Key: "slow"}
}
