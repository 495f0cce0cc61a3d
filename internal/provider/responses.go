package provider

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/chargehand/chargehand/model"
)

// responses answers POST /v1/responses.
// Source: platform.openai.com/docs/api-reference/responses, …/responses-streaming.
func (s *Server) responses(w http.ResponseWriter, r *http.Request) {
	if !s.admit(w, r, false) {
		return
	}
	q, f := s.readResponses(r)
	if f.Status == 0 {
		f = s.forgot(&q)
	}
	if f.Status > 0 {
		refuseOpenAI(w, f)
		return
	}
	p := s.take(&q)
	if !s.begin(w, r, &p, refuseOpenAI) {
		return
	}
	if q.Stream {
		s.stream(w, r, &p, responseEvents(&q, &p))
		return
	}
	s.whole(w, r, &p, responseOf(&q, &p, "completed"))
}

type responsesBody struct {
	Model        string          `json:"model"`
	Instructions string          `json:"instructions"`
	Input        json.RawMessage `json:"input"`
	MaxTokens    int             `json:"max_output_tokens"`
	Temperature  *float64        `json:"temperature"`
	Stream       bool            `json:"stream"`
	Store        *bool           `json:"store"`
	Include      []string        `json:"include"`
	Tools        []struct {
		Type, Name, Description string
		Parameters              json.RawMessage
	} `json:"tools"`
	Text struct {
		Format struct {
			Type, Name string
			Schema     json.RawMessage
			Strict     bool
		} `json:"format"`
	} `json:"text"`
}

type responsesItem struct {
	Type, ID, Role, Name, Arguments, Output string
	CallID                                  string `json:"call_id"`
	Content                                 json.RawMessage
	Encrypted                               string `json:"encrypted_content"`
}

func (s *Server) readResponses(r *http.Request) (Request, Fault) {
	q := Request{Dialect: Responses, Path: r.URL.Path, Header: blotted(r.Header), Key: r.Header.Get("Idempotency-Key"), Usage: true}
	var b responsesBody
	var err error
	if q.Body, err = io.ReadAll(r.Body); err == nil {
		err = json.Unmarshal(q.Body, &b)
	}
	bad := func(param, message string) (Request, Fault) {
		return q, Fault{Status: 400, Param: param, Message: message}
	}
	switch {
	case err != nil:
		return bad("", "We could not parse the JSON body of your request: "+err.Error())
	case b.Model == "":
		return bad("model", "Missing required parameter: 'model'.")
	case b.MaxTokens < 16 && b.MaxTokens != 0:
		return bad("max_output_tokens", fmt.Sprintf("Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got %d instead.", b.MaxTokens))
	case s.o.Text && b.Text.Format.Type == "json_schema":
		return bad("text.format", "Invalid parameter: 'text.format' of type 'json_schema' is not supported with this model.")
	case b.Text.Format.Strict:
		if err := strict(b.Text.Format.Schema); err != nil {
			return bad("text.format.schema", "Invalid schema for response_format '"+b.Text.Format.Name+"': "+err.Error())
		}
	}
	q.Model, q.System, q.MaxTokens, q.Temperature, q.Stream = b.Model, b.Instructions, b.MaxTokens, b.Temperature, b.Stream
	q.Schema, q.Strict = b.Text.Format.Schema, b.Text.Format.Strict
	for _, t := range b.Tools {
		q.Tools = append(q.Tools, model.Tool{Name: t.Name, Description: t.Description, Schema: t.Parameters})
	}
	if err := q.items(b.Input, b.Store == nil || *b.Store); err != nil {
		return bad("input", err.Error())
	}
	return q, Fault{}
}

// items reads the input. What follows one another of one side is one turn.
func (q *Request) items(input json.RawMessage, stored bool) error {
	var all []responsesItem
	if err := json.Unmarshal(input, &all); err != nil || len(all) == 0 {
		return fmt.Errorf("Invalid type for 'input': expected a list of items (%w)", err) //nolint:staticcheck // the API's words
	}
	var sealed []string
	for i, it := range all {
		switch it.Type {
		case "", "message":
			text, err := texts(it.Content)
			if err != nil {
				return fmt.Errorf("Invalid type for 'input[%d].content': %w", i, err) //nolint:staticcheck // the API's words
			}
			m := q.turn(model.Role(it.Role))
			m.Text += text
		case "function_call":
			m := q.turn(model.Assistant)
			m.Calls = append(m.Calls, model.Call{ID: it.CallID, Name: it.Name, Arguments: it.Arguments})
			if len(sealed) > 0 {
				m.Opaque, _ = json.Marshal(sealed)
				sealed = nil
			}
		case "function_call_output":
			m := q.turn(model.User)
			m.Results = append(m.Results, model.Result{ID: it.CallID, Text: it.Output})
		case "reasoning":
			if it.ID != "" && !stored {
				return fmt.Errorf("Item with id '%s' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.", it.ID) //nolint:staticcheck // the API's words
			}
			sealed = append(sealed, it.Encrypted)
		default:
			return fmt.Errorf("Invalid value: '%s'.", it.Type) //nolint:staticcheck // the API's words
		}
	}
	return answered(q.Messages)
}

