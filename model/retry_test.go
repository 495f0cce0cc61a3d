package model_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chargehand/chargehand/model"
)

// answers is a model that gives one outcome after the other, and notes when.
type answers struct {
	outcomes []outcome
	at       []time.Duration
	begun    time.Time
}

type outcome struct {
	text  string
	usage model.Usage
	err   error
}

func (a *answers) Complete(_ context.Context, r model.Request) (model.Response, error) {
	if a.begun.IsZero() {
		a.begun = time.Now()
	}
	o := a.outcomes[len(a.at)]
	a.at = append(a.at, time.Since(a.begun))
	if r.Stream != nil && o.text != "" {
		if err := r.Stream(o.text); err != nil {
			return model.Response{}, err
		}
	}
	return model.Response{Text: o.text, Usage: o.usage}, o.err
}

func failed(k model.Kind, after time.Duration, sent bool) outcome {
	return outcome{err: &model.Error{Kind: k, Provider: "p", RetryAfter: after, Sent: sent}, usage: model.Usage{Input: 10}}
}

var fine = outcome{text: "fine", usage: model.Usage{Input: 10, Output: 1}}

func TestRetry(t *testing.T) {
	for _, c := range []struct {
		name     string
		o        model.RetryOptions
		outcomes []outcome
		tries    int
		last     model.Kind // of the error; empty means an answer
		least    time.Duration
		most     time.Duration
	}{
		{"an answer", model.RetryOptions{}, []outcome{fine}, 1, "", 0, 0},
		{"limited, then an answer", model.RetryOptions{}, []outcome{failed(model.Limited, 0, false), fine}, 2, "", 250 * time.Millisecond, 750 * time.Millisecond},
		{"waits as long as asked", model.RetryOptions{}, []outcome{failed(model.Limited, 20*time.Second, false), fine}, 2, "", 20 * time.Second, 22 * time.Second},
		{"however long that is", model.RetryOptions{}, []outcome{failed(model.Limited, 8*time.Minute, false), fine}, 2, "", 8 * time.Minute, 9 * time.Minute},
		{"not beyond the deadline", model.RetryOptions{}, []outcome{failed(model.Limited, time.Hour, false)}, 1, model.Limited, 0, 0},
		{"not what cannot be read", model.RetryOptions{}, []outcome{failed(model.Malformed, 0, true)}, 1, model.Malformed, 0, 0},
		{"longer each time", model.RetryOptions{First: time.Second}, []outcome{failed(model.Overloaded, 0, false), failed(model.Unavailable, 0, true), failed(model.Interrupted, 0, true), fine}, 4, "", 3500 * time.Millisecond, 10500 * time.Millisecond},
		{"four times", model.RetryOptions{}, []outcome{failed(model.Limited, 0, false), failed(model.Limited, 0, false), failed(model.Limited, 0, false), failed(model.Overloaded, 0, false)}, 4, model.Overloaded, 0, time.Minute},
		{"once", model.RetryOptions{Tries: 1}, []outcome{failed(model.Limited, 0, false)}, 1, model.Limited, 0, 0},
		{"not what does not pass", model.RetryOptions{}, []outcome{failed(model.Denied, 0, false)}, 1, model.Denied, 0, 0},
		{"nor a bad request", model.RetryOptions{}, []outcome{failed(model.Invalid, 0, false)}, 1, model.Invalid, 0, 0},
		{"nor a quota", model.RetryOptions{}, []outcome{failed(model.Exhausted, time.Second, false)}, 1, model.Exhausted, 0, 0},
		{"not what may have been carried out", model.RetryOptions{}, []outcome{failed(model.TimedOut, 0, true)}, 1, model.TimedOut, 0, 0},
		{"unless that does no harm", model.RetryOptions{Free: true}, []outcome{failed(model.TimedOut, 0, true), fine}, 2, "", 0, time.Second},
		{"what never arrived", model.RetryOptions{}, []outcome{failed(model.TimedOut, 0, false), fine}, 2, "", 0, time.Second},
		{"not another's error", model.RetryOptions{}, []outcome{{err: errors.New("stop")}}, 1, "stop", 0, 0},
		{"unless it is not to", model.RetryOptions{Again: func(context.Context, int, error) error { return errors.New("no money") }}, []outcome{failed(model.Limited, 0, false)}, 1, model.Limited, 0, time.Second},
		{"nor a little beyond it", model.RetryOptions{Most: time.Hour}, []outcome{failed(model.Limited, 11*time.Minute, false)}, 1, model.Limited, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
				defer cancel()
				a := &answers{outcomes: c.outcomes}
				begun := time.Now()
				res, err := model.Retry(a, c.o).Complete(ctx, ask("x"))
				took := time.Since(begun)
				if len(a.at) != c.tries || took < c.least || took > c.most {
					t.Errorf("%d tries in %s: %v", len(a.at), took, a.at)
				}
				if (err == nil) != (c.last == "") || c.last != "stop" && model.KindOf(err) != c.last {
					t.Errorf("it ends with %v", err)
				}
				var want model.Usage
				for _, o := range c.outcomes {
					want = want.Plus(o.usage)
				}
				if res.Usage != want {
					t.Errorf("usage is %+v, want that of all tries, %+v", res.Usage, want)
				}
			})
		})
	}
}

func TestRetryOfStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broke := failed(model.Interrupted, 0, true)
		silent := &answers{outcomes: []outcome{broke, fine}}
		var heard []string
		r := ask("x")
		r.Stream = func(text string) error { heard = append(heard, text); return nil }
		if _, err := model.Retry(silent, model.RetryOptions{}).Complete(t.Context(), r); err != nil || !slices.Equal(heard, []string{"fine"}) {
			t.Errorf("a stream that broke before any text: %v, heard %q", err, heard)
		}
		broke.text, heard = "fi", nil
		loud := &answers{outcomes: []outcome{broke, fine}}
		if res, err := model.Retry(loud, model.RetryOptions{}).Complete(t.Context(), r); model.KindOf(err) != model.Interrupted || len(loud.at) != 1 || res.Text != "fi" {
			t.Errorf("a stream that broke within its text: %v after %d tries", err, len(loud.at))
		}
	})
}

// A wait ends with its context.
func TestRetryIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		a := &answers{outcomes: []outcome{failed(model.Limited, time.Minute, false), fine}}
		time.AfterFunc(time.Second, cancel)
		begun := time.Now()
		_, err := model.Retry(a, model.RetryOptions{}).Complete(ctx, ask("x"))
		if model.KindOf(err) != model.Limited || len(a.at) != 1 || time.Since(begun) != time.Second {
			t.Errorf("%v after %d tries and %s", err, len(a.at), time.Since(begun))
		}
	})
}

// A wait that does not fit is named with the provider's error.
func TestRetryAfterBeyondTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := model.Retry(&answers{outcomes: []outcome{failed(model.Limited, 26*time.Hour, false)}}, model.RetryOptions{}).Complete(ctx, ask("x"))
		if err == nil || !strings.Contains(err.Error(), "asks to be left alone for 26h0m0s") || !strings.Contains(err.Error(), "the deadline is in 1m0s") {
			t.Error(err)
		}
	})
}

// No call has a count below zero, or one above ten times the longest context.
func TestUsageCheck(t *testing.T) {
	for _, c := range []struct {
		u  model.Usage
		ok bool
	}{
		{model.Usage{}, true},
		{model.Usage{Input: model.MostTokens, Output: 1}, true},
		{model.Usage{Input: -1}, false},
		{model.Usage{Output: model.MostTokens + 1}, false},
		{model.Usage{CachedInput: 1 << 40}, false},
	} {
		if err := c.u.Check(); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c.u, err)
		}
	}
}
