package chatapi

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
)

// responses is OpenAI's Responses API: a response is a run.
var responses = dialect{
	door: "responses", parse: parseResponse,
	whole: func(j *job, d *outcome) (any, *failure) { return j.response(d, nil), nil },
	voice: func(s *events) voice { return &speech{events: s} },
}

// The prefixes of names that are made of a run's.
const (
	responsePrefix = "resp_"
	behind         = "_b" // after the run's name: it runs in the background
	recalled       = "_m" // at the end: part of the request is kept in memory only
)

// responseID names the response. It says whether everything that the response tells is on record.
func (j *job) responseID() string {
	id := responsePrefix + j.run
	if j.asked.Away {
		id += behind
	}
	if j.asked.remembered() {
		id += recalled
	}
	return id
}

// remembered reports whether a response tells what no record of the run has.
func (q *request) remembered() bool {
	return q.Form.kind != asText || q.Earlier != "" || q.About != nil && (q.About.Instructions != "" || len(q.About.Metadata) > 0)
}

// memory holds what responses repeat of their requests, the latest 64 MiB of it.
type memory struct {
	mu    sync.Mutex
	asked map[string]*request // by run
	order []string            // runs, the oldest first
	size  int
}

const maxMemory = 64 << 20

func (q *request) size() int {
	n := 1<<10 + len(q.Form.schema) + len(q.Form.about) + len(q.About.Instructions)
	for k, v := range q.About.Metadata {
		n += len(k) + len(v)
	}
	return n
}

// remember keeps what a response repeats of its request.
func (j *job) remember() {
	if j.asked.About == nil || !j.asked.remembered() {
		return
	}
	q := &request{Model: j.asked.Model, Form: j.asked.Form, Earlier: j.asked.Earlier, About: j.asked.About, Away: j.asked.Away, Extra: extra{Partial: j.asked.Extra.Partial}}
	m := &j.server.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asked == nil {
		m.asked = map[string]*request{}
	}
	if old := m.asked[j.run]; old != nil {
		m.size -= old.size()
	} else {
		m.order = append(m.order, j.run)
	}
	m.asked[j.run] = q
	for m.size += q.size(); m.size > maxMemory && len(m.order) > 1; m.order = m.order[1:] {
		m.size -= m.asked[m.order[0]].size()
		delete(m.asked, m.order[0])
	}
}

func (m *memory) of(run string) *request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked[run]
}

// goneOn answers that the run goes on without its client.
func (j *job) goneOn(w http.ResponseWriter) {
	answer(w, http.StatusOK, j.response(&outcome{began: time.Now()}, nil))
}

// A responseObject is a run as the API has it.
type responseObject struct {
	ID           string            `json:"id"`
	Object       string            `json:"object"`
	Created      int64             `json:"created_at"`
	Completed    *int64            `json:"completed_at"`
	Status       string            `json:"status"`
	Error        *responseError    `json:"error"`
	Incomplete   *incomplete       `json:"incomplete_details"`
	Background   bool              `json:"background"`
	Instructions *string           `json:"instructions"`
	MaxOutput    *int              `json:"max_output_tokens"`
	Metadata     map[string]string `json:"metadata"`
	Model        string            `json:"model"`
	Output       []outputItem      `json:"output"`
	Parallel     bool              `json:"parallel_tool_calls"`
	Previous     *string           `json:"previous_response_id"`
	Reasoning    map[string]any    `json:"reasoning"`
	Store        bool              `json:"store"`
	Temperature  *float64          `json:"temperature"`
	Text         map[string]any    `json:"text"`
	ToolChoice   any               `json:"tool_choice"`
	Tools        []any             `json:"tools"`
	TopP         *float64          `json:"top_p"`
	Truncation   string            `json:"truncation"`
	Usage        *responseUsage    `json:"usage"`
	About        *about            `json:"chargehand,omitempty"`
}

type responseError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type incomplete struct {
	Reason string `json:"reason"`
}

// An outputItem is a message, or a function call that is the form of the answer.
type outputItem struct {
	Type      string        `json:"type"`
	ID        string        `json:"id"`
	Status    string        `json:"status"`
	Role      string        `json:"role,omitempty"`
	Content   *[]outputPart `json:"content,omitempty"`
	CallID    string        `json:"call_id,omitempty"`
	Name      string        `json:"name,omitempty"`
	Arguments *string       `json:"arguments,omitempty"`
}

