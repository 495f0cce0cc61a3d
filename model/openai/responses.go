package openai

import (
	"encoding/json"
	"fmt"

	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/internal/wire"
)

// A responseRequest is the body of POST /responses. Nothing is stored at the server: a conversation goes on
// from what is sent, and what the model reasoned goes back encrypted.
// Source: platform.openai.com/docs/api-reference/responses/create.
type responseRequest struct {
	Model        string         `json:"model"`
	Instructions string         `json:"instructions,omitempty"`
	Input        []any          `json:"input"`
	MaxTokens    int            `json:"max_output_tokens"`
	Temperature  *float64       `json:"temperature,omitempty"`
	Tools        []responseTool `json:"tools,omitempty"`
	Text         *responseText  `json:"text,omitempty"`
	Stream       bool           `json:"stream,omitempty"`
	Store        bool           `json:"store"`
	Include      []string       `json:"include,omitempty"`
}

type responseTool struct {
	Type        string         `json:"type"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Parameters  map[string]any `json:"parameters"`
	Strict      bool           `json:"strict"` // left out it means true, which few schemas bear
}

type responseText struct {
	Format responseFormat `json:"format"`
}

type responseFormat struct {
	Type string `json:"type"`
	namedSchema
}

// The items of an input.
type (
	messageItem struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	callItem struct {
		Type      string `json:"type"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	resultItem struct {
		Type   string `json:"type"`
		CallID string `json:"call_id"`
		Output string `json:"output"`
	}
)

func responseRequestOf(r *model.Request, f wire.Form) (*responseRequest, error) {
	q := &responseRequest{Model: r.Model, Instructions: r.System, MaxTokens: r.Tokens(), Stream: r.Stream != nil}
	if !f.Lacks(wire.TemperatureMean) {
		q.Temperature = r.Temperature
	}
	if !f.Lacks(wire.IncludeMean) {
		q.Include = []string{"reasoning.encrypted_content"}
	}
	switch {
	case len(r.Schema) == 0:
	case f.Lacks(wire.SchemaMean):
		q.Instructions = wire.SchemaPrompt(r.System, r.Schema)
	default:
		q.Text = &responseText{responseFormat{"json_schema", schemaOf(r)}}
	}
	for _, t := range r.Tools {
		q.Tools = append(q.Tools, responseTool{Type: "function", Name: t.Name, Description: t.Description, Parameters: parameters(t)})
	}
	for i := range r.Messages {
		if err := sound(&r.Messages[i]); err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		q.Input = append(q.Input, items(&r.Messages[i], f)...)
	}
	return q, nil
}

// items are those of one message: results, text and calls. What the model reasoned stands where it stood
// among its calls.
func items(m *model.Message, f wire.Form) []any {
	var out []any
	for _, r := range m.Results {
		out = append(out, resultItem{"function_call_output", r.ID, resultText(r)})
	}
	if m.Text != "" {
		out = append(out, messageItem{string(m.Role), m.Text})
	}
	calls := m.Calls
	if !f.Lacks(wire.IncludeMean) {
		for _, kept := range memoryOf(m.Opaque).Items {
			if isCall(kept) && len(calls) > 0 {
				out, calls = append(out, callOf(calls[0])), calls[1:]
			} else if sealed(kept) {
				out = append(out, kept)
			}
		}
	}
	for _, c := range calls {
		out = append(out, callOf(c))
	}
	return out
}

func callOf(c model.Call) callItem {
	return callItem{"function_call", c.ID, c.Name, string(wire.Arguments(c.Arguments))}
}

// callMark stands for a call among the items of a memory, where the call itself is in the message.
var callMark = json.RawMessage(`{"type":"function_call"}`)

func isCall(item json.RawMessage) bool { return string(item) == string(callMark) }

// sealed reports whether an item is reasoning that a server which stores nothing can read.
func sealed(item json.RawMessage) bool {
	var i struct {
		Type      string
		Encrypted string `json:"encrypted_content"`
	}
	return json.Unmarshal(item, &i) == nil && i.Type == "reasoning" && i.Encrypted != ""
}
