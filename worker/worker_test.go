package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
)

func explode(value any) Func {
	return func(context.Context, chargehand.WorkerTask) (chargehand.WorkerResult, error) { panic(value) }
}

func TestFuncPanic(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		f           Func
	}{
		{"text", "no such \x1b[31mclause", explode("no such \x1b[31mclause")},
		{"error", "EOF", explode(errors.New("EOF"))},
		{"long", strings.Repeat("x", 1<<10) + "…", explode(strings.Repeat("x", 1<<20))},
		{"no function", "runtime error: invalid memory address or nil pointer dereference", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.f.Do(t.Context(), someTask())
			if KindOf(err) != Crash {
				t.Fatalf("kind %q, want crash: %v", KindOf(err), err)
			}
			p, ok := errors.AsType[*PanicError](err)
			if !ok || p.Value != tt.value {
				t.Fatalf("no panic with value %q in %#v", tt.value, err)
			}
			if len(p.Stack) > 16<<10 || !strings.Contains(string(p.Stack), "worker.Func.Do") {
				t.Errorf("not the stack of the panic:\n%s", p.Stack)
			}
			if s := err.Error(); strings.ContainsAny(s, "\n\x1b") || strings.Contains(s, "goroutine") || len(s) > 300 {
				t.Errorf("not a message of one line: %q", s)
			}
		})
	}
}