type outputPart struct {
	Type        string  `json:"type"`
	Text        *string `json:"text,omitempty"`
	Annotations *[]any  `json:"annotations,omitempty"`
	Logprobs    *[]any  `json:"logprobs,omitempty"`
	Refusal     *string `json:"refusal,omitempty"`
}

type responseUsage struct {
	Input   int64 `json:"input_tokens"`
	InputOf struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Output   int64 `json:"output_tokens"`
	OutputOf struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	Total int64             `json:"total_tokens"`
	Cost  chargehand.Micros `json:"cost_usd"`
}

// response is the run as it stands: under way where the outcome has no state, failed where f says why.
func (j *job) response(d *outcome, f *failure) *responseObject {
	q := j.asked
	r := &responseObject{
		ID: j.responseID(), Object: "response", Created: d.began.Unix(), Model: j.order.Team.Name, Background: q.Away, Output: []outputItem{},
		Metadata: map[string]string{}, Reasoning: map[string]any{"effort": nil, "summary": nil}, Store: true, ToolChoice: "auto", Tools: []any{}, Truncation: "disabled",
		Text: map[string]any{"format": q.Form.format()},
	}
	if q.About != nil && q.About.Metadata != nil {
		r.Metadata = q.About.Metadata
	}
	if q.About != nil && q.About.Instructions != "" {
		r.Instructions = &q.About.Instructions
	}
	if q.Earlier != "" {
		r.Previous = &q.Earlier
	}
	if q.Form.kind == asCall {
		r.Tools = []any{map[string]any{
			"type": "function", "name": q.Form.name, "description": q.Form.about, "parameters": q.Form.schema, "strict": strictly(q.Form.strict),
		}}
		r.ToolChoice = "required"
		if q.Form.forced {
			r.ToolChoice = map[string]any{"type": "function", "name": q.Form.name}
		}
	}
	r.Status = j.status(d, f)
	if r.Status == "in_progress" {
		return r
	}
	if d.about.Run != "" {
		r.About = &d.about
	}
	u := j.usage
	r.Usage = &responseUsage{Input: u.InputTokens, Output: u.OutputTokens, Total: u.Tokens(), Cost: u.USD}
	if !d.ended.IsZero() {
		at := d.ended.Unix()
		r.Completed = &at
	}
	if f != nil {
		r.Error = &responseError{"server_error", f.Message}
		return r
	}
	if r.Status == "incomplete" {
		r.Incomplete = &incomplete{"max_output_tokens"}
		if d.waits {
			r.Incomplete.Reason = d.about.State
		}
	}
	r.Output = append(r.Output, j.output(d, "completed"))
	return r
}

func strictly(raw json.RawMessage) any {
	if len(raw) == 0 {
		return nil
	}
	return raw
}

// format is the form as the API has it.
func (f *form) format() map[string]any {
	switch f.kind {
	case asResult:
		return map[string]any{"type": "json_object"}
	case asSchema:
		m := map[string]any{"type": "json_schema", "name": f.name, "schema": f.schema, "strict": strictly(f.strict)}
		if f.about != "" {
			m["description"] = f.about
		}
		return m
	}
	return map[string]any{"type": "text"}
}

func (j *job) status(d *outcome, f *failure) string {
	switch {
	case d.about.State == string(chargehand.RunCancelled):
		return "cancelled"
	case f != nil:
		return "failed"
	case d.about.State == "":
		return "in_progress"
	case d.waits, d.cut:
		return "incomplete"
	}
	return "completed"
}

// output is the one item of an answer. What a waiting run says is a refusal where the answer has no room
// for words.
func (j *job) output(d *outcome, status string) outputItem {
	text, none := d.text, []any{}
	if status == "in_progress" {
		text = ""
	}
	if j.asked.Form.kind == asCall && !d.waits {
		return outputItem{Type: "function_call", ID: "fc_" + j.run, Status: status, CallID: "call_" + j.run, Name: j.asked.Form.name, Arguments: &text}
	}
	m := outputItem{Type: "message", ID: "msg_" + j.run, Status: status, Role: "assistant", Content: &[]outputPart{}}
	switch {
	case status == "in_progress":
	case d.waits && j.asked.Form.exact():
		m.Content = &[]outputPart{{Type: "refusal", Refusal: &text}}
	default:
		m.Content = &[]outputPart{{Type: "output_text", Text: &text, Annotations: &none, Logprobs: &none}}
	}
	return m
}

