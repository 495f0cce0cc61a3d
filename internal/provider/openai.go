package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/chargehand/chargehand/model"
)

const created = 1760000000 // seconds; every answer was made then

// completions answers POST /v1/chat/completions.
// Source: platform.openai.com/docs/api-reference/chat, …/chat-streaming, …/guides/error-codes.
func (s *Server) completions(w http.ResponseWriter, r *http.Request) {
	if !s.admit(w, r, false) {
		return
	}
	q, f := s.readOpenAI(r)
	if f.Status > 0 {
		refuseOpenAI(w, f)
		return
	}
	if f := s.forgot(&q); f.Status > 0 {
		refuseOpenAI(w, f)
		return
	}
	p := s.take(&q)
	w.Header().Set("X-Request-Id", fmt.Sprintf("req_%032d", q.N))
	w.Header().Set("X-Ratelimit-Limit-Requests", "1000")
	w.Header().Set("X-Ratelimit-Remaining-Requests", "999")
	w.Header().Set("X-Ratelimit-Reset-Requests", "60ms")
	if !s.begin(w, r, &p, refuseOpenAI) {
		return
	}
	if q.Stream {
		s.stream(w, r, &p, openAIEvents(&q, &p))
		return
	}
	s.whole(w, r, &p, openAICompletion(&q, &p))
}

type openAIBody struct {
	Model               string          `json:"model"`
	Messages            []openAITurn    `json:"messages"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	Temperature         *float64        `json:"temperature"`
	Stream              bool            `json:"stream"`
	StreamOptions       *streamOptions  `json:"stream_options"`
	Tools               []openAITool    `json:"tools"`
	ResponseFormat      *responseFormat `json:"response_format"`
}

type openAITurn struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCalls  []openAICall    `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
	Reasoning  json.RawMessage `json:"reasoning_content"`
}

type openAICall struct {
	Index    *int           `json:"index,omitempty"`
	ID       string         `json:"id,omitempty"`
	Type     string         `json:"type,omitempty"`
	Function openAIFunction `json:"function"`

	Extra json.RawMessage `json:"extra_content,omitempty"` // Gemini's
}

type openAIFunction struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

type openAITool struct {
	Type     string `json:"type"`
	Function struct {
		Name, Description string
		Parameters        json.RawMessage
	} `json:"function"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type responseFormat struct {
	Type       string `json:"type"`
	JSONSchema struct {
		Name   string
		Schema json.RawMessage
		Strict bool
	} `json:"json_schema"`
}

func (s *Server) readOpenAI(r *http.Request) (Request, Fault) {
	q := Request{Dialect: OpenAI, Path: r.URL.Path, Header: blotted(r.Header), Key: r.Header.Get("Idempotency-Key")}
	var b openAIBody
	var err error
	if q.Body, err = io.ReadAll(r.Body); err == nil {
		err = json.Unmarshal(q.Body, &b)
	}
	if err != nil {
		return q, Fault{Status: 400, Message: "We could not parse the JSON body of your request: " + err.Error()}
	}
	if f := s.refused(&b); f.Status > 0 {
		return q, f
	}
	q.Model, q.Temperature, q.Stream = b.Model, b.Temperature, b.Stream
	q.Usage = b.StreamOptions != nil && b.StreamOptions.IncludeUsage
	for _, n := range []*int{b.MaxTokens, b.MaxCompletionTokens} {
		if n != nil {
			q.MaxTokens = *n
		}
	}
	if b.ResponseFormat != nil && b.ResponseFormat.Type == "json_schema" {
		q.Schema, q.Strict = b.ResponseFormat.JSONSchema.Schema, b.ResponseFormat.JSONSchema.Strict
	}
	for _, t := range b.Tools {
		q.Tools = append(q.Tools, model.Tool{Name: t.Function.Name, Description: t.Function.Description, Schema: t.Function.Parameters})
	}
	if err := q.turns(b.Messages); err != nil {
		return q, Fault{Status: 400, Message: err.Error(), Param: "messages"}
	}
	return q, Fault{}
}

// refused is why a request is not taken, in the words of the API.
func (s *Server) refused(b *openAIBody) Fault {
	reasons := strings.HasPrefix(b.Model, "gpt-5") || strings.HasPrefix(b.Model, "o3") || strings.HasPrefix(b.Model, "o4")
	f := func(param, message string) Fault { return Fault{Status: 400, Param: param, Message: message} }
	switch {
	case b.Model == "":
		return f("", "you must provide a model parameter")
	case len(b.Messages) == 0:
		return f("messages", "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	case reasons && b.MaxTokens != nil:
		return f("max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	case reasons && b.Temperature != nil && *b.Temperature != 1:
		return f("temperature", "Unsupported value: 'temperature' does not support this value with this model. Only the default (1) value is supported.")
	case s.o.Legacy && b.MaxCompletionTokens != nil:
		return f("max_completion_tokens", "Unrecognized request argument supplied: max_completion_tokens")
	case s.o.Legacy && b.StreamOptions != nil:
		return f("stream_options", "Unrecognized request argument supplied: stream_options")
	case s.o.Text && b.ResponseFormat != nil:
		return f("response_format", "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.")
	case b.ResponseFormat != nil && b.ResponseFormat.JSONSchema.Strict:
		if err := strict(b.ResponseFormat.JSONSchema.Schema); err != nil {
			return f("response_format", "Invalid schema for response_format '"+b.ResponseFormat.JSONSchema.Name+"': "+err.Error())
		}
	}
	return Fault{}
}

// strict is what the API refuses of a schema that is to be held to.
func strict(schema json.RawMessage) error {
	var s struct {
		Type                 any
		Properties           map[string]json.RawMessage
		Required             []string
		AdditionalProperties json.RawMessage
		Items                json.RawMessage
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return err
	}
	if s.Type == "object" {
		if string(s.AdditionalProperties) != "false" {
			return errors.New("In context=(), 'additionalProperties' is required to be supplied and to be false.") //nolint:staticcheck // the API's words
		}
		for name, p := range s.Properties {
			if index(s.Required, name) < 0 {
				return fmt.Errorf("In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing '%s'.", name) //nolint:staticcheck // the API's words
			}
			if err := strict(p); err != nil {
				return err
			}
		}
	}
	if len(s.Items) > 0 {
		return strict(s.Items)
	}
	return nil
}

// turns reads the messages: those of tools that follow one another are the results of one turn.
func (q *Request) turns(all []openAITurn) error {
	for i, t := range all {
		text, err := texts(t.Content)
		if err != nil {
			return fmt.Errorf("Invalid type for 'messages[%d].content': %w", i, err) //nolint:staticcheck // the API's words
		}
		switch t.Role {
		case "system", "developer":
			q.System += text
		case "tool":
			if t.Content == nil {
				return fmt.Errorf("Missing required parameter: 'messages[%d].content'.", i) //nolint:staticcheck // the API's words
			}
			if i == 0 || all[i-1].Role != "tool" {
				q.Messages = append(q.Messages, model.Message{Role: model.User})
			}
			m := &q.Messages[len(q.Messages)-1]
			m.Results = append(m.Results, model.Result{ID: t.ToolCallID, Text: text})
		case "user", "assistant":
			m := model.Message{Role: model.Role(t.Role), Text: text, Opaque: t.Reasoning}
			for _, c := range t.ToolCalls {
				m.Calls = append(m.Calls, model.Call{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments, Opaque: c.Extra})
			}
			q.Messages = append(q.Messages, m)
		default:
			return fmt.Errorf("Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'tool', and 'developer'.", t.Role) //nolint:staticcheck // the API's words
		}
	}
	return answered(q.Messages)
}
