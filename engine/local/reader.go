package local

import (
	"context"
	"encoding/json"
	"iter"
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
		for err == nil {
			more, over, going := r.hub.next(id), r.store.ended(ctx, id), true // asked before reading: nothing falls in between
			if err = r.store.stream(ctx, id, after, func(rec chargehand.Record) bool {
				after = rec.Seq
				going = yield(rec, nil)
				return going
			}); !going {
				return
			}
			if err == nil && (!follow || over) || ctx.Err() != nil {
				return
			}
			if err == nil {
				err = r.wait(ctx, more)
			}
		}
		yield(chargehand.Record{}, err)
	}
}

// wait returns when there may be more, and now and then in case another process wrote it.
func (r *reader) wait(ctx context.Context, more <-chan struct{}) error {
	t := time.NewTimer(time.Second)
	defer t.Stop()
	select {
	case <-more:
	case <-t.C:
	case <-ctx.Done():
	case <-r.hub.shut:
		return errClosed
	}
	return nil
}

// Reviews lists the reviews that wait, the next deadline first.
func (r *reader) Reviews(ctx context.Context) ([]chargehand.Review, error) {
	return r.store.reviews(ctx)
}

// Blob is the content with the given hash.
func (r *reader) Blob(ctx context.Context, hash string) ([]byte, error) {
	return r.store.content(ctx, hash)
}

// Result is the run's result; that of a run still under way holds what was accepted so far.
func (r *reader) Result(ctx context.Context, run string) (*chargehand.Result, error) {
	v, err := r.Run(ctx, run)
	if err != nil {
		return nil, err
	}
	if v.ResultRef == "" {
		return r.provisional(ctx, v)
	}
	body, err := r.store.content(ctx, v.ResultRef)
	if err != nil {
		return nil, err
	}
	var res chargehand.Result
	return &res, json.Unmarshal(body, &res)
}

// provisional makes a result of a run's records as they stand.
func (r *reader) provisional(ctx context.Context, v *chargehand.View) (*chargehand.Result, error) {
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
	res.ResultHash, err = resultHash(&res)
	return &res, err
}

// machine folds a run's records into its machine.
func (r *reader) machine(ctx context.Context, v *chargehand.View) (*supervise.Machine, *kit, error) {
	k, err := r.kits.load(ctx, v.TeamDigest)
	if err != nil {
		return nil, nil, err
	}
	records, err := r.store.records(ctx, v.RunID, 0)
	return supervise.Restore(v.RunID, k.team, records), k, err
}
