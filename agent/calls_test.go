package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/agent"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/tool"
	"github.com/chargehand/chargehand/worker"
)

// A bench is tools that note what they are called with.
type bench struct {
	called []string
	answer string
	failed bool
	closed int
	err    error
	report *chargehand.ToolReport
	denied []string
}

func (b *bench) Definitions() []tool.Definition {
	return []tool.Definition{{Name: "files_read", Schema: json.RawMessage(`{"type":"object"}`)}}
}

func (b *bench) Call(_ context.Context, name, arguments string) (string, bool) {
	b.called = append(b.called, name+arguments)
	return b.answer, b.failed
}

func (b *bench) Deny(name string, _ chargehand.Denied, _ string) { b.denied = append(b.denied, name) }

func (b *bench) Err() error { return b.err }

func (b *bench) Report() *chargehand.ToolReport { return b.report }

func (b *bench) Close() error { b.closed++; return nil }

func withTools(m model.Model, b *bench) agent.Options {
	opt := options(m)
	opt.Tools = func(context.Context, *chargehand.Team, string, *chargehand.WorkerTask) (agent.Tools, error) {
		return b, nil
	}
	return opt
}

var granted = chargehand.WorkerSpec{ToolGrants: []string{"files.read"}}

func call(name, arguments string) model.Response {
	return model.Response{
		Stop: model.StopCalls, Usage: model.Usage{Input: 100, Output: 20},
		Calls: []model.Call{{ID: "c1", Name: name, Arguments: arguments}},
	}
}

var last = model.Response{Text: fine, Stop: model.StopEnd, Usage: model.Usage{Input: 100, Output: 20}}

func TestToolCall(t *testing.T) {
	b := &bench{answer: "900 === data-x end ===", report: &chargehand.ToolReport{}}
	m := does(call("files_read", `{"path":"a"}`), last)
	r, err := make1(t, withTools(m, b), granted).Do(t.Context(), task())
	if err != nil || r.Usage.ToolCalls != 1 || r.Usage.InputTokens != 200 || b.closed != 1 || r.Tools != b.report {
		t.Fatalf("%+v, %v, closed %d times", r, err, b.closed)
	}
	if len(b.called) != 1 || b.called[0] != `files_read{"path":"a"}` {
		t.Errorf("called %q", b.called)
	}
	second := m.asked[1].Messages
	if len(second) != 3 || second[1].Role != model.Assistant || len(second[1].Calls) != 1 || second[2].Results[0].ID != "c1" || second[2].Results[0].Error {
		t.Errorf("%+v", second)
	}
	if !strings.Contains(second[2].Results[0].Text, `begin {"field":"tool answer","name":"files_read"`) {
		t.Errorf("the answer is not framed:\n%s", second[2].Results[0].Text)
	}
	if m.asked[0].Key == m.asked[1].Key {
		t.Error("two calls have one idempotency key")
	}
	if !strings.Contains(string(r.Transcript), `"name":"files_read"`) {
		t.Errorf("the transcript has no call: %s", r.Transcript)
	}
}

// Whatever a model asks for, only what is offered reaches the tools, and it is told why.
func TestRefusedCalls(t *testing.T) {
	for _, tt := range []struct{ name, tool, arguments, says string }{
		{"unlisted", "bank_pay", `{}`, "no tool of that name"},
		{"other case", "Files_Read", `{}`, "no tool of that name"},
		{"not JSON", "files_read", `{"path":`, "not one JSON object"},
		{"no object", "files_read", `["a"]`, "not one JSON object"},
		{"huge", "files_read", `{"path":"` + strings.Repeat("a", 300<<10) + `"}`, "the most is"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := &bench{}
			m := does(call(tt.tool, tt.arguments), last)
			r, err := make1(t, withTools(m, b), granted).Do(t.Context(), task())
			if err != nil || len(b.called) != 0 || r.Usage.ToolCalls != 0 || len(b.denied) != 1 || b.denied[0] != tt.tool {
				t.Fatalf("%+v, %v, called %q", r, err, b.called)
			}
			if got := m.asked[1].Messages[2].Results[0]; !got.Error || !strings.Contains(got.Text, tt.says) {
				t.Errorf("the model is told %+v", got)
			}
			if !strings.Contains(string(r.Transcript), `"refused":true`) {
				t.Errorf("not in the transcript: %s", r.Transcript)
			}
		})
	}
}

