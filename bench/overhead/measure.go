package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/chargehand/chargehand/bench/overhead/host"
)

// A bench is one measurement under way.
type bench struct {
	options
	model *model
	peer  peer
	dir   string
	row   row
}

// measure makes the row of one workload by one peer. What the process has spent before on other
// things does not count as its start.
func measure(ctx context.Context, o options, before time.Duration) (r row, err error) {
	b := &bench{options: o, model: &model{latency: o.workload.latency}, row: newRow(o)}
	if b.dir, err = host.Folder("overhead"); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if b.peer, err = open(ctx, o.peer, setting{o.workload, b.model, b.dir}); err != nil {
		return r, err
	}
	b.row.Startup = sinceStart(before)
	if err := errors.Join(b.section(ctx), b.peer.close()); err != nil {
		return r, err
	}
	if err := b.disk(); err != nil {
		return r, err
	}
	if o.fsyncs {
		b.row.Fsyncs, err = countFsyncs(ctx, o)
		b.row.note(err)
	}
	return b.row, nil
}

// section is what is measured: a first pass, passes to warm up, and the repetitions.
func (b *bench) section(ctx context.Context) error {
	b.row.RSSBase = host.PeakRSS()
	first, err := b.pass(ctx)
	if err != nil {
		return err
	}
	b.row.Cold, b.row.RSS = milliseconds(first.wall), host.PeakRSS()
	if err := b.warmUp(ctx, first.wall); err != nil {
		return err
	}
	stop, err := b.startProfile()
	if err != nil {
		return err
	}
	commits, m := b.peer.commits(), host.Start()
	passes, err := b.repeat(ctx)
	used := m.Read()
	if err := errors.Join(err, stop()); err != nil {
		return err
	}
	b.row.fill(b, passes, used)
	b.row.Commits = float64(b.peer.commits()-commits) / float64(len(passes)*b.workload.runs)
	b.row.RSSEnd = host.PeakRSS()
	return b.waits(ctx)
}

// warmUp runs on until a fifth of the budget is used; not at all where one pass needs all of it.
func (b *bench) warmUp(ctx context.Context, first time.Duration) error {
	if b.reps > 0 || first > budget() {
		return nil
	}
	for begun := time.Now(); time.Since(begun) < budget()/5; {
		if _, err := b.pass(ctx); err != nil {
			return err
		}
	}
	return nil
}

// repeat makes as many passes as are asked for, or as fit into the budget.
func (b *bench) repeat(ctx context.Context) ([]pass, error) {
	var passes []pass
	for begun := time.Now(); b.reps == 0 && (time.Since(begun) < budget() || len(passes) == 0) || len(passes) < b.reps; {
		p, err := b.pass(ctx)
		if err != nil {
			return nil, err
		}
		passes = append(passes, p)
	}
	return passes, nil
}

// budget is how long the repetitions may take.
func budget() time.Duration {
	ms, err := strconv.Atoi(os.Getenv("BENCH_BUDGET_MS"))
	if err != nil || ms < 1 {
		ms = 1500
	}
	return time.Duration(ms) * time.Millisecond
}

// A pass is all runs of a workload, once.
type pass struct {
	wall time.Duration
	runs []time.Duration // of each
}

// pass carries the workload's runs out at once, and checks what they say and how many model calls
// they made.
func (b *bench) pass(ctx context.Context) (pass, error) {
	b.row.Runs += b.workload.runs
	before := b.model.calls.Load()
	p := pass{runs: make([]time.Duration, b.workload.runs)}
	errs := make([]error, b.workload.runs)
	begun := time.Now()
	var wg sync.WaitGroup
	for i := range p.runs {
		wg.Go(func() {
			errs[i] = b.one(ctx)
			p.runs[i] = time.Since(begun)
		})
	}
	wg.Wait()
	p.wall = time.Since(begun)
	if err := errors.Join(errs...); err != nil {
		return p, err
	}
	made, want := b.model.calls.Load()-before, int64(b.workload.runs)*(b.workload.calls()+extraCalls(b.options.peer))
	if made != want {
		return p, fmt.Errorf("%d model calls were made, want %d", made, want)
	}
	b.row.Calls = float64(made) / float64(b.workload.runs)
	return p, nil
}

func (b *bench) one(ctx context.Context) error {
	final, err := b.peer.run(ctx)
	if err == nil && final != b.workload.final() {
		err = fmt.Errorf("the synthesis says %q, want %q", final, b.workload.final())
	}
	return err
}

func (b *bench) startProfile() (stop func() error, err error) {
	if b.profile == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(b.profile)
	if err != nil {
		return nil, fmt.Errorf("write a profile: %w", err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error { pprof.StopCPUProfile(); return f.Close() }, nil
}

// disk is what the runs left behind, after the peer is closed.
func (b *bench) disk() error {
	if b.options.peer == "floor" {
		return nil
	}
	size, err := host.Size(b.dir)
	kb := float64(size) / 1024 / float64(b.row.Runs)
	b.row.Disk = &kb
	return err
}

func median(ds []time.Duration) time.Duration { return quantile(ds, 0.5) }

// quantile is the smallest duration that is not below the share q of all.
func quantile(ds []time.Duration, q float64) time.Duration {
	s := slices.Sorted(slices.Values(ds))
	return s[min(len(s)-1, int(q*float64(len(s))))]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// sinceStart is the time since the moment in BENCH_T0_MS, which whoever started the process has
// put there, less what was spent on other things; nil if it is not set.
func sinceStart(less time.Duration) *float64 {
	ms, err := strconv.ParseFloat(os.Getenv("BENCH_T0_MS"), 64)
	if err != nil {
		return nil
	}
	d := float64(time.Now().UnixMicro())/1000 - ms - milliseconds(less)
	return &d
}
