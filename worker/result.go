package worker

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/internal/ijson"
	"github.com/chargehand/chargehand/internal/secret"
)

// decode reads what a process or a service answered to t: a WorkerResult where it is an object
// with a member "status", else the output of a succeeded one. An answer that is neither is Garbage,
// and one that leaves its output elsewhere is Refused. Where it says a value that it was told in
// confidence, the value's name stands instead; an error may still hold it.
func decode(t chargehand.WorkerTask, b []byte, known *secret.Values) (chargehand.WorkerResult, error) {
	r, err := unwrap(b, known)
	if err == nil {
		r, err = seal(t, r)
	}
	if err != nil {
		return spent(r), unsealed(b, err)
	}
	return r, nil
}

// spent is what a refused result still counts for.
func spent(r chargehand.WorkerResult) chargehand.WorkerResult {
	return chargehand.WorkerResult{Usage: countable(r.Usage)}
}

func unwrap(b []byte, known *secret.Values) (chargehand.WorkerResult, error) {
	err := ijson.Check(b)
	b = known.RedactJSON(b)
	if err != nil {
		return chargehand.WorkerResult{}, cmp.Or(ijson.Check(b), err) // the former names no member that is a secret
	}
	var object map[string]json.RawMessage
	err = json.Unmarshal(b, &object)
	if _, full := object["status"]; err != nil || !full {
		output := bytes.Clone(bytes.TrimSpace(b))
		return chargehand.WorkerResult{Status: chargehand.StatusSucceeded, Output: output}, nil
	}
	return envelope(b, object)
}

// envelope reads a full result. A member it does not know is refused rather than dropped: it is a
// slip of the pen, or an output that has a status of its own.
func envelope(b []byte, object map[string]json.RawMessage) (chargehand.WorkerResult, error) {
	for name := range object {
		if !resultMembers()[name] {
			return chargehand.WorkerResult{}, fmt.Errorf("a result has no member %q; "+
				`an output that has a "status" goes inside a result, as its "output"`, excerpt.Of(name, 40))
		}
	}
	var r chargehand.WorkerResult
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return chargehand.WorkerResult{}, excerpt.JSON(err)
	}
	return r, nil
}

var resultMembers = sync.OnceValue(members[chargehand.WorkerResult])

// members are the JSON names of T's fields, to be compared exactly: encoding/json would take
// "Output" for "output", and of both the one that comes last.
func members[T any]() map[string]bool {
	names := map[string]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names[name] = true
	}
	return names
}

// sealFunc is seal for what a function returned, whose raw parts are not yet known to be JSON.
func sealFunc(t chargehand.WorkerTask, r chargehand.WorkerResult) (chargehand.WorkerResult, error) {
	if r.Status == "" {
		r.Status = chargehand.StatusSucceeded
	}
	for _, raw := range []json.RawMessage{r.Output, r.Artifacts, r.Transcript} {
		if len(raw) == 0 {
			continue
		}
		if err := ijson.Check(raw); err != nil {
			return spent(r), garbage(raw, err)
		}
	}
	sealed, err := seal(t, r)
	if err != nil {
		return spent(r), unsealed(r.Output, err)
	}
	return sealed, nil
}

// seal checks that a result answers t and stays within its ranges, and fills in what the caller
// knows better than the worker.
func seal(t chargehand.WorkerTask, r chargehand.WorkerResult) (chargehand.WorkerResult, error) {
	switch {
	case !isStatus(r.Status):
		return r, fmt.Errorf("the status %q is none of succeeded, failed, blocked, partial", excerpt.Of(string(r.Status), 40))
	case r.TaskID != "" && r.TaskID != t.TaskID:
		return r, fmt.Errorf("it is for task %q, not %q", excerpt.Of(r.TaskID, 80), t.TaskID)
	case r.Attempt != 0 && r.Attempt != t.Attempt:
		return r, fmt.Errorf("it is for attempt %d, not %d", r.Attempt, t.Attempt)
	case r.Confidence != nil && !(*r.Confidence >= 0 && *r.Confidence <= 1):
		return r, errors.New("the confidence is not within 0 and 1")
	case negative(r.Usage):
		return r, errors.New("the usage is negative")
	case r.OutputRef != "" && (len(r.Output) == 0 || string(r.Output) == "null"):
		return r, elsewhere()
	}
	r.TaskID, r.Attempt, r.WorkerName = t.TaskID, t.Attempt, t.AssignedWorker
	return r, nil
}

// elsewhere is the error for a result that names its output and does not hold it: nothing here fetches
// what a worker names (SPEC.md ·3). It is Refused, not Garbage: a worker that keeps its outputs elsewhere
// says the same when it is asked again.
func elsewhere() *Error {
	return &Error{
		Kind: Refused, Message: `the result has an "outputRef" and no "output"`,
		Err: errors.New(`an output goes inline, as "output"; the engine stores it and names it by its hash`),
	}
}

// unsealed is the error for a result that seal does not let pass.
func unsealed(raw []byte, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return garbage(raw, err)
}

func isStatus(s chargehand.ResultStatus) bool {
	switch s {
	case chargehand.StatusSucceeded, chargehand.StatusFailed, chargehand.StatusBlocked, chargehand.StatusPartial:
		return true
	}
	return false
}

// negative reports usage that would give money or tokens back.
func negative(u chargehand.Usage) bool {
	return u.InputTokens < 0 || u.OutputTokens < 0 || u.USD < 0 || u.ToolCalls < 0
}

// countable is usage as it may be booked; what is negative counts for nothing.
func countable(u chargehand.Usage) chargehand.Usage {
	if negative(u) {
		return chargehand.Usage{}
	}
	return u
}