// speech is a response in a stream.
type speech struct {
	*events
	n int // the next event's number
}

type fields map[string]any

func (s *speech) tell(kind string, f fields) {
	f["type"], f["sequence_number"] = kind, s.n
	s.n++
	s.write("event: " + kind + "\ndata: " + string(encode(f)) + "\n\n")
}

func (s *speech) begin() {
	under := s.response(&outcome{began: time.Unix(s.began, 0)}, nil)
	s.tell("response.created", fields{"response": under})
	s.tell("response.in_progress", fields{"response": under})
}

func (s *speech) fail(d *outcome, f *failure) {
	if d == nil {
		d = &outcome{began: time.Unix(s.began, 0)}
	}
	s.tell("response.failed", fields{"response": s.response(d, f)})
}

func (s *speech) end(d *outcome) {
	whole, item := s.response(d, nil), s.output(d, "completed")
	s.tell("response.output_item.added", fields{"output_index": 0, "item": s.output(d, "in_progress")})
	if item.Type == "function_call" {
		s.arguments(d.text, item)
	} else {
		s.message(d, item)
	}
	s.tell("response.output_item.done", fields{"output_index": 0, "item": item})
	kind := "response.completed"
	if whole.Status != "completed" {
		kind = "response.incomplete"
	}
	s.tell(kind, fields{"response": whole})
}

func (s *speech) arguments(text string, item outputItem) {
	for piece := range pieces(text) {
		s.tell("response.function_call_arguments.delta", fields{"item_id": item.ID, "output_index": 0, "delta": piece})
	}
	s.tell("response.function_call_arguments.done", fields{"item_id": item.ID, "output_index": 0, "name": item.Name, "arguments": text})
}

func (s *speech) message(d *outcome, item outputItem) {
	at := func(f fields) fields {
		f["item_id"], f["output_index"], f["content_index"] = item.ID, 0, 0
		return f
	}
	part, empty := (*item.Content)[0], ""
	first := part
	kind, word := "response.output_text", "text"
	if part.Refusal != nil {
		kind, word, first.Refusal = "response.refusal", "refusal", &empty
	} else {
		first.Text = &empty
	}
	s.tell("response.content_part.added", at(fields{"part": first}))
	add := func(f fields) fields {
		if part.Refusal == nil {
			f["logprobs"] = []any{}
		}
		return at(f)
	}
	for piece := range pieces(d.text) {
		s.tell(kind+".delta", add(fields{"delta": piece}))
	}
	s.tell(kind+".done", add(fields{word: d.text}))
	s.tell("response.content_part.done", at(fields{"part": part}))
}

// found is the run that a response's name stands for, one that its caller began here.
func (s *server) found(ctx context.Context, who Caller, id string) (*job, *chargehand.View, *failure) {
	none := &failure{status: http.StatusNotFound, Kind: invalid, Code: "response_not_found", Message: "there is no response " + excerpt.Line(excerpt.Of(id, 100))}
	run, ok := strings.CutPrefix(id, responsePrefix)
	run, kept := strings.CutSuffix(run, recalled)
	run, away := strings.CutSuffix(run, behind)
	if !ok || run == "" {
		return nil, nil, none
	}
	v, err := s.engine.Run(ctx, run)
	if chargehand.CodeOf(err) == chargehand.CodeNotFound {
		return nil, nil, none
	}
	if err != nil {
		return nil, nil, s.failed(err)
	}
	m := s.models[v.Team]
	if m == nil || v.StartedBy != who.Name || v.Tenant != who.Tenant {
		return nil, nil, none
	}
	j := &job{server: s, in: &responses, caller: who, run: run, keyed: true, asked: &request{Model: v.Team, About: &asked{}, Away: away}}
	j.order.Team = m.Team
	if kept {
		if j.asked = s.memory.of(run); j.asked == nil {
			return nil, nil, &failure{
				status: http.StatusGone, Kind: invalid, Code: "response_forgotten", Run: run,
				Message: "what was asked of " + id + " is no longer known: the server keeps format, instructions, metadata and the response before in memory. Read the result with: chargehand runs result " + run,
			}
		}
	}
	return j, v, nil
}

