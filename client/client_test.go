package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/client"
	"github.com/chargehand/chargehand/internal/httpapi"
)

var at = time.Date(2026, 11, 21, 14, 11, 30, 0, time.UTC)

// A fake answers with what it holds, keeps what it was asked, and fails with err if that is set.
type fake struct {
	err error

	order    chargehand.Order
	control  chargehand.Control
	forked   chargehand.Fork
	filter   chargehand.Filter
	decision chargehand.Decision
	name     string
	after    int64
	follow   bool

	records []chargehand.Record
	broken  error         // ends Records after the last record
	live    chan struct{} // followers wait for it; nil: they do not
}

func (f *fake) Start(_ context.Context, o chargehand.Order) (string, error) {
	f.order = o
	return "run_1", f.err
}

func (f *fake) Control(_ context.Context, run string, c chargehand.Control) error {
	f.name, f.control = run, c
	return f.err
}

func (f *fake) Fork(_ context.Context, run string, at chargehand.Fork) (string, error) {
	f.name, f.forked = run, at
	return "run_2", f.err
}

func (f *fake) Decide(_ context.Context, d chargehand.Decision) (chargehand.Decision, error) {
	f.decision = d
	d.Timestamp = at
	return d, f.err
}

func (f *fake) Runs(_ context.Context, filter chargehand.Filter) ([]chargehand.RunSummary, error) {
	f.filter = filter
	return []chargehand.RunSummary{{RunID: "run_1", State: chargehand.RunPartial, Spent: 440_000, StartedAt: at}}, f.err
}

func (f *fake) Run(_ context.Context, run string) (*chargehand.View, error) {
	f.name = run
	return view(), f.err
}

func (f *fake) Records(ctx context.Context, run string, after int64, follow bool) iter.Seq2[chargehand.Record, error] {
	f.name, f.after, f.follow = run, after, follow
	return func(yield func(chargehand.Record, error) bool) {
		for _, r := range f.records {
			if r.Seq > after && !yield(r, nil) {
				return
			}
		}
		if f.broken != nil {
			yield(chargehand.Record{}, f.broken)
			return
		}
		if follow && f.live != nil {
			select {
			case <-f.live:
			case <-ctx.Done():
				yield(chargehand.Record{}, ctx.Err())
			}
		}
	}
}

func (f *fake) Result(_ context.Context, run string) (*chargehand.Result, error) {
	f.name = run
	return &chargehand.Result{
		RunID: "run_1", Status: chargehand.RunPartial, Output: json.RawMessage(`{"a":"<&>"}`),
		Items: []chargehand.Item{{
			Fields:  json.RawMessage(`{"k":"<b>"}`),
			Subtask: "s1", Attempt: 1, Worker: "w", Verdict: "accepted",
		}},
		Gaps: []chargehand.Gap{{Subtask: "s2", Cause: chargehand.CauseDeadline, Why: "late"}},
	}, f.err
}

func (f *fake) Reviews(context.Context) ([]chargehand.Review, error) {
	return []chargehand.Review{{ID: "rev_1", Nonce: "n", Deadline: at}}, f.err
}

func (f *fake) Blob(_ context.Context, hash string) ([]byte, error) {
	f.name = hash
	return []byte("a\x00b<&>"), f.err
}

func (f *fake) Fleet(context.Context) ([]chargehand.WorkerStatus, error) {
	return []chargehand.WorkerStatus{{Worker: "w", Slots: 2, Breaker: chargehand.BreakerOpen}}, f.err
}

func view() *chargehand.View {
	v := new(chargehand.View)
	for _, r := range history() {
		v.Apply(r)
	}
	return v
}

func history() []chargehand.Record {
	facts := []chargehand.Fact{
		chargehand.RunStarted{Objective: chargehand.Objective{Title: "Nordwind"}, Team: "legal", Format: 1},
		chargehand.PlanAdopted{Version: 1, Subtasks: 1, Estimate: 380_000},
		chargehand.SubtasksPlanned{Version: 1, Subtasks: []chargehand.Subtask{{ID: "s1", Goal: "g", Capability: "c"}}},
		chargehand.RunEnded{State: chargehand.RunFailed, Stop: chargehand.StopWorkerFailure},
	}
	var records []chargehand.Record
	for i, f := range facts {
		records = append(records, chargehand.Record{Run: "run_1", Seq: int64(i + 1), At: at, Fact: f})
	}
	return records
}

// dial serves e on a unix socket of its own and returns a client of it.
// trusting has names arrive that are not this account's.
func trusting(o httpapi.Options) httpapi.Options {
	o.TrustNames = true
	return o
}

func dial(t *testing.T, e chargehand.Engine, o httpapi.Options) *client.Client {
	t.Helper()
	dir, err := os.MkdirTemp("", "ch") // a socket's path is at most about 100 bytes
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	l, err := httpapi.Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- httpapi.Serve(ctx, l, httpapi.Handler(e, trusting(o))) }()
	c := client.Dial(socket)
	t.Cleanup(func() {
		c.Close()
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
		os.RemoveAll(dir)
	})
	return c
}

