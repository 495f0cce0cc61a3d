package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/bench/overhead/host"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

// A woken is what a process found that opened the folder of waiting runs. Times are in
// milliseconds, memory in MB.
type woken struct {
	Open     float64 `json:"open_ms"`
	RSS      float64 `json:"rss_mb"`       // peak, with all runs waiting
	Decide   float64 `json:"decide_ms"`    // from a decision to its record, the median
	DecideAt float64 `json:"decideMax_ms"` // the slowest
	End      float64 `json:"end_ms"`       // from a decision to the run's end, the median
	PeakRSS  float64 `json:"peakRSS_mb"`   // at the end
	Waiting  int     `json:"waiting"`      // runs that still wait, out of those looked at
}

// wake opens the folder and decides the reviews of some runs.
func wake(ctx context.Context, o options) (w any, err error) {
	begun := time.Now()
	e, err := local.Open(ctx, local.Options{Dir: o.dir, Workers: worker.Set{"drafter": worker.Func(draft)}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	f := woken{Open: milliseconds(time.Since(begun)), RSS: host.PeakRSS()}
	reviews, err := e.Reviews(ctx)
	if err != nil {
		return f, err
	}
	if len(reviews) < min(o.wakes, o.runs) {
		return f, fmt.Errorf("%d reviews wait, want at least %d", len(reviews), o.wakes)
	}
	var decided, ended []time.Duration
	for _, r := range reviews[:min(o.wakes, len(reviews))] {
		d, all, err := wakeOne(ctx, e, r)
		if err != nil {
			return f, fmt.Errorf("wake %s: %w", r.RunID, err)
		}
		decided, ended = append(decided, d), append(ended, all)
	}
	f.Decide, f.DecideAt = milliseconds(median(decided)), milliseconds(slices.Max(decided))
	f.End, f.PeakRSS = milliseconds(median(ended)), host.PeakRSS()
	left, err := e.Reviews(ctx)
	f.Waiting = len(left)
	return f, err
}

// wakeOne approves a run's draft, and measures how long it takes until that is on record, and
// until the run has ended.
func wakeOne(ctx context.Context, e *local.Engine, r chargehand.Review) (decided, ended time.Duration, err error) {
	begun := time.Now()
	d, err := e.Decide(ctx, chargehand.Decision{
		ReviewID: r.ID, Approved: true, Approver: "bench", ContentHash: r.ContentHash, Nonce: r.Nonce,
	})
	decided = time.Since(begun)
	if err != nil {
		return 0, 0, err
	}
	if d.Approver != "bench" || d.Timestamp.IsZero() {
		return 0, 0, errors.New("the decision is not on record")
	}
	res, err := chargehand.Wait(ctx, e, r.RunID)
	ended = time.Since(begun)
	if err == nil && res.Status != chargehand.RunCompleted {
		err = fmt.Errorf("the run ended as %s", res.Status)
	}
	return decided, ended, err
}

func median(ds []time.Duration) time.Duration {
	s := slices.Sorted(slices.Values(ds))
	return s[len(s)/2]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
