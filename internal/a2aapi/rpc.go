package a2aapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/chargehand/chargehand/internal/excerpt"
)

// The JSON-RPC binding (A2A 1.0 §9).

type rpcRequest struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

type rpcResponse struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    []any  `json:"data,omitempty"`
}

// A call is what a method works with.
type call struct {
	who    Caller
	base   string // where the client reaches the handler
	params json.RawMessage
	after  int64 // the event seen last
}

// A method answers once.
type method func(a *agent, ctx context.Context, c call) (any, error)

// A streaming method answers with events.
type streaming func(a *agent, ctx context.Context, c call) (feed, error)

var methods = map[string]method{
	"SendMessage": taking(func(a *agent, ctx context.Context, c call, q sendParams) (any, error) {
		t, err := a.send(ctx, c.who, q)
		return response{Task: t}, err
	}),
	"GetTask": taking(func(a *agent, ctx context.Context, c call, q getParams) (any, error) {
		return a.get(ctx, c.who, q)
	}),
	"ListTasks": taking(func(a *agent, ctx context.Context, c call, q listParams) (any, error) {
		return a.list(ctx, c.who, q)
	}),
	"CancelTask": taking(func(a *agent, ctx context.Context, c call, q idParams) (any, error) {
		return a.cancel(ctx, c.who, q)
	}),
	"GetExtendedAgentCard": func(a *agent, ctx context.Context, c call) (any, error) {
		return a.extended(ctx, c.base)
	},
	"CreateTaskPushNotificationConfig": noPush,
	"GetTaskPushNotificationConfig":    noPush,
	"ListTaskPushNotificationConfigs":  noPush,
	"DeleteTaskPushNotificationConfig": noPush,
}

var streams = map[string]streaming{
	"SendStreamingMessage": func(a *agent, ctx context.Context, c call) (feed, error) {
		q, err := params[sendParams](c.params)
		if err != nil {
			return nil, err
		}
		return a.stream(ctx, c.who, q)
	},
	"SubscribeToTask": func(a *agent, ctx context.Context, c call) (feed, error) {
		q, err := params[idParams](c.params)
		if err != nil {
			return nil, err
		}
		return a.subscribe(ctx, c.who, q, c.after)
	},
}

func noPush(*agent, context.Context, call) (any, error) { return nil, pushNotSupported.failure() }

func taking[P any](f func(a *agent, ctx context.Context, c call, q P) (any, error)) method {
	return func(a *agent, ctx context.Context, c call) (any, error) {
		q, err := params[P](c.params)
		if err != nil {
			return nil, err
		}
		return f(a, ctx, c, q)
	}
}

func params[P any](raw json.RawMessage) (q P, err error) {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	if raw[0] != '{' {
		return q, wrong("params", "want an object")
	}
	if err := json.Unmarshal(raw, &q); err != nil {
		return q, unreadable(err, "params")
	}
	return q, nil
}

// serveRPC answers one request of JSON-RPC. Batches are not part of the binding.
func (a *agent) serveRPC(w http.ResponseWriter, r *http.Request) {
	var q rpcRequest
	err := a.readRPC(w, r, &q)
	var c call
	if err == nil {
		c.params, c.base = q.Params, a.baseURL(r)
		c.who, err = a.caller(r)
	}
	if err == nil {
		c.after, err = lastEvent(r)
	}
	if err != nil {
		a.refuseRPC(w, q.ID, err)
		return
	}
	if open := streams[q.Method]; open != nil {
		a.streamRPC(w, r, q.ID, c, open)
		return
	}
	do := methods[q.Method]
	if do == nil {
		a.refuseRPC(w, q.ID, methodNotFound.because("there is no method "+excerpt.Of(q.Method, 60)))
		return
	}
	a.patient(w)
	result, err := do(a, r.Context(), c)
	if err != nil {
		a.refuseRPC(w, q.ID, err)
		return
	}
	a.writeRPC(w, http.StatusOK, rpcResponse{JSONRPC: "2.0", ID: q.ID, Result: result})
}

func (a *agent) readRPC(w http.ResponseWriter, r *http.Request, q *rpcRequest) error {
	if r.Method != http.MethodPost {
		return invalidRequest.because("a request of JSON-RPC is posted")
	}
	if _, err := a.caller(r); err != nil {
		return err // before a byte of the body is read
	}
	body, err := a.read(w, r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, q); err != nil {
		return invalidRequest.because("the request is not one of JSON-RPC 2.0: " + excerpt.JSON(err).Error())
	}
	if id := string(q.ID); id != "" && id != "null" && id[0] != '"' && (id[0] < '0' || id[0] > '9') && id[0] != '-' {
		q.ID = nil
		return invalidRequest.because("id: want a string, a number or null")
	}
	if q.JSONRPC != "2.0" || q.Method == "" {
		return invalidRequest.because(`the request is not one of JSON-RPC 2.0: want "jsonrpc": "2.0" and a method`)
	}
	return a.asked(r)
}

// patient lets an answer take its time: what a message is answered with may come in hours.
func (s *server) patient(w http.ResponseWriter) {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Time{})
	_ = c.SetWriteDeadline(time.Time{})
}

func (a *agent) streamRPC(w http.ResponseWriter, r *http.Request, id json.RawMessage, c call, open streaming) {
	a.patient(w)
	f, err := open(a, r.Context(), c)
	if err != nil {
		a.refuseRPC(w, id, err)
		return
	}
	a.serveFeed(r.Context(), w, f, envelope{
		event:   func(e response) any { return rpcResponse{JSONRPC: "2.0", ID: id, Result: e} },
		failure: func(f *failure) any { return rpcResponse{JSONRPC: "2.0", ID: id, Error: asRPC(f)} },
	})
}

func asRPC(f *failure) *rpcError { return &rpcError{f.kind.code, f.words, f.details()} }

// refuseRPC answers with an error. JSON-RPC has its own codes, so the status says only what is
// between the client and HTTP.
func (a *agent) refuseRPC(w http.ResponseWriter, id json.RawMessage, err error) {
	f, status := a.failed(err), http.StatusOK
	switch f.kind {
	case unauthenticated:
		w.Header().Set("WWW-Authenticate", "Bearer")
		status = f.kind.http
	case tooMany:
		w.Header().Set("Retry-After", "5")
		status = f.kind.http
	case tooLarge, tooSlow, unavailable:
		status = f.kind.http
	}
	a.writeRPC(w, status, rpcResponse{JSONRPC: "2.0", ID: id, Error: asRPC(f)})
}

func (a *agent) writeRPC(w http.ResponseWriter, status int, v rpcResponse) {
	if len(v.ID) == 0 {
		v.ID = json.RawMessage("null")
	}
	body, err := encode(v)
	if err != nil {
		a.opt.Log.Error("write an answer", "error", err)
		status, body = http.StatusInternalServerError, []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"the answer cannot be written"}}`)
	}
	a.hurry(w)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
