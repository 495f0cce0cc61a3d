package supervise

import (
	"maps"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/chargehand/chargehand"
)

// TestForksOfRandomRuns lets anything happen to a run, forks it at every record, and wants each
// fork to keep the laws and to come to its end.
func TestForksOfRandomRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		die := rapid.Uint64()
		w := newWorld(t, &dice{draw: func() uint64 { return die.Draw(t, "die") }})
		steps := map[int]bool{len(w.law.records): true}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			w.act()
			steps[len(w.law.records)] = true
		}
		acts := rapid.IntRange(0, 5).Draw(t, "acts")
		done := map[int]bool{}
		for seq := range w.law.records {
			records, err := Cut(w.law.records, int64(seq+1))
			if err != nil {
				w.refusedRightly(err, seq+1)
				continue
			}
			if n := len(records); !steps[n] || n <= seq {
				t.Fatalf("a fork at record %d begins with %d, in the middle of a decision", seq+1, n)
			} else if done[n] {
				continue
			}
			done[len(records)] = true
			f := w.forked(records)
			for range acts {
				f.act()
			}
			f.finish()
		}
	})
}

// refusedRightly checks that what cannot be forked is at the run's end, or after.
func (w *world) refusedRightly(err error, seq int) {
	w.t.Helper()
	for _, r := range w.law.records {
		if _, ok := r.Fact.(chargehand.RunEnded); ok && chargehand.CodeOf(err) == chargehand.CodeEnded && !w.law.records[seq-1].At.Before(r.At) {
			return
		}
	}
	w.t.Fatalf("record %d of %d: %v", seq, len(w.law.records), err)
}

// forked is the world around a fork that begins with the records: long after, with nobody of the
// parent's at work.
func (w *world) forked(records []chargehand.Record) *world {
	p := chargehand.Parent{Run: w.id, Seq: int64(len(records)), Hash: "sha256:parent"}
	records = throughJournal(w.t, Branch(records, "fork", "another seed", p))
	f := &world{
		t: w.t, id: "fork", dice: w.dice, team: w.team, plan: w.plan, law: newLaw(w.team), twin: Restore("fork", w.team, records),
		m: Restore("fork", w.team, records), now: w.now.Add(30 * 24 * time.Hour), boot: 1, epoch: w.epoch, replans: w.replans,
	}
	maps.Copy(f.law.harmless, w.law.harmless)
	f.law.step(w.t, f.now, Output{Records: records})
	f.law.records = records
	for _, r := range records {
		f.view.Apply(r)
	}
	w.t.Logf("fork at record %d", len(records))
	before := f.m.Summary()
	f.tell(Fork{Parent: p, By: "ana"})
	f.isItsOwn(before)
	return f
}

// isItsOwn checks that nothing of a fork just made is its parent's: no deadline, no question, no key.
func (w *world) isItsOwn(before chargehand.RunSummary) {
	now := w.m.Summary()
	if now.Inherited != before.Spent || now.StartedBy != "ana" || !now.StartedAt.Equal(w.now) {
		w.t.Fatalf("the fork of %+v is %+v", before, now)
	}
	if now.NeedsHuman < before.NeedsHuman && now.State == before.State && w.m.run.abort == nil {
		w.t.Fatalf("%d questions were open, the fork asks %d", before.NeedsHuman, now.NeedsHuman)
	}
	if began := w.law.records[0]; !before.DeadlineAt.IsZero() || before.Left > 0 {
		left, all := now.Left.Std(), began.Fact.(chargehand.RunStarted).DeadlineAt.Sub(began.At)
		if !now.DeadlineAt.IsZero() {
			left = now.DeadlineAt.Sub(w.now)
		}
		if left != all || (now.Left > 0) != (before.Left > 0) {
			w.t.Fatalf("the parent had %s at its start, its fork has %s; stood still: %s, %s", all, left, before.Left, now.Left)
		}
	}
	for _, r := range w.m.desk.order {
		if r.RunID != "fork" || r.Open() && !w.m.closing.asked && !r.OpenedAt.Equal(w.now) {
			w.t.Fatalf("the fork asks the parent's question %+v", r)
		}
	}
	for _, e := range w.open {
		if l, ok := e.(Launch); ok && !strings.HasPrefix(l.Task.IdempotencyKey, "fork/") {
			w.t.Fatalf("the fork uses the key %s", l.Task.IdempotencyKey)
		}
	}
	for i, row := range w.view.Rows {
		k, begun := w.m.board.order[i], len(row.Attempts)
		if k.state == chargehand.SubtaskQueued {
			begun++
		}
		if row.State.Final() != k.state.Final() || row.State == chargehand.SubtaskRunning || begun != k.number && !k.state.Final() {
			w.t.Fatalf("%s is %s at attempt %d, people are shown %s with %d", k.spec.ID, k.state, k.number, row.State, len(row.Attempts))
		}
	}
}

// forked leaves what was under way to the parent, but for writes, of which the machine has to say
// what becomes of them.
func (w *law) forked() {
	for r := range w.running {
		if w.tasks[r.Subtask].Effect.Reads() {
			delete(w.running, r)
		}
	}
	clear(w.stopping)
	for key := range w.held {
		if strings.HasPrefix(key, "attempt/") {
			delete(w.held, key)
		}
	}
}
