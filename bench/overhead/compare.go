package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"github.com/chargehand/chargehand/bench/overhead/host"
)

// A cell is one row of the comparison: who runs which workload.
type cell struct {
	peer, workload, queue string
	n                     int
	once                  bool // one process and one repetition do: it is about size
}

func (c cell) String() string {
	name := c.workload + " " + strconv.Itoa(c.n)
	if c.queue != "" {
		name += " queue " + c.queue
	}
	return name
}

// groups are measured in turns, so that what the machine does meanwhile befalls all of a group.
var groups = [][]cell{
	{
		{peer: "floor", workload: "W1", n: 100},
		{peer: "durable-floor", workload: "W1", n: 100},
		{peer: "chargehand", workload: "W1", n: 100},
	},
	{
		{peer: "floor", workload: "W1", n: 1000},
		{peer: "durable-floor", workload: "W1", n: 1000},
		{peer: "chargehand", workload: "W1", n: 1000},
	},
	{
		{peer: "durable-floor", workload: "W3-strict", n: 100},
		{peer: "chargehand", workload: "W3-strict", n: 100},
	},
	{
		{peer: "floor", workload: "W2", n: 500},
		{peer: "durable-floor", workload: "W2", n: 500},
		{peer: "chargehand", workload: "W2", n: 500},
		{peer: "chargehand", workload: "W2", n: 500, queue: "oldest"},
	},
	{
		{peer: "durable-floor", workload: "W1", n: 10_000, once: true},
		{peer: "chargehand", workload: "W1", n: 10_000, once: true},
	},
}

// A comparison is the rows of all cells, each the median of its rounds.
type comparison struct {
	Rounds    int           `json:"rounds"`
	Rows      []row         `json:"rows"`
	Schedules []scheduleRow `json:"schedules"`
	Aims      []aim         `json:"aims"`
	cells     []cell
}

// A scheduleRow is W2 by a schedule that takes no time itself.
type scheduleRow struct {
	Name  string  `json:"name"`
	P50   float64 `json:"p50_ms"`
	Total float64 `json:"total_ms"`
}

func compare(ctx context.Context, o options, progress io.Writer) (*comparison, error) {
	c := &comparison{Rounds: o.compare}
	if err := prove(ctx); err != nil {
		return nil, fmt.Errorf("proof: %w", err)
	}
	for _, group := range groups {
		rows := make([][]row, len(group))
		for round := range o.compare {
			for i, cell := range group {
				if cell.once && round > 0 {
					continue
				}
				fmt.Fprintf(progress, "%s by %s, round %d\n", cell, cell.peer, round+1)
				host.Quiet(ctx, o.patience)
				r, err := cell.measure(ctx)
				if err != nil {
					return nil, fmt.Errorf("%s by %s: %w", cell, cell.peer, err)
				}
				rows[i] = append(rows[i], r)
			}
		}
		for i, cell := range group {
			c.cells = append(c.cells, cell)
			c.Rows = append(c.Rows, middle(rows[i]))
		}
	}
	for _, s := range schedules {
		runs := s.play(workloads["W2"])
		c.Schedules = append(c.Schedules, scheduleRow{s.name, milliseconds(median(runs)), milliseconds(slices.Max(runs))})
	}
	c.Aims = c.weigh()
	return c, nil
}

// measure makes the cell's row in a process of its own.
func (c cell) measure(ctx context.Context) (row, error) {
	var r row
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	args := []string{"-proven", "-peer", c.peer, "-queue", c.queue}
	if c.once {
		args = append(args, "-reps", "1", "-fsyncs=false")
	}
	cmd := exec.CommandContext(ctx, self, append(args, c.workload, strconv.Itoa(c.n))...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("BENCH_T0_MS=%d", time.Now().UnixMilli()))
	out, err := cmd.Output()
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return r, fmt.Errorf("%w: %s", err, e.Stderr)
	}
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return r, fmt.Errorf("read the row: %w", err)
	}
	return r, nil
}

// middle is the row of the median time, with the median of what the aims are about.
func middle(rows []row) row {
	pick := func(f func(r row) float64) float64 {
		values := make([]float64, len(rows))
		for i, r := range rows {
			values[i] = f(r)
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	r := rows[0]
	r.Wall = pick(func(r row) float64 { return r.Wall })
	r.Min = pick(func(r row) float64 { return r.Min })
	r.CPU = pick(func(r row) float64 { return r.CPU })
	r.PerSubtask = pick(func(r row) float64 { return r.PerSubtask })
	r.Noise = pick(func(r row) float64 { return r.Noise })
	r.RSS = pick(func(r row) float64 { return r.RSS })
	for _, get := range []func(r *row) **float64{
		func(r *row) **float64 { return &r.P50 }, func(r *row) **float64 { return &r.P95 }, func(r *row) **float64 { return &r.Ratio },
		func(r *row) **float64 { return &r.Fsyncs }, func(r *row) **float64 { return &r.Disk }, func(r *row) **float64 { return &r.Startup },
	} {
		if p := get(&r); *p != nil {
			v := pick(func(r row) float64 {
				if q := *get(&r); q != nil {
					return *q
				}
				return math.Inf(1)
			})
			*p = &v
		}
	}
	return r
}

// find is the row of a cell.
func (c *comparison) find(peer, workload, queue string, n int) row {
	i := slices.Index(c.cells, cell{peer: peer, workload: workload, queue: queue, n: n, once: n == mostSubtasks})
	return c.Rows[i]
}
