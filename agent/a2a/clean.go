package a2a

import (
	"errors"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/secret"
	"github.com/chargehand/chargehand/worker"
)

// clean takes the values out of what an attempt came to: an agent may say them back.
func clean(known *secret.Values, r chargehand.WorkerResult, err error) (chargehand.WorkerResult, error) {
	r.Output, r.Summary = known.RedactJSON(r.Output), known.Redact(r.Summary)
	for i := range r.Blockers {
		r.Blockers[i] = known.Redact(r.Blockers[i])
	}
	if e, ok := errors.AsType[*worker.Error](err); ok {
		e.Message, e.Raw = known.Redact(e.Message), []byte(known.Redact(string(e.Raw)))
		if e.Err != nil {
			if text := known.Redact(e.Err.Error()); text != e.Err.Error() {
				e.Err = errors.New(text)
			}
		}
	}
	return r, err
}
