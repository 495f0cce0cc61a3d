package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/worker"
)

// Before each call all that it may cost is covered: what was used so far and the most of the call.
func TestCoverEachCall(t *testing.T) {
	b := &bench{answer: "no"}
	line := &lineOf{}
	m := does(call("files_read", `{}`), last)
	w := granted
	w.LLM = &chargehand.LLMKind{MaxTokens: 1000}
	if _, err := make1(t, withTools(m, b), w).Do(worker.WithLine(t.Context(), line), task()); err != nil {
		t.Fatal(err)
	}
	if len(line.covered) != 2 {
		t.Fatalf("covered %d times", len(line.covered))
	}
	first, second := line.covered[0], line.covered[1]
	sent := int64(len(m.asked[0].System) + len(m.asked[0].Schema) + len(text(m.asked[0])))
	if first.InputTokens < sent || first.OutputTokens != 1000 || first.USD != price.Of(first.InputTokens, 0, 0, 1000) {
		t.Errorf("%+v does not cover %d bytes and 1000 tokens", first, sent)
	}
	if second.OutputTokens != 1020 || second.InputTokens < 100+100 || second.InputTokens > 100+100+2000 {
		t.Errorf("%+v: the second call begins with what the provider counted for the first", second)
	}
}

func TestUncovered(t *testing.T) {
	broke := errors.New("the budget is used up")
	m := says(fine)
	line := &lineOf{cover: func(chargehand.Usage) error { return broke }}
	r, err := make1(t, options(m), chargehand.WorkerSpec{}).Do(worker.WithLine(t.Context(), line), task())
	if !errors.Is(err, broke) || len(m.asked) != 0 || r.Usage != (chargehand.Usage{}) {
		t.Errorf("%v, asked %d times, %+v", err, len(m.asked), r.Usage)
	}
}

// What the provider does not say counts as the most it can be, and never as nothing.
func TestUnreportedUsage(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func(model.Request) (model.Response, error)
		in     bool
		out    int64
	}{
		{"none", reply(model.Response{Text: fine, Stop: model.StopEnd}), true, 4096},
		{"no output", reply(model.Response{Text: fine, Stop: model.StopEnd, Usage: model.Usage{Input: 7}}), false, 4096},
		{"no input", reply(model.Response{Text: fine, Stop: model.StopEnd, Usage: model.Usage{Output: 7}}), true, 7},
		{"sent and lost", fails(&model.Error{Kind: model.TimedOut, Sent: true}), true, 4096},
		{"broken off before any text", fails(&model.Error{Kind: model.Interrupted, Status: 200, Sent: true}), true, 4096},
		{"cannot be", reply(model.Response{Text: fine, Stop: model.StopEnd, Usage: model.Usage{Input: -5, Output: 7}}), true, 4096},
		{"beyond any context", reply(model.Response{Text: fine, Stop: model.StopEnd, Usage: model.Usage{Input: 5, Output: 1 << 40}}), true, 4096},
		{"any other error", fails(errors.New("boom")), true, 4096},
		{"turned away", fails(&model.Error{Kind: model.Limited, Status: 429, Sent: true}), false, 0},
		{"not sent", fails(&model.Error{Kind: model.Unavailable}), false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := &script{answers: []func(model.Request) (model.Response, error){tt.answer}}
			r, _ := make1(t, options(m), chargehand.WorkerSpec{}).Do(t.Context(), task())
			if most := r.Usage.InputTokens > 1000; most != tt.in || r.Usage.OutputTokens != tt.out {
				t.Errorf("%+v", r.Usage)
			}
			if (r.Usage.USD > 0) != (r.Usage.Tokens() > 0) {
				t.Errorf("%+v has no price", r.Usage)
			}
		})
	}
}

// A failure that passes is tried again, each try covered and counted on its own.
func TestRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &script{answers: []func(model.Request) (model.Response, error){
			fails(&model.Error{Kind: model.Limited, Status: 429, RetryAfter: 20 * time.Second}),
			fails(&model.Error{Kind: model.TimedOut, Sent: true}),
			reply(last),
		}}
		opt := options(m)
		opt.Tries = 3
		line := &lineOf{}
		began := time.Now()
		r, err := make1(t, opt, chargehand.WorkerSpec{}).Do(worker.WithLine(t.Context(), line), task())
		if err != nil || len(m.asked) != 3 || len(line.covered) != 3 {
			t.Fatalf("%v, asked %d times, covered %d", err, len(m.asked), len(line.covered))
		}
		if m.asked[0].Key != m.asked[2].Key {
			t.Error("the same call is made again under another key")
		}
		if r.Usage.OutputTokens != 4096+20 {
			t.Errorf("the call that may have been made counts: %+v", r.Usage)
		}
		if line.covered[2].OutputTokens != 2*4096 {
			t.Errorf("the third try covers %+v", line.covered[2])
		}
		if time.Since(began) < 20*time.Second {
			t.Error("the provider asked to be left alone for 20 s")
		}
	})
}