func TestRoundTrip(t *testing.T) {
	ctx := t.Context()
	f := &fake{}
	c := dial(t, f, httpapi.Options{})
	if err := c.Live(ctx); err != nil {
		t.Fatal(err)
	}

	order := chargehand.Order{
		Team:      chargehand.Team{Name: "legal", Workers: []chargehand.WorkerSpec{{WorkerID: "w"}}},
		Objective: chargehand.Objective{Goal: "g", Input: json.RawMessage(`{"a":"<&>"}`), Documents: []chargehand.Document{{Name: "a.txt", Text: "é<"}}},
		Budget:    chargehand.Budget{USD: 500_000},
		Deadline:  chargehand.Duration(30 * time.Minute),
	}
	id, err := c.Start(ctx, order)
	check(t, "Start", id, "run_1", err)
	check(t, "Start's order", f.order, order, nil)

	control := chargehand.Control{Verb: chargehand.Cancel, By: "sam", Reason: "no"}
	check(t, "Control", f.control, control, run(c.Control(ctx, "run/1 ?", control), &f.control))
	check(t, "Control's run", f.name, "run/1 ?", nil)

	fork := chargehand.Fork{Seq: 7, By: "sam"}
	id, err = c.Fork(ctx, "run/1 ?", fork)
	check(t, "Fork", id, "run_2", err)
	check(t, "Fork's record", f.forked, fork, nil)
	check(t, "Fork's run", f.name, "run/1 ?", nil)

	decision := chargehand.Decision{ReviewID: "rev_1", Approved: true, Approver: "ana", ContentHash: "sha256:9c", Nonce: "n", Comment: "ok"}
	decided, err := c.Decide(ctx, decision)
	check(t, "Decide's decision", f.decision, decision, nil)
	decision.Timestamp = at
	check(t, "Decide", decided, decision, err)

	filter := chargehand.Filter{States: []chargehand.RunState{"failed", "partial"}, NeedsHuman: true, StartedBy: "sam", Limit: 7}
	runs, err := c.Runs(ctx, filter)
	want, _ := f.Runs(ctx, filter)
	check(t, "Runs", runs, want, err)
	check(t, "Runs' filter", f.filter, filter, nil)

	v, err := c.Run(ctx, "run_1")
	check(t, "Run", v, view(), err)
	result, err := c.Result(ctx, "run_1")
	wantResult, _ := f.Result(ctx, "run_1")
	check(t, "Result", result, wantResult, err)
	reviews, err := c.Reviews(ctx)
	wantReviews, _ := f.Reviews(ctx)
	check(t, "Reviews", reviews, wantReviews, err)
	fleet, err := c.Fleet(ctx)
	wantFleet, _ := f.Fleet(ctx)
	check(t, "Fleet", fleet, wantFleet, err)

	content, _ := f.Blob(ctx, "")
	blob, err := c.Blob(ctx, chargehand.Hash(content))
	check(t, "Blob", blob, content, err)
	check(t, "Blob's hash", f.name, chargehand.Hash(content), nil)
	if _, err := c.Blob(ctx, "sha256:00"); err == nil {
		t.Error("content with another hash was accepted")
	}
}

// run makes the error of a call the argument that follows its effect.
func run(err error, _ *chargehand.Control) error { return err }

