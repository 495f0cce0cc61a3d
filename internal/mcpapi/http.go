package mcpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chargehand/chargehand/internal/ijson"
	"github.com/chargehand/chargehand/internal/ingress"
)

// Handler serves the tools over Streamable HTTP, at any path.
func (a *API) Handler() http.Handler {
	d := newDoor(a.opt, a.Server)
	d.unserved = unserved
	return d.guard(http.HandlerFunc(d.serve))
}

// sessionless is the first revision without sessions: each of its requests stands for itself.
const sessionless = "2026-07-28"

// Over serves what server makes for a caller, once for each, over Streamable HTTP: revisions with
// sessions and those without, with Options' callers and limits.
func Over(o Options, server func(Caller) *mcp.Server) http.Handler {
	d := newDoor(o, server)
	return d.guard(http.HandlerFunc(d.serve))
}

func newDoor(o Options, server func(Caller) *mcp.Server) *door {
	d := &door{opt: withDefaults(o), make: server, servers: map[Caller]*mcp.Server{}}
	d.stateless = mcp.NewStreamableHTTPHandler(d.serverOf, &mcp.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: d.opt.MaxBody, Logger: d.opt.Log,
	})
	d.stateful = mcp.NewStreamableHTTPHandler(d.serverOf, &mcp.StreamableHTTPOptions{
		MaxRequestBodyBytes: d.opt.MaxBody, Logger: d.opt.Log, SessionTimeout: 10 * time.Minute,
		EventStore: mcp.NewMemoryEventStore(nil), // a client whose connection broke hears what it missed
	})
	return d
}

// A door lets requests in.
type door struct {
	opt                 Options
	make                func(Caller) *mcp.Server
	unserved            func(message []byte) []byte // answers what the servers do not have; nil means that they decide
	stateless, stateful *mcp.StreamableHTTPHandler

	mu      sync.Mutex
	servers map[Caller]*mcp.Server
}

type callerKey struct{}

// guard keeps out what web pages make a browser send, what is too large or too slow, and whoever is
// not known.
func (d *door) guard(next http.Handler) http.Handler {
	origin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !d.opt.Host(r.Host) {
			refuse(w, http.StatusForbidden, "forbidden: the request names a host that is not this one")
			return
		}
		if err := sameOrigin(origin, r); err != nil {
			refuse(w, http.StatusForbidden, "forbidden: "+err.Error())
			return
		}
		who, ok := Caller{Name: "mcp"}, true
		if d.opt.Caller != nil {
			who, ok = d.opt.Caller(r)
		}
		if !ok || who.Name == "" {
			w.Header().Set("WWW-Authenticate", `Bearer realm="chargehand"`)
			refuse(w, http.StatusUnauthorized, "unauthorized: send Authorization: Bearer TOKEN")
			return
		}
		r, err := d.read(w, r)
		if err != nil {
			return
		}
		d.known(who, next).ServeHTTP(w, r)
	})
}

// turnAway answers a request for a method that the servers do not have. Its error says that the request is answered.
func (d *door) turnAway(w http.ResponseWriter, r *http.Request, body []byte) error {
	if d.unserved == nil || r.Method != http.MethodPost {
		return nil
	}
	answer := d.unserved(body)
	if answer == nil {
		return nil
	}
	status := http.StatusOK
	if r.Header.Get("Mcp-Protocol-Version") >= sessionless {
		status = http.StatusNotFound
	}
	reply(w, status, answer)
	return errUnserved
}

var errUnserved = errors.New("the method is not served")

// refuse answers what never reaches the server.
func refuse(w http.ResponseWriter, status int, why string) {
	reject(w, status, jsonrpc.CodeInvalidRequest, why)
}

// reject answers with an error of JSON-RPC that belongs to no request.
func reject(w http.ResponseWriter, status, code int, why string) {
	body, err := rpcError(nil, code, why)
	if err != nil {
		http.Error(w, why, status)
		return
	}
	reply(w, status, body)
}

func reply(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// sameOrigin refuses what a page of another origin sends, reading included: a page that lets its
// own name resolve to this machine reads with GET.
func sameOrigin(p *http.CrossOriginProtection, r *http.Request) error {
	post := r.Clone(r.Context())
	post.Method = http.MethodPost
	return p.Check(post)
}

// read takes the body in, within limits. Once it is read the connection may stay quiet.
func (d *door) read(w http.ResponseWriter, r *http.Request) (*http.Request, error) {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Now().Add(d.opt.Timeout)) // a writer without deadlines is a test's
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, d.opt.MaxBody))
	if err == nil {
		_ = c.SetReadDeadline(time.Time{}) // otherwise what is left of the body would be waited for
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if err != nil {
		d.unread(w, err)
		return r, err
	}
	if len(body) == 0 {
		return r, nil
	}
	if err := ijson.Check(body); err != nil {
		reject(w, http.StatusBadRequest, jsonrpc.CodeParseError, "the request is no JSON message: "+err.Error())
		return r, err
	}
	return r, d.turnAway(w, r, body)
}

// unread answers a request whose body could not be read.
func (d *door) unread(w http.ResponseWriter, err error) {
	_, large := errors.AsType[*http.MaxBytesError](err)
	switch {
	case large:
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the request is larger than %d bytes", d.opt.MaxBody))
	case errors.Is(err, ingress.ErrBusy):
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusTooManyRequests, "too many requests of this address are arriving: send fewer at a time, or again later")
	case errors.Is(err, os.ErrDeadlineExceeded):
		refuse(w, http.StatusRequestTimeout, "the request arrives too slowly: send it again, faster")
	default:
		refuse(w, http.StatusBadRequest, "the request cannot be read")
	}
}

// known hands on who makes the request, and ties sessions to their caller. The credentials
// themselves go no further.
func (d *door) known(who Caller, next http.Handler) http.Handler {
	info := &auth.TokenInfo{UserID: fmt.Sprintf("%q/%q", who.Tenant, who.Name)}
	verify := func(context.Context, string, *http.Request) (*auth.TokenInfo, error) { return info, nil }
	tied := auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(context.WithValue(r.Context(), callerKey{}, who))
		r.Header = r.Header.Clone()
		r.Header.Set("Authorization", "Bearer verified")
		r.Header.Del("Cookie")
		tied.ServeHTTP(w, r)
	})
}

func (d *door) serve(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Mcp-Protocol-Version") >= sessionless {
		d.stateless.ServeHTTP(w, r)
		return
	}
	if r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "" && d.full(r) {
		w.Header().Set("Retry-After", "60")
		refuse(w, http.StatusServiceUnavailable, fmt.Sprintf("%d sessions are open, which is the most: end one, or wait", d.opt.Sessions))
		return
	}
	d.stateful.ServeHTTP(w, r)
}

// full reports whether the caller has as many sessions as it may.
func (d *door) full(r *http.Request) bool {
	n := 0
	for range d.serverOf(r).Sessions() {
		n++
	}
	return n >= d.opt.Sessions
}

// serverOf is the server of a request's caller.
func (d *door) serverOf(r *http.Request) *mcp.Server {
	who, _ := r.Context().Value(callerKey{}).(Caller)
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.servers[who]
	if s == nil {
		s = d.make(who)
		d.servers[who] = s
	}
	return s
}
