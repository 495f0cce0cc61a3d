package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/worker"
)

const atOnce = 10 // runs of a crowd

// A look is what the process holds at one moment, after all that is garbage was collected.
type look struct {
	Runs, Goroutines   int
	Heap, RSS, Objects int64 // bytes
}

// crowd supervises runs of three subtasks over a folder of its own and writes ten looks.
func crowd(arg string) error {
	runs, err := strconv.Atoi(arg)
	if err != nil {
		return err
	}
	e, err := local.Open(context.Background(), local.Options{Workers: worker.Set{"w": worker.Func(echo)}})
	if err != nil {
		return err
	}
	var looks []look
	for done := 0; done < runs; done += runs / 10 {
		if err := supervise(e, runs/10); err != nil {
			return err
		}
		l, err := now(done + runs/10)
		if err != nil {
			return err
		}
		looks = append(looks, l)
	}
	if err := e.Close(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(looks)
}

func echo(_ context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	return chargehand.WorkerResult{Output: []byte(`{"run":"` + t.RunID + `","task":"` + t.TaskID + `"}`)}, nil
}

// supervise brings so many runs to their end.
func supervise(e *local.Engine, runs int) error {
	todo := make(chan struct{})
	failed := make(chan error, atOnce)
	var wg sync.WaitGroup
	for range atOnce {
		wg.Go(func() {
			for range todo {
				if err := one(e); err != nil {
					select {
					case failed <- err:
					default:
					}
				}
			}
		})
	}
	for range runs {
		todo <- struct{}{}
	}
	close(todo)
	wg.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

func one(e *local.Engine) error {
	ctx := context.Background()
	t := chargehand.Team{Name: "crowd", Workers: []chargehand.WorkerSpec{{
		WorkerID: "w", Capabilities: []string{"c"}, MaxConcurrentTasks: 2 * atOnce, AverageLatencyMS: 60_000,
	}}}
	t.Planner.Template = &chargehand.Plan{Subtasks: []chargehand.Subtask{
		{ID: "a", Goal: "do", Capability: "c"}, {ID: "b", Goal: "do", Capability: "c"}, {ID: "c", Goal: "do", Capability: "c", Deps: []string{"a", "b"}},
	}}
	run, err := e.Start(ctx, chargehand.Order{Team: t, Objective: chargehand.Objective{Goal: "do it"}})
	if err != nil {
		return err
	}
	r, err := chargehand.Wait(ctx, e, run)
	if err == nil && r.Status != chargehand.RunCompleted {
		err = fmt.Errorf("run %s came out as %s", run, r.Status)
	}
	return err
}

func now(runs int) (look, error) {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	l := look{Runs: runs, Goroutines: runtime.NumGoroutine(), Heap: int64(m.HeapAlloc), Objects: int64(m.HeapObjects)}
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return l, nil // this system does not tell
	}
	pages, err := strconv.ParseInt(strings.Fields(string(b))[1], 10, 64)
	l.RSS = pages * int64(os.Getpagesize())
	return l, err
}
