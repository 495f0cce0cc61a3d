// Package chatapi serves supervised teams as models of the chat completions and responses APIs that
// OpenAI made common: a request is a run, and its result is the answer. What a client sees as content
// has passed the checks; what a model under way says is never passed off as the answer.
package chatapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/dial"
	"github.com/chargehand/chargehand/internal/excerpt"
)

// Options say what is served, and to whom.
type Options struct {
	// Models are the teams served. At least one, and no two of one name.
	Models []Model

	// Report writes a result for people. Nil means the result as JSON.
	Report func(*chargehand.Result) (string, error)

	// Schema compiles a JSON Schema that an answer has to satisfy, and returns what tells in sentences what
	// is wrong with a value. Nil means that answers under a schema are refused.
	Schema func(schema json.RawMessage) (func(value json.RawMessage) []string, error)

	// Caller tells who makes a request, and false where that is not known, which is refused. Nil
	// means that whoever asks is Caller{Name: "chat"}, and that only requests to this machine under
	// its own name are let in.
	Caller func(*http.Request) (Caller, bool)

	// Host reports whether a request's host is one that this server goes by; others are refused. Nil
	// means this machine's own names where Caller is nil, and any otherwise.
	Host func(host string) bool

	// Where tells people where a review is decided, such as a page's address. Nil means the command.
	Where func(chargehand.Review) string

	// Leaving is closed when this process is about to end: requests are then answered that their
	// runs go on later. Nil means never.
	Leaving <-chan struct{}

	Wait      time.Duration // how long a request waits for its run; zero means 1 h
	Heartbeat time.Duration // between signs of life on a quiet stream; zero means 15 s
	Timeout   time.Duration // to read a request, and for what the engine answers at once; zero means 30 s
	MaxBody   int64         // bytes of a request, its documents included; zero means 32 MiB
	MaxRuns   int           // requests that wait for a run at a time, half of them of one address; zero means 256

	// Log is for operators. Nil means no log. It never holds payloads.
	Log *slog.Logger
}

// A Model is a team, as clients name it in "model".
type Model struct {
	Team chargehand.Team

	// Reads says that the team works on documents and on nothing else. A message without a file is
	// then the document, and the goal is the team's own.
	Reads bool
}

// A Caller is who makes a request.
type Caller struct {
	Name   string // the principal; recorded as who started a run
	Tenant string
}

// Handler serves the models. It answers
//
//	GET  /v1/models
//	GET  /v1/models/MODEL
//	POST /v1/chat/completions
//	POST /v1/responses
//	GET  /v1/responses/ID
//	POST /v1/responses/ID/cancel
func Handler(e chargehand.Engine, o Options) (http.Handler, error) {
	s := &server{engine: e, opt: withDefaults(o), models: map[string]*Model{}}
	if len(o.Models) == 0 {
		return nil, errors.New("serve chat completions: no team is given")
	}
	for i := range s.opt.Models {
		m := &s.opt.Models[i]
		if m.Team.Name == "" || s.models[m.Team.Name] != nil {
			return nil, fmt.Errorf("serve chat completions: two teams, or a team without a name, cannot be told apart: %q", m.Team.Name)
		}
		s.models[m.Team.Name] = m
	}
	s.seats = seats{most: s.opt.MaxRuns, taken: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", s.listModels)
	mux.HandleFunc("GET /v1/models/{model}", s.showModel)
	mux.HandleFunc("POST /v1/chat/completions", s.serve(&chat))
	mux.HandleFunc("POST /v1/responses", s.serve(&responses))
	mux.HandleFunc("GET /v1/responses/{id}", s.showResponse)
	mux.HandleFunc("POST /v1/responses/{id}/cancel", s.cancelResponse)
	mux.HandleFunc("DELETE /v1/responses/{id}", s.keepResponse)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, &failure{status: http.StatusNotFound, Kind: invalid, Code: "unknown_url", Message: "there is no " + r.Method + " " + r.URL.Path + " here"})
	})
	return s.guard(mux), nil
}

// A server carries what the handlers share.
type server struct {
	engine chargehand.Engine
	opt    Options
	models map[string]*Model // by team
	seats  seats
	memory memory
}

// seats are taken by requests that wait for a run.
type seats struct {
	most int

	mu    sync.Mutex
	all   int
	taken map[string]int // by address; none is zero
}

// take takes a seat, and reports whether there was one. One address has at most half of them; requests
// without an address, such as a unix socket's, may have all.
func (s *seats) take(from string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= s.most || from != "" && s.taken[from] >= max(s.most/2, 1) {
		return false
	}
	s.all++
	s.taken[from]++
	return true
}

func (s *seats) leave(from string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.taken[from]--; s.taken[from] == 0 {
		delete(s.taken, from)
	}
}

func withDefaults(o Options) Options {
	positive(&o.Wait, time.Hour)
	positive(&o.Heartbeat, 15*time.Second)
	positive(&o.Timeout, 30*time.Second)
	positive(&o.MaxBody, 32<<20)
	positive(&o.MaxRuns, 256)
	if o.Host == nil {
		local := o.Caller == nil
		o.Host = func(host string) bool { return !local || dial.ThisMachine(host) }
	}
	if o.Where == nil {
		o.Where = func(r chargehand.Review) string { return "chargehand review show " + r.ID }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Models = append([]Model(nil), o.Models...)
	return o
}

func positive[N int | int64 | time.Duration](n *N, otherwise N) {
	if *n <= 0 {
		*n = otherwise
	}
}

// A modelObject is a team in the list of models.
type modelObject struct {
	ID          string `json:"id"`
	Object      string `json:"object"`
	Created     int64  `json:"created"` // the API has it; a team has no such date
	OwnedBy     string `json:"owned_by"`
	Description string `json:"description,omitempty"`
}

func (m *Model) object() modelObject {
	return modelObject{ID: m.Team.Name, Object: "model", OwnedBy: "chargehand", Description: m.Team.Description}
}

func (s *server) listModels(w http.ResponseWriter, _ *http.Request) {
	list := []modelObject{}
	for i := range s.opt.Models {
		list = append(list, s.opt.Models[i].object())
	}
	answer(w, http.StatusOK, map[string]any{"object": "list", "data": list})
}

func (s *server) showModel(w http.ResponseWriter, r *http.Request) {
	m, err := s.model(r.PathValue("model"))
	if err != nil {
		refuse(w, err)
		return
	}
	answer(w, http.StatusOK, m.object())
}

func (s *server) model(name string) (*Model, *failure) {
	if m := s.models[name]; m != nil {
		return m, nil
	}
	return nil, &failure{
		status: http.StatusNotFound, Kind: invalid, Code: "model_not_found", Param: "model",
		Message: fmt.Sprintf("there is no team %q here; GET /v1/models lists those there are", excerpt.Of(name, 100)),
	}
}
