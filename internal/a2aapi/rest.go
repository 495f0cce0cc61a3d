package a2aapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/internal/ijson"
)

// The HTTP+JSON binding (A2A 1.0 §11).

// serveREST answers one request. Every path is "message:VERB", "tasks", "tasks/ID", "tasks/ID:VERB",
// "tasks/ID/pushNotificationConfigs..." or "extendedAgentCard".
func (a *agent) serveREST(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.EscapedPath(), a.path+"/http/")
	who, err := a.caller(r)
	if err == nil {
		err = a.asked(r)
	}
	var do resource
	if err == nil {
		do, err = a.resource(r.Method, path)
	}
	if err != nil {
		writeREST(w, a.failed(err))
		return
	}
	if err := do(w, r, who); err != nil {
		writeREST(w, a.failed(err))
	}
}

// A resource answers a request, or says why it cannot.
type resource func(w http.ResponseWriter, r *http.Request, who Caller) error

// resource is what a method does to a path.
func (a *agent) resource(verb, path string) (resource, error) {
	head, rest, _ := strings.Cut(path, "/")
	id, action, _ := strings.Cut(rest, ":")
	id, err := url.PathUnescape(id)
	if err != nil {
		return nil, wrong("path", err.Error())
	}
	type way struct {
		verbs string
		do    resource
	}
	var at way
	switch {
	case path == "message:send":
		at = way{"POST", a.restSend}
	case path == "message:stream":
		at = way{"POST", a.restStream}
	case path == "extendedAgentCard":
		at = way{"GET", a.restCard}
	case path == "tasks":
		at = way{"GET", a.restList}
	case head == "tasks" && strings.HasSuffix(rest, "/pushNotificationConfigs"):
		at = way{"GET POST", restPush}
	case head == "tasks" && strings.Contains(rest, "/pushNotificationConfigs/"):
		at = way{"GET DELETE", restPush}
	case head == "tasks" && rest != "" && action == "" && !strings.Contains(rest, "/"):
		at = way{"GET", a.restGet(id)}
	case head == "tasks" && action == "cancel":
		at = way{"POST", a.restCancel(id)}
	case head == "tasks" && action == "subscribe":
		at = way{"GET POST", a.restSubscribe(id)}
	default:
		return nil, methodNotFound.because("there is no " + excerpt.Of(path, 80))
	}
	if !strings.Contains(" "+at.verbs+" ", " "+verb+" ") {
		return nil, (&kind{0, http.StatusMethodNotAllowed, "UNIMPLEMENTED", "", ""}).because(path + " does not take " + verb)
	}
	return at.do, nil
}

func (a *agent) restSend(w http.ResponseWriter, r *http.Request, who Caller) error {
	var q sendParams
	if err := a.readREST(w, r, &q); err != nil {
		return err
	}
	a.patient(w)
	t, err := a.send(r.Context(), who, q)
	if err != nil {
		return err
	}
	return a.writeREST(w, response{Task: t})
}

func (a *agent) restStream(w http.ResponseWriter, r *http.Request, who Caller) error {
	var q sendParams
	if err := a.readREST(w, r, &q); err != nil {
		return err
	}
	a.patient(w)
	f, err := a.stream(r.Context(), who, q)
	if err != nil {
		return err
	}
	a.serveFeed(r.Context(), w, f, plainEnvelope)
	return nil
}

func (a *agent) restGet(id string) resource {
	return func(w http.ResponseWriter, r *http.Request, who Caller) error {
		q := query{values: r.URL.Query()}
		n := q.number("historyLength")
		if q.err != nil {
			return q.err
		}
		t, err := a.get(r.Context(), who, getParams{ID: id, HistoryLength: n})
		if err != nil {
			return err
		}
		return a.writeREST(w, t)
	}
}

