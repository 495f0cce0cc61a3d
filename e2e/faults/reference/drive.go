package reference

import (
	"context"
	"fmt"

	"github.com/chargehand/chargehand"
)

// Person is who decides the reviews of the run.
const Person = "ana"

// Drive starts the run or finds it again, decides its reviews as a person would, and follows it to
// its end. All that the engine acknowledges goes into the diary.
func (w World) Drive(ctx context.Context, e chargehand.Engine) (*chargehand.Result, error) {
	run, err := e.Start(ctx, Order())
	if err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	if err := w.Note("started %s", run); err != nil {
		return nil, err
	}
	for r, err := range e.Records(ctx, run, 0, true) {
		if err != nil {
			return nil, fmt.Errorf("follow: %w", err)
		}
		if err := w.saw(r); err != nil {
			return nil, err
		}
		if f, ok := r.Fact.(chargehand.ReviewOpened); ok {
			if err := w.decide(ctx, e, &f.Review); err != nil {
				return nil, fmt.Errorf("decide: %w", err)
			}
		}
	}
	return e.Result(ctx, run)
}

// saw notes a record that the engine showed.
func (w World) saw(r chargehand.Record) error {
	line, err := Line(r)
	if err != nil {
		return err
	}
	return w.Note("%s", line)
}

// Line is what the diary says of a record.
func Line(r chargehand.Record) (string, error) {
	body, err := r.MarshalJSON()
	return fmt.Sprintf("record %d %s", r.Seq, chargehand.Hash(body)), err
}

// decide answers a review that waits: an output that is there is fine, and what is not known to
// have happened is settled by hand.
func (w World) decide(ctx context.Context, e chargehand.Engine, r *chargehand.Review) error {
	v, err := e.Run(ctx, r.RunID)
	if err != nil {
		return err
	}
	for i := range v.Reviews {
		if v.Reviews[i].ID == r.ID && !v.Reviews[i].Open() {
			return nil
		}
	}
	d, err := e.Decide(ctx, chargehand.Decision{
		ReviewID: r.ID, Approved: r.Cause != chargehand.CauseUnknown, Approver: Person,
		ContentHash: r.ContentHash, Nonce: r.Nonce, Comment: "looked at by hand",
	})
	if err != nil {
		return err
	}
	return w.Note("decided %s %v", d.ReviewID, d.Approved)
}
