package a2a

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/chargehand/chargehand/internal/excerpt"
)

// version is that of the protocol, without a patch number, which is not negotiated.
const version = "1.0"

// An op is one of the protocol's operations.
type op string

const (
	opSend   op = "SendMessage"
	opStream op = "SendStreamingMessage"
	opGet    op = "GetTask"
	opList   op = "ListTasks"
	opCancel op = "CancelTask"
)

// params are what operations take; each uses some of it.
type params struct {
	Tenant        string         `json:"tenant,omitempty"`
	Message       *message       `json:"message,omitempty"`
	Configuration *configuration `json:"configuration,omitempty"`
	ID            string         `json:"id,omitempty"`
	ContextID     string         `json:"contextId,omitempty"`
	HistoryLength *int           `json:"historyLength,omitempty"`
}

type configuration struct {
	AcceptedOutputModes []string `json:"acceptedOutputModes,omitempty"`
	ReturnImmediately   bool     `json:"returnImmediately,omitempty"`
	HistoryLength       *int     `json:"historyLength,omitempty"`
}

// A binding is a way to put operations into HTTP.
type binding interface {
	// request is an operation as a request to a door.
	request(ctx context.Context, at *url.URL, o op, p params) (*http.Request, error)

	// open takes an answer, or an event of a stream, out of its envelope. An error is a *peerError.
	open(body []byte) (json.RawMessage, error)
}

var bindings = map[string]binding{"JSONRPC": rpc{}, "HTTP+JSON": rest{}}

// A peerError is an error that an agent answers with.
type peerError struct {
	code    int    // of JSON-RPC; zero in the other binding
	reason  string // of google.rpc.ErrorInfo, or its status
	message string
}

func (e *peerError) Error() string {
	if e.reason == "" {
		return fmt.Sprintf("%s (%d)", e.message, e.code)
	}
	return e.message + " (" + e.reason + ")"
}

// unknownTask reports whether the agent says that it has no such task.
func (e *peerError) unknownTask() bool { return e.code == -32001 || e.reason == "TASK_NOT_FOUND" }

// rpc is the JSON-RPC binding (A2A 1.0 §9).
type rpc struct{}

func (rpc) request(ctx context.Context, at *url.URL, o op, p params) (*http.Request, error) {
	body, err := encode(map[string]any{"jsonrpc": "2.0", "id": 1, "method": o, "params": p})
	if err != nil {
		return nil, err
	}
	return http.NewRequestWithContext(ctx, http.MethodPost, at.String(), bytes.NewReader(body))
}

func (rpc) open(body []byte) (json.RawMessage, error) {
	var r struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code    int             `json:"code"`
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data"`
		} `json:"error"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	if r.Error != nil {
		return nil, &peerError{r.Error.Code, reasonIn(r.Error.Data), excerpt.Line(r.Error.Message)}
	}
	if len(r.Result) == 0 {
		return nil, fmt.Errorf("it has neither a result nor an error")
	}
	return r.Result, nil
}

// rest is the HTTP+JSON binding (A2A 1.0 §11).
type rest struct{}

func (rest) request(ctx context.Context, at *url.URL, o op, p params) (*http.Request, error) {
	id, verb, path, query := url.PathEscape(p.ID), http.MethodPost, "", url.Values{}
	switch o {
	case opSend:
		path = "message:send"
	case opStream:
		path = "message:stream"
	case opGet:
		verb, path = http.MethodGet, "tasks/"+id
		query.Set("historyLength", "0")
	case opList:
		verb, path = http.MethodGet, "tasks"
		query.Set("contextId", p.ContextID)
	case opCancel:
		path = "tasks/" + id + ":cancel"
	}
	if p.Tenant != "" {
		path = url.PathEscape(p.Tenant) + "/" + path
	}
	address, err := below(at, path, query)
	if err != nil {
		return nil, err
	}
	if verb == http.MethodGet {
		return http.NewRequestWithContext(ctx, verb, address, nil)
	}
	body, err := encode(p)
	if err != nil {
		return nil, err
	}
	return http.NewRequestWithContext(ctx, verb, address, bytes.NewReader(body))
}

// below is the address of an escaped path below another address, whether or not that one ends in a slash. Its query stays.
func below(at *url.URL, path string, query url.Values) (string, error) {
	u := *at
	u.RawPath = strings.TrimRight(at.EscapedPath(), "/") + "/" + path
	var err error
	if u.Path, err = url.PathUnescape(u.RawPath); err != nil {
		return "", err
	}
	u.RawQuery = strings.Trim(at.RawQuery+"&"+query.Encode(), "&")
	return u.String(), nil
}

func (rest) open(body []byte) (json.RawMessage, error) {
	var r struct {
		Error *struct {
			Status  string          `json:"status"`
			Message string          `json:"message"`
			Details json.RawMessage `json:"details"`
		} `json:"error"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	if r.Error != nil {
		reason := reasonIn(r.Error.Details)
		if reason == "" {
			reason = excerpt.Line(r.Error.Status)
		}
		return nil, &peerError{0, reason, excerpt.Line(r.Error.Message)}
	}
	return body, nil
}

// reasonIn is the reason of the google.rpc.ErrorInfo among an error's details, empty if there is
// none. Details of other shapes are passed over: agents differ in them.
func reasonIn(details json.RawMessage) string {
	var infos []struct {
		Reason string `json:"reason"`
	}
	if json.Unmarshal(details, &infos) != nil {
		return ""
	}
	for _, i := range infos {
		if i.Reason != "" {
			return excerpt.Line(i.Reason)
		}
	}
	return ""
}