func TestFuncResult(t *testing.T) {
	over := math.NaN()
	for _, tt := range []struct {
		name string
		give chargehand.WorkerResult
		want chargehand.WorkerResult
		kind Kind
	}{
		{
			name: "without a status it succeeded",
			give: chargehand.WorkerResult{Output: json.RawMessage(`{}`)},
			want: chargehand.WorkerResult{TaskID: "clauses", Attempt: 2, WorkerName: "reader", Status: chargehand.StatusSucceeded, Output: json.RawMessage(`{}`)},
		},
		{
			name: "its own word on who it is does not count",
			give: chargehand.WorkerResult{Status: chargehand.StatusBlocked, WorkerName: "gate", Blockers: []string{"no key"}},
			want: chargehand.WorkerResult{TaskID: "clauses", Attempt: 2, WorkerName: "reader", Status: chargehand.StatusBlocked, Blockers: []string{"no key"}},
		},
		{
			name: "broken output, and its usage counts",
			give: chargehand.WorkerResult{Output: json.RawMessage(`{"a":`), Usage: chargehand.Usage{USD: 7}},
			want: chargehand.WorkerResult{Usage: chargehand.Usage{USD: 7}},
			kind: Garbage,
		},
		{name: "broken artifacts", give: chargehand.WorkerResult{Artifacts: json.RawMessage(`x`)}, kind: Garbage},
		{name: "unknown status", give: chargehand.WorkerResult{Status: "done"}, kind: Garbage},
		{name: "confidence is no number", give: chargehand.WorkerResult{Confidence: &over}, kind: Garbage},
		{name: "money back", give: chargehand.WorkerResult{Usage: chargehand.Usage{USD: -1}}, kind: Garbage},
		{name: "another attempt", give: chargehand.WorkerResult{Attempt: 1}, kind: Garbage},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := Func(func(context.Context, chargehand.WorkerTask) (chargehand.WorkerResult, error) { return tt.give, nil })
			got, err := f.Do(t.Context(), someTask())
			if (err != nil) != (tt.kind != "") || (err != nil && KindOf(err) != tt.kind) {
				t.Fatalf("error %v, want kind %q", err, tt.kind)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestFuncErrorIsItsOwn(t *testing.T) {
	own := errors.New("no such clause")
	f := Func(func(context.Context, chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		return chargehand.WorkerResult{Usage: chargehand.Usage{InputTokens: 5}}, own
	})
	r, err := f.Do(t.Context(), someTask())
	if err != own || r.Usage.InputTokens != 5 {
		t.Errorf("got %+v, %v", r, err)
	}
}

type count struct{ N int }

func TestTyped(t *testing.T) {
	double := Typed(func(_ context.Context, in count, t chargehand.WorkerTask) (count, error) {
		return count{in.N * 2 * t.Attempt}, nil
	})
	for _, tt := range []struct{ input, want string }{
		{`{"N":3}`, `{"N":12}`},
		{``, `{"N":0}`},
	} {
		task := someTask()
		task.Input = json.RawMessage(tt.input)
		r, err := double.Do(t.Context(), task)
		if err != nil || r.Status != chargehand.StatusSucceeded || string(r.Output) != tt.want {
			t.Errorf("input %s: %+v, %v", tt.input, r, err)
		}
	}
}

func TestTypedErrors(t *testing.T) {
	called := 0
	own := errors.New("own")
	for _, tt := range []struct {
		name   string
		f      Func
		kind   Kind
		called int
	}{
		{"input does not fit", Typed(func(context.Context, string, chargehand.WorkerTask) (string, error) { called++; return "", nil }), Refused, 0},
		{"output cannot be encoded", Typed(func(context.Context, count, chargehand.WorkerTask) (float64, error) {
			called++
			return math.Inf(1), nil
		}), Crash, 1},
		{"own error", Typed(func(context.Context, count, chargehand.WorkerTask) (int, error) { called++; return 0, own }), Crash, 1},
		{"panic", Typed(func(context.Context, count, chargehand.WorkerTask) (int, error) { called++; panic("x") }), Crash, 1},
	} {
		called = 0
		r, err := tt.f.Do(t.Context(), someTask())
		if err == nil || KindOf(err) != tt.kind || r.Status != "" || called != tt.called {
			t.Errorf("%s: %+v, %v, called %d times", tt.name, r, err, called)
		}
	}
}

func TestFromSpec(t *testing.T) {
	for _, tt := range []struct {
		spec chargehand.WorkerSpec
		want string // in the error; empty: none
	}{
		{chargehand.WorkerSpec{Kind: chargehand.KindExec, Exec: &chargehand.ExecKind{Command: []string{"true"}}}, ""},
		{chargehand.WorkerSpec{Kind: chargehand.KindHTTP, HTTP: &chargehand.HTTPKind{URL: "https://127.0.0.1/work?x=1"}}, ""},
		{chargehand.WorkerSpec{}, "give it to the engine"},
		{chargehand.WorkerSpec{Kind: chargehand.KindFunc}, "give it to the engine"},
		{chargehand.WorkerSpec{Kind: "shell"}, `"shell" is none of func, exec, http`},
		{chargehand.WorkerSpec{Kind: chargehand.KindExec}, "exec.command is empty"},
		{chargehand.WorkerSpec{Kind: chargehand.KindExec, Exec: &chargehand.ExecKind{Command: []string{""}}}, "exec.command is empty"},
		{chargehand.WorkerSpec{Kind: chargehand.KindHTTP}, "http.url is empty"},
		{chargehand.WorkerSpec{Kind: chargehand.KindHTTP, HTTP: &chargehand.HTTPKind{URL: "ftp://host/x"}}, "not the URL of a service"},
		{chargehand.WorkerSpec{Kind: chargehand.KindHTTP, HTTP: &chargehand.HTTPKind{URL: "/work"}}, "not the URL of a service"},
		{chargehand.WorkerSpec{Kind: chargehand.KindHTTP, HTTP: &chargehand.HTTPKind{URL: "http://\x7f"}}, "not a URL"},
		{chargehand.WorkerSpec{Kind: chargehand.KindHTTP, HTTP: &chargehand.HTTPKind{URL: "http://me:hunter22@host/"}}, "credentials belong into http.headers"},
		{chargehand.WorkerSpec{Kind: chargehand.KindHTTP, HTTP: &chargehand.HTTPKind{URL: "http://host/", Headers: map[string]string{"X Y": "1"}}}, "not the name of a header"},
	} {
		tt.spec.WorkerID = "reader"
		w, err := FromSpec(&tt.spec, "")
		switch {
		case tt.want == "":
			if w == nil || err != nil {
				t.Errorf("%+v: %v", tt.spec, err)
			}
		case err == nil || w != nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), `"reader"`):
			t.Errorf("error %v, want one of worker \"reader\" with %q", err, tt.want)
		case strings.Contains(err.Error(), "hunter22"):
			t.Errorf("a password in %v", err)
		}
	}
}

func TestKindOf(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want Kind
	}{
		{&Error{Kind: Refused}, Refused},
		{fmt.Errorf("call: %w", &Error{Kind: Garbage, Err: context.Canceled}), Garbage},
		{fmt.Errorf("call: %w", context.DeadlineExceeded), Timeout},
		{context.Canceled, Cancelled},
		{errors.New("no such clause"), Crash},
	} {
		if got := KindOf(tt.err); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
}

func TestPlanner(t *testing.T) {
	p := Planner(func(_ context.Context, r PlanRequest) (chargehand.Plan, chargehand.Usage, error) {
		if r.Iteration > 1 {
			panic("no more ideas")
		}
		return chargehand.Plan{Rationale: r.Objective.Goal}, chargehand.Usage{ToolCalls: 1}, nil
	})
	plan, u, err := p.Plan(t.Context(), PlanRequest{Objective: chargehand.Objective{Goal: "g"}, Iteration: 1})
	if err != nil || plan.Rationale != "g" || u.ToolCalls != 1 {
		t.Errorf("%+v, %+v, %v", plan, u, err)
	}
	_, _, err = p.Plan(t.Context(), PlanRequest{Iteration: 2})
	if KindOf(err) != Crash || !strings.Contains(fmt.Sprint(err), "no more ideas") {
		t.Errorf("panic: %v", err)
	}
}

func TestClip(t *testing.T) {
	for n, want := range []string{"…", "a…", "a…", "aé…", "aéb"} {
		if got := excerpt.Of("aéb", n); got != want {
			t.Errorf("%d bytes: %q, want %q", n, got, want)
		}
	}
}

func TestEscape(t *testing.T) {
	for _, tt := range []struct{ give, want string }{
		{"Klausel § 3 “条項”\n", "Klausel § 3 “条項”\n"},
		{"a\x00b\tc\x1b[0m", `a\x00b\tc\x1b[0m`},
		{"\u202e\u200b\u2066", `\u202e\u200b\u2066`},
		{"\xff\xc3", `\xff\xc3`},
		{"�", "�"},
		{"\U000e0041", `\U000e0041`},
	} {
		if got := escape(tt.give); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.give, got, tt.want)
		}
	}
}
