// Package provider plays providers of language models on loopback, for tests and benches: the
// Anthropic Messages API, the OpenAI Responses API and the OpenAI chat completions API (which Ollama, vLLM, LiteLLM,
// OpenRouter and Gemini's compatible endpoint speak too), as their public documentation has them,
// streams and errors included. What it answers is up to a function; everything it was asked is kept.
package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Options are what a server is like. The zero Options answer every request with "ok", for any key.
type Options struct {
	Answer func(Request) Reply // called for each request that is valid, by several goroutines; nil means "ok"
	Addr   string              // to listen on; empty means a free port of 127.0.0.1
	Keys   []string            // the keys that are let in; nil means any
	Open   bool                // no key is wanted, as by Ollama and vLLM
	Models []string            // what GET /v1/models lists; nil means DefaultModels
	Text   bool                // response_format and output_config are refused, as by servers that have no structured output
	Recall Recall              // of reasoning_content; zero means that it is not minded
	Legacy bool                // stream_options and max_completion_tokens are refused, as by older compatible servers
}

// DefaultModels are the models of a server that is not told any.
var DefaultModels = []string{"claude-sonnet-4-5", "claude-haiku-4-5", "gpt-5-mini", "gpt-4.1"}

// A Server is a provider that listens. Close it.
type Server struct {
	URL string // "http://127.0.0.1:port", without a path

	o    Options
	http *http.Server
	quit chan struct{} // closed by Close: nobody hangs any longer
	done chan struct{} // closed when Serve has returned

	mu    sync.Mutex
	asked []Request
	keys  []string // distinct, as they came in an authorization header
	paths map[string]int
	owed  map[string][]Thought // that are to come back, by the first call after them
}

// Start listens and answers until Close.
func Start(o Options) (*Server, error) {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.Models == nil {
		o.Models = DefaultModels
	}
	if o.Answer == nil {
		o.Answer = func(Request) Reply { return Reply{Text: "ok"} }
	}
	l, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("play a provider: %w", err)
	}
	s := &Server{URL: "http://" + l.Addr().String(), o: o, quit: make(chan struct{}), done: make(chan struct{}), paths: map[string]int{}, owed: map[string][]Thought{}}
	s.http = &http.Server{Handler: s.routes()}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l)
	}()
	return s, nil
}

// Close ends the server and every answer that is under way.
func (s *Server) Close() error {
	select {
	case <-s.quit:
		return nil
	default:
	}
	close(s.quit)
	err := s.http.Close()
	<-s.done
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// Requests are the requests that were executed so far, in order: those that were answered, those whose
// answer was a fault, and those that hang. Requests that were refused are not among them.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// Count is how many requests were executed.
func (s *Server) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

// Keys are the distinct keys that came in an authorization header.
func (s *Server) Keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.keys)
}

// Hits is how often a path was asked for, refusals included.
func (s *Server) Hits(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paths[path]
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", s.messages)
	for _, base := range []string{"/v1", "/v1beta/openai", "/api/v1"} { // OpenAI and most; Gemini; OpenRouter
		mux.HandleFunc("POST "+base+"/chat/completions", s.completions)
		mux.HandleFunc("POST "+base+"/responses", s.responses)
		mux.HandleFunc("GET "+base+"/models", s.models)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.paths[r.URL.Path]++
		s.mu.Unlock()
		mux.ServeHTTP(w, r)
	})
}

// models lists the models in the manner of whoever is asked: Anthropic's requests name a version.
func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	anthropic := r.Header.Get("Anthropic-Version") != ""
	if ok := s.admit(w, r, anthropic); !ok {
		return
	}
	list := []map[string]any{}
	for _, m := range s.o.Models {
		if anthropic {
			list = append(list, map[string]any{"type": "model", "id": m, "display_name": m, "created_at": "2025-09-29T00:00:00Z"})
		} else {
			list = append(list, map[string]any{"id": m, "object": "model", "created": created, "owned_by": "system"})
		}
	}
	page := map[string]any{"object": "list", "data": list}
	if anthropic {
		page = map[string]any{"data": list, "has_more": false, "first_id": first(s.o.Models), "last_id": last(s.o.Models)}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(page)
}

func first(all []string) any {
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

func last(all []string) any {
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

// admit lets a request in by its key, and notes the key.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, anthropic bool) bool {
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if anthropic {
		key = r.Header.Get("X-Api-Key")
	}
	s.mu.Lock()
	if key != "" && !slices.Contains(s.keys, key) {
		s.keys = append(s.keys, key)
	}
	s.mu.Unlock()
	if s.o.Open || key != "" && (s.o.Keys == nil || slices.Contains(s.o.Keys, key)) {
		return true
	}
	if anthropic {
		refuseAnthropic(w, Fault{Status: 401, Type: "authentication_error", Message: "invalid x-api-key"})
	} else { // the real one repeats the key
		refuseOpenAI(w, Fault{Status: 401, Type: "invalid_request_error", Code: "invalid_api_key", Message: "Incorrect API key provided: " + key + "."})
	}
	return false
}

// take numbers and notes an executed request, and asks what to answer.
func (s *Server) take(q *Request) Reply {
	s.mu.Lock()
	q.N = len(s.asked) + 1
	s.asked = append(s.asked, *q)
	s.mu.Unlock()
	p := s.o.Answer(*q)
	s.owe(&p)
	return p
}

// hang waits until whoever asked is gone, or the server is closed.
func (s *Server) hang(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-s.quit:
	}
}
