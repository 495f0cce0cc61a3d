package main

import (
	"cmp"
	"slices"
	"time"
)

// A schedule is how the runs of a workload would fare if supervision took no time at all, by the
// order in which waiting subtasks get a slot.
type schedule struct {
	name  string
	first func(a, b waiter) int // negative where a goes before b
}

var schedules = []schedule{
	{"first come", func(a, b waiter) int {
		return cmp.Or(a.since-b.since, a.run-b.run, a.task-b.task)
	}},
	{"oldest run first", func(a, b waiter) int { return cmp.Or(a.run-b.run, a.task-b.task) }},
	{"what may be retried first", func(a, b waiter) int {
		return cmp.Or(b.risk()-a.risk(), a.run-b.run, a.task-b.task)
	}},
}

// A waiter is a subtask that waits for a slot.
type waiter struct {
	run, task, attempt int
	since              int // in steps of one latency
}

// risk is 1 for what holds its run up longest: a subtask that will be sent back, and its retry.
func (w waiter) risk() int {
	if sentBack(w.task, 1) {
		return 1
	}
	return 0
}

// play is the latency of each run under the schedule. Every call takes one latency, so that time
// goes by in steps of it.
func (s schedule) play(w workload) []time.Duration {
	workers, slots := w.pool()
	var queue []waiter
	reviewed := map[int][]waiter{} // by the step at which the reviewer answers
	open, ends := make([]int, w.runs), make([]time.Duration, w.runs)
	for run := range w.runs {
		open[run] = w.subtasks
		for task := range w.subtasks {
			queue = append(queue, waiter{run, task, 1, 1}) // the plan takes the first step
		}
	}
	for step := 1; len(queue) > 0 || len(reviewed) > 0; step++ {
		for _, r := range reviewed[step] {
			if sentBack(r.task, r.attempt) {
				queue = append(queue, waiter{r.run, r.task, r.attempt + 1, step})
				continue
			}
			if open[r.run]--; open[r.run] == 0 {
				ends[r.run] = time.Duration(step+1) * w.latency // the synthesis takes one more
			}
		}
		delete(reviewed, step)
		slices.SortStableFunc(queue, s.first)
		n := min(len(queue), workers*slots)
		if n > 0 {
			reviewed[step+2] = append(reviewed[step+2], queue[:n]...)
			queue = slices.Clone(queue[n:])
		}
	}
	return ends
}
