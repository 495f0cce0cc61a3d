package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
	"strconv"
	"sync"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/bench/overhead/host"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// leave starts runs whose workers do not answer, and kills this process when all are at work.
func leave(ctx context.Context, o options) (any, error) {
	begun := newTally(o.active)
	e, err := local.Open(ctx, local.Options{Dir: o.dir, Workers: worker.Set{"drafter": begun.worker(o.active, false)}})
	if err != nil {
		return nil, err
	}
	var wg sync.WaitGroup
	team := newTeam(o.active)
	errs := make([]error, atOnce)
	for g := range atOnce {
		wg.Go(func() {
			for i := g; i < o.active && errs[g] == nil; i += atOnce {
				_, errs[g] = e.Start(ctx, newOrder(team, i))
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	if err := begun.wait(ctx, o.active); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	return nil, err
}

// A resumed is how a start went over runs that were under way. Times are in milliseconds from the
// start of the process.
type resumed struct {
	Runs  int     `json:"runs"`
	First float64 `json:"first_ms"` // until the first worker is called again
	Open  float64 `json:"open_ms"`  // until the engine is open
	All   float64 `json:"all_ms"`   // until all are
	RSS   float64 `json:"rss_mb"`   // peak
}

// resume opens the folder that leave left behind and waits until every run is pursued again.
func resume(ctx context.Context, o options) (f any, err error) {
	t0, err := strconv.ParseInt(os.Getenv("PARKED_T0_US"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("read when the process was started: %w", err)
	}
	since := func(t time.Time) float64 { return float64(t.UnixMicro()-t0) / 1000 }
	stop, err := startProfile(o.profile)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	again := newTally(o.active)
	e, err := local.Open(ctx, local.Options{Dir: o.dir, Workers: worker.Set{"drafter": again.worker(o.active, true)}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	opened := time.Now()
	if err := again.wait(ctx, o.active); err != nil {
		return nil, err
	}
	return resumed{o.active, since(again.first), since(opened), since(again.last), host.PeakRSS()}, nil
}

// A tally notes which runs call their worker, and when.
type tally struct {
	mu          sync.Mutex
	seen        map[string]bool
	twice       int
	first, last time.Time
	full        chan struct{} // closed when all have
}

func newTally(n int) *tally {
	return &tally{seen: make(map[string]bool, n), full: make(chan struct{})}
}

// worker notes each call of n. It then answers, or waits for its context's end.
func (t *tally) worker(n int, answers bool) worker.Func {
	return func(ctx context.Context, task chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		t.note(task.RunID, n)
		if answers {
			return draft(ctx, task)
		}
		<-ctx.Done()
		return chargehand.WorkerResult{}, context.Cause(ctx)
	}
}

func (t *tally) note(run string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if t.seen[run] {
		t.twice++
		return
	}
	t.seen[run] = true
	if len(t.seen) == 1 {
		t.first = now
	}
	if len(t.seen) == n {
		t.last = now
		close(t.full)
	}
}

// wait returns when n runs have called their worker, each once.
func (t *tally) wait(ctx context.Context, n int) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	select {
	case <-t.full:
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.seen) != n || t.twice > 0 {
		return fmt.Errorf("%d of %d runs called their worker, %d of them more than once", len(t.seen), n, t.twice)
	}
	return nil
}

func startProfile(file string) (stop func() error, err error) {
	if file == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(file)
	if err != nil {
		return nil, fmt.Errorf("write a profile: %w", err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error { pprof.StopCPUProfile(); return f.Close() }, nil
}
