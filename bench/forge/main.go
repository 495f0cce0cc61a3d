// Command forge alters journals and evidence packs in every way that its author could think of, and
// demands that each is found: at or below the last checkpoint nothing passes. It prints how many of
// each class were made, found and placed, and it fails where one passes, or is found and not placed.
//
// The journal is one of real runs by the real engine (journal.go). What a forger would do is in
// alter.go (bits), history.go (records), places.go (checkpoints, keys, copies) and pack.go; book.go
// is a forger's own way to write a journal, by which the careful ones leave a database that agrees
// with itself. Bits that SQLite does not use change nothing: that is proved by comparing all rows,
// and they are counted apart (rows.go). Keys, names and ids are decided by the seed. What the clock
// and the scheduler decide, times and how records share commits, decides which bits are found and which
// are proven harmless, and never whether one passes.
package main

import (
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "forge:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var o options
	flags := flag.NewFlagSet("forge", flag.ContinueOnError)
	flags.IntVar(&o.n, "n", 10_000, "forgeries to make")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the forger's dice")
	flags.BoolVar(&o.json, "json", false, "print one JSON object")
	flags.StringVar(&o.only, "only", "", "make forgeries of the classes whose names have this in them")
	flags.IntVar(&o.verify, "verify", 0, "instead of forging, verify a journal of so many records and print the rate")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.verify > 0 {
		return scale(ctx, o, out)
	}
	crand.Reader = newSeeded(o.seed)
	t, err := forge(ctx, o)
	if err != nil {
		return err
	}
	if o.json {
		err = json.NewEncoder(out).Encode(t)
	} else {
		err = t.write(out)
	}
	return errors.Join(err, t.broken())
}

// seeded is randomness that a seed decides: the engine's names, ids and keys come from it.
type seeded struct {
	mu  sync.Mutex
	src *rand.ChaCha8
}

func newSeeded(seed uint64) *seeded {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	return &seeded{src: rand.NewChaCha8(key)}
}

func (s *seeded) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.src.Read(p)
}

type options struct {
	n      int
	seed   uint64
	json   bool
	only   string
	verify int // records
}

func (o options) wants(c class) bool { return strings.Contains(c.name, o.only) }

func (o options) wantsCells() bool { return strings.Contains(everyCell, o.only) }

// forge makes o.n forgeries, shared out evenly among the classes.
func forge(ctx context.Context, o options) (t *tally, err error) {
	began := time.Now()
	dir, err := workFolder()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	w, err := build(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("make a journal: %w", err)
	}
	if err := w.sound(ctx); err != nil {
		return nil, err
	}
	t = newTally(o)
	if t.Allowed, err = allowed(ctx, w); err != nil {
		return nil, err
	}
	next := make(chan int)
	errs := make(chan error, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for n := range cap(errs) {
		wg.Go(func() { errs <- w.labour(ctx, n, o.seed, next, t) })
	}
	err = hand(ctx, next, errs, o)
	wg.Wait()
	for range cap(errs) {
		select {
		case e := <-errs:
			err = errors.Join(err, e)
		default:
		}
	}
	if err == nil && o.wantsCells() {
		err = tryCells(ctx, dir, o, t)
	}
	t.Seconds = time.Since(began).Seconds()
	return t, err
}

// hand gives out the numbers of forgeries until all are, or somebody fails.
func hand(ctx context.Context, next chan<- int, errs chan error, o options) error {
	defer close(next)
	if !slices.ContainsFunc(classes, o.wants) {
		if o.wantsCells() {
			return nil
		}
		return fmt.Errorf("no class of forgeries has %q in its name", o.only)
	}
	for i, made := 0, 0; made < o.n; i++ {
		if !o.wants(classes[i%len(classes)]) {
			continue
		}
		made++
		select {
		case next <- i:
		case err := <-errs:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// workFolder is in memory where there is such a disk: a forgery is many small writes.
func workFolder() (string, error) {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		if dir, err := os.MkdirTemp("/dev/shm", "forge-"); err == nil {
			return dir, nil
		}
	}
	return os.MkdirTemp("", "forge-")
}

// labour makes forgeries one after the other in a folder of its own.
func (w *works) labour(ctx context.Context, n int, seed uint64, next <-chan int, t *tally) error {
	b := &bench{works: w, dir: fmt.Sprintf("%s/bench%d", w.dir, n)}
	for i := range next {
		c := classes[i%len(classes)]
		b.dice = rand.New(rand.NewPCG(seed, uint64(i)))
		r, err := b.try(ctx, c)
		if err != nil {
			return fmt.Errorf("%s, forgery %d: %w", c.name, i, err)
		}
		t.add(c.name, i, r)
	}
	return nil
}
