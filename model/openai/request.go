package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/internal/wire"
)

// A chatRequest is the body of POST /chat/completions.
// Source: platform.openai.com/docs/api-reference/chat/create.
type chatRequest struct {
	Model               string         `json:"model"`
	Messages            []chatTurn     `json:"messages"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	Temperature         *float64       `json:"temperature,omitempty"`
	ReasoningEffort     string         `json:"reasoning_effort,omitempty"`
	Stream              bool           `json:"stream,omitempty"`
	StreamOptions       *streamOptions `json:"stream_options,omitempty"`
	ResponseFormat      *chatFormat    `json:"response_format,omitempty"`
	Tools               []chatTool     `json:"tools,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type chatFormat struct {
	Type       string      `json:"type"`
	JSONSchema namedSchema `json:"json_schema"`
}

type namedSchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

type chatTool struct {
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Parameters  map[string]any `json:"parameters"`
}

type chatTurn struct {
	Role             string          `json:"role"`
	Content          string          `json:"content,omitempty"`
	ToolCallID       string          `json:"tool_call_id,omitempty"`
	ReasoningContent *string         `json:"reasoning_content,omitempty"`
	ReasoningDetails json.RawMessage `json:"reasoning_details,omitempty"`
	ToolCalls        []chatCall      `json:"tool_calls,omitempty"`
}

type chatCall struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Function calledFunction  `json:"function"`
	Extra    json.RawMessage `json:"extra_content,omitempty"`
}

type calledFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func (m *Model) chatRequest(r *model.Request, f wire.Form) (*chatRequest, error) {
	q := &chatRequest{Model: r.Model, Stream: r.Stream != nil}
	if (reasoner.MatchString(r.Model) || m.base == Address) != f.Lacks(wire.TokensMean) {
		q.MaxCompletionTokens = r.Tokens()
	} else {
		q.MaxTokens = r.Tokens() // only OpenAI itself, and who follows it closely, know the newer name
	}
	if !f.Lacks(wire.TemperatureMean) {
		q.Temperature = r.Temperature
	}
	if q.Stream && !f.Lacks(wire.UsageMean) {
		q.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	system := r.System
	switch {
	case len(r.Schema) == 0:
	case f.Lacks(wire.SchemaMean):
		system = wire.SchemaPrompt(system, r.Schema)
	default:
		q.ResponseFormat = &chatFormat{Type: "json_schema", JSONSchema: schemaOf(r)}
	}
	for _, t := range r.Tools {
		q.Tools = append(q.Tools, chatTool{"function", chatFunction{t.Name, t.Description, parameters(t)}})
	}
	if len(q.Tools) > 0 {
		q.ReasoningEffort = f[wire.EffortMean]
	}
	var err error
	q.Messages, err = turnsOf(r, system, f)
	return q, err
}

func schemaOf(r *model.Request) namedSchema {
	return namedSchema{Name: "answer", Schema: r.Schema, Strict: wire.Strict(r.Schema)}
}

// parameters is a tool's schema as an object with properties, which several servers insist on.
func parameters(t model.Tool) map[string]any {
	params := wire.Object(t.Schema)
	if params["type"] == nil {
		params["type"] = "object"
	}
	if params["type"] == "object" && params["properties"] == nil {
		params["properties"] = map[string]any{}
	}
	return params
}

// turnsOf are the messages, the system prompt first.
func turnsOf(r *model.Request, system string, f wire.Form) ([]chatTurn, error) {
	var out []chatTurn
	messages := r.Messages
	switch {
	case system == "":
	case f.Lacks(wire.SystemMean):
		messages = slices.Clone(messages)
		messages[0].Text = system + "\n\n" + messages[0].Text
	default:
		out = append(out, chatTurn{Role: "system", Content: system})
	}
	for i := range messages {
		turns, err := chatTurns(&messages[i], f)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		out = append(out, turns...)
	}
	return out, nil
}

// chatTurns gives each result of a tool a message of its own, before the text.
func chatTurns(m *model.Message, f wire.Form) ([]chatTurn, error) {
	if err := sound(m); err != nil {
		return nil, err
	}
	var out []chatTurn
	for _, r := range m.Results {
		out = append(out, chatTurn{Role: "tool", ToolCallID: r.ID, Content: resultText(r)})
	}
	if m.Text == "" && len(m.Calls) == 0 {
		return out, nil
	}
	turn := chatTurn{Role: string(m.Role), Content: m.Text}
	for _, c := range m.Calls {
		call := chatCall{ID: c.ID, Type: "function", Function: calledFunction{c.Name, string(wire.Arguments(c.Arguments))}}
		if isObject(c.Opaque) {
			call.Extra = c.Opaque
		}
		turn.ToolCalls = append(turn.ToolCalls, call)
	}
	if len(m.Calls) > 0 {
		kept := memoryOf(m.Opaque)
		turn.ReasoningDetails = kept.Details
		if f.Lacks(wire.ForgetMean) {
			turn.ReasoningContent = &kept.Reasoning // even where it is nothing
		}
	}
	return append(out, turn), nil
}

// sound reports a message that no API takes.
func sound(m *model.Message) error {
	switch {
	case m.Role != model.User && m.Role != model.Assistant:
		return fmt.Errorf("no role %q", m.Role)
	case m.Text == "" && len(m.Calls) == 0 && len(m.Results) == 0:
		return errors.New("it is empty")
	}
	return nil
}

// resultText is what a tool answered. There is no field for an error, and an empty text is refused.
func resultText(r model.Result) string {
	switch {
	case r.Error:
		return "Error: " + r.Text
	case r.Text == "":
		return "(empty)"
	}
	return r.Text
}
