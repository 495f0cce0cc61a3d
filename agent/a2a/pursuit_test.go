package a2a_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/agent/a2a"
	"github.com/chargehand/chargehand/worker"
)

func newWorker(card string) (worker.Worker, error) {
	return a2a.New(&chargehand.WorkerSpec{WorkerID: "peer", A2A: &chargehand.A2AKind{Card: card}}, nil, a2a.Options{})
}

// TestStatesKeepTheirOrder has agents break the protocol, in streams and in answers.
func TestStatesKeepTheirOrder(t *testing.T) {
	begun := object{"task": task("WORKING")}
	for want, stream := range map[string][]any{
		"from TASK_STATE_COMPLETED to TASK_STATE_WORKING": {object{"task": task("COMPLETED")}},
		"from TASK_STATE_WORKING to TASK_STATE_SUBMITTED": {begun, update("t1", "SUBMITTED")},
		`told of task "t2"`:                  {begun, update("t2", "WORKING")},
		"is no state of a task":              {begun, update("t1", "DREAMING")},
		"a task without an id":               {object{"task": object{"status": object{"state": "TASK_STATE_WORKING"}}}},
		"a task that it had not begun":       {update("t1", "WORKING")},
		"a message after it had begun":       {begun, object{"message": object{"messageId": "m", "parts": []any{object{"text": "x"}}}}},
		"neither a task nor a message":       {},
		`told of task "t9", this is "t1"`:    {begun, object{"artifactUpdate": object{"taskId": "t9", "artifact": object{"artifactId": "a", "parts": []any{}}}}},
		"answer is none of A2A":              {"nonsense"},
		"TASK_STATE_FAILED to TASK_STATE_WO": {begun, update("t1", "FAILED")},
	} {
		f := newFake(t)
		f.streaming = true
		f.on("SendStreamingMessage", tell(false, stream...))
		f.on("GetTask", give(task("WORKING")))
		f.on("CancelTask", give(task("CANCELED")))
		_, err := reach(t, f.URL).Do(t.Context(), order())
		wantError(t, err, worker.Garbage, false, want)
	}
}

func TestPollingKeepsTheOrder(t *testing.T) {
	f := newFake(t)
	f.on("SendMessage", give(object{"task": task("WORKING")}))
	f.on("GetTask", turns(give(task("INPUT_REQUIRED", object{"id": "t2"}))))
	f.on("CancelTask", give(task("CANCELED")))
	_, err := reach(t, f.URL).Do(t.Context(), order())
	wantError(t, err, worker.Garbage, false, `told of task "t2"`)
	if f.called("CancelTask") != 1 {
		t.Error("the task was left to itself")
	}
}

// TestStreamBreaksOff loses the connection in the middle of a task.
func TestStreamBreaksOff(t *testing.T) {
	f := newFake(t)
	f.streaming = true
	f.on("SendStreamingMessage", tell(true, object{"task": task("SUBMITTED")}, update("t1", "WORKING")))
	f.on("GetTask", turns(give(task("WORKING")), drop, code(503), give(task("COMPLETED", made(object{"data": object{"answer": 1}})))))
	r, err := reach(t, f.URL).Do(t.Context(), order())
	if err != nil || string(r.Output) != `{"answer":1}` {
		t.Fatalf("%s %v", r.Output, err)
	}
	if n := f.called("SendStreamingMessage"); n != 1 {
		t.Errorf("the message was sent %d times", n)
	}
}

// TestLostMessageIsLookedUp loses the answer to a message before anything of it has come.
func TestLostMessageIsLookedUp(t *testing.T) {
	for _, streaming := range []bool{false, true} {
		f := newFake(t)
		f.streaming = streaming
		f.on("SendMessage", drop)
		f.on("SendStreamingMessage", drop)
		whole := task("COMPLETED", made(object{"data": object{"answer": 1}}))
		f.on("ListTasks", func(w http.ResponseWriter, q object) {
			whole["contextId"] = q["contextId"]
			give(object{"tasks": []any{task("WORKING", object{"id": "t0", "contextId": "another"}), whole}})(w, q)
		})
		f.on("GetTask", give(whole))
		r, err := reach(t, f.URL).Do(t.Context(), order())
		if err != nil || string(r.Output) != `{"answer":1}` {
			t.Fatalf("%s %v", r.Output, err)
		}
		if n := f.called("SendMessage") + f.called("SendStreamingMessage"); n != 1 {
			t.Errorf("the message was sent %d times", n)
		}
		sent := f.sent("SendMessage")
		if streaming {
			sent = f.sent("SendStreamingMessage")
		}
		if in := sent["message"].(object)["contextId"]; in == "" || in != f.sent("ListTasks")["contextId"] {
			t.Errorf("the message's context is %v, looked up was %v", in, f.sent("ListTasks")["contextId"])
		}
	}
}

