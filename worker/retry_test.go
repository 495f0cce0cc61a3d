package worker

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chargehand/chargehand"
)

// A script is a worker that fails as it is told, then answers.
type script struct {
	failures []error
	calls    int
}

func (s *script) Do(context.Context, chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	s.calls++
	r := chargehand.WorkerResult{Usage: chargehand.Usage{InputTokens: 1}}
	if s.calls <= len(s.failures) {
		return r, s.failures[s.calls-1]
	}
	r.Status = chargehand.StatusSucceeded
	return r, nil
}

func failing(n int, e Error) []error {
	all := make([]error, n)
	for i := range all {
		each := e
		all[i] = &each
	}
	return all
}

func TestRetry(t *testing.T) {
	busy := Error{Kind: Transient, Message: "busy", NotBegun: true}
	lost := Error{Kind: Transient, Message: "lost"}
	later := Error{Kind: Transient, Message: "busy", NotBegun: true, RetryAfter: 7 * time.Second}
	dead := &Error{Kind: Refused, Message: "no", NotBegun: true}
	for _, tt := range []struct {
		name     string
		failures []error
		once     bool
		deadline time.Duration // zero: none
		kind     Kind          // empty: a result
		calls    int
		begun    bool // what the error says
		from, to time.Duration
	}{
		{name: "no failure", calls: 1},
		{name: "one", failures: failing(1, busy), calls: 2, from: 250 * time.Millisecond, to: 750 * time.Millisecond},
		{name: "three", failures: failing(3, busy), calls: 4, from: 1750 * time.Millisecond, to: 5250 * time.Millisecond},
		{name: "too many", failures: failing(9, busy), kind: Crash, calls: 4, from: 1750 * time.Millisecond, to: 5250 * time.Millisecond},
		{name: "too many, work may have been done", failures: append(failing(1, lost), failing(9, busy)...), kind: Crash, calls: 4, begun: true, from: 1750 * time.Millisecond, to: 5250 * time.Millisecond},
		{name: "it says when", failures: failing(2, later), calls: 3, from: 14 * time.Second, to: 17 * time.Second},
		{name: "it says when, too late", failures: failing(9, later), deadline: 6 * time.Second, kind: Crash, calls: 1},
		{name: "it says when, in time once", failures: failing(9, later), deadline: 10 * time.Second, kind: Crash, calls: 2, from: 7 * time.Second, to: 8 * time.Second},
		{name: "it says when, in half an hour", failures: failing(1, Error{Kind: Transient, RetryAfter: 30 * time.Minute, NotBegun: true}), deadline: time.Hour, calls: 2, from: 30 * time.Minute, to: 31 * time.Minute},
		{name: "it says when, in a month", failures: failing(9, Error{Kind: Transient, RetryAfter: 30 * 24 * time.Hour, NotBegun: true}), kind: Refused, calls: 1},
		{name: "refused", failures: []error{dead}, kind: Refused, calls: 1},
		{name: "lost, then refused", failures: append(failing(1, lost), dead), kind: Refused, calls: 2, begun: true, from: 250 * time.Millisecond, to: 750 * time.Millisecond},
		{name: "an error of its own", failures: []error{errors.New("no clause")}, kind: Crash, calls: 1, begun: true},
		{name: "once, turned away", failures: failing(1, busy), once: true, calls: 2, from: 250 * time.Millisecond, to: 750 * time.Millisecond},
		{name: "once, lost", failures: failing(9, lost), once: true, kind: Crash, calls: 1, begun: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if tt.once {
					ctx = Once(ctx)
				}
				if tt.deadline > 0 {
					var stop context.CancelFunc
					ctx, stop = context.WithTimeout(ctx, tt.deadline)
					defer stop()
				}
				s := &script{failures: tt.failures}
				start := time.Now()
				r, err := Retry(s, Limits{}).Do(ctx, someTask())
				took := time.Since(start)
				if (err == nil) != (tt.kind == "") || (err != nil && KindOf(err) != tt.kind) {
					t.Fatalf("%v, want kind %q", err, tt.kind)
				}
				if e, ok := errors.AsType[*Error](err); ok && e.NotBegun == tt.begun {
					t.Errorf("NotBegun is %v", e.NotBegun)
				}
				if s.calls != tt.calls || r.Usage.InputTokens != int64(tt.calls) {
					t.Errorf("%d calls, want %d; %d tokens", s.calls, tt.calls, r.Usage.InputTokens)
				}
				if took < tt.from || took > tt.to {
					t.Errorf("took %v, want %v to %v", took, tt.from, tt.to)
				}
			})
		})
	}
}

func TestRetryCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("the run is over")
		ctx, stop := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { stop(why) })
		start := time.Now()
		_, err := Retry(&script{failures: failing(9, Error{Kind: Transient, Message: "busy", RetryAfter: time.Hour / 6})}, Limits{}).Do(ctx, someTask())
		if KindOf(err) != Cancelled || !errors.Is(err, why) || !strings.Contains(err.Error(), "busy") {
			t.Errorf("%v", err)
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("took %v", took)
		}
	})
}

// Tasks that are turned away together do not come back together.
func TestRetryJitter(t *testing.T) {
	waits := map[time.Duration]bool{}
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			_, err := Retry(&script{failures: failing(1, Error{Kind: Transient, RetryAfter: time.Second})}, Limits{}).Do(t.Context(), someTask())
			if err != nil {
				t.Fatal(err)
			}
			waits[time.Since(start)] = true
		})
	}
	if len(waits) < 10 {
		t.Errorf("20 waits, %d different", len(waits))
	}
}
