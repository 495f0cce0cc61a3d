package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"time"

	"github.com/chargehand/chargehand/bench/overhead/host"
)

// A row is one measurement. Times are in milliseconds but for those that say otherwise, memory in
// MB.
type row struct {
	Peer     string `json:"peer"`
	Version  string `json:"version"`
	Workload string `json:"workload"`
	N        int    `json:"n"` // subtasks of all runs
	Queue    string `json:"queue,omitempty"`

	Wall       float64 `json:"wall_ms"`        // of a pass, the median
	PerSubtask float64 `json:"per_subtask_us"` // W2: beyond the ideal
	Min        float64 `json:"min_ms"`
	Cold       float64 `json:"cold_ms"` // the first pass of the process
	CPU        float64 `json:"cpu_s"`   // seconds, of one pass, the mean
	Reps       int     `json:"reps"`
	Runs       int     `json:"runs_total"`

	P50   *float64 `json:"p50_ms,omitempty"` // of the latency of a run
	P95   *float64 `json:"p95_ms,omitempty"`
	Ideal *float64 `json:"ideal_ms,omitempty"`
	Ratio *float64 `json:"ratio,omitempty"`
	Most  int64    `json:"max_inflight,omitempty"` // worker calls at once

	RSSBase float64 `json:"rss_base_mb"` // peak before the first pass
	RSS     float64 `json:"rss_mb"`      // after it
	RSSEnd  float64 `json:"rss_end_mb"`

	Calls    float64  `json:"model_calls_per_run"`
	Commits  float64  `json:"commits_per_run"`
	Waits    int      `json:"longest_path_commits,omitempty"`          // of a run, its second attempts included
	Straight int      `json:"longest_path_commits_straight,omitempty"` // without second attempts
	Fsyncs   *float64 `json:"fsyncs_per_run"`
	Disk     *float64 `json:"db_kb_per_run,omitempty"`

	Startup *float64 `json:"startup_ms"`
	Noise   float64  `json:"noise"`
	Notes   string   `json:"notes"`
}

func newRow(o options) row {
	w := o.workload
	r := row{Peer: o.peer, Version: version(o.peer), Workload: w.name, N: w.runs * w.subtasks, Queue: w.queue}
	if o.peer == "chargehand" {
		r.note(fmt.Errorf("full durability; gate, judge, ledger and journal on; the synthesis is reviewed too, one call more"))
	}
	return r
}

func version(peer string) string {
	if peer == "chargehand" {
		return "devel " + runtime.Version()
	}
	return runtime.Version()
}

// note adds a remark; nil adds none.
func (r *row) note(err error) {
	if err != nil {
		r.Notes = strings.TrimPrefix(r.Notes+"; "+err.Error(), "; ")
	}
}

// fill takes the repetitions in.
func (r *row) fill(b *bench, passes []pass, used host.Reading) {
	var walls, runs []time.Duration
	for _, p := range passes {
		walls, runs = append(walls, p.wall), append(runs, p.runs...)
	}
	r.Reps, r.Noise = len(passes), round(used.Noise, 3)
	r.Wall, r.Min = milliseconds(median(walls)), milliseconds(quantile(walls, 0))
	r.CPU = used.CPU.Seconds() / float64(len(passes))
	r.PerSubtask = 1000 * r.Wall / float64(r.N)
	if b.workload.runs == 1 {
		return
	}
	ideal := milliseconds(b.workload.ideal())
	ratio, p50, p95 := r.Wall/ideal, milliseconds(median(runs)), milliseconds(quantile(runs, 0.95))
	r.P50, r.P95, r.Ideal, r.Ratio = &p50, &p95, &ideal, &ratio
	r.PerSubtask = 1000 * (r.Wall - ideal) / float64(r.N)
	r.Most = b.model.most.Load()
}

// print writes the row as one line of JSON.
func (r row) print(w io.Writer) error {
	for _, f := range []*float64{&r.Wall, &r.PerSubtask, &r.Min, &r.Cold, &r.RSSBase, &r.RSS, &r.RSSEnd, &r.Calls, &r.Commits, r.P50, r.P95, r.Ratio, r.Fsyncs, r.Disk, r.Startup} {
		if f != nil {
			*f = round(*f, 3)
		}
	}
	r.CPU = round(r.CPU, 6)
	return json.NewEncoder(w).Encode(r)
}

func round(f float64, digits int) float64 {
	p := math.Pow10(digits)
	return math.Round(f*p) / p
}
