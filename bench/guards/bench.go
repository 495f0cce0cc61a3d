package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chargehand/chargehand/internal/mutant"
)

const (
	atOnce = 2           // packages built, or guards off, at a time
	limit  = time.Minute // of the tests of one guard: to hang is not to fail
)

// A bench holds the test binaries in which guards can be switched off.
type bench struct {
	root    string // of the module
	dir     string // of binaries and copies
	overlay string
}

// newBench writes the overlay with a switch at every guard, so that all builds share one cache.
func newBench(root string, all []guard) (*bench, error) {
	dir, err := os.MkdirTemp("", "guards-")
	if err != nil {
		return nil, err
	}
	var marks []mutant.Mark
	for _, g := range all {
		marks = append(marks, g.mark)
	}
	b := &bench{root: root, dir: dir}
	if b.overlay, err = mutant.Overlay(root, dir, marks); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

func (b *bench) close() error { return os.RemoveAll(b.dir) }

func (b *bench) binary(pkg string) string {
	return filepath.Join(b.dir, strings.ReplaceAll(pkg, "/", "_")+".test")
}

// prove builds the packages of guards, and runs their tests with every guard on: they must pass.
func (b *bench) prove(ctx context.Context, guards []guard) error {
	var pkgs []string
	patterns := map[string]string{}
	for _, g := range guards {
		if patterns[g.pkg()] == "" {
			pkgs = append(pkgs, g.pkg())
		}
		patterns[g.pkg()] = strings.Trim(patterns[g.pkg()]+"|"+g.pattern(), "|")
	}
	var errs []error
	for _, err := range inTurn(ctx, pkgs, func(pkg string) error {
		build := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay="+b.overlay, "-o", b.binary(pkg), "./"+pkg)
		build.Dir = b.root
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build the tests of %s with switches at its guards: %w\n%s", pkg, err, out)
		}
		s, err := b.test(ctx, pkg, patterns[pkg], "")
		if err != nil {
			return err
		}
		return s.sound(pkg, guards)
	}) {
		errs = append(errs, err)
	}
	return errors.Join(append(errs, context.Cause(ctx))...)
}

// examine switches the guards off one by one, and yields their rows in order.
func (b *bench) examine(ctx context.Context, guards []guard, times int) iter.Seq[row] {
	return func(yield func(row) bool) {
		for _, r := range inTurn(ctx, guards, func(g guard) row { return b.off(ctx, &g, times) }) {
			if ctx.Err() != nil || !yield(r) {
				return
			}
		}
	}
}

// off runs the tests of a guard without it, until one run does not fail.
func (b *bench) off(ctx context.Context, g *guard, times int) row {
	r := row{Guard: g.mark.Name, Promise: g.promise, At: g.mark.At(), Package: g.pkg()}
	began := time.Now()
	for range times {
		s, err := b.test(ctx, g.pkg(), g.pattern(), g.mark.Name)
		switch {
		case err != nil:
			r.Result, r.Why = unclear, err.Error()
		case s.hung:
			r.Result, r.Why = unclear, "without it "+s.last+" hangs, and should fail"
		case !s.broke:
			r.Result, r.Why = green, "no test misses it"
		case len(s.of("FAIL")) == 0:
			r.Result, r.By, r.Failed = red, s.last+" (broke off)", 1
		default:
			r.Result, r.By, r.Failed = red, leaf(s.of("FAIL")), len(s.of("FAIL"))
		}
		if r.Result != red {
			r.By, r.Failed = "", 0
			break
		}
	}
	r.Seconds = round(time.Since(began))
	return r
}

// leaf is the first of some tests that has no subtest among them.
func leaf(tests []string) string {
	for _, t := range tests {
		if !slices.ContainsFunc(tests, func(s string) bool { return strings.HasPrefix(s, t+"/") }) {
			return t
		}
	}
	return tests[0]
}

// A suite is what a run of tests printed.
type suite struct {
	ends  [][]string // a word (PASS, FAIL, SKIP) and a test or subtest, as they ended
	last  string     // the test that began last
	broke bool       // the process did not succeed
	hung  bool
	said  string // what was printed about the first failure
}

var (
	ended = regexp.MustCompile(`--- (PASS|FAIL|SKIP): (\S+) \(`)
	began = regexp.MustCompile(`=== RUN +(\S+)`)
)

// test runs the tests of a package that match a pattern, with one guard off unless its name is empty.
func (b *bench) test(ctx context.Context, pkg, pattern, off string) (suite, error) {
	cmd := exec.CommandContext(ctx, b.binary(pkg), "-test.v", "-test.count=1", "-test.timeout="+limit.String(), "-test.run="+pattern)
	cmd.Dir = filepath.Join(b.root, filepath.FromSlash(pkg))
	cmd.Env = append(os.Environ(), mutant.Env+"="+off)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		return suite{}, context.Cause(ctx)
	}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return suite{}, fmt.Errorf("run the tests of %s: %w", pkg, err)
	}
	text := out.String()
	s := suite{broke: err != nil, hung: strings.Contains(text, "panic: test timed out"), said: excerpt(text)}
	for _, m := range ended.FindAllStringSubmatch(text, -1) {
		s.ends = append(s.ends, m[1:])
	}
	if all := began.FindAllStringSubmatch(text, -1); len(all) > 0 {
		s.last = all[len(all)-1][1]
	}
	return s, nil
}

// excerpt is the part of an output around its first failure, or its end.
func excerpt(text string) string {
	const before, most = 1000, 2000
	at := strings.Index(text, "--- FAIL")
	if at < 0 {
		at = len(text)
	}
	from := max(0, at-before)
	return text[from:min(len(text), from+most)]
}

// of are the tests that ended in one way.
func (s *suite) of(word string) []string {
	var out []string
	for _, e := range s.ends {
		if e[0] == word {
			out = append(out, e[1])
		}
	}
	return out
}

// sound is nil where every test of the package's guards was run and passed.
func (s *suite) sound(pkg string, guards []guard) error {
	if failed := s.of("FAIL"); s.broke {
		return fmt.Errorf("%s cannot judge its guards while all are on: its tests fail: %s\n%s", pkg, strings.Join(failed, " "), s.said)
	}
	passed := s.of("PASS")
	for _, g := range guards {
		for _, t := range g.tests {
			name := t.Func
			if t.Subtest != "" {
				name += "/" + strings.ReplaceAll(t.Subtest, " ", "_")
			}
			if t.Package == pkg && !slices.Contains(passed, name) {
				return fmt.Errorf("guard %s: %s of %s is not there or was skipped here", g.mark.Name, name, pkg)
			}
		}
	}
	return nil
}

// inTurn does something with each of a list, atOnce at a time, and yields the results in order.
func inTurn[T, R any](ctx context.Context, list []T, do func(T) R) iter.Seq2[int, R] {
	return func(yield func(int, R) bool) {
		var wg sync.WaitGroup
		defer wg.Wait()
		results, slots := make([]chan R, len(list)), make(chan struct{}, atOnce)
		for i := range results {
			results[i] = make(chan R, 1)
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		wg.Go(func() {
			for i := range list {
				select {
				case slots <- struct{}{}:
				case <-ctx.Done():
					return
				}
				wg.Go(func() { results[i] <- do(list[i]); <-slots })
			}
		})
		for i := range list {
			select {
			case r := <-results[i]:
				if !yield(i, r) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}
