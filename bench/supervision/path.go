package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/chargehand/chargehand"
)

// The plan whose reviewer is held back: independent subtasks, and some that wait for one of them.
const (
	independent = 8
	dependants  = 2
	narrow      = 2 // subtasks under way at once: with the reviewer in the way only these would begin
)

// A path is what a reviewer that does not answer held up.
type path struct {
	Independent int `json:"independent"`
	Before      int `json:"startedBeforeFirstVerdict"` // of the independent ones, by the journal's order
	Dependants  int `json:"dependants"`
	Waited      int `json:"dependantsThatWaited"` // that began after the verdict they depend on
}

// travel runs the plan with a reviewer that answers nothing before every independent subtask's
// worker was called. If any of them waited for a verdict, none would ever come: patience ends that.
func travel(ctx context.Context) (p *path, err error) {
	const patience = 30 * time.Second
	p = &path{Independent: independent, Dependants: dependants}
	var mu sync.Mutex
	called, all := map[int]bool{}, make(chan struct{})
	m := newModels(0, 0)
	m.before = func(n int, review bool) {
		if review {
			select {
			case <-all:
			case <-time.After(patience):
			}
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if called[n] = true; len(called) == independent {
			select {
			case <-all:
			default:
				close(all)
			}
		}
	}
	s, err := m.start()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var plan []chargehand.Subtask
	for n := range independent {
		plan = append(plan, subtask(n))
	}
	for n := range dependants {
		plan = append(plan, subtask(independent+n, plan[n].ID))
	}
	d, err := supervised(ctx, s, teamOf(cheapModel, narrow), document(independent+dependants), plan)
	if err != nil {
		return nil, err
	}
	p.read(d.records, plan)
	return p, nil
}

// read counts by the order of the records.
func (p *path) read(records []chargehand.Record, plan []chargehand.Subtask) {
	deps := map[string][]string{}
	for i := range plan {
		deps[plan[i].ID] = plan[i].Deps
	}
	begun, accepted := map[string]bool{}, map[string]bool{}
	for _, r := range records {
		switch f := r.Fact.(type) {
		case chargehand.AttemptStarted:
			if begun[f.Subtask] {
				continue
			}
			begun[f.Subtask] = true
			if need := deps[f.Subtask]; len(need) > 0 && accepted[need[0]] {
				p.Waited++
			}
			if len(deps[f.Subtask]) == 0 && len(accepted) == 0 {
				p.Before++
			}
		case chargehand.Judged:
			accepted[f.Subtask] = f.Verdict.Recommendation == chargehand.Accept
		}
	}
}