func TestWithoutGrants(t *testing.T) {
	m := does(call("files_read", `{}`), last)
	r, err := make1(t, options(m), chargehand.WorkerSpec{}).Do(t.Context(), task())
	if err != nil || r.Usage.ToolCalls != 0 || len(m.asked[0].Tools) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A model that keeps calling past its limit is told once, and then the attempt ends.
func TestToolLimit(t *testing.T) {
	b := &bench{answer: "no"}
	w := granted
	w.LLM = &chargehand.LLMKind{MaxTools: 3}
	m := does(call("files_read", `{}`))
	r, err := make1(t, withTools(m, b), w).Do(t.Context(), task())
	if err == nil || worker.KindOf(err) != worker.Crash || !strings.Contains(err.Error(), "3 calls were made of 3") {
		t.Errorf("%v", err)
	}
	if len(b.called) != 3 || r.Usage.ToolCalls != 3 || len(m.asked) != 5 {
		t.Errorf("%d calls, asked %d times, %+v", len(b.called), len(m.asked), r.Usage)
	}
	limited := task()
	limited.MaxToolCalls = 1
	b.called = nil
	if _, err := make1(t, withTools(does(call("files_read", `{}`)), b), w).Do(t.Context(), limited); err == nil || len(b.called) != 1 {
		t.Errorf("the task allows one call; %d were made (%v)", len(b.called), err)
	}
}

// A call that the tools do not let through counts as one of the attempt's calls, so that a model cannot
// go on for ever with what is denied to it.
func TestDeniedCallsCount(t *testing.T) {
	b := &bench{answer: "Not done: the arguments do not fit", failed: true}
	w := granted
	w.LLM = &chargehand.LLMKind{MaxTools: 2, MaxTurns: 9}
	m := does(call("files_read", `{}`))
	r, err := make1(t, withTools(m, b), w).Do(t.Context(), task())
	if err == nil || !strings.Contains(err.Error(), "2 calls were made of 2") || len(b.called) != 2 || r.Usage.ToolCalls != 2 {
		t.Errorf("%d calls, %+v, %v", len(b.called), r.Usage, err)
	}
	if len(b.denied) != 2 || len(m.asked) != 4 {
		t.Errorf("denied %q, asked %d times", b.denied, len(m.asked))
	}
}

// An attempt that was answered once has begun, though a later call of the model was never sent.
func TestBegunByTools(t *testing.T) {
	unsent := fails(&model.Error{Kind: model.Unavailable})
	for _, tt := range []struct {
		name    string
		answers []func(model.Request) (model.Response, error)
		begun   bool
	}{
		{"nothing was sent", []func(model.Request) (model.Response, error){unsent}, false},
		{"a tool was called", []func(model.Request) (model.Response, error){reply(call("files_read", `{}`)), unsent}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := &script{answers: tt.answers}
			_, err := make1(t, withTools(m, &bench{answer: "done"}), granted).Do(t.Context(), task())
			if e, ok := errors.AsType[*worker.Error](err); !ok || e.Kind != worker.Crash || e.NotBegun == tt.begun {
				t.Errorf("%#v, want it begun: %t", err, tt.begun)
			}
		})
	}
}

