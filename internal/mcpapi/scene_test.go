package mcpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/engine/local"
	"github.com/chargehand/chargehand/internal/mcpapi"
	"github.com/chargehand/chargehand/worker"
)

// A scene is a real engine with a team behind our server.
type scene struct {
	engine  *local.Engine
	server  *httptest.Server
	leaving chan struct{}
	entered chan struct{} // one for each worker that waits
	open    func()        // lets waiting workers go on
}

// stage opens a scene. Callers are the tokens that are let in; nil: everybody is.
func stage(t *testing.T, callers map[string]mcpapi.Caller) *scene {
	t.Helper()
	gate := make(chan struct{})
	s := &scene{leaving: make(chan struct{}), entered: make(chan struct{}, 100), open: sync.OnceFunc(func() { close(gate) })}
	work := func(ctx context.Context, w chargehand.WorkerTask) (chargehand.WorkerResult, error) {
		r := chargehand.WorkerResult{Output: json.RawMessage(`{"answer":"Hello <world>."}`)}
		switch {
		case strings.Contains(w.Objective, "wait"):
			s.entered <- struct{}{}
			select {
			case <-gate:
			case <-ctx.Done():
				return r, context.Cause(ctx)
			}
		case strings.Contains(w.Objective, "fail"):
			return r, errors.New("it cannot be done")
		case strings.Contains(w.Objective, "lie"):
			r.Output = json.RawMessage(`{"answer":7}`)
		case strings.Contains(w.Objective, "long"):
			r.Output = json.RawMessage(`{"answer":"` + strings.Repeat("x", 3000) + `"}`)
		}
		return r, nil
	}
	var err error
	s.engine, err = local.Open(t.Context(), local.Options{Dir: t.TempDir(), Workers: worker.Set{"hand": worker.Func(work)}})
	if err != nil {
		t.Fatal(err)
	}
	o := mcpapi.Options{
		Teams: []chargehand.Team{team("answers"), team("a team")}, Leaving: s.leaving,
		Heartbeat: 20 * time.Millisecond, MaxBody: 64 << 10, MaxAnswer: 2000, MaxCalls: 4, Sessions: 8,
	}
	if callers != nil {
		o.Caller = func(r *http.Request) (mcpapi.Caller, bool) {
			c, ok := callers[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
			return c, ok
		}
	}
	api, err := mcpapi.New(s.engine, o)
	if err != nil {
		t.Fatal(err)
	}
	s.server = httptest.NewServer(api.Handler())
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
			WorkerID: "hand", Free: true, Capabilities: []string{"answer"}, OutputContracts: []string{"answer"}, MaxConcurrentTasks: 64,
		}},
		Contracts: []chargehand.Contract{{Name: "answer", Schema: json.RawMessage(
			`{"type":"object","required":["answer"],"properties":{"answer":{"type":"string"}}}`)}},
		Policy:      chargehand.Policy{Attempts: 1, WhenOnlyWaits: chargehand.WaitForPeople},
		InputSchema: json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":["object","null"],"properties":{"depth":{"type":"integer"}}}`),
		Synthesis:   &chargehand.Synthesis{Capability: "answer", OutputContract: "answer"},
		Budget:      chargehand.Budget{USD: 2 * chargehand.USD},
	}
	t.Planner.Template = &chargehand.Plan{Subtasks: []chargehand.Subtask{{
		ID: "s1", Label: "First answer", Goal: "Answer.", Capability: "answer", OutputContract: "answer",
	}}}
	return t
}

// A person calls tools with the SDK's own client.
type person struct {
	*mcp.ClientSession
	progress chan *mcp.ProgressNotificationParams
}

// bearer sends a token with each request, and speaks only revisions with sessions where old.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b.token != "" {
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// connect connects a client that speaks a revision; empty: the newest.
func (s *scene) connect(t *testing.T, token, revision string) *person {
	t.Helper()
	p := &person{progress: make(chan *mcp.ProgressNotificationParams, 1000)}
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { p.progress <- r.Params },
	})
	var err error
	p.ClientSession, err = c.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: s.server.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer{token}},
	}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// reply is what tools answer, read as any client would.
type reply struct {
	Run     string          `json:"run_id"`
	State   string          `json:"state"`
	Stop    string          `json:"stop_reason"`
	Next    string          `json:"next"`
	Output  json.RawMessage `json:"output"`
	Items   []any           `json:"items"`
	Count   int             `json:"item_count"`
	Gaps    []any           `json:"gaps"`
	Omitted []string        `json:"omitted"`
	Reviews []struct {
		Review string `json:"review_id"`
		Where  string `json:"decide_at"`
	} `json:"reviews"`
}

// call calls a tool. text is what a failed call says.
func (p *person) call(ctx context.Context, t *testing.T, tool string, args any) (r reply, text string) {
	t.Helper()
	params := &mcp.CallToolParams{Name: tool, Arguments: args}
	params.SetProgressToken("p1")
	res, err := p.CallTool(ctx, params)
	if err != nil {
		return r, err.Error()
	}
	text = res.Content[0].(*mcp.TextContent).Text
	if res.StructuredContent == nil {
		if !res.IsError {
			t.Errorf("no data in an answer: %s", text)
		}
		return r, text
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Error(err)
	}
	return r, ""
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

// ends waits for a run's end, and says how it ended.
func (s *scene) ends(t *testing.T, run string) chargehand.RunState {
	t.Helper()
	v, err := chargehand.Follow(t.Context(), s.engine, run, func(chargehand.Moment) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	return v.State
}
