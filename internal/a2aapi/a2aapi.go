// Package a2aapi serves supervised teams as agents that speak A2A 1.0 (https://a2a-protocol.org): a
// message starts a run, a task is a run, and a run that waits for a person is a task that requires
// input. It holds no state of its own: what a task is, and every event of a stream, is read off the
// run's records (SPEC.md ·162).
//
// The bindings are JSON-RPC and HTTP+JSON. They are written here because the Go SDK's error details,
// status codes, card and numbers differ from the specification's, and its streams cannot be resumed.
package a2aapi

import (
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/dial"
	"github.com/chargehand/chargehand/internal/excerpt"
)

// Options say what is served, where, and to whom.
type Options struct {
	// Teams are the teams served, each an agent of its own under its name. The card at the root is
	// that of the first. At least one, and no two of one name.
	Teams []chargehand.Team

	// BaseURL is where clients reach the handler, as cards give it. It must be https unless it is
	// this machine. Empty means the host that a request names: https, or http on this machine.
	BaseURL string

	// Caller tells who makes a request, and false where that is not known, which is refused. Nil
	// means that whoever asks is Caller{Name: "a2a"}, and that only requests to this machine by
	// this machine's programs are let in.
	Caller func(*http.Request) (Caller, bool)

	// Host reports whether a request's host is one that this server goes by; others are refused. Nil
	// means this machine's own names where Caller is nil, and any otherwise.
	Host func(host string) bool

	// Where tells people where a review is decided, such as a page's address. Nil means the command.
	Where func(chargehand.Review) string

	MaxBody   int64         // bytes of a request, its documents included; zero means 32 MiB
	Timeout   time.Duration // to read a request, to write a piece of an answer, and to wait for a cancellation; zero means 30 s
	Heartbeat time.Duration // between signs of life on a quiet stream; zero means 15 s

	// Log is for operators. Nil means no log. It never holds payloads.
	Log *slog.Logger
}

// A Caller is who makes a request. A caller sees the tasks it began and no others.
type Caller struct {
	Name   string // the principal; recorded as who started a run
	Tenant string
}

// Handler serves the teams. It answers
//
//	/.well-known/agent-card.json             the first team's card
//	/a2a/TEAM/.well-known/agent-card.json    a team's card
//	/a2a/TEAM/jsonrpc                        the JSON-RPC binding
//	/a2a/TEAM/http/...                       the HTTP+JSON binding
//
// where a slash at the end of a card's or a binding's address makes no difference. A card can be had without credentials.
func Handler(e chargehand.Engine, o Options) (http.Handler, error) {
	s := &server{engine: e, opt: withDefaults(o), agents: map[string]*agent{}}
	if len(o.Teams) == 0 {
		return nil, errors.New("serve a2a: no team is given")
	}
	if err := s.base(o.BaseURL); err != nil {
		return nil, fmt.Errorf("serve a2a: %w", err)
	}
	for i := range o.Teams {
		t := &s.opt.Teams[i]
		if t.Name == "" || s.agents[t.Name] != nil {
			return nil, fmt.Errorf("serve a2a: two teams, or a team without a name, cannot be told apart: %q", t.Name)
		}
		s.agents[t.Name] = &agent{server: s, team: t, path: "/a2a/" + url.PathEscape(t.Name)}
	}
	mux := s.routes()
	return s.guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { mux.ServeHTTP(w, Plain(r)) })), nil
}

// A server carries what the agents share.
type server struct {
	engine chargehand.Engine
	opt    Options
	agents map[string]*agent // by team
	known  origins
}

// An agent is one team as others see it.
type agent struct {
	*server
	team *chargehand.Team
	path string // below which it is served
}

func withDefaults(o Options) Options {
	if o.MaxBody <= 0 {
		o.MaxBody = 32 << 20
	}
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Heartbeat <= 0 {
		o.Heartbeat = 15 * time.Second
	}
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
	o.Teams = append([]chargehand.Team(nil), o.Teams...)
	return o
}

func (s *server) base(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("%q is no base URL: want https://host/path", address)
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !dial.ThisMachine(u.Host)) {
		return fmt.Errorf("the base URL %q must be https: A2A is not spoken in the clear beyond this machine", address)
	}
	s.opt.BaseURL = strings.TrimRight(address, "/")
	return nil
}

const cardPath = "/.well-known/agent-card.json"

func (s *server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	first := s.agents[s.opt.Teams[0].Name]
	for _, slash := range []string{"", "/{$}"} {
		mux.HandleFunc("GET "+cardPath+slash, first.serveCard)
		mux.HandleFunc("GET /a2a/{team}"+cardPath+slash, s.to((*agent).serveCard))
		mux.HandleFunc("/a2a/{team}/jsonrpc"+slash, s.to((*agent).serveRPC))
	}
	mux.HandleFunc("/a2a/{team}/http/", s.to((*agent).serveREST))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeREST(w, methodNotFound.because("there is no "+r.URL.Path))
	})
	return mux
}

// to hands a request to the agent of the team it names.
func (s *server) to(serve func(*agent, http.ResponseWriter, *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		a := s.agents[r.PathValue("team")]
		if a == nil {
			writeREST(w, methodNotFound.because("there is no such team"))
			return
		}
		serve(a, w, r)
	}
}

// guard keeps out what web pages make a browser send, and, where nobody says who they are, what
// does not come to this machine under its own name.
func (s *server) guard(next http.Handler) http.Handler {
	origin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.hurry(w)
		if !s.opt.Host(r.Host) {
			writeREST(w, notAllowed.because("the request names the host "+excerpt.Line(r.Host)+", which is not this one"))
			return
		}
		if err := origin.Check(r); err != nil {
			writeREST(w, notAllowed.because(err.Error()))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hurry bounds how long reading the request and writing the next piece of the answer may take. A
// writer without deadlines is a test's.
func (s *server) hurry(w http.ResponseWriter) {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Now().Add(s.opt.Timeout))
	_ = c.SetWriteDeadline(time.Now().Add(s.opt.Timeout))
}

// caller is who makes the request.
func (s *server) caller(r *http.Request) (Caller, error) {
	if s.opt.Caller == nil {
		return Caller{Name: "a2a"}, nil
	}
	c, ok := s.opt.Caller(r)
	if !ok || c.Name == "" {
		return Caller{}, unauthenticated.failure()
	}
	return c, nil
}

// asked checks what both bindings ask of a request's headers.
func (s *server) asked(r *http.Request) error {
	if r.Method == http.MethodPost && r.ContentLength != 0 {
		media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if err != nil || media != "application/json" && media != "application/a2a+json" {
			return contentTypeRefused.because("a request is application/json")
		}
	}
	return checkVersion(r)
}

// version is that of the protocol, without a patch number, which is not negotiated.
const version = "1.0"

func checkVersion(r *http.Request) error {
	asked := strings.TrimSpace(r.Header.Get("A2A-Version"))
	if asked == "" {
		asked = r.URL.Query().Get("A2A-Version")
	}
	if asked == "" {
		return versionNotSupported.because("without the header A2A-Version a request is one of version 0.3; this agent speaks " + version + ": send A2A-Version: " + version)
	}
	if parts := strings.Split(asked, "."); len(parts) < 2 || parts[0]+"."+parts[1] != version {
		return versionNotSupported.because(fmt.Sprintf("version %q is not spoken here; this agent speaks %s", excerpt.Of(asked, 20), version))
	}
	return nil
}
