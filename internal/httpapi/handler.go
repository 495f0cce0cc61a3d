// Package httpapi serves an Engine over HTTP on a unix socket or a loopback address. It holds no
// state of its own and knows no engine in particular.
package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/account"
	"github.com/chargehand/chargehand/internal/dial"
)

// Options tune a Handler. The zero Options are the ones to use.
type Options struct {
	Timeout   time.Duration // of one request that does not stream; zero means 30 s
	Heartbeat time.Duration // between signs of life on a quiet stream; zero means 15 s
	MaxOrder  int64         // bytes of an order, its documents included; zero means 192 MiB

	// Name is the principal that an account of this machine is, by its number. Nil means account.Name.
	Name func(uid int) string

	// TrustNames takes the names in bodies for the principals: for tests, and for an engine behind
	// something that knows its callers. False means that the principal is the account at the other end
	// of the socket, and that other connections can start and decide nothing.
	TrustNames bool
}

const (
	defaultTimeout   = 30 * time.Second
	defaultHeartbeat = 15 * time.Second
	defaultMaxOrder  = 192 << 20
	maxBody          = 1 << 20 // of any request but an order, in bytes
)

// Handler serves e. It asks for no credentials: an account that can reach the socket may do everything, so
// the socket must be its owner's alone. Starts, decisions and controls are recorded as that account's. Requests that name another host than this machine, and
// those that a web page of another origin makes, are refused.
func Handler(e chargehand.Engine, o Options) http.Handler {
	s := &server{engine: e, options: withDefaults(o)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/runs", s.bounded(s.startRun))
	mux.HandleFunc("GET /v1/runs", s.bounded(s.listRuns))
	mux.HandleFunc("GET /v1/runs/{id}", s.bounded(s.showRun))
	mux.HandleFunc("GET /v1/runs/{id}/result", s.bounded(s.showResult))
	mux.HandleFunc("POST /v1/runs/{id}/control", s.bounded(s.controlRun))
	mux.HandleFunc("POST /v1/runs/{id}/fork", s.bounded(s.forkRun))
	mux.HandleFunc("GET /v1/runs/{id}/records", s.streamRecords)
	mux.HandleFunc("GET /v1/runs/{id}/tokens", s.streamTokens)
	mux.HandleFunc("GET /v1/reviews", s.bounded(s.listReviews))
	mux.HandleFunc("POST /v1/reviews/{id}/decisions", s.bounded(s.decide))
	mux.HandleFunc("GET /v1/blobs/{hash}", s.bounded(s.showBlob))
	mux.HandleFunc("GET /v1/fleet", s.bounded(s.showFleet))
	mux.HandleFunc("GET /livez", live)
	return s.guard(mux)
}

// A server carries what the handlers share.
type server struct {
	engine  chargehand.Engine
	options Options
}

func withDefaults(o Options) Options {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.Heartbeat <= 0 {
		o.Heartbeat = defaultHeartbeat
	}
	if o.Name == nil {
		o.Name = account.Name
	}
	if o.MaxOrder <= 0 {
		o.MaxOrder = defaultMaxOrder
	}
	return o
}

// guard lets through what comes from this machine and names an endpoint.
func (s *server) guard(mux *http.ServeMux) http.Handler {
	origin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A deadline outlives its request on a connection, so every request sets one. A writer
		// without deadlines is a test's.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(2 * s.options.Timeout))
		//guard:own-machine
		if r.Host != "" && !dial.ThisMachine(r.Host) {
			refuse(w, &chargehand.Error{
				Code: chargehand.CodeNotAllowed,
				What: "the request was refused",
				Why:  "it names the host " + r.Host + ", and this API serves its own machine only",
			})
			return
		}
		//guard:cross-origin
		if err := origin.Check(r); err != nil {
			refuse(w, &chargehand.Error{
				Code: chargehand.CodeNotAllowed, What: "the request was refused", Why: err.Error(), Err: err,
			})
			return
		}
		if h, pattern := mux.Handler(r); pattern == "" {
			noEndpoint(w, r, h)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// noEndpoint answers as h, the mux's own refusal, would, but in our words.
func noEndpoint(w http.ResponseWriter, r *http.Request, h http.Handler) {
	refusal := refusalWriter{header: w.Header()}
	h.ServeHTTP(&refusal, r)
	what := "there is no " + r.URL.Path
	if refusal.status == http.StatusMethodNotAllowed {
		what = r.URL.Path + " does not take " + r.Method
	}
	e := &chargehand.Error{Code: chargehand.CodeNotFound, What: what}
	if refusal.status < http.StatusBadRequest { // a redirect to the clean path
		w.WriteHeader(refusal.status)
		return
	}
	writeProblem(w, refusal.status, e)
}

// A refusalWriter keeps headers and status, and drops the body.
type refusalWriter struct {
	header http.Header
	status int
}

func (w *refusalWriter) Header() http.Header         { return w.header }
func (w *refusalWriter) WriteHeader(status int)      { w.status = status }
func (w *refusalWriter) Write(b []byte) (int, error) { return len(b), nil }

// An endpoint answers a request, or says why it cannot.
type endpoint func(w http.ResponseWriter, r *http.Request) error

// bounded gives the endpoint a time limit and turns its error into an answer.
func (s *server) bounded(serve endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), s.options.Timeout)
		defer cancel()
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.options.Timeout))
		if err := serve(w, r.WithContext(ctx)); err != nil {
			refuse(w, err)
		}
	}
}

func live(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n"))
}
