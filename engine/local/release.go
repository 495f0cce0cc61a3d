package local

import (
	"context"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/supervise"
)

// maxUncovered is how many records may go uncovered while checkpoints fail. Beyond it no attempt
// begins, whatever it does (RELIABILITY.md row 47).
const maxUncovered = 10_000

// released holds an attempt back that does what cannot be taken back, until a checkpoint covers the
// record of its start: whatever happens to the journal later, that it was begun stays provable
// (SPEC.md ·171). Where too much is uncovered any attempt waits. It reports whether the attempt may
// begin. One that may not by its deadline has certainly done nothing, and is reported so in time.
func (j job) released(ctx context.Context, l supervise.Launch) bool {
	//guard:checkpoint-first off=!j.notary.behind()
	if !final(l) && !j.notary.behind() {
		return true
	}
	var err error
	j.await(func() { err = j.covered(ctx) })
	if err == nil {
		return true
	}
	defer j.disarm(leaseKey{j.run, l.Epoch})
	if j.hands.ctx.Err() != nil {
		return false // the engine is closing: the attempt is pursued again
	}
	ref := chargehand.AttemptRef{Subtask: l.Task.TaskID, Attempt: l.Task.Attempt}
	if ctx.Err() != nil {
		j.report(supervise.Stopped{AttemptRef: ref, Epoch: l.Epoch, NotBegun: true})
		return false
	}
	j.report(supervise.Crashed{
		AttemptRef: ref, Epoch: l.Epoch, Cause: chargehand.CauseWorkerError, NotBegun: true,
		Message: plain("held back, nothing was done: " + err.Error()),
	})
	return false
}

// covered waits until a checkpoint covers all that is durable, and gives up shortly before the attempt's
// deadline, which moves on while its run is paused.
func (j job) covered(ctx context.Context) error {
	left := remaining(ctx)
	margin := min(left/10, time.Second)
	for {
		wait, cancel := context.WithTimeout(ctx, left-margin)
		err := j.notary.cover(wait)
		cancel()
		if left = remaining(ctx); err == nil || ctx.Err() != nil || left <= margin {
			return err
		}
	}
}

// remaining is how long it is until the deadline of an attempt.
func remaining(ctx context.Context) time.Duration {
	end, _ := ctx.Deadline()
	return time.Until(end) - backstop
}

// final reports whether what an attempt does cannot be taken back, or not be done again.
func final(l supervise.Launch) bool { return l.Once || l.Effect.Final() }

// behind reports whether checkpoints fail and more is uncovered than may be, and tells operators when
// that begins.
func (n *notary) behind() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	was := n.stalled
	n.stalled = n.failing+n.unseen != "" && n.tree.Size()-n.covered() > maxUncovered
	if n.stalled && !was {
		n.log.Error("no checkpoint covers the last records: nothing begins until they can be written again", "records", n.tree.Size()-n.covered())
	}
	return n.stalled
}