// turn is the last message, if it is of that role and not yet answered, else a new one.
func (q *Request) turn(role model.Role) *model.Message {
	if n := len(q.Messages); n == 0 || q.Messages[n-1].Role != role {
		q.Messages = append(q.Messages, model.Message{Role: role})
	}
	return &q.Messages[len(q.Messages)-1]
}

// forgotItems compares the encrypted reasoning before the calls of a turn with what was given.
func forgotItems(m *model.Message, given []Thought) Fault {
	var came []string
	_ = json.Unmarshal(m.Opaque, &came) // written by items
	if want := encrypted(given); strings.Join(want, "\n") != strings.Join(came, "\n") {
		return Fault{Status: 400, Param: "input", Code: "invalid_encrypted_content", Message: "The encrypted content of the thought could not be verified."}
	}
	return Fault{}
}

// encrypted is what each thought is in the Responses API.
func encrypted(all []Thought) []string {
	var out []string
	for _, t := range all {
		out = append(out, or(t.Signature, t.Redacted))
	}
	return out
}

func responseItems(p *Reply) []map[string]any {
	out := []map[string]any{}
	for i, e := range encrypted(p.Thinking) {
		out = append(out, map[string]any{"type": "reasoning", "id": fmt.Sprintf("rs_%d", i), "summary": []any{}, "encrypted_content": e})
	}
	if p.Text != "" {
		part := map[string]any{"type": "output_text", "text": p.Text, "annotations": []any{}}
		out = append(out, map[string]any{"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": []any{part}})
	}
	for _, c := range p.Calls {
		out = append(out, map[string]any{"type": "function_call", "id": "fc_" + c.ID, "call_id": c.ID, "name": c.Name, "arguments": c.Arguments, "status": "completed"})
	}
	return out
}

func responseOf(q *Request, p *Reply, status string) map[string]any {
	u := p.usage(q)
	out := map[string]any{
		"id": fmt.Sprintf("resp_%029d", q.N), "object": "response", "created_at": created, "model": p.model(q), "status": status,
		"error": nil, "incomplete_details": nil, "output": responseItems(p), "usage": nil, "store": false,
	}
	reasons := map[model.Stop]string{model.StopLength: "max_output_tokens", model.StopRefusal: "content_filter", model.StopOther: "other"}
	if why, ok := reasons[p.stop()]; ok && status == "completed" {
		out["status"], out["incomplete_details"] = "incomplete", map[string]any{"reason": why}
	}
	if status != "completed" {
		out["output"] = []any{}
	} else if !p.Fault.NoUsage {
		out["usage"] = map[string]any{
			"input_tokens": u.Input, "input_tokens_details": map[string]any{"cached_tokens": u.CachedInput},
			"output_tokens": u.Output, "output_tokens_details": map[string]any{"reasoning_tokens": u.Reasoning}, "total_tokens": u.Input + u.Output,
		}
	}
	return out
}

func responseEvents(q *Request, p *Reply) []event {
	var out []event
	send := func(kind string, data map[string]any) {
		data["type"], data["sequence_number"] = kind, len(out)
		b, _ := json.Marshal(data)
		out = append(out, event{kind, string(b)})
	}
	send("response.created", map[string]any{"response": responseOf(q, p, "in_progress")})
	for n, item := range responseItems(p) {
		send("response.output_item.added", map[string]any{"output_index": n, "item": map[string]any{"type": item["type"], "id": item["id"]}})
		switch item["type"] {
		case "message":
			for _, t := range model.Pieces(p.Text, p.chunk()) {
				send("response.output_text.delta", map[string]any{"output_index": n, "content_index": 0, "delta": t})
			}
		case "function_call":
			for _, t := range model.Pieces(item["arguments"].(string), p.chunk()) {
				send("response.function_call_arguments.delta", map[string]any{"output_index": n, "delta": t})
			}
		}
		send("response.output_item.done", map[string]any{"output_index": n, "item": item})
	}
	whole := responseOf(q, p, "completed")
	send("response."+whole["status"].(string), map[string]any{"response": whole})
	return out
}
