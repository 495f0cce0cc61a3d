package a2aapi

import (
	"context"
	"iter"

	"github.com/chargehand/chargehand"
)

// A step is a record, and whether it is the last of its moment: of those that were decided and made
// durable together.
type step struct {
	record chargehand.Record
	last   bool
}

// steps yields a run's records after a number, as far as there are any now.
func (a *agent) steps(ctx context.Context, run string, after int64) iter.Seq2[step, error] {
	return func(yield func(step, error) bool) {
		var held *chargehand.Record
		for r, err := range a.engine.Records(ctx, run, after, false) {
			if err != nil {
				yield(step{}, err)
				return
			}
			if held != nil && !yield(step{*held, !held.At.Equal(r.At)}, nil) {
				return
			}
			held = &r
		}
		if held != nil {
			yield(step{*held, true}, nil)
		}
	}
}

// follow yields a run's records after a number until it has ended, or ctx has. A record that comes
// has come with all of its moment, so these are read at one go.
func (a *agent) follow(ctx context.Context, run string, after int64) iter.Seq2[step, error] {
	return func(yield func(step, error) bool) {
		for {
			for x, err := range a.steps(ctx, run, after) {
				if err != nil {
					yield(step{}, err)
					return
				}
				if after = x.record.Seq; !yield(x, nil) {
					return
				}
			}
			more, err := a.more(ctx, run, after)
			if err != nil {
				yield(step{}, err)
				return
			}
			if !more {
				return
			}
		}
	}
}

// more waits for a record after a number, and reports whether one has come.
func (a *agent) more(ctx context.Context, run string, after int64) (bool, error) {
	for _, err := range a.engine.Records(ctx, run, after, true) {
		return err == nil, err
	}
	return false, context.Cause(ctx)
}

// fold folds a run's records, the last one at most upTo; zero means all there are.
func (a *agent) fold(ctx context.Context, run string, upTo int64) (*projection, error) {
	p := &projection{where: a.opt.Where}
	for x, err := range a.steps(ctx, run, 0) {
		if err != nil {
			return nil, err
		}
		if upTo > 0 && x.record.Seq > upTo {
			break
		}
		p.apply(x)
	}
	if p.view.RunID == "" {
		return nil, taskNotFound.failure()
	}
	return p, nil
}

// await folds on until the task is in such a state.
func (a *agent) await(ctx context.Context, p *projection, such func(state) bool) error {
	if such(p.state) {
		return nil
	}
	for x, err := range a.follow(ctx, p.view.RunID, p.view.Seq) {
		if err != nil {
			return err
		}
		if p.apply(x); such(p.state) {
			return nil
		}
	}
	return context.Cause(ctx)
}