// TestLostMessageIsNotForgotten cannot find what has come of a message.
func TestLostMessageIsNotForgotten(t *testing.T) {
	f := newFake(t)
	f.on("SendMessage", drop)
	f.on("ListTasks", give(object{"tasks": []any{}}))
	twice := func(_ *chargehand.A2AKind, l *worker.Limits) { l.Tries = 2 }
	_, err := reach(t, f.URL, twice).Do(worker.Once(t.Context()), order())
	wantError(t, err, worker.Crash, false, "no answer")
	if n := f.called("SendMessage"); n != 1 {
		t.Fatalf("what may do something to the world was sent %d times", n)
	}
	f.on("SendMessage", turns(drop, give(object{"task": task("COMPLETED", made(object{"data": 1}))})))
	f.on("GetTask", give(task("COMPLETED", made(object{"data": 1}))))
	w := reach(t, f.URL, twice)
	if _, err = w.Do(t.Context(), order()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(f.calls()[len(f.calls())-5:], " "); got != "SendMessage ListTasks ListTasks SendMessage GetTask" {
		t.Errorf("the operations were %s", got)
	}
	if id := f.sent("SendMessage")["message"].(object)["messageId"]; id != "run_1/s1/1" {
		t.Errorf("the message's id is %v, want the attempt's key", id)
	}
}

// A stopper ends the attempt when it hears something.
type stopper struct {
	worker.Line
	stop func()
}

func (s stopper) Say(string) error {
	s.stop()
	return nil
}

// chunk is a piece of an artifact.
func chunk(text string) object {
	return object{"artifactUpdate": object{"taskId": "t1", "append": true, "artifact": object{"artifactId": "a", "parts": []any{object{"text": text}}}}}
}

// TestNobodyWaits ends an attempt while the task is under way.
func TestNobodyWaits(t *testing.T) {
	for _, streaming := range []bool{false, true} {
		f := newFake(t)
		f.streaming = streaming
		ctx, stop := context.WithCancel(t.Context())
		f.on("SendMessage", give(object{"task": task("WORKING")}))
		f.on("GetTask", func(w http.ResponseWriter, q object) {
			stop()
			give(task("WORKING"))(w, q)
		})
		hang := make(chan struct{})
		f.on("SendStreamingMessage", func(w http.ResponseWriter, q object) {
			tell(false, object{"task": task("WORKING")}, chunk("so far"))(w, q)
			<-hang
		})
		f.on("CancelTask", give(task("CANCELED")))
		_, err := reach(t, f.URL).Do(worker.WithLine(ctx, stopper{worker.LineOf(ctx), stop}), order())
		close(hang)
		wantError(t, err, worker.Cancelled, false)
		if f.called("CancelTask") != 1 || f.sent("CancelTask")["id"] != "t1" {
			t.Errorf("streaming %t: the task was not canceled: %v", streaming, f.calls())
		}
	}
}

// TestAgentAsks goes on with the same task when the subtask is tried again.
func TestAgentAsks(t *testing.T) {
	for state, asks := range map[string]string{"INPUT_REQUIRED": "asks for input: Which year?", "AUTH_REQUIRED": "asks for authorization: Which year?"} {
		f := newFake(t)
		waits := task(state, says(state, "Which year?"))
		f.on("SendMessage", give(object{"task": waits}))
		f.on("GetTask", give(waits))
		w := reach(t, f.URL)
		r, err := w.Do(t.Context(), order())
		if err != nil || r.Status != chargehand.StatusBlocked || len(r.Blockers) != 1 || !strings.Contains(r.Blockers[0], asks) {
			t.Fatalf("%+v %v", r, err)
		}
		f.on("GetTask", give(task("COMPLETED", made(object{"data": object{"answer": 2026}}))))
		next := order()
		next.Attempt, next.IdempotencyKey = 2, "run_1/s1/2"
		r, err = w.Do(t.Context(), next)
		if err != nil || string(r.Output) != `{"answer":2026}` || f.called("SendMessage") != 1 {
			t.Errorf("%s %v after %v", r.Output, err, f.calls())
		}
	}
}

// TestAgentsErrors says of each error whether it passes and whether the task may have begun.
func TestAgentsErrors(t *testing.T) {
	for _, c := range []struct {
		answer   answer
		kind     worker.Kind
		notBegun bool
		words    string
	}{
		{fail(-32602, "want a goal"), worker.Refused, true, "want a goal"},
		{fail(-32005, "no pictures"), worker.Refused, true, "no pictures"},
		{fail(-32009, "only 2.0"), worker.Refused, true, "only 2.0"},
		{fail(-32603, "oops"), worker.Crash, false, "oops"},
		{fail(-32000, "\x1b[31mred\nline"), worker.Crash, false, "·[31mred·line"},
		{code(401), worker.Refused, true, "401"},
		{code(404), worker.Refused, true, "404"},
		{code(429, "Retry-After", "7"), worker.Crash, true, "429"},
		{code(503), worker.Crash, true, "503"},
		{code(500), worker.Crash, false, "500"},
		{code(408), worker.Refused, false, "408"},
		{func(w http.ResponseWriter, _ object) { fmt.Fprint(w, "<html>") }, worker.Garbage, false, "none of A2A"},
		{func(w http.ResponseWriter, _ object) { fmt.Fprint(w, `{"jsonrpc":"2.0"}`) }, worker.Garbage, false, "neither a result nor an error"},
		{func(w http.ResponseWriter, _ object) { fmt.Fprintf(w, `{"x":"%s"}`, strings.Repeat("x", 9<<20)) }, worker.Garbage, false, "longer than"},
	} {
		f := newFake(t)
		f.on("SendMessage", c.answer)
		f.on("ListTasks", give(object{"tasks": []any{}}))
		_, err := reach(t, f.URL).Do(t.Context(), order())
		wantError(t, err, c.kind, c.notBegun, c.words)
	}
}

// TestTasksThatEndBadly says why.
func TestTasksThatEndBadly(t *testing.T) {
	for state, kind := range map[string]worker.Kind{"FAILED": worker.Refused, "REJECTED": worker.Refused, "CANCELED": worker.Crash} {
		f := newFake(t)
		end := task(state, says(state, "It is too late."), object{"metadata": object{"usage": object{"usd": "0.25", "inputTokens": 7}}})
		f.on("SendMessage", give(object{"task": end}))
		f.on("GetTask", give(end))
		r, err := reach(t, f.URL).Do(t.Context(), order())
		wantError(t, err, kind, false, "It is too late.")
		if r.Usage.USD != 250_000 || r.Usage.InputTokens != 7 {
			t.Errorf("%s: the usage is %+v", state, r.Usage)
		}
	}
}

// TestAgentForgets asks for a task that the agent has lost.
func TestAgentForgets(t *testing.T) {
	f := newFake(t)
	f.on("SendMessage", give(object{"task": task("WORKING")}))
	f.on("GetTask", fail(-32001, "no such task"))
	_, err := reach(t, f.URL).Do(t.Context(), order())
	wantError(t, err, worker.Crash, false, "has lost the task")
}

// TestAgentsAskToWait has a task looked up that the agent wants to be left alone about: for a moment, for days.
func TestAgentsAskToWait(t *testing.T) {
	f := newFake(t)
	whole := task("COMPLETED", made(object{"data": object{"answer": 1}}))
	f.on("SendMessage", give(object{"task": task("WORKING")}))
	f.on("GetTask", turns(code(429, "Retry-After", "1"), give(whole)))
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	began := time.Now()
	r, err := reach(t, f.URL).Do(ctx, order())
	if err != nil || string(r.Output) != `{"answer":1}` || time.Since(began) < time.Second {
		t.Errorf("%s %v after %s", r.Output, err, time.Since(began))
	}
	for name, header := range map[string][]string{
		"seconds": {"Retry-After", "259200"}, "a date": {"Date", "Sun, 22 Nov 2026 12:00:00 GMT", "Retry-After", "Wed, 25 Nov 2026 12:00:00 GMT"},
	} {
		for _, op := range []string{"SendMessage", "GetTask"} {
			f := newFake(t)
			f.on("SendMessage", give(object{"task": task("WORKING")}))
			f.on(op, code(503, header...))
			key := order()
			_, err := reach(t, f.URL, func(_ *chargehand.A2AKind, l *worker.Limits) { l.Tries = 3 }).Do(ctx, key)
			wantError(t, err, worker.Refused, op == "SendMessage", "asks to be left alone for 72h0m0s")
			if n := f.called(op); n != 1 {
				t.Errorf("%s, %s: asked %d times", name, op, n)
			}
		}
	}
}

// TestLastOutputIsSent has a worker revise what it made before.
func TestLastOutputIsSent(t *testing.T) {
	for text, want := range map[string]string{
		`{"answer":1e2}`: `{"lastOutput":{"answer":1e2}}`,
		`no JSON`:        `{"lastOutput":"no JSON"}`,
		"":               "",
	} {
		f := newFake(t).done()
		q := order()
		q.Feedback = "Name the currency."
		if text != "" {
			q.LastOutput = &chargehand.InputRef{Name: "last output", Text: text}
		}
		if _, err := reach(t, f.URL).Do(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, p := range f.sent("SendMessage")["message"].(object)["parts"].([]any) {
			if meta, _ := p.(object)["metadata"].(object); meta["chargehand"] == "lastOutput" {
				b, err := json.Marshal(p.(object)["data"])
				if err != nil || p.(object)["mediaType"] != "application/json" {
					t.Errorf("%v %v", p, err)
				}
				got = string(b)
			}
		}
		if strings.ReplaceAll(want, "1e2", "100") != got {
			t.Errorf("%q is sent as %q, want %q", text, got, want)
		}
	}
}