func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		err    error
		kind   worker.Kind
		billed bool
		asked  int
	}{
		{&model.Error{Kind: model.Denied, Status: 401, Sent: true}, worker.Refused, false, 1},
		{&model.Error{Kind: model.Invalid, Status: 400, Sent: true}, worker.Refused, false, 1},
		{&model.Error{Kind: model.Exhausted, Status: 402, Sent: true}, worker.Refused, false, 1},
		{&model.Error{Kind: model.Overloaded, Status: 529, Sent: true}, worker.Crash, false, 2},
		{&model.Error{Kind: model.Interrupted, Sent: true}, worker.Crash, true, 2},
		{&model.Error{Kind: model.Malformed, Sent: true}, worker.Refused, true, 1},
		{&model.Error{Kind: model.Unavailable}, worker.Crash, false, 2},
		{&model.Error{Kind: model.Limited, Status: 429, RetryAfter: time.Hour}, worker.Refused, false, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := &script{answers: []func(model.Request) (model.Response, error){fails(tt.err)}}
			opt := options(m)
			opt.Tries = 2
			r, err := make1(t, opt, chargehand.WorkerSpec{}).Do(t.Context(), task())
			e, ok := errors.AsType[*worker.Error](err)
			if !ok || e.Kind != tt.kind || e.NotBegun == tt.billed || (r.Usage != chargehand.Usage{}) != tt.billed || len(m.asked) != tt.asked || !errors.Is(err, tt.err) {
				t.Errorf("%v: %#v, asked %d times", tt.err, err, len(m.asked))
			}
		})
	}
}

// A deadline that comes first ends the tries.
func TestRetriesEndWithTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		m := &script{answers: []func(model.Request) (model.Response, error){fails(&model.Error{Kind: model.Limited, RetryAfter: time.Minute})}}
		opt := options(m)
		opt.Tries = 9
		if _, err := make1(t, opt, chargehand.WorkerSpec{}).Do(ctx, task()); worker.KindOf(err) != worker.Crash || len(m.asked) != 1 || ctx.Err() != nil {
			t.Errorf("%v, asked %d times", err, len(m.asked))
		}
	})
}

func TestTooLarge(t *testing.T) {
	big := task()
	big.InputRefs[0].Text = strings.Repeat("a lease ", 10_000)
	big.InputRefs[0].Name = "lease.txt"
	m := says(fine)
	_, err := make1(t, options(m), chargehand.WorkerSpec{LLM: &chargehand.LLMKind{MaxInput: 5_000}}).Do(t.Context(), big)
	e, ok := errors.AsType[*worker.Error](err)
	if !ok || e.Kind != worker.Refused || !e.NotBegun || len(m.asked) != 0 {
		t.Fatalf("%#v", err)
	}
	for _, want := range []string{`"lease.txt"`, "80000 bytes", "5000 (llm.maxInputTokens)"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %s", err, want)
		}
	}
}

// Whatever a provider reports, and however often it fails, what was covered for a call is never
// below what the attempt then counts, unless the provider reports more than the most.
func TestCoverHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := &bench{answer: rapid.StringN(0, 200, 2000).Draw(rt, "tool")}
		m := &script{}
		for range rapid.IntRange(0, 6).Draw(rt, "turns") {
			r := call("files_read", `{}`)
			r.Usage = model.Usage{Input: rapid.Int64Range(0, 1000).Draw(rt, "in"), Output: rapid.Int64Range(0, 4096).Draw(rt, "out")}
			m.answers = append(m.answers, reply(r))
		}
		end := last
		end.Usage = model.Usage{}
		m.answers = append(m.answers, reply(end))
		line := &lineOf{}
		r, _ := make1(t, withTools(m, b), granted).Do(worker.WithLine(context.Background(), line), task())
		if got, most := r.Usage, line.covered[len(line.covered)-1]; got.InputTokens > most.InputTokens || got.OutputTokens > most.OutputTokens || got.USD > most.USD {
			rt.Fatalf("counted %+v, covered %+v", got, most)
		}
	})
}

// A stream that breaks off is asked for again, covered once more first: what is said then is a new text.
func TestBrokenStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := &lineOf{}
		broken := func(r model.Request) (model.Response, error) {
			if err := r.Stream(`{"status":`); err != nil {
				return model.Response{}, err
			}
			return model.Response{Text: `{"status":`}, &model.Error{Kind: model.Interrupted, Sent: true}
		}
		m := &script{answers: []func(model.Request) (model.Response, error){broken, reply(last)}}
		opt := options(m)
		opt.Tries = 2
		r, err := make1(t, opt, chargehand.WorkerSpec{}).Do(worker.WithLine(t.Context(), line), task())
		if err != nil || string(r.Output) != `{"n":900}` || line.said != `{"status":`+fine || len(line.covered) != 2 {
			t.Errorf("%+v, %v, said %q, covered %d times", r, err, line.said, len(line.covered))
		}
		if r.Usage.OutputTokens != 5+20 || r.Usage.InputTokens >= 100+line.covered[0].InputTokens {
			t.Errorf("what was heard counts, ten bytes as five tokens: %+v", r.Usage)
		}
		if !strings.Contains(string(r.Transcript), `"estimated":true`) {
			t.Errorf("the transcript does not say that it is an estimate: %s", r.Transcript)
		}
	})
}

// A try that is not covered any more is not made.
func TestUncoveredRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broke := errors.New("used up")
		line := &lineOf{cover: func(u chargehand.Usage) error {
			if u.OutputTokens > 4096 {
				return broke
			}
			return nil
		}}
		m := &script{answers: []func(model.Request) (model.Response, error){fails(&model.Error{Kind: model.TimedOut, Sent: true})}}
		opt := options(m)
		opt.Tries = 5
		_, err := make1(t, opt, chargehand.WorkerSpec{}).Do(worker.WithLine(t.Context(), line), task())
		if !errors.Is(err, broke) || len(m.asked) != 1 {
			t.Errorf("%v, asked %d times", err, len(m.asked))
		}
	})
}