func (a *agent) restList(w http.ResponseWriter, r *http.Request, who Caller) error {
	q := query{values: r.URL.Query()}
	p := listParams{
		ContextID: q.values.Get("contextId"), Status: state(q.values.Get("status")), PageSize: q.number("pageSize"),
		PageToken: q.values.Get("pageToken"), HistoryLength: q.number("historyLength"),
		StatusTimestampAfter: q.time("statusTimestampAfter"), IncludeArtifacts: q.yes("includeArtifacts"),
	}
	if q.err != nil {
		return q.err
	}
	l, err := a.list(r.Context(), who, p)
	if err != nil {
		return err
	}
	return a.writeREST(w, l)
}

func (a *agent) restCancel(id string) resource {
	return func(w http.ResponseWriter, r *http.Request, who Caller) error {
		if r.ContentLength != 0 {
			var ignored json.RawMessage // metadata, of which none is known
			if err := a.readREST(w, r, &ignored); err != nil {
				return err
			}
		}
		t, err := a.cancel(r.Context(), who, idParams{ID: id})
		if err != nil {
			return err
		}
		return a.writeREST(w, t)
	}
}

func (a *agent) restSubscribe(id string) resource {
	return func(w http.ResponseWriter, r *http.Request, who Caller) error {
		after, err := lastEvent(r)
		if err != nil {
			return err
		}
		a.patient(w)
		f, err := a.subscribe(r.Context(), who, idParams{ID: id}, after)
		if err != nil {
			return err
		}
		a.serveFeed(r.Context(), w, f, plainEnvelope)
		return nil
	}
}

func (a *agent) restCard(w http.ResponseWriter, r *http.Request, _ Caller) error {
	c, err := a.extended(r.Context(), a.baseURL(r))
	if err != nil {
		return err
	}
	return a.writeREST(w, c)
}

func restPush(http.ResponseWriter, *http.Request, Caller) error { return pushNotSupported.failure() }

var plainEnvelope = envelope{
	event:   func(e response) any { return e },
	failure: func(f *failure) any { return asREST(f) },
}

// readREST reads a request's body into v.
func (a *agent) readREST(w http.ResponseWriter, r *http.Request, v any) error {
	body, err := a.read(w, r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, v); err != nil {
		return unreadable(err, "$")
	}
	return nil
}

// read is a request's body: one JSON value that has one meaning.
func (a *agent) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, a.opt.MaxBody))
	if err != nil {
		return nil, unreadable(err, "$")
	}
	if err := ijson.Check(body); err != nil {
		return nil, parseError.because("the request cannot be read: " + err.Error())
	}
	return body, nil
}

func (a *agent) writeREST(w http.ResponseWriter, v any) error {
	body, err := encode(v)
	if err != nil {
		return err
	}
	a.hurry(w)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
	return nil
}

// asREST is a failure as google.rpc.Status in JSON (AIP-193).
func asREST(f *failure) any {
	body := map[string]any{"code": f.kind.http, "status": f.kind.status, "message": f.words}
	if d := f.details(); len(d) > 0 {
		body["details"] = d
	}
	return map[string]any{"error": body}
}

func writeREST(w http.ResponseWriter, f *failure) {
	body, err := encode(asREST(f))
	if err != nil {
		body = []byte(`{"error":{"code":500,"status":"INTERNAL","message":"the answer cannot be written"}}`)
	}
	if f.kind == unauthenticated {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.kind.http)
	_, _ = w.Write(body)
}

// A query reads parameters and remembers the first that makes no sense.
type query struct {
	values url.Values
	err    error
}

func (q *query) read(name string, parse func(text string) error) {
	if text := q.values.Get(name); text != "" {
		if err := parse(text); err != nil && q.err == nil {
			q.err = wrong(name, fmt.Sprintf("%q makes no sense", excerpt.Of(text, 40)))
		}
	}
}

func (q *query) number(name string) (n *int) {
	q.read(name, func(text string) error {
		v, err := strconv.Atoi(text)
		n = &v
		return err
	})
	return n
}

func (q *query) yes(name string) (yes bool) {
	q.read(name, func(text string) (err error) {
		yes, err = strconv.ParseBool(text)
		return err
	})
	return yes
}

func (q *query) time(name string) (at *time.Time) {
	q.read(name, func(text string) error {
		v, err := time.Parse(time.RFC3339, text)
		at = &v
		return err
	})
	return at
}
