package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/bench/overhead/host"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// A filled is how the runs were made that wait.
type filled struct {
	Runs    int     `json:"runs"`
	Short   bool    `json:"short"` // fewer than asked for: the disk has no room for more
	PerSec  float64 `json:"runsPerSecond"`
	PeakRSS float64 `json:"peakRSS_MB"`
}

const (
	atOnce = 256      // runs being made
	spare  = 20 << 30 // bytes the disk must keep free
)

// fill makes the runs and brings each to where it waits for a person.
func fill(ctx context.Context, o options) (any, error) {
	e, err := local.Open(ctx, local.Options{Dir: o.dir, Workers: worker.Set{"drafter": worker.Func(draft)}})
	if err != nil {
		return nil, err
	}
	var next, made atomic.Int64
	var short atomic.Bool
	team := newTeam(atOnce)
	errs := make([]error, atOnce)
	begun := time.Now()
	var wg sync.WaitGroup
	for g := range atOnce {
		wg.Go(func() {
			for {
				i := int(next.Add(1))
				if i > o.runs || short.Load() {
					return
				}
				if i%1000 == 0 && host.Free(o.dir) < spare {
					short.Store(true)
				}
				if errs[g] = parkOne(ctx, e, newOrder(team, i)); errs[g] != nil {
					short.Store(true)
					return
				}
				made.Add(1)
			}
		})
	}
	wg.Wait()
	n := int(made.Load())
	f := filled{n, n < o.runs, float64(n) / time.Since(begun).Seconds(), host.PeakRSS()}
	return f, errors.Join(append(errs, e.Close())...)
}

// parkOne starts a run and follows it until it waits for a review.
func parkOne(ctx context.Context, e *local.Engine, o chargehand.Order) error {
	id, err := e.Start(ctx, o)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for r, err := range e.Records(ctx, id, 0, true) {
		if err != nil {
			return err
		}
		if _, ok := r.Fact.(chargehand.ReviewOpened); ok {
			return nil
		}
	}
	return fmt.Errorf("run %s ended without a review", id)
}
