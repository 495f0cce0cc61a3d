package a2a_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// object is any JSON object.
type object = map[string]any

// A peer speaks one binding to one team, byte by byte.
type peer struct {
	t       *testing.T
	base    string // of the team
	binding string
	token   string
	header  http.Header // instead of what is usual, by name; an empty value means none
}

// each runs a test over both bindings.
func each(t *testing.T, s *scene, test func(p *peer)) {
	t.Helper()
	for _, b := range []string{"JSONRPC", "HTTP+JSON"} {
		t.Run(b, func(t *testing.T) { test(s.peer(t, b)) })
	}
}

func (s *scene) peer(t *testing.T, binding string) *peer {
	return &peer{t: t, base: s.server.URL + "/a2a/answers", binding: binding, header: http.Header{}}
}

func (p *peer) as(token string) *peer {
	q := *p
	q.token = token
	return &q
}

func (p *peer) with(name, value string) *peer {
	q := *p
	q.header = p.header.Clone()
	q.header.Set(name, value)
	return &q
}

// A reply is what came back.
type reply struct {
	t       *testing.T
	binding string
	status  int
	header  http.Header
	body    []byte
	result  object
	err     *fault
}

// A fault is an error in either binding.
type fault struct {
	code    int // of JSON-RPC
	status  string
	message string
	details []any
}

func (f *fault) reason() string {
	for _, d := range f.details {
		if m, ok := d.(object); ok && m["@type"] == "type.googleapis.com/google.rpc.ErrorInfo" && m["domain"] == "a2a-protocol.org" {
			return fmt.Sprint(m["reason"])
		}
	}
	return ""
}

func (p *peer) request(op string, params object) *http.Request {
	p.t.Helper()
	verb, address, body := http.MethodPost, p.base+"/jsonrpc", object{"jsonrpc": "2.0", "id": "r-1", "method": op, "params": params}
	if p.binding == "HTTP+JSON" {
		verb, address, body = p.resource(op, params)
	}
	var read io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			p.t.Fatal(err)
		}
		read = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(p.t.Context(), verb, address, read)
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("A2A-Version", "1.0")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if p.token != "" {
		req.Header.Set("Authorization", "Bearer "+p.token)
	}
	for name := range p.header {
		if v := p.header.Get(name); v == "" {
			req.Header.Del(name)
		} else {
			req.Header.Set(name, v)
		}
	}
	return req
}

// resource is an operation as verb, address and body (A2A 1.0 §11.3).
func (p *peer) resource(op string, params object) (verb, address string, body object) {
	id := url.PathEscape(fmt.Sprint(params["id"]))
	of := url.PathEscape(fmt.Sprint(params["taskId"]))
	query := url.Values{}
	for k, v := range params {
		if k != "id" && k != "taskId" {
			query.Set(k, fmt.Sprint(v))
		}
	}
	at := p.base + "/http"
	tail := ""
	if len(query) > 0 {
		tail = "?" + query.Encode()
	}
	switch op {
	case "SendMessage":
		return "POST", at + "/message:send", params
	case "SendStreamingMessage":
		return "POST", at + "/message:stream", params
	case "GetTask":
		return "GET", at + "/tasks/" + id + tail, nil
	case "ListTasks":
		return "GET", at + "/tasks" + tail, nil
	case "CancelTask":
		return "POST", at + "/tasks/" + id + ":cancel", object{}
	case "SubscribeToTask":
		return "GET", at + "/tasks/" + id + ":subscribe", nil
	case "GetExtendedAgentCard":
		return "GET", at + "/extendedAgentCard", nil
	case "CreateTaskPushNotificationConfig":
		return "POST", at + "/tasks/" + of + "/pushNotificationConfigs", params
	case "GetTaskPushNotificationConfig":
		return "GET", at + "/tasks/" + of + "/pushNotificationConfigs/" + id, nil
	case "ListTaskPushNotificationConfigs":
		return "GET", at + "/tasks/" + of + "/pushNotificationConfigs", nil
	case "DeleteTaskPushNotificationConfig":
		return "DELETE", at + "/tasks/" + of + "/pushNotificationConfigs/" + id, nil
	}
	return "POST", at + "/" + op, params
}

func (p *peer) call(op string, params object) *reply {
	p.t.Helper()
	r := p.do(p.request(op, params))
	if r.err == nil {
		conforms(p.t, answers[op], r.result)
	}
	return r
}

func (p *peer) do(req *http.Request) *reply {
	p.t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return p.read(resp, body)
}

func (p *peer) read(resp *http.Response, body []byte) *reply {
	p.t.Helper()
	r := &reply{t: p.t, binding: p.binding, status: resp.StatusCode, header: resp.Header, body: body}
	var all object
	if err := json.Unmarshal(body, &all); err != nil {
		p.t.Fatalf("%s: %v in %s", resp.Status, err, body)
	}
	r.result, r.err = p.open(all)
	return r
}

// open takes an answer or an event out of its envelope.
func (p *peer) open(all object) (object, *fault) {
	if e, ok := all["error"].(object); ok {
		f := &fault{message: fmt.Sprint(e["message"])}
		code, _ := e["code"].(float64)
		if p.binding == "JSONRPC" {
			f.code = int(code)
			f.details, _ = e["data"].([]any)
		} else {
			f.status = fmt.Sprint(e["status"])
			f.details, _ = e["details"].([]any)
		}
		return nil, f
	}
	if p.binding == "JSONRPC" {
		all, _ = all["result"].(object)
	}
	return all, nil
}

