package main

import (
	"context"
	"testing"
	"time"
)

// A careless peer says what it is told to, after some model calls.
type careless struct {
	model *model
	says  string
	calls int64
}

func (c careless) run(context.Context) (string, error) {
	c.model.calls.Add(c.calls)
	return c.says, nil
}
func (careless) commits() int64 { return 0 }
func (careless) close() error   { return nil }

// TestPassChecksTheRun wants a pass to fail that made other calls, or came to another end.
func TestPassChecksTheRun(t *testing.T) {
	w := workload{name: "W1", subtasks: 10, runs: 2}
	for name, c := range map[string]struct {
		careless
		right bool
	}{
		"right":        {careless{says: w.final(), calls: 24}, true},
		"a call short": {careless{says: w.final(), calls: 23}, false},
		"retry lost":   {careless{says: "FINAL n=10 retried=0", calls: 24}, false},
	} {
		b := &bench{options: options{workload: w, peer: "floor"}, model: &model{}}
		c.model = b.model
		b.peer = c.careless
		p, err := b.pass(t.Context())
		if (err == nil) != c.right {
			t.Errorf("%s: %v", name, err)
		}
		if c.right && (len(p.runs) != 2 || b.row.Calls != 24 || b.row.Runs != 2) {
			t.Errorf("%s: %+v, %v calls, %d runs", name, p, b.row.Calls, b.row.Runs)
		}
	}
}

func TestQuantile(t *testing.T) {
	ds := []time.Duration{5, 1, 4, 2, 3}
	for q, want := range map[float64]time.Duration{0: 1, 0.5: 3, 0.95: 5, 1: 5} {
		if got := quantile(ds, q); got != want {
			t.Errorf("quantile %v is %d, want %d", q, got, want)
		}
	}
}
