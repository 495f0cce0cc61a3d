package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// floor is the run in bare Go: a goroutine for each subtask, a pool of slots, and a log that it
// waits for before it goes on. It supervises nothing.
type floor struct {
	workload workload
	model    *model
	pool     *pool
	log      changeLog
	runs     atomic.Int64
}

// A changeLog keeps what changed. keep returns when the change is as safe as the log makes it.
type changeLog interface {
	keep(ctx context.Context, c change) error
	commits() int64
	close() error
}

// A change is one step of a run or of a subtask.
type change struct {
	run     int64
	kind    string
	task    string
	attempt int
	body    []byte
}

// forgetful is the log of the floor that stores nothing.
type forgetful struct{}

func (forgetful) keep(context.Context, change) error { return nil }
func (forgetful) commits() int64                     { return 0 }
func (forgetful) close() error                       { return nil }

func newFloor(s setting, log changeLog) *floor {
	workers, slots := s.workload.pool()
	return &floor{workload: s.workload, model: s.model, pool: newPool(workers, slots), log: log}
}

func (f *floor) commits() int64 { return f.log.commits() }

func (f *floor) close() error { return f.log.close() }

func (f *floor) run(ctx context.Context) (string, error) {
	id := f.runs.Add(1)
	if err := f.log.keep(ctx, change{run: id, kind: "run started"}); err != nil {
		return "", err
	}
	b := f.model.plan(f.workload.subtasks)
	tasks, err := readPlan(b)
	if err != nil {
		return "", err
	}
	if err := f.log.keep(ctx, change{run: id, kind: "planned", body: b}); err != nil {
		return "", err
	}
	outputs, err := f.dispatch(ctx, id, tasks)
	if err != nil {
		return "", err
	}
	if err := f.log.keep(ctx, change{run: id, kind: "synthesis started"}); err != nil {
		return "", err
	}
	final := f.model.synthesize(strings.Join(outputs, "\n"))
	if err := f.log.keep(ctx, change{run: id, kind: "synthesized", body: []byte(final)}); err != nil {
		return "", err
	}
	return final, f.log.keep(ctx, change{run: id, kind: "run ended"})
}

// dispatch carries all subtasks out at once and returns their accepted outputs.
func (f *floor) dispatch(ctx context.Context, run int64, tasks []planned) ([]string, error) {
	outputs, errs := make([]string, len(tasks)), make([]error, len(tasks))
	var wg sync.WaitGroup
	for i, t := range tasks {
		wg.Go(func() { outputs[i], errs[i] = f.subtask(ctx, run, i, t) })
	}
	wg.Wait()
	return outputs, errors.Join(errs...)
}

const floorAttempts = 3

// subtask tries until the reviewer accepts.
func (f *floor) subtask(ctx context.Context, run int64, i int, t planned) (string, error) {
	feedback := ""
	for attempt := 1; attempt <= floorAttempts; attempt++ {
		out, err := f.attempt(ctx, run, t, attempt, feedback)
		if err != nil {
			return "", err
		}
		if !strings.Contains(out[:min(len(out), 60)], opening(i, attempt)) || len(out) != answerSize {
			return "", fmt.Errorf("%s: the output is not what was asked for", t.ID)
		}
		o, err := f.judge(ctx, run, t, attempt, out)
		if err != nil || o.Accept {
			return out, err
		}
		feedback = o.Feedback
	}
	return "", fmt.Errorf("%s: rejected %d times", t.ID, floorAttempts)
}

func (f *floor) attempt(ctx context.Context, run int64, t planned, attempt int, feedback string) (string, error) {
	slot := f.pool.take()
	defer f.pool.put(slot)
	if err := f.log.keep(ctx, change{run, "started", t.ID, attempt, strconv.AppendInt(nil, int64(slot), 10)}); err != nil {
		return "", err
	}
	out, err := f.model.work(workPrompt(t.ID, attempt, t.Goal, feedback))
	if err != nil {
		return "", err
	}
	return string(out), f.log.keep(ctx, change{run, "output", t.ID, attempt, out})
}

func (f *floor) judge(ctx context.Context, run int64, t planned, attempt int, out string) (opinion, error) {
	b, err := f.model.review(reviewPrompt(t.ID, attempt, t.Goal, out))
	if err != nil {
		return opinion{}, err
	}
	o, err := readOpinion(b)
	if err != nil {
		return opinion{}, err
	}
	return o, f.log.keep(ctx, change{run, "judged", t.ID, attempt, b})
}

// pool is workers with slots, shared by all runs: first come, first served, on the worker with most
// room.
type pool struct {
	mu      sync.Mutex
	free    []int // slots, by worker
	waiting []chan int
}

func newPool(workers, slots int) *pool {
	p := &pool{free: make([]int, workers)}
	for i := range p.free {
		p.free[i] = slots
	}
	return p
}

// take waits for a slot and says on which worker it is.
func (p *pool) take() int {
	p.mu.Lock()
	best := 0
	for i, n := range p.free {
		if n > p.free[best] {
			best = i
		}
	}
	if p.free[best] > 0 {
		p.free[best]--
		p.mu.Unlock()
		return best
	}
	c := make(chan int, 1)
	p.waiting = append(p.waiting, c)
	p.mu.Unlock()
	return <-c
}

func (p *pool) put(worker int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) == 0 {
		p.free[worker]++
		return
	}
	next := p.waiting[0]
	p.waiting = p.waiting[1:]
	next <- worker
}
