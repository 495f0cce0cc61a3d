package main

import (
	"database/sql"
	"path/filepath"
	"sync"
	"testing"
)

// TestDurableFloorKeepsEveryChange reads back what a run has left on disk.
func TestDurableFloorKeepsEveryChange(t *testing.T) {
	w := workload{name: "W1", subtasks: 20, runs: 1}
	dir := t.TempDir()
	p, err := open(t.Context(), "durable-floor", setting{w, &model{}, dir})
	if err != nil {
		t.Fatal(err)
	}
	if final, err := p.run(t.Context()); err != nil || final != w.final() {
		t.Fatalf("%q, %v", final, err)
	}
	if err := p.close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "floor.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var rows, outputs int
	if err := db.QueryRow(`select count(*), sum(kind = 'output' and length(body) = 1024) from change`).Scan(&rows, &outputs); err != nil {
		t.Fatal(err)
	}
	if attempts := w.subtasks + w.retried(); rows != 5+3*attempts || outputs != attempts {
		t.Errorf("%d rows, %d outputs", rows, outputs)
	}
}

func TestPoolIsFirstComeFirstServed(t *testing.T) {
	p := newPool(2, 1)
	if a, b := p.take(), p.take(); a == b {
		t.Fatal("both on one worker while the other had room")
	}
	var wg sync.WaitGroup
	got := make(chan int, 2)
	for i := range 2 {
		wg.Go(func() { p.take(); got <- i })
		for waits := 0; waits != i+1; {
			p.mu.Lock()
			waits = len(p.waiting)
			p.mu.Unlock()
		}
	}
	p.put(0)
	if first := <-got; first != 0 {
		t.Errorf("number %d went first", first)
	}
	p.put(1)
	wg.Wait()
	p.put(0)
	p.put(0)
	if p.free[0] != 2 || p.free[1] != 0 {
		t.Errorf("free slots: %v", p.free)
	}
}
