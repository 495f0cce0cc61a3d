package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/chargehand/chargehand"
)

// A victim is a process that carries one run out, in a folder that outlives it, and writes down
// every model call that has its answer. It may kill itself on the way.
type victim struct {
	dir   string
	calls string // file that the calls are appended to
	last  int    // after how many it kills itself; zero: never
}

// run starts the folder's run, or takes it up where a killed process left it, and follows it to its
// end. The process is killed with SIGKILL between the last call's answer and its return.
func (v victim) run(ctx context.Context, w workload) (err error) {
	log, err := os.OpenFile(v.calls, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	var mu sync.Mutex
	n := 0
	m := &model{finish: func(c call) {
		mu.Lock()
		defer mu.Unlock()
		if _, err := fmt.Fprintln(log, c.key()); err != nil {
			panic(err) // a call that is not written down would not be counted
		}
		if n++; n == v.last {
			killSelf()
		}
	}}
	e, err := newEngine(ctx, setting{w, m, v.dir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	return v.follow(ctx, e, w)
}

func (v victim) follow(ctx context.Context, e *engine, w workload) error {
	e.order.Key = "the-run"
	final, err := e.run(ctx)
	if err == nil && final != w.final() {
		err = fmt.Errorf("the synthesis says %q, want %q", final, w.final())
	}
	return err
}

// killSelf ends the process as kill -9 does.
func killSelf() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {}
}

// key names the call in a file of calls.
func (c call) key() string {
	return strings.ReplaceAll(fmt.Sprintf("%s task-%d attempt-%d", c.kind, c.task, c.attempt), "task--1 ", "")
}

// finishedCalls are the model calls whose answers a run's journal holds.
func finishedCalls(ctx context.Context, r chargehand.Reader) (map[string]bool, error) {
	runs, err := r.Runs(ctx, chargehand.Filter{Limit: 1})
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	done := map[string]bool{}
	for rec, err := range r.Records(ctx, runs[0].RunID, 0, false) {
		if err != nil {
			return nil, err
		}
		switch f := rec.Fact.(type) {
		case chargehand.PlanAdopted:
			done["plan attempt-1"] = true
		case chargehand.OutputChecked:
			done[callKey("work", "synthesis", f.AttemptRef)] = true
		case chargehand.Judged:
			done[callKey("review", "review of the synthesis", f.AttemptRef)] = true
		}
	}
	return done, nil
}

func callKey(kind, atEnd string, ref chargehand.AttemptRef) string {
	if !strings.HasPrefix(ref.Subtask, "task-") {
		return fmt.Sprintf("%s attempt-%d", atEnd, ref.Attempt)
	}
	return fmt.Sprintf("%s %s attempt-%d", kind, ref.Subtask, ref.Attempt)
}
