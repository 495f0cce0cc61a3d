package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/chargehand/chargehand/model"
)

// messages answers POST /v1/messages.
// Source: platform.claude.com/docs/en/api/messages, …/build-with-claude/streaming, …/api/errors.
func (s *Server) messages(w http.ResponseWriter, r *http.Request) {
	if !s.admit(w, r, true) {
		return
	}
	q, err := readAnthropic(r)
	switch {
	case err != nil:
		refuseAnthropic(w, Fault{Status: 400, Message: err.Error()})
		return
	case s.o.Text && q.Schema != nil:
		refuseAnthropic(w, Fault{Status: 400, Message: "output_config.format: this model does not support structured outputs"})
		return
	}
	if f := s.forgot(&q); f.Status > 0 {
		refuseAnthropic(w, f)
		return
	}
	p := s.take(&q)
	w.Header().Set("Anthropic-Ratelimit-Requests-Limit", "1000")
	w.Header().Set("Anthropic-Ratelimit-Requests-Remaining", "999")
	w.Header().Set("Anthropic-Ratelimit-Requests-Reset", "2026-01-01T00:00:00Z")
	if !s.begin(w, r, &p, refuseAnthropic) {
		return
	}
	if q.Stream {
		s.stream(w, r, &p, anthropicEvents(&q, &p))
		return
	}
	s.whole(w, r, &p, anthropicMessage(&q, &p))
}

type anthropicBody struct {
	Model       string          `json:"model"`
	System      json.RawMessage `json:"system"`
	MaxTokens   *int            `json:"max_tokens"`
	Temperature *float64        `json:"temperature"`
	Stream      bool            `json:"stream"`
	Messages    []struct {
		Role    model.Role
		Content json.RawMessage
	} `json:"messages"`
	Tools []struct {
		Name, Description string
		InputSchema       json.RawMessage `json:"input_schema"`
	} `json:"tools"`
	OutputConfig struct {
		Format struct {
			Type   string
			Schema json.RawMessage
		} `json:"format"`
	} `json:"output_config"`
}

func readAnthropic(r *http.Request) (Request, error) {
	q := Request{Dialect: Anthropic, Path: r.URL.Path, Header: blotted(r.Header), Key: r.Header.Get("Idempotency-Key"), Usage: true}
	var b anthropicBody
	var err error
	if q.Body, err = io.ReadAll(r.Body); err != nil {
		return q, err
	}
	if err = json.Unmarshal(q.Body, &b); err != nil {
		return q, fmt.Errorf("the request body is not valid JSON: %w", err)
	}
	switch {
	case r.Header.Get("Anthropic-Version") == "":
		return q, errors.New("anthropic-version: header is required")
	case b.Model == "":
		return q, errors.New("model: Field required")
	case b.MaxTokens == nil:
		return q, errors.New("max_tokens: Field required")
	case len(b.Messages) == 0:
		return q, errors.New("messages: at least one message is required")
	}
	q.Model, q.MaxTokens, q.Temperature, q.Stream, q.Schema = b.Model, *b.MaxTokens, b.Temperature, b.Stream, b.OutputConfig.Format.Schema
	if q.System, err = texts(b.System); err != nil {
		return q, fmt.Errorf("system: %w", err)
	}
	q.Strict = q.Schema != nil
	for _, t := range b.Tools {
		q.Tools = append(q.Tools, model.Tool{Name: t.Name, Description: t.Description, Schema: t.InputSchema})
	}
	for i, m := range b.Messages {
		msg, err := anthropicTurn(m.Role, m.Content)
		if err != nil {
			return q, fmt.Errorf("messages.%d: %w", i, err)
		}
		q.Messages = append(q.Messages, msg)
	}
	return q, answered(q.Messages)
}

func anthropicTurn(role model.Role, content json.RawMessage) (model.Message, error) {
	m := model.Message{Role: role}
	if role != model.User && role != model.Assistant {
		return m, fmt.Errorf("role: Input should be 'user' or 'assistant', not %q", role)
	}
	if json.Unmarshal(content, &m.Text) == nil {
		return m, nil
	}
	var blocks []struct {
		Type, Text, ID, Name string
		Input                map[string]any
		ToolUseID            string `json:"tool_use_id"`
		Content              json.RawMessage
		IsError              bool `json:"is_error"`
	}
	var raw, thinking []json.RawMessage
	if err := errors.Join(json.Unmarshal(content, &blocks), json.Unmarshal(content, &raw)); err != nil {
		return m, fmt.Errorf("content: %w", err)
	}
	for i, b := range blocks {
		switch b.Type {
		case "text":
			if b.Text == "" {
				return m, errors.New("content: text content blocks must be non-empty")
			}
			m.Text += b.Text
		case "thinking", "redacted_thinking":
			if len(m.Calls) == 0 {
				thinking = append(thinking, raw[i])
			}
		case "tool_use":
			args, _ := json.Marshal(b.Input)
			m.Calls = append(m.Calls, model.Call{ID: b.ID, Name: b.Name, Arguments: string(args)})
		case "tool_result":
			text, err := texts(b.Content)
			if err != nil {
				return m, err
			}
			m.Results = append(m.Results, model.Result{ID: b.ToolUseID, Text: text, Error: b.IsError})
		default:
			return m, fmt.Errorf("content: Input tag %q does not match any of the expected tags", b.Type)
		}
	}
	if len(thinking) > 0 {
		m.Opaque, _ = json.Marshal(thinking) // it came from JSON
	}
	return m, nil
}
