package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/chargehand/chargehand/internal/audit"
)

const (
	maxAge      = 800 * time.Millisecond // a record waits no longer for its checkpoint to be begun (SPEC.md ·171: one second)
	rest        = 100 * time.Millisecond // between two checkpoints at the ends of runs
	witnessTime = 5 * time.Second        // for one answer of the witness
	farewell    = 2 * time.Second        // for the witness's last one
)

// A notary signs checkpoints of the tree and keeps them in every place. It works in a goroutine of
// its own: the turn loop tells it what is committed and never waits for it; what cannot be taken
// back waits, in the hands.
type notary struct {
	store   *store
	log     *slog.Logger
	key     audit.Key
	origin  string
	witness Witness // nil: there is none

	signal  chan struct{} // has an element when there may be something to do
	stop    context.CancelFunc
	stopped chan struct{} // closed when run has ended

	writing sync.Mutex // held while places are written
	sites   []*site

	mu      sync.Mutex
	tree    audit.Tree // as committed
	since   time.Time  // of the oldest commit that no checkpoint covers; zero: none
	ended   bool       // a run has ended since the last checkpoint
	latest  time.Time  // when the last checkpoint was tried
	failing string     // what operators were told of the places; empty: all is well
	unseen  string     // and of the witness
	stalled bool       // too much was uncovered when an attempt last wanted to begin
	kept    int64      // leaves covered by a checkpoint in every place
	seen    int64      // leaves covered by a checkpoint that the witness has signed
	note    []byte     // the checkpoint kept last
	waiting []waiter
}

// A waiter wants a number of leaves to be covered.
type waiter struct {
	size    int64
	covered chan struct{}
}

func newNotary(v *vouching) *notary {
	n := &notary{
		store: v.store, log: v.opt.Log, key: v.key, origin: v.origin, sites: v.sites, witness: v.opt.Witness,
		tree: v.store.tree, signal: make(chan struct{}, 1), stopped: make(chan struct{}),
	}
	n.kept = n.lowest()
	if n.kept < n.tree.Size() || n.witness != nil {
		n.since = time.Now()
	}
	return n
}

// start lets the notary work until close.
func (n *notary) start() {
	ctx, stop := context.WithCancel(context.Background())
	n.stop = stop
	go n.run(ctx)
}

// close writes a last checkpoint, unless the journal has failed: then nobody knows what is in it.
func (n *notary) close(failed bool) {
	if failed {
		n.mu.Lock()
		n.since = time.Time{}
		n.mu.Unlock()
	}
	n.stop()
	select {
	case <-n.stopped:
	case <-time.After(leaveTime):
		n.log.Error("a place of checkpoints does not answer; the last checkpoint is not written there")
	}
}

// lowest is how many leaves are covered in every place.
func (n *notary) lowest() int64 {
	low := n.sites[0].size
	for _, p := range n.sites {
		low = min(low, p.size)
	}
	return low
}

// committed tells of a tree whose records are durable, and whether a run ended with them.
func (n *notary) committed(tree *audit.Tree, ended bool) {
	n.mu.Lock()
	n.tree = *tree
	if n.since.IsZero() {
		n.since = time.Now()
	}
	n.ended = n.ended || ended
	n.mu.Unlock()
	poke(n.signal)
}