// now is the response as it stands.
func (j *job) now(ctx context.Context) (*responseObject, *outcome, *failure) {
	waits := false
	v, err := j.followUntil(ctx, func(m chargehand.Moment) bool { waits = m.Waits; return true })
	if err != nil {
		return nil, nil, j.failed(err)
	}
	if !v.State.Final() && !waits {
		return j.response(&outcome{began: v.StartedAt}, nil), nil, nil
	}
	d, f := j.outcome(v, nil)
	if f != nil && (d == nil || f.status != http.StatusBadRequest) {
		return nil, nil, f
	}
	return j.response(d, f), d, nil
}

func (s *server) showResponse(w http.ResponseWriter, r *http.Request) {
	for name := range r.URL.Query() {
		refuse(w, unsupported(excerpt.Of(name, 100), "is not supported: a response is read as a whole"))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.opt.Timeout)
	defer cancel()
	j, _, f := s.found(ctx, callerOf(r), r.PathValue("id"))
	j.show(ctx, w, f)
}

// show answers with the response as it is now, or with the failure to find it.
func (j *job) show(ctx context.Context, w http.ResponseWriter, f *failure) {
	var o *responseObject
	if f == nil {
		o, _, f = j.now(ctx)
	}
	if f != nil {
		refuse(w, f)
		return
	}
	w.Header().Set(runHeader, j.run)
	answer(w, http.StatusOK, o)
}

func (s *server) cancelResponse(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), s.opt.Timeout)
	defer cancel()
	j, v, f := s.found(ctx, callerOf(r), r.PathValue("id"))
	if f == nil && !v.State.Final() {
		err := s.engine.Control(ctx, j.run, chargehand.Control{Verb: chargehand.Cancel, By: j.caller.Name, Reason: "its client cancelled it"})
		if err == nil {
			_, err = chargehand.Follow(ctx, s.engine, j.run, func(chargehand.Moment) bool { return false })
		}
		if err != nil && chargehand.CodeOf(err) != chargehand.CodeEnded {
			f = s.failed(err)
		}
	}
	j.show(ctx, w, f)
}

// keepResponse refuses to delete: what happened stays on record.
func (s *server) keepResponse(w http.ResponseWriter, _ *http.Request) {
	refuse(w, &failure{
		status: http.StatusMethodNotAllowed, Kind: invalid, Code: "unsupported_method",
		Message: "a response cannot be deleted: every run is kept on record here",
	})
}

// goOn puts the response that the request goes on from before its messages: the documents, what was
// said, and the answer.
func (j *job) goOn(ctx context.Context) *failure {
	q := j.asked
	if q.Earlier == "" {
		return nil
	}
	refused := func(f *failure) *failure {
		if f.status < http.StatusInternalServerError {
			f.status, f.Param = http.StatusBadRequest, "previous_response_id"
		}
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, j.opt.Timeout)
	defer cancel()
	before, v, f := j.found(ctx, j.caller, q.Earlier)
	if f != nil {
		return refused(f)
	}
	o, d, f := before.now(ctx)
	if f != nil {
		return refused(f)
	}
	if o.Status != "completed" {
		return refused(&failure{
			status: http.StatusBadRequest, Kind: invalid, Code: "previous_response_not_completed", Run: before.run,
			Message: "previous_response_id: the response is " + plain(o.Status) + ", and only one that is completed can be gone on from",
		})
	}
	for _, doc := range v.Objective.Documents {
		text, err := j.engine.Blob(ctx, doc.Hash)
		if err != nil {
			return j.failed(err)
		}
		if doc.Name == conversation {
			q.said += string(text)
			continue
		}
		q.documents = append(q.documents, chargehand.Document{Name: doc.Name, MediaType: doc.MediaType, Text: string(text)})
	}
	q.said += "[user]\n" + v.Objective.Goal + "\n\n[assistant]\n" + d.text + "\n\n"
	q.documents = slices.Clip(q.documents)
	return nil
}
