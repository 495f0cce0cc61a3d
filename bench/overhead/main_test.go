package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestMain lets the test binary be the processes that the program starts of itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "-victim" || os.Args[1] == "-prove") {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestRows measures a small run by every peer and wants the row whole: each of them makes the
// calls of the workload and none loses anything.
func TestRows(t *testing.T) {
	t.Setenv("BENCH_DB_DIR", t.TempDir())
	t.Setenv("BENCH_T0_MS", "1")
	for peer, calls := range map[string]float64{"floor": 24, "durable-floor": 24, "chargehand": 25} {
		var out bytes.Buffer
		if err := run(t.Context(), []string{"-peer", peer, "-fsyncs=false", "-reps", "2", "W1", "10"}, &out); err != nil {
			t.Fatalf("%s: %v", peer, err)
		}
		if n := strings.Count(out.String(), "\n"); n != 1 {
			t.Errorf("%s: %d lines, want one", peer, n)
		}
		var r row
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			t.Fatalf("%s: %v", peer, err)
		}
		if r.Calls != calls || r.Reps != 2 || r.Runs != 3 || r.N != 10 || r.Wall <= 0 || r.Startup == nil {
			t.Errorf("%s: %+v", peer, r)
		}
		if stores := peer != "floor"; stores != (r.Disk != nil) || stores != (r.Commits > 0) {
			t.Errorf("%s: %v KB on disk and %v commits a run", peer, r.Disk, r.Commits)
		}
		if peer == "chargehand" && (r.Straight > mostWaits || r.Waits != r.Straight+2) {
			t.Errorf("the longest path is %d commits, %d without second attempts", r.Waits, r.Straight)
		}
	}
}

// TestPoolIsShared runs W2's shape with a pool smaller than its runs need, and no latency.
func TestPoolIsShared(t *testing.T) {
	t.Setenv("BENCH_DB_DIR", t.TempDir())
	for _, peer := range []string{"durable-floor", "chargehand"} {
		o := options{peer: peer, reps: 1, workload: workload{name: "W2", subtasks: 10, runs: 4, workers: 2, slots: 3, latency: 1}}
		r, err := measure(t.Context(), o, 0)
		if err != nil {
			t.Fatalf("%s: %v", peer, err)
		}
		if r.Most < 1 || r.Most > 6 {
			t.Errorf("%s: %d worker calls at once on 6 slots", peer, r.Most)
		}
	}
}

func TestWrongWorkloadIsRefused(t *testing.T) {
	for _, args := range [][]string{{"W9"}, {"W1", "0"}, {"W1", "ten"}, {"W1", fmt.Sprint(mostSubtasks + 1)}, {"-peer", "nobody", "W1", "1"}} {
		if err := run(t.Context(), append([]string{"-proven", "-fsyncs=false", "-reps=1"}, args...), &bytes.Buffer{}); err == nil {
			t.Errorf("%v was measured", args)
		}
	}
}
