package main

import (
	"fmt"
	"time"

	"github.com/chargehand/chargehand"
)

// A workload is what is run and measured.
type workload struct {
	name     string
	subtasks int // of a run
	runs     int // at once
	latency  time.Duration

	workers, slots int    // the pool, slots of each worker; zero: as many as a run has subtasks
	queue          string // who gets a worker first; empty means the team's default
}

const mostSubtasks = chargehand.MaxPlanSize

var workloads = map[string]workload{
	"W1":        {name: "W1", subtasks: 100, runs: 1},
	"W2":        {name: "W2", subtasks: 10, runs: 50, latency: 20 * time.Millisecond, workers: 10, slots: 5},
	"W3":        {name: "W3", subtasks: 100, runs: 1},
	"W3-strict": {name: "W3-strict", subtasks: 100, runs: 1},
}

// pool is the number of workers and the slots of each.
func (w workload) pool() (workers, slots int) {
	if w.workers == 0 {
		return 1, w.subtasks
	}
	return w.workers, w.slots
}

// retried is how many subtasks of a run the reviewer sends back.
func (w workload) retried() int { return w.subtasks / 10 }

// calls is how many model calls a run makes.
func (w workload) calls() int64 { return int64(2 + 2*(w.subtasks+w.retried())) }

// final is what the synthesis of a run says if nothing was lost on the way.
func (w workload) final() string {
	return fmt.Sprintf("FINAL n=%d retried=%d", w.subtasks, w.retried())
}

// ideal is the least time that all runs can take: the plan, the worker calls on the slots there
// are, the last review and the synthesis.
func (w workload) ideal() time.Duration {
	workers, slots := w.pool()
	calls := w.runs * (w.subtasks + w.retried())
	rounds := (calls + workers*slots - 1) / (workers * slots)
	return time.Duration(1+rounds+2) * w.latency
}
