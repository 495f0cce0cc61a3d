package agent

import (
	"context"
	"errors"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/worker"
)

// longestWait is how long a provider may ask to be left alone, and still be asked again by another
// attempt at once.
const longestWait = time.Minute

// failure is what a model's error means for a task (SPEC.md ·70): what the provider turns away, and a complete
// answer that cannot be read, is refused, since asking again changes nothing. What outlasts the tries is a
// crash. Where nothing was spent nothing was begun: no call was answered, so none of a tool's was made, and
// none of the tries is billed.
func failure(ctx context.Context, err error, spent chargehand.Usage) error {
	e, ok := errors.AsType[*model.Error](err)
	if !ok || ctx.Err() != nil {
		return err
	}
	idle := spent == chargehand.Usage{}
	switch {
	case e.Kind == model.Malformed:
		return &worker.Error{Kind: worker.Refused, Message: "the model's answer cannot be read", Err: err, NotBegun: idle}
	case e.RetryAfter > longestWait, e.Kind == model.Denied, e.Kind == model.Invalid, e.Kind == model.Exhausted:
		return &worker.Error{Kind: worker.Refused, Message: "the model was not to be had", Err: err, NotBegun: idle}
	}
	return &worker.Error{Kind: worker.Crash, Message: "the model did not answer", Err: err, NotBegun: idle}
}
