package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/teams/contractreview"
	"github.com/chargehand/chargehand/teams/contractreview/lexical"
	"github.com/chargehand/chargehand/worker"
)

// callPlainly does what a caller without a supervisor does: for each contract it calls the team's
// workers one after the other and believes the first output of each. The first result is what the
// first reader says of each contract; the second, what the second reader says of its categories.
func callPlainly(ctx context.Context, contracts []contract) (first, second []reading, err error) {
	caller := plainCaller{contractreview.Team(), contractreview.Workers()}
	plan := caller.team.Planner.Template.Subtasks
	isSecond := func(it chargehand.Item) bool { return it.Worker == secondReader }
	for _, c := range contracts {
		items, err := caller.read(ctx, c)
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", c.file, err)
		}
		r, err := newReading(slices.DeleteFunc(slices.Clone(items), isSecond), plan)
		if err != nil {
			return nil, nil, err
		}
		first = append(first, r)
		r, err = newReading(slices.DeleteFunc(items, func(it chargehand.Item) bool { return !isSecond(it) }), plan)
		if err != nil {
			return nil, nil, err
		}
		second = append(second, r)
	}
	return first, second, nil
}

const secondReader = "lexical-reader"

// secondCategories are what the second reader answers.
func secondCategories() []string { return lexical.Categories() }

type plainCaller struct {
	team    chargehand.Team
	workers worker.Set
}

// read is every item that the workers state of a contract.
func (p plainCaller) read(ctx context.Context, c contract) ([]chargehand.Item, error) {
	doc := chargehand.InputRef{
		Name: c.file, Text: c.text, Hash: chargehand.Hash([]byte(c.text)), Size: int64(len(c.text)),
	}
	var items []chargehand.Item
	for _, s := range p.team.Planner.Template.Subtasks {
		id := p.able(s.Capability)
		res, err := p.workers[id].Do(ctx, chargehand.WorkerTask{
			TaskID: s.ID, Attempt: 1, Goal: s.Goal, RequiredAspects: s.RequiredAspects, InputRefs: []chargehand.InputRef{doc},
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.ID, err)
		}
		var out struct {
			Items []json.RawMessage `json:"items"`
		}
		if err := json.Unmarshal(res.Output, &out); err != nil {
			return nil, fmt.Errorf("%s: decode output: %w", s.ID, err)
		}
		for _, fields := range out.Items {
			items = append(items, chargehand.Item{Fields: fields, Subtask: s.ID, Attempt: 1, Worker: id})
		}
	}
	return items, nil
}

// able is the first worker of the team that has a capability.
func (p plainCaller) able(capability string) string {
	i := slices.IndexFunc(p.team.Workers, func(w chargehand.WorkerSpec) bool { return w.Can(capability) })
	return p.team.Workers[i].WorkerID
}