// cover returns when every record committed so far is covered by a checkpoint that is durable in
// every place, and that the witness has signed where there is one.
func (n *notary) cover(ctx context.Context) error {
	n.mu.Lock()
	w := waiter{n.tree.Size(), make(chan struct{})}
	if n.covered() >= w.size {
		n.mu.Unlock()
		return nil
	}
	n.waiting = append(n.waiting, w)
	n.mu.Unlock()
	poke(n.signal)
	select {
	case <-w.covered:
		return nil
	case <-ctx.Done():
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if why := n.failing + n.unseen; why != "" {
		return fmt.Errorf("no checkpoint covers it: %s", why)
	}
	return fmt.Errorf("no checkpoint covers it: %w", context.Cause(ctx))
}

// covered is how many leaves are safe. It is called with mu held.
func (n *notary) covered() int64 {
	if n.witness != nil {
		return min(n.kept, n.seen)
	}
	return n.kept
}

// run writes checkpoints until ctx ends, and then the last one.
func (n *notary) run(ctx context.Context) {
	defer close(n.stopped)
	var wg sync.WaitGroup
	defer wg.Wait()
	shown := make(chan struct{}, 1)
	defer close(shown)
	if n.witness != nil {
		wg.Go(func() { n.attest(ctx, shown) })
	}
	for ctx.Err() == nil {
		wait, wanted := n.due(time.Now())
		if wanted && wait <= 0 {
			n.checkpoint()
			poke(shown)
			continue
		}
		n.sleep(ctx, wait, wanted)
	}
	if _, wanted := n.due(time.Now()); wanted {
		n.checkpoint()
	}
}

// sleep waits for something to do, and where a checkpoint is wanted no longer than that.
func (n *notary) sleep(ctx context.Context, wait time.Duration, wanted bool) {
	var alarm <-chan time.Time
	if wanted {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case <-n.signal:
	case <-alarm:
	case <-ctx.Done():
	}
}

// poke leaves a signal, unless there is one.
func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// due is when the next checkpoint is to be written; wanted is false where all is covered.
func (n *notary) due(now time.Time) (wait time.Duration, wanted bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.since.IsZero():
		return 0, false
	case n.failing != "" && n.kept < n.tree.Size():
		return n.latest.Add(respite).Sub(now), true
	case len(n.waiting) > 0 && (n.note == nil || n.kept < n.waiting[len(n.waiting)-1].size):
		return 0, true
	case n.ended:
		return min(n.latest.Add(rest).Sub(now), n.since.Add(maxAge).Sub(now)), true
	}
	return n.since.Add(maxAge).Sub(now), true
}

// checkpoint signs the tree as it is committed and keeps it in every place that can be written to.
func (n *notary) checkpoint() {
	n.mu.Lock()
	tree := n.tree
	n.since, n.ended, n.latest = time.Time{}, false, time.Now()
	n.mu.Unlock()
	c := tree.Checkpoint(n.origin)
	msg, err := n.key.SignCheckpoint(c)
	if err == nil {
		err = n.keep(c.Size, msg)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.report(err)
	if err != nil {
		n.since = n.latest
		return
	}
	n.kept, n.note = c.Size, msg
	n.release()
}

// keep appends a note to every place, the anchor first: of the two it is the one to be believed.
func (n *notary) keep(size int64, msg []byte) error {
	n.writing.Lock()
	defer n.writing.Unlock()
	var errs []error
	for i := len(n.sites) - 1; i >= 0; i-- {
		p := n.sites[i]
		if bytes.Equal(p.last, msg) {
			continue
		}
		if err := p.trail.Append(msg); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", p.name, err))
			continue
		}
		p.size, p.last = size, msg
	}
	return errors.Join(errs...)
}

// report tells operators when checkpoints begin to fail, and when they are well again. It is called
// with mu held.
func (n *notary) report(err error) {
	switch {
	case err == nil && n.failing != "":
		n.failing = ""
		n.log.Info("checkpoints are written again")
	case err != nil && n.failing != err.Error():
		n.failing = err.Error()
		n.log.Error("checkpoints cannot be written: effects that cannot be undone wait, everything else continues for some time", "error", err)
	}
}

// release lets those go on who wanted no more than is covered. It is called with mu held.
func (n *notary) release() {
	covered := n.covered()
	left := n.waiting[:0]
	for _, w := range n.waiting {
		if w.size <= covered {
			close(w.covered)
		} else {
			left = append(left, w)
		}
	}
	n.waiting = left
}
