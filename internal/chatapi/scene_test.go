package chatapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/chatapi"
	"github.com/chargehand/chargehand/internal/gate"
	"github.com/chargehand/chargehand/worker"
)

// A scene is a real engine with teams behind the chat door.
type scene struct {
	engine  *local.Engine
	server  *httptest.Server
	leaving chan struct{}
	entered chan struct{} // one for each worker that waits
	open    func()        // lets waiting workers go on
}

// stage opens a scene; change alters the options.
func stage(t *testing.T, change func(*chatapi.Options)) *scene {
	t.Helper()
	hold := make(chan struct{})
	s := &scene{leaving: make(chan struct{}), entered: make(chan struct{}, 100), open: sync.OnceFunc(func() { close(hold) })}
	work := func(ctx context.Context, w chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		r := chargehand.WorkerResult{
			Output: json.RawMessage(`{"answer":"Hello <world>.","n":1}`),
			Usage:  chargehand.Usage{InputTokens: 10, OutputTokens: 3, USD: 1500},
		}
		switch {
		case strings.Contains(w.Objective, "wait"):
			s.entered <- struct{}{}
			select {
			case <-hold:
			case <-ctx.Done():
				return r, context.Cause(ctx)
			}
		case strings.Contains(w.Goal, "list"):
			r.Output = json.RawMessage(`{"rows":[{"key":"a","present":true,"quote":"Clause 1","start":0,"end":8}]}`)
		case strings.Contains(w.Objective, "fail"), strings.Contains(w.Goal, "fail"):
			return r, errors.New("it cannot be done")
		case strings.Contains(w.Objective, "lie"):
			r.Output = json.RawMessage(`{"answer":7}`)
		case strings.Contains(w.Objective, "long"):
			r.Output = json.RawMessage(`{"answer":"` + strings.Repeat("é€x", 1000) + `"}`)
		case strings.Contains(w.Objective, "figure"):
			r.Output = json.RawMessage(`{"n":42}`)
		}
		return r, nil
	}
	var err error
	s.engine, err = local.Open(t.Context(), local.Options{Dir: t.TempDir(), Workers: worker.Set{"hand": worker.Func(work)}})
	if err != nil {
		t.Fatal(err)
	}
	o := chatapi.Options{
		Models: []chatapi.Model{{Team: team("answers")}, {Team: team("reader"), Reads: true}}, Leaving: s.leaving,
		Heartbeat: 10 * time.Millisecond, MaxBody: 64 << 10,
		Schema: gate.Schema,
		Report: func(r *chargehand.Result) (string, error) { return "# Report of " + r.Title, nil },
	}
	if change != nil {
		change(&o)
	}
	h, err := chatapi.Handler(s.engine, o)
	if err != nil {
		t.Fatal(err)
	}
	s.server = httptest.NewServer(h)
	t.Cleanup(func() {
		s.open()
		s.server.CloseClientConnections()
		s.server.Close()
		if err := s.engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func team(name string) chargehand.Team {
	t := chargehand.Team{
		Name: name, Description: "Answers questions.",
		Workers: []chargehand.WorkerSpec{{
			WorkerID: "hand", CostPerCallEstimateUSD: chargehand.USD / 500, Capabilities: []string{"answer"}, OutputContracts: []string{"answer"}, MaxConcurrentTasks: 64,
		}},
		Contracts: []chargehand.Contract{{Name: "answer", Schema: json.RawMessage(
			`{"type":"object","properties":{"answer":{"type":"string"}}}`)}},
		Policy:      chargehand.Policy{Attempts: 1, WhenOnlyWaits: chargehand.WaitForPeople},
		InputSchema: json.RawMessage(`{"type":["object","null"],"properties":{"depth":{"type":"integer"}}}`),
		Synthesis:   &chargehand.Synthesis{Capability: "answer", OutputContract: "answer"},
		Budget:      chargehand.Budget{USD: 2 * chargehand.USD},
	}
	t.Planner.Template = &chargehand.Plan{Subtasks: []chargehand.Subtask{{
		ID: "s1", Label: "First answer", Goal: "Answer.", Capability: "answer", OutputContract: "answer",
	}}}
	return t
}

// A said is what the door answered.
type said struct {
	status int
	header http.Header
	body   string
}

// reply is a completion, or an error.
type reply struct {
	ID      string
	Object  string
	Model   string
	Choices []struct {
		Message struct{ Role, Content string }
		Delta   struct{ Role, Content string }
		Finish  string `json:"finish_reason"`
	}
	Usage *struct {
		Prompt     int    `json:"prompt_tokens"`
		Completion int    `json:"completion_tokens"`
		Total      int    `json:"total_tokens"`
		Cost       string `json:"cost_usd"`
	}
	Chargehand struct {
		Run     string `json:"run_id"`
		State   string
		Reviews []struct {
			Review string `json:"review_id"`
		}
	}
	Error *struct {
		Message, Type string
		Param, Code   *string
		Run           string `json:"run_id"`
	}
}

func (s said) reply(t *testing.T) reply {
	t.Helper()
	var r reply
	if err := json.Unmarshal([]byte(s.body), &r); err != nil {
		t.Fatalf("%v: %s", err, s.body)
	}
	return r
}

// post sends a body as it is; headers are pairs.
func (s *scene) post(ctx context.Context, t *testing.T, body string, headers ...string) said {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.server.URL+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return said{}
	}
	r.Header.Set("Content-Type", "application/json")
	return s.do(t, r, headers...)
}

func (s *scene) do(t *testing.T, r *http.Request, headers ...string) said {
	t.Helper()
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return said{body: err.Error()}
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return said{body: err.Error()}
	}
	return said{resp.StatusCode, resp.Header, string(b)}
}

// chat is a body that asks a model for something, with further members.
func chat(model, text, more string) string {
	b, _ := json.Marshal(text)
	if more != "" {
		more = "," + more
	}
	return `{"model":"` + model + `","messages":[{"role":"user","content":` + string(b) + `}]` + more + `}`
}

func (s *scene) view(t *testing.T, run string) *chargehand.View {
	t.Helper()
	v, err := s.engine.Run(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// ends waits for a run's end, and says how it ended.
func (s *scene) ends(t *testing.T, run string) chargehand.RunState {
	t.Helper()
	v, err := chargehand.Follow(t.Context(), s.engine, run, func(chargehand.Moment) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	return v.State
}

// only is the one run there is.
func (s *scene) only(t *testing.T) string {
	t.Helper()
	runs, err := s.engine.Runs(t.Context(), chargehand.Filter{})
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	return runs[0].RunID
}
