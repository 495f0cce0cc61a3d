package local

import (
	"context"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/supervise"
)

// A reader tells what the journal holds. It sees only what is durable.
type reader struct {
	store *store
	kits  *kits
	hub   *hub
}

// Runs lists runs, newest first.
func (r *reader) Runs(ctx context.Context, f chargehand.Filter) ([]chargehand.RunSummary, error) {
	return r.store.runs(ctx, f)
}

// Run is what is known of a run now: the fold of its records.
func (r *reader) Run(ctx context.Context, run string) (*chargehand.View, error) {
	id, err := r.store.find(ctx, "run", run)
	if err != nil {
		return nil, err
	}
	v := &chargehand.View{}
	err = r.store.stream(ctx, id, 0, func(rec chargehand.Record) bool { v.Apply(rec); return true })
	return v, err
}

// Records yields a run's records. Followed beyond the run's end it still yields what comes late,
// and ends.
func (r *reader) Records(ctx context.Context, run string, after int64, follow bool) iter.Seq2[chargehand.Record, error] {
	return func(yield func(chargehand.Record, error) bool) {
		id, err := r.store.find(ctx, "run", run)
		if err == nil {
			t := telling{reader: r, run: id, after: after, yield: yield}
			if follow {
				err = t.follow(ctx)
			} else {
				err = t.read(ctx)
			}
			if t.left {
				return
			}
		}
		if err != nil {
			yield(chargehand.Record{}, err)
		}
	}
}

// A telling hands a run's records to one caller, in order, each once.
type telling struct {
	*reader
	run   string
	after int64 // sequence number of the last one told
	over  bool  // the run's end was told
	left  bool  // the caller wants no more
	yield func(chargehand.Record, error) bool
}

func (t *telling) tell(r chargehand.Record) bool {
	_, ends := r.Fact.(chargehand.RunEnded)
	t.after, t.over = r.Seq, t.over || ends
	t.left = !t.yield(r, nil)
	return !t.left
}

func (t *telling) read(ctx context.Context) error {
	return t.store.stream(ctx, t.run, t.after, t.tell)
}

// follow tells what the journal holds, then what the hub hands on; after a gap, and now and then
// in case another process writes, it is the journal's turn again.
func (t *telling) follow(ctx context.Context) error {
	f := t.hub.follow(t.run)
	defer f.leave()
	for {
		over := t.over || t.store.ended(ctx, t.run) // asked before reading: nothing falls in between
		if err := t.read(ctx); err != nil || t.left || over || ctx.Err() != nil {
			return err
		}
		for live := true; live && !t.over; {
			var err error
			if live, err = t.next(ctx, f); err != nil || t.left || ctx.Err() != nil {
				return err
			}
		}
	}
}

// next waits for records and tells them. It reports false when the journal has to be read.
func (t *telling) next(ctx context.Context, f *follower) (bool, error) {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-f.signal:
	case <-timer.C:
		return false, nil
	case <-ctx.Done():
		return false, nil
	case <-t.hub.shut:
		return false, t.hub.why
	}
	for _, r := range f.take() {
		switch {
		case r.Seq <= t.after:
		case r.Seq > t.after+1:
			return false, nil
		case !t.tell(r):
			return false, nil
		}
	}
	return true, nil
}

// Reviews lists the reviews that wait, the next deadline first.
func (r *reader) Reviews(ctx context.Context) ([]chargehand.Review, error) {
	list, err := r.store.reviews(ctx)
	if err != nil {
		return nil, err
	}
	ends := map[string]time.Time{} // by run
	for i := range list {
		run := list[i].RunID
		if _, known := ends[run]; !known {
			s, err := r.store.summary(ctx, run)
			if err != nil {
				return nil, err
			}
			ends[run] = s.DeadlineAt
		}
		list[i] = list[i].Within(ends[run])
	}
	slices.SortStableFunc(list, func(a, b chargehand.Review) int { return a.Due().Compare(b.Due()) })
	return list, nil
}

// Blob is the content with the given hash.
func (r *reader) Blob(ctx context.Context, hash string) ([]byte, error) {
	return r.store.content(ctx, hash)
}

// Result is the run's result; that of a run still under way holds what was accepted so far.
func (r *reader) Result(ctx context.Context, run string) (*chargehand.Result, error) {
	id, err := r.store.find(ctx, "run", run)
	if err != nil {
		return nil, err
	}
	s, err := r.store.summary(ctx, id)
	if err != nil {
		return nil, err
	}
	if !s.State.Final() {
		return r.provisional(ctx, id)
	}
	kept, err := made[chargehand.Result](ctx, r.store, s.ResultRef)
	if err != nil {
		return nil, err
	}
	res := *kept // the caller's own, the items in it too
	res.Items = slices.Clone(kept.Items)
	if res.Audit.Records, err = r.store.count(ctx, id); err != nil {
		return nil, err
	}
	if res.Audit.Records > kept.Audit.Records+1 {
		err = r.late(ctx, id, &res)
	}
	return &res, err
}

// late takes into a result's cost what was billed after it was written.
func (r *reader) late(ctx context.Context, run string, res *chargehand.Result) error {
	v, err := r.Run(ctx, run)
	if err != nil || v.Spent == res.Cost.USD && v.Tokens == res.Cost.Tokens {
		return err
	}
	res.Cost.USD, res.Cost.Tokens, res.Cost.ByPhase = v.Spent, v.Tokens, v.Phases
	if v.Plan.Estimate > 0 {
		res.Cost.VsPlan = math.Round(100*float64(v.Spent)/float64(v.Plan.Estimate)) / 100
	}
	return nil
}

// provisional makes a result of a run's records as they stand.
func (r *reader) provisional(ctx context.Context, run string) (*chargehand.Result, error) {
	v, err := r.Run(ctx, run)
	if err != nil {
		return nil, err
	}
	m, k, err := r.machine(ctx, v)
	if err != nil {
		return nil, err
	}
	a, err := assemble(ctx, r.store, k, m.Accepted())
	if err != nil {
		return nil, err
	}
	res := m.Result()
	res.Items, res.Conflicts, res.Output = a.Items, a.Conflicts, outputOf(a.Outputs)
	var items draft
	if err = items.list(a.Items, nil); err == nil {
		res.ResultHash, err = resultHash(&res, items.body)
	}
	return &res, err
}

// machine folds a run's records into its machine.
func (r *reader) machine(ctx context.Context, v *chargehand.View) (*supervise.Machine, *kit, error) {
	k, err := r.kits.read(ctx, v.TeamDigest)
	if err != nil {
		return nil, nil, err
	}
	records, err := r.store.records(ctx, v.RunID, 0)
	if err != nil {
		return nil, nil, err
	}
	m, err := restored(v.RunID, k.team, records)
	return m, k, err
}