func check[T any](t *testing.T, what string, got, want T, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(chargehand.View{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestErrorsRoundTrip(t *testing.T) {
	ctx := t.Context()
	f := &fake{}
	c := dial(t, f, httpapi.Options{})
	calls := map[string]func() error{
		"Start":   func() error { _, err := c.Start(ctx, chargehand.Order{}); return err },
		"Fork":    func() error { _, err := c.Fork(ctx, "r", chargehand.Fork{}); return err },
		"Control": func() error { return c.Control(ctx, "r", chargehand.Control{}) },
		"Decide":  func() error { _, err := c.Decide(ctx, chargehand.Decision{ReviewID: "rev"}); return err },
		"Runs":    func() error { _, err := c.Runs(ctx, chargehand.Filter{}); return err },
		"Run":     func() error { _, err := c.Run(ctx, "r"); return err },
		"Result":  func() error { _, err := c.Result(ctx, "r"); return err },
		"Reviews": func() error { _, err := c.Reviews(ctx); return err },
		"Fleet":   func() error { _, err := c.Fleet(ctx); return err },
		"Blob":    func() error { _, err := c.Blob(ctx, "sha256:00"); return err },
		"Records": func() error {
			for _, err := range c.Records(ctx, "r", 0, false) {
				return err
			}
			return nil
		},
	}
	codes := []chargehand.Code{
		chargehand.CodeInvalid, chargehand.CodeNotFound, chargehand.CodeDecided, chargehand.CodeStale, chargehand.CodeNonce,
		chargehand.CodeExpired, chargehand.CodeEnded, chargehand.CodeNotAllowed, chargehand.CodeNothing, chargehand.CodeLocked,
		chargehand.CodeFormat, chargehand.CodeDrift, chargehand.CodeFull, chargehand.CodeUnavailable, chargehand.CodeInternal,
	}
	for name, call := range calls {
		for _, code := range codes {
			want := &chargehand.Error{
				Code: code, What: "it did not work", Why: "because <&>", Next: "try: chargehand doctor",
				Problems: []chargehand.Problem{{File: "t.yaml", Line: 3, Column: 9, Path: "$.a", Message: "bad", Hint: "did you mean b?"}},
			}
			f.err = want
			got, ok := errors.AsType[*chargehand.Error](call())
			if !ok {
				t.Errorf("%s: %s came back as no *Error", name, code)
				continue
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s changed on the way:\n%s", name, code, diff)
			}
		}
	}
}

func TestRecords(t *testing.T) {
	f := &fake{records: history()}
	c := dial(t, f, httpapi.Options{Heartbeat: time.Millisecond})
	got, err := gather(c.Records(t.Context(), "run_1", 1, false))
	check(t, "Records", got, history()[1:], err)
	if f.after != 1 || f.follow {
		t.Errorf("asked after %d, follow %t", f.after, f.follow)
	}

	f.live = make(chan struct{})
	var seen int
	for r, err := range c.Records(t.Context(), "run_1", 0, true) {
		if err != nil {
			t.Fatal(err)
		}
		if seen++; r.Seq == 4 { // everything there is came while the stream is open
			close(f.live)
		}
	}
	if seen != 4 {
		t.Errorf("followed %d records, want 4", seen)
	}
}

func gather(records iter.Seq2[chargehand.Record, error]) (got []chargehand.Record, err error) {
	for r, err := range records {
		if err != nil {
			return got, err
		}
		got = append(got, r)
	}
	return got, nil
}

func TestRecordsThatBreakOff(t *testing.T) {
	want := &chargehand.Error{Code: chargehand.CodeInternal, What: "the journal cannot be read"}
	f := &fake{records: history(), broken: want}
	c := dial(t, f, httpapi.Options{})
	got, err := gather(c.Records(t.Context(), "run_1", 0, false))
	check(t, "Records before the fault", got, history(), nil)
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Error(diff)
	}
}

func TestRecordsEndWithTheCaller(t *testing.T) {
	f := &fake{records: history(), live: make(chan struct{})}
	c := dial(t, f, httpapi.Options{})
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	gone := errors.New("gone")
	var err error
	for r, e := range c.Records(ctx, "run_1", 0, true) {
		if err = e; r.Seq == 4 {
			cancel(gone)
		}
	}
	if !errors.Is(err, gone) {
		t.Errorf("err = %v, want the caller's cause", err)
	}
}

func TestStreamWithoutItsLastWordIsNoEnd(t *testing.T) {
	line, err := history()[0].AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, leave := range map[string]func(){
		"cut off":         func() { panic(http.ErrAbortHandler) },
		"closed in order": func() {},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write(append(line, '\n'))
				_ = http.NewResponseController(w).Flush()
				leave()
			}))
			defer srv.Close()
			c := client.New(client.Options{URL: srv.URL})
			defer c.Close()
			got, err := gather(c.Records(t.Context(), "run_1", 0, true))
			if len(got) != 1 || chargehand.CodeOf(err) != chargehand.CodeUnavailable {
				t.Errorf("got %d records and %v, want 1 and %s", len(got), err, chargehand.CodeUnavailable)
			}
		})
	}
}

// TestStreamWithAGap: a record that is left out or told twice is no history to fold.
func TestStreamWithAGap(t *testing.T) {
	var all [][]byte
	for _, r := range history()[:3] {
		line, err := r.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, append(line, '\n'))
	}
	for name, tt := range map[string]struct {
		after int64
		told  []int
		want  int
	}{
		"left out":       {0, []int{0, 2}, 1},
		"the first":      {0, []int{1}, 0},
		"told twice":     {0, []int{0, 0}, 1},
		"what was known": {1, []int{0, 1}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for _, i := range tt.told {
					_, _ = w.Write(all[i])
				}
				_, _ = w.Write([]byte(`{"end":true}` + "\n"))
			}))
			defer srv.Close()
			c := client.New(client.Options{URL: srv.URL})
			defer c.Close()
			got, err := gather(c.Records(t.Context(), "run_1", tt.after, true))
			if len(got) != tt.want || chargehand.CodeOf(err) != chargehand.CodeUnavailable || !strings.Contains(err.Error(), "came after record") {
				t.Errorf("got %d records and %v", len(got), err)
			}
		})
	}
}

func TestNobodyThere(t *testing.T) {
	c := client.Dial(filepath.Join(t.TempDir(), "none"))
	if err := c.Live(t.Context()); chargehand.CodeOf(err) != chargehand.CodeUnavailable {
		t.Errorf("err = %v, want %s", err, chargehand.CodeUnavailable)
	}
}
