package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// atOnce is how many packages are tested at a time: more would wait for each other on two cores.
const atOnce = 2

// A bench switches guards off, in copies of their files.
type bench struct {
	root   string // of the module
	dir    string // of the copies
	guards []guard
}

// newBench writes what each guard's file reads without it, so that a table which no longer fits is
// found before anything runs.
func newBench(guards []guard) (*bench, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "guards-")
	if err != nil {
		return nil, err
	}
	b := &bench{root, dir, guards}
	var errs []error
	for i := range guards {
		errs = append(errs, b.prepare(&guards[i]))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

func (b *bench) close() error { return os.RemoveAll(b.dir) }

func (b *bench) prepare(g *guard) error {
	body, err := g.switchedOff(b.root)
	if err != nil {
		return err
	}
	text := filepath.Join(b.dir, g.name+".go")
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(b.root, g.path()): text}})
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(text, body, 0o600), os.WriteFile(b.overlay(g), overlay, 0o600))
}

func (b *bench) overlay(g *guard) string { return filepath.Join(b.dir, g.name+".json") }

// prove runs the tests with every guard in its place: they must be there, and pass.
func (b *bench) prove(ctx context.Context) error {
	tests := map[string][]string{}
	var pkgs []string
	for _, g := range b.guards {
		if tests[g.pkg] == nil {
			pkgs = append(pkgs, g.pkg)
		}
		for _, t := range g.tests {
			if !slices.Contains(tests[g.pkg], t) {
				tests[g.pkg] = append(tests[g.pkg], t)
			}
		}
	}
	var errs []error
	for _, err := range inTurn(ctx, pkgs, func(pkg string) error {
		s, err := test(ctx, b.root, pkg, tests[pkg], "")
		if err != nil {
			return err
		}
		if why := s.unfit(tests[pkg]); why != "" {
			return fmt.Errorf("%s cannot judge its guards: %s", pkg, why)
		}
		return nil
	}) {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// examine switches the guards off one by one, and yields what came of it in the table's order.
func (b *bench) examine(ctx context.Context) iter.Seq[row] {
	return func(yield func(row) bool) {
		for _, r := range inTurn(ctx, b.guards, func(g guard) row { return b.off(ctx, &g) }) {
			if ctx.Err() != nil || !yield(r) {
				return
			}
		}
	}
}

// off runs a guard's tests without it.
func (b *bench) off(ctx context.Context, g *guard) row {
	r := row{Guard: g.name, Protects: g.protects, File: g.path(), Package: g.pkg}
	began := time.Now()
	s, err := test(ctx, b.root, g.pkg, g.tests, b.overlay(g))
	r.Seconds = round(time.Since(began))
	switch {
	case err != nil:
		r.Result, r.Why = unclear, err.Error()
	case s.noBuild:
		r.Result, r.Why = unclear, "without it the package does not build: "+clip(s.said)
	case s.hung:
		r.Result, r.Why = unclear, "without it "+s.running+" hangs, and should fail"
	case s.broke:
		r.Result, r.By, r.Failed = red, s.running+" (broke off)", 1
	case len(s.failed) == 0:
		r.Result, r.Why = green, "no test misses it"
	default:
		r.Result, r.By, r.Failed = red, s.failed[0], len(s.failed)
	}
	return r
}

// inTurn does something with each of a list, so many at a time, and yields what came of each in the
// list's order. Whoever leaves the loop waits for what is under way.
func inTurn[T, R any](ctx context.Context, list []T, do func(T) R) iter.Seq2[int, R] {
	return func(yield func(int, R) bool) {
		var wg sync.WaitGroup
		defer wg.Wait()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		came := make([]chan R, len(list))
		for i := range came {
			came[i] = make(chan R, 1)
		}
		next := make(chan int)
		for range atOnce {
			wg.Go(func() {
				for i := range next {
					came[i] <- do(list[i])
				}
			})
		}
		wg.Go(func() {
			defer close(next)
			for i := range list {
				select {
				case next <- i:
				case <-ctx.Done():
					return
				}
			}
		})
		for i := range list {
			select {
			case r := <-came[i]:
				if !yield(i, r) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}
