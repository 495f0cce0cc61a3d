package a2a_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/agent/a2a"
	"github.com/chargehand/chargehand/worker"
)

type object = map[string]any

// A fake is an agent whose every answer the test gives.
type fake struct {
	*httptest.Server
	streaming bool
	card      func(c object) // changes the card before it is handed out

	mu      sync.Mutex // a call broken off is heard of while its handler still runs
	answers map[string]answer
	heard   []string          // operations, in order
	last    map[string]object // their parameters
	head    http.Header       // of the last request
}

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{answers: map[string]answer{}, last: map[string]object{}}
	f.Server = httptest.NewServer(f)
	t.Cleanup(func() {
		f.CloseClientConnections()
		f.Close()
	})
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.head = r.Header.Clone()
	f.mu.Unlock()
	if r.URL.Path == "/.well-known/agent-card.json" {
		c := object{
			"name": "fake", "version": "1", "capabilities": object{"streaming": f.streaming},
			"supportedInterfaces": []any{object{"url": f.URL + "/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}},
		}
		if f.card != nil {
			f.card(c)
		}
		_ = json.NewEncoder(w).Encode(c)
		return
	}
	if r.Method == http.MethodGet {
		http.NotFound(w, r)
		return
	}
	var q struct {
		Method string
		Params object
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	f.mu.Lock()
	f.heard, f.last[q.Method] = append(f.heard, q.Method), q.Params
	say := f.answers[q.Method]
	f.mu.Unlock()
	if say == nil {
		say = fail(-32601, "there is no such method")
	}
	say(w, q.Params)
}

// on sets what an operation is answered with from now on.
func (f *fake) on(op string, say answer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[op] = say
}

// sent is what an operation was last asked with.
func (f *fake) sent(op string) object {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last[op]
}

// header is a field of the last request.
func (f *fake) header(name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.head.Get(name)
}

// calls are the operations asked for, in order.
func (f *fake) calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.heard)
}

// called is how often an operation was asked for.
func (f *fake) called(op string) int {
	n := 0
	for _, c := range f.calls() {
		if c == op {
			n++
		}
	}
	return n
}

type answer = func(w http.ResponseWriter, params object)

// give answers with a result.
func give(result any) answer {
	return func(w http.ResponseWriter, _ object) {
		_ = json.NewEncoder(w).Encode(object{"jsonrpc": "2.0", "id": 1, "result": result})
	}
}

// fail answers with an error.
func fail(code int, message string) answer {
	return func(w http.ResponseWriter, _ object) {
		_ = json.NewEncoder(w).Encode(object{"jsonrpc": "2.0", "id": 1, "error": object{"code": code, "message": message}})
	}
}

// code answers with a status of HTTP.
func code(status int, header ...string) answer {
	return func(w http.ResponseWriter, _ object) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "<html>no</html>")
	}
}

// drop breaks the connection off without an answer.
func drop(http.ResponseWriter, object) { panic(http.ErrAbortHandler) }

// turns answers the first time with the first, and at last always with the last.
func turns(all ...answer) answer {
	var mu sync.Mutex
	n := 0
	return func(w http.ResponseWriter, q object) {
		mu.Lock()
		do := all[min(n, len(all)-1)]
		n++
		mu.Unlock()
		do(w, q)
	}
}

// tell streams events and then ends, or breaks off where broken is set.
func tell(broken bool, events ...any) answer {
	return func(w http.ResponseWriter, _ object) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range events {
			b, _ := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "result": e})
			fmt.Fprintf(w, "data: %s\n\n", b)
			w.(http.Flusher).Flush()
		}
		if broken {
			panic(http.ErrAbortHandler)
		}
	}
}

// task is a task in a state, with what there is besides.
func task(state string, more ...object) object {
	t := object{"id": "t1", "contextId": "c1", "status": object{"state": "TASK_STATE_" + state}}
	for _, m := range more {
		for k, v := range m {
			t[k] = v
		}
	}
	return t
}

func update(id, state string) object {
	return object{"statusUpdate": object{"taskId": id, "contextId": "c1", "status": object{"state": "TASK_STATE_" + state}}}
}

// says is a status with words.
func says(state, words string) object {
	return object{"status": object{"state": "TASK_STATE_" + state, "message": object{
		"messageId": "m", "role": "ROLE_AGENT", "parts": []any{object{"text": words}},
	}}}
}

func made(parts ...any) object {
	return object{"artifacts": []any{object{"artifactId": "a", "parts": parts}}}
}

var contracts = []chargehand.Contract{{Name: "answer", Schema: json.RawMessage(`{"type":"object","required":["answer"]}`)}}

// reach is the worker for an agent.
func reach(t *testing.T, card string, change ...func(k *chargehand.A2AKind, l *worker.Limits)) worker.Worker {
	t.Helper()
	k, l := &chargehand.A2AKind{Card: card}, worker.Limits{Tries: 1}
	for _, c := range change {
		c(k, &l)
	}
	w, err := a2a.New(&chargehand.WorkerSpec{WorkerID: "peer", Kind: chargehand.KindA2A, A2A: k}, contracts, a2a.Options{Limits: l})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func order() chargehand.WorkerTask {
	return chargehand.WorkerTask{
		TaskID: "s1", RunID: "run_1", Attempt: 1, AssignedWorker: "peer", IdempotencyKey: "run_1/s1/1",
		Objective: "Review it.", Goal: "Find the fee.", ExpectedOutputContract: "answer",
		DeadlineAt: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), TimeoutMS: 60_000,
	}
}

// wantError demands an error's kind, whether work may have been done, and words.
func wantError(t *testing.T, err error, kind worker.Kind, notBegun bool, words ...string) {
	t.Helper()
	e, ok := errors.AsType[*worker.Error](err)
	if !ok || e.Kind != kind {
		t.Fatalf("got %v, want %s", err, kind)
	}
	if e.NotBegun != notBegun {
		t.Errorf("%v: not begun is %t, want %t", err, e.NotBegun, notBegun)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
}