// ok is the result, which must be one.
func (r *reply) ok() object {
	r.t.Helper()
	if r.err != nil || r.result == nil {
		r.t.Fatalf("got %d %s", r.status, r.body)
	}
	return r.result
}

// A mistake is how an error shows in each binding (A2A 1.0 §5.4).
type mistake struct {
	code   int
	http   int
	status string
	reason string
}

var (
	taskNotFound        = mistake{-32001, 404, "NOT_FOUND", "TASK_NOT_FOUND"}
	taskNotCancelable   = mistake{-32002, 409, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"}
	pushNotSupported    = mistake{-32003, 400, "UNIMPLEMENTED", "PUSH_NOTIFICATION_NOT_SUPPORTED"}
	unsupported         = mistake{-32004, 400, "UNIMPLEMENTED", "UNSUPPORTED_OPERATION"}
	contentNotSupported = mistake{-32005, 415, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED"}
	versionNotSupported = mistake{-32009, 400, "UNIMPLEMENTED", "VERSION_NOT_SUPPORTED"}
	invalidParams       = mistake{-32602, 400, "INVALID_ARGUMENT", ""}
)

// fails demands an error, and answers with its message.
func (r *reply) fails(want mistake) string {
	r.t.Helper()
	switch {
	case r.err == nil:
		r.t.Fatalf("got %d %s, want the error %d %s", r.status, r.body, want.code, want.reason)
	case r.binding == "JSONRPC" && r.err.code != want.code:
		r.t.Fatalf("the code is %d (%s), want %d", r.err.code, r.err.message, want.code)
	case r.binding == "HTTP+JSON" && (r.status != want.http || r.err.status != want.status):
		r.t.Fatalf("the status is %d %s (%s), want %d %s", r.status, r.err.status, r.err.message, want.http, want.status)
	case r.err.reason() != want.reason:
		r.t.Fatalf("the reason is %q in %v, want %q", r.err.reason(), r.err.details, want.reason)
	}
	return r.err.message
}

var ids atomic.Int64

// say is the parameters of a message with one text.
func say(text string) object {
	return object{"message": object{
		"messageId": fmt.Sprintf("message-%d", ids.Add(1)), "role": "ROLE_USER", "parts": []any{object{"text": text}},
	}}
}

// now has the message answered without waiting for the task.
func now(params object) object {
	params["configuration"] = object{"returnImmediately": true}
	return params
}

func message(params object) object { return params["message"].(object) }

// begin begins a task and answers with it as it is when the message is answered.
func (p *peer) begin(params object) object {
	p.t.Helper()
	task, ok := p.call("SendMessage", params).ok()["task"].(object)
	if !ok {
		p.t.Fatal("the answer holds no task")
	}
	return task
}

func (p *peer) get(id string) object {
	p.t.Helper()
	return p.call("GetTask", object{"id": id}).ok()
}

func idOf(task object) string { return fmt.Sprint(task["id"]) }

func stateOf(task object) string {
	status, _ := task["status"].(object)
	return fmt.Sprint(status["state"])
}

// words are the texts of a task's status.
func words(task object) string {
	status, _ := task["status"].(object)
	m, _ := status["message"].(object)
	parts, _ := m["parts"].([]any)
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprint(&b, p.(object)["text"])
	}
	return b.String()
}

// wantState demands a task's state.
func wantState(t *testing.T, task object, want string) {
	t.Helper()
	if got := stateOf(task); got != "TASK_STATE_"+want {
		t.Fatalf("the task is %s (%s), want %s", got, words(task), want)
	}
}

// A stream is what server-sent events bring.
type stream struct {
	p    *peer
	resp *http.Response
	read *bufio.Scanner
}

// An event is one of a stream.
type event struct {
	id   string
	data object // task, statusUpdate, artifactUpdate
	err  *fault
}

// open opens a stream.
func (p *peer) stream(op string, params object) *stream {
	p.t.Helper()
	resp, err := http.DefaultClient.Do(p.request(op, params))
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = resp.Body.Close() })
	if media := resp.Header.Get("Content-Type"); resp.StatusCode != 200 || media != "text/event-stream" {
		body, _ := io.ReadAll(resp.Body)
		p.t.Fatalf("got %s %s %s, want a stream", resp.Status, media, body)
	}
	s := &stream{p, resp, bufio.NewScanner(resp.Body)}
	s.read.Buffer(nil, 16<<20)
	return s
}

// next is the next event; false: the stream has ended.
func (s *stream) next() (event, bool) {
	s.p.t.Helper()
	var e event
	for s.read.Scan() {
		switch field, value, _ := strings.Cut(s.read.Text(), ": "); {
		case field == "id":
			e.id = value
		case field == "data":
			var all object
			if err := json.Unmarshal([]byte(value), &all); err != nil {
				s.p.t.Fatalf("%v in %s", err, value)
			}
			if e.data, e.err = s.p.open(all); e.err == nil {
				conforms(s.p.t, "Stream Response", e.data)
			}
		case s.read.Text() == "" && (e.data != nil || e.err != nil):
			return e, true
		}
	}
	return e, false
}

// rest is every event to come.
func (s *stream) rest() []event {
	s.p.t.Helper()
	var all []event
	for {
		e, ok := s.next()
		if !ok {
			return all
		}
		all = append(all, e)
	}
}

// state is where an event says the task stands; empty: it does not say.
func (e event) state() string {
	for _, of := range []string{"task", "statusUpdate"} {
		if m, ok := e.data[of].(object); ok {
			return strings.TrimPrefix(stateOf(m), "TASK_STATE_")
		}
	}
	return ""
}
