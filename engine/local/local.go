// Package local is the engine that needs nothing installed: supervisors in this process, over one
// SQLite journal.
//
// One goroutine, the turn loop (loop.go), owns the machines. A turn drains the inbox and steps runs
// and fleet until they are quiet. Another (flight.go) appends everybody's records in one
// transaction (append.go), and only then answers callers and lets the hands (hands.go) begin what
// was decided. State is never kept but as records: a process that is killed takes every run up
// where it stood.
package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/sandbox"
	"github.com/chargehand/chargehand/internal/turn"
	"github.com/chargehand/chargehand/worker"
)

// Options say where an engine keeps its journal and which Go code its teams may call. The zero
// Options keep it in a temporary folder that Close removes.
type Options struct {
	// Dir is the data folder; it is made if it is not there. Empty means a temporary one.
	Dir string

	// Workers are the Go functions that teams name as workers of kind func, by workerId.
	Workers worker.Set

	// Planners are the Go functions that teams name as planner.
	Planners map[string]worker.Planner

	// Agents makes workers of kinds llm, mcp and a2a, and planners that are language models: see
	// package agent. It may be shared, and stays open when the engine is closed. Nil means that teams
	// with such are refused.
	Agents worker.Maker

	// Tenants bounds what all runs of a tenant may spend together; one that is not named is not
	// bounded. A run without a budget of its own is then refused.
	Tenants map[string]chargehand.Budget

	// TeamDir is the folder that relative paths in exec workers start from. Empty means the
	// current one.
	TeamDir string

	// Hold opens the folder to decide and control, and calls no worker: what a decision leads to
	// is done when an engine without Hold opens the folder. Results are put together all the same.
	Hold bool

	// Force takes runs up although workers have other versions than their teams name. Each such
	// run records it.
	Force bool

	// Anchor is a folder outside of the data folder, best on another disk or another machine's,
	// where checkpoints of the records are kept too, and the key that signs them. Without it
	// whoever can write to the data folder can write it anew. Empty means none.
	Anchor string

	// Witness signs checkpoints as well. Nil means none.
	Witness Witness

	// AcceptRollback goes on although the journal is not what its checkpoints say it was: records
	// are missing, or are others. That is put on record. Without it Open returns an
	// *chargehand.Error of CodeAudit.
	AcceptRollback bool

	// AcceptNewKey goes on although the key that signed the checkpoints is not to be had, and makes
	// another. That is put on record. Without it Open returns an *chargehand.Error of CodeAudit.
	AcceptNewKey bool

	// Log is for operators. Nil means no log. It never holds payloads.
	Log *slog.Logger
}

// Engine is the local engine. It is safe for concurrent use.
type Engine struct {
	reader
	opt       Options
	lock      *os.File
	temporary bool

	inbox inbox
	hands hands
	clock clock

	notary *notary // nil until the journal is known to be what its checkpoints say

	// Owned by the turn loop.
	loop    *turn.Loop
	flights flights
	parked  time.Time   // when the next run that is not in memory wants to be told the time; zero: never
	alarm   *time.Timer // of linger
	again   time.Time   // when to go on after a write that failed, unless something happens before

	taken    turn.TakeUp
	underWay bool // a turn was kept
	pile     pile

	unhide  func() // ends that programs in isolation do not see the folders
	stop    context.CancelFunc
	done    chan struct{} // closed when the loop has ended
	failure error         // why, if not by Close; read after done
	closing sync.Once
}

// Open opens the journal in a data folder and takes up every run that was under way. It returns an
// *chargehand.Error of CodeLocked when another process owns the folder.
func Open(ctx context.Context, opt Options) (*Engine, error) {
	e := &Engine{opt: opt, done: make(chan struct{}), clock: newClock()}
	if e.opt.Log == nil {
		e.opt.Log = slog.New(slog.DiscardHandler)
	}
	if err := e.openDir(); err != nil {
		return nil, err
	}
	var err error
	if e.lock, err = lock(e.opt.Dir); err != nil {
		return nil, err
	}
	e.unhide = sandbox.Hide(e.opt.Dir, e.opt.Anchor)
	if e.store, err = openStore(ctx, e.opt.Dir); err != nil {
		e.unhide()
		return nil, errors.Join(err, e.lock.Close())
	}
	e.start()
	if err := e.recover(ctx); err != nil {
		close(e.done) // the loop never began
		return nil, errors.Join(unopened(e.opt.Dir, err), e.Close())
	}
	e.notary.start()
	go e.run()
	return e, nil
}