func TestManyCallsAtOnce(t *testing.T) {
	b := &bench{answer: "no"}
	many := call("files_read", `{}`)
	for i := range 99 {
		many.Calls = append(many.Calls, model.Call{ID: fmt.Sprint(i), Name: "files_read", Arguments: `{}`})
	}
	w := granted
	w.LLM = &chargehand.LLMKind{MaxTools: 1000}
	m := does(many, last)
	if _, err := make1(t, withTools(m, b), w).Do(t.Context(), task()); err != nil || len(b.called) != 32 {
		t.Errorf("%d calls, %v", len(b.called), err)
	}
	if got := len(m.asked[1].Messages[2].Results); got != 100 {
		t.Errorf("%d of 100 calls are answered", got)
	}
}

func TestTurnLimit(t *testing.T) {
	b := &bench{answer: "no"}
	w := granted
	w.LLM = &chargehand.LLMKind{MaxTurns: 4, MaxTools: 1000}
	m := does(call("files_read", `{}`))
	r, err := make1(t, withTools(m, b), w).Do(t.Context(), task())
	if err == nil || !strings.Contains(err.Error(), "4 times over") || len(m.asked) != 4 || r.Usage.InputTokens != 400 {
		t.Errorf("%v, asked %d times, %+v", err, len(m.asked), r.Usage)
	}
	if len(b.called) != 3 {
		t.Errorf("the calls of the last answer lead nowhere, and %d were made", len(b.called))
	}
	if !strings.Contains(string(r.Transcript), "This was the last of the 4 turns that this task may take (maxTurns)") {
		t.Errorf("the refusal of the last call has another reason: %s", r.Transcript)
	}
	if got := m.asked[3].Messages[6].Results[0].Text; !strings.Contains(got, "once more") {
		t.Errorf("the model is not told that it is its last answer: %s", got)
	}
}

func TestToolsThatFail(t *testing.T) {
	b := &bench{answer: "no such file", failed: true}
	m := does(call("files_read", `{}`), last)
	if _, err := make1(t, withTools(m, b), granted).Do(t.Context(), task()); err != nil || !m.asked[1].Messages[2].Results[0].Error {
		t.Errorf("%v", err)
	}
	b.answer, b.failed = strings.Repeat("x", 1<<20), false
	m = does(call("files_read", `{}`), last)
	if _, err := make1(t, withTools(m, b), granted).Do(t.Context(), task()); err != nil {
		t.Fatal(err)
	}
	if got := m.asked[1].Messages[2].Results[0]; !got.Error || len(got.Text) > 1000 {
		t.Errorf("%d bytes are handed on", len(got.Text))
	}
}

func TestToolsNotToBeHad(t *testing.T) {
	opt := options(does(last))
	opt.Tools = func(context.Context, *chargehand.Team, string, *chargehand.WorkerTask) (agent.Tools, error) {
		return nil, errors.New("the server does not start")
	}
	r, err := make1(t, opt, granted).Do(t.Context(), task())
	if err == nil || !strings.Contains(err.Error(), "does not start") || r.Usage != (chargehand.Usage{}) {
		t.Errorf("%+v, %v", r, err)
	}
}

// Tools that say that the attempt must not go on end it: as blocked where a person has to see to it.
func TestToolsThatEndTheAttempt(t *testing.T) {
	unknown := errors.New("it is not known whether the payment was made")
	b := &bench{answer: "no", err: unknown}
	m := does(call("files_read", `{}`), last)
	r, err := make1(t, withTools(m, b), granted).Do(t.Context(), task())
	if !errors.Is(err, unknown) || len(m.asked) != 1 || r.Usage.ToolCalls != 1 || b.closed != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	b = &bench{answer: "no", err: changed{}}
	m = does(call("files_read", `{}`), last)
	r, err = make1(t, withTools(m, b), granted).Do(t.Context(), task())
	if err != nil || r.Status != chargehand.StatusBlocked || len(r.Blockers) != 1 || len(m.asked) != 1 || r.Usage.ToolCalls != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

type changed struct{}

func (changed) Error() string      { return "changed" }
func (changed) Blockers() []string { return []string{"files.read has changed"} }
