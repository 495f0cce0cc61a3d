package a2a_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/a2aapi"
	"github.com/chargehand/chargehand/worker"
)

// A scene is a real engine with one team behind a server that speaks A2A.
type scene struct {
	engine *local.Engine
	server *httptest.Server
	gate   *gate

	entered atomic.Int64 // workers that have come to the gate
}

// until waits for a condition.
func (s *scene) until(t *testing.T, holds func() bool) {
	t.Helper()
	for !holds() {
		if err := t.Context().Err(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
}

// A gate holds workers until it is opened.
type gate struct {
	once sync.Once
	open chan struct{}
}

func (g *gate) release() { g.once.Do(func() { close(g.open) }) }

// stage opens a scene. Callers are the tokens that are let in, by token; nil: everybody is.
func stage(t *testing.T, callers map[string]a2aapi.Caller) *scene {
	t.Helper()
	s := &scene{gate: &gate{open: make(chan struct{})}}
	var err error
	s.engine, err = local.Open(t.Context(), local.Options{Dir: t.TempDir(), Workers: worker.Set{"hand": worker.Func(s.work)}})
	if err != nil {
		t.Fatal(err)
	}
	o := a2aapi.Options{Teams: []chargehand.Team{team("answers"), team("others")}, Timeout: 20 * time.Second}
	if callers != nil {
		o.Caller = func(r *http.Request) (a2aapi.Caller, bool) {
			c, ok := callers[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
			return c, ok
		}
	}
	h, err := a2aapi.Handler(s.engine, o)
	if err != nil {
		t.Fatal(err)
	}
	s.server = httptest.NewServer(h)
	t.Cleanup(func() {
		s.gate.release()
		s.server.CloseClientConnections()
		s.server.Close()
		if err := s.engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// work does what the goal says: it waits, lies, fails, or answers.
func (s *scene) work(ctx context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	r := chargehand.WorkerResult{Output: json.RawMessage(`{"answer":"Hello.","count":9007199254740993}`)}
	switch {
	case strings.Contains(t.Objective, "wait"):
		s.entered.Add(1)
		select {
		case <-s.gate.open:
		case <-ctx.Done():
			return r, context.Cause(ctx)
		}
	case strings.Contains(t.Objective, "fail"):
		return r, errors.New("it cannot be done")
	case strings.Contains(t.Objective, "lie"):
		r.Output = json.RawMessage(`{"answer":7}`)
	}
	return r, nil
}

func team(name string) chargehand.Team {
	required := strings.Contains(name, "answers")
	t := chargehand.Team{
		Name: name, Description: "Answers questions.", Version: "3",
		Workers: []chargehand.WorkerSpec{{
			WorkerID: "hand", Capabilities: []string{"answer"}, OutputContracts: []string{"answer"}, MaxConcurrentTasks: 64,
		}},
		Contracts: []chargehand.Contract{{Name: "answer", Schema: json.RawMessage(
			`{"type":"object","required":["answer"],"properties":{"answer":{"type":"string"},"count":{"type":"integer"}}}`)}},
		Policy:      chargehand.Policy{Attempts: 1, WhenOnlyWaits: chargehand.WaitForPeople},
		InputSchema: json.RawMessage(`{"type":["object","null"],"properties":{"depth":{"type":"integer"}}}`),
		Synthesis:   &chargehand.Synthesis{Capability: "answer", OutputContract: "answer"},
	}
	t.Planner.Template = &chargehand.Plan{Subtasks: []chargehand.Subtask{{
		ID: "s1", Label: "First answer", Goal: "Answer.", Capability: "answer", OutputContract: "answer", Required: required,
	}}}
	return t
}

// decide answers the one review that waits in a run.
func (s *scene) decide(t *testing.T, run string, yes bool) {
	t.Helper()
	v, err := s.engine.Run(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range v.Reviews {
		if !r.Open() {
			continue
		}
		if _, err := s.engine.Decide(t.Context(), chargehand.Decision{
			ReviewID: r.ID, Approved: yes, Approver: "ana", ContentHash: r.ContentHash, Nonce: r.Nonce,
		}); err != nil {
			t.Fatal(err)
		}
	}
}