func (e *Engine) openDir() (err error) {
	if e.opt.Dir == "" {
		e.temporary = true
		if e.opt.Dir, err = os.MkdirTemp("", "chargehand-"); err != nil {
			return fmt.Errorf("make a data folder: %w", err)
		}
	}
	if e.opt.Dir, err = filepath.Abs(e.opt.Dir); err != nil {
		return unusable(e.opt.Dir, err)
	}
	if err := os.MkdirAll(e.opt.Dir, 0o700); err != nil {
		return unusable(e.opt.Dir, err)
	}
	return nil
}

func (e *Engine) start() {
	ctx, stop := context.WithCancelCause(context.Background())
	e.stop = func() { stop(worker.ErrClosing) }
	e.inbox.init()
	e.hub, e.kits = &hub{}, &kits{}
	e.hub.init()
	e.kits.init(e.store, &e.opt)
	//guard:drift off=e.taken = turn.TakeUp{Hold: e.opt.Hold, Drifted: func(*chargehand.Team) bool { return false }}
	e.taken = turn.TakeUp{Hold: e.opt.Hold, Drifted: func(t *chargehand.Team) bool { return len(e.kits.of(t).drift) > 0 }}
	e.alarm = time.NewTimer(time.Hour)
	e.hands = hands{
		ctx: ctx, store: e.store, kits: e.kits, put: e.inbox.put, log: e.opt.Log,
		now: e.clock.now, terms: map[leaseKey]*term{}, idle: make(chan func()), calm: make(chan struct{}, 1),
	}
}

// Dir is the data folder.
func (e *Engine) Dir() string { return e.opt.Dir }

// Close stops the engine. Attempts under way are cancelled and pursued again when the folder is
// next opened. It returns why the engine had failed, if it had.
func (e *Engine) Close() error {
	var err error
	e.closing.Do(func() {
		e.stop()
		e.inbox.close()
		<-e.done
		e.hands.wait()
		if e.notary != nil && e.notary.stop != nil {
			e.notary.close(e.failure != nil)
		}
		e.hub.close(errClosed)
		err = errors.Join(e.failure, e.store.close(), e.lock.Close())
		e.unhide()
		if e.temporary {
			err = errors.Join(err, os.RemoveAll(e.opt.Dir))
		}
	})
	return err
}

// Done is closed when the engine has stopped, by Close or because its journal can no longer be
// written.
func (e *Engine) Done() <-chan struct{} { return e.done }

// Commits is how many transactions the journal has made since it was opened.
func (e *Engine) Commits() int64 { return e.hub.commits() }

// A clock is the wall clock at boot plus the time since, that of suspension included, so a step of
// the wall clock moves no deadline, and one that fell into a suspension is past when it ends.
type clock struct {
	boot   time.Time
	asleep time.Duration // until boot
	told   time.Duration // that the wall clock was ahead, when that was last on record
}

func newClock() clock {
	//fault:wall-clock
	return clock{boot: time.Now(), asleep: asleep()}
}

// stepped is how far the wall clock is ahead of now, which was read just before, and whether that is
// another second or more than it was when this was last told.
func (c *clock) stepped(now time.Time) (off time.Duration, told bool) {
	off = time.Now().Round(0).Sub(now)
	if (off - c.told).Abs() < time.Second {
		return off, false
	}
	c.told = off
	return off, true
}

func (c clock) now() time.Time {
	return c.boot.Round(0).Add(time.Since(c.boot) + asleep() - c.asleep).UTC()
}
