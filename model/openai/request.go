package openai

import (
	"errors"
	"fmt"
	"math"
	"regexp"

	sdk "github.com/sashabaranov/go-openai"

	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/internal/wire"
)

// reasoner matches the models that reason: they take max_completion_tokens only, and no temperature.
var reasoner = regexp.MustCompile(`^(o[1-9]|gpt-[5-9])`)

func (m *Model) request(r *model.Request) (sdk.ChatCompletionRequest, error) {
	q := sdk.ChatCompletionRequest{Model: r.Model}
	reasons := reasoner.MatchString(r.Model)
	if (reasons || m.base == Address) != m.means.Lacks(wire.TokensMean, r) {
		q.MaxCompletionTokens = r.Tokens()
	} else {
		q.MaxTokens = r.Tokens() //nolint:staticcheck // only OpenAI itself, and who follows it closely, know the newer name
	}
	if r.Temperature != nil && !reasons && !m.means.Lacks(wire.TemperatureMean, r) {
		// The SDK leaves a zero out; this is the smallest that it sends.
		q.Temperature = max(float32(*r.Temperature), math.SmallestNonzeroFloat32)
	}
	if q.Stream = r.Stream != nil; q.Stream && !m.means.Lacks(wire.UsageMean, r) {
		q.StreamOptions = &sdk.StreamOptions{IncludeUsage: true}
	}
	system := r.System
	if len(r.Schema) > 0 {
		if m.means.Lacks(wire.SchemaMean, r) {
			system = wire.SchemaPrompt(system, r.Schema)
		} else {
			q.ResponseFormat = format(r)
		}
	}
	q.Tools = tools(r.Tools)
	if len(q.Tools) > 0 && (r.Model == sdk.GPT6Sol || r.Model == sdk.GPT6Luna) {
		q.ReasoningEffort = sdk.ReasoningEffortNone // else they call tools through the Responses API only
	}
	if system != "" {
		q.Messages = append(q.Messages, sdk.ChatCompletionMessage{Role: sdk.ChatMessageRoleSystem, Content: system})
	}
	if len(r.Messages) == 0 {
		return q, errors.New("the request has no messages")
	}
	for i, msg := range r.Messages {
		turns, err := turnsOf(&msg)
		if err != nil {
			return q, fmt.Errorf("message %d: %w", i+1, err)
		}
		q.Messages = append(q.Messages, turns...)
	}
	return q, nil
}

func format(r *model.Request) *sdk.ChatCompletionResponseFormat {
	return &sdk.ChatCompletionResponseFormat{
		Type:       sdk.ChatCompletionResponseFormatTypeJSONSchema,
		JSONSchema: &sdk.ChatCompletionResponseFormatJSONSchema{Name: "answer", Schema: r.Schema, Strict: wire.Strict(r.Schema)},
	}
}

func tools(all []model.Tool) []sdk.Tool {
	var out []sdk.Tool
	for _, t := range all {
		params := wire.Object(t.Schema)
		if params["type"] == nil {
			params["type"] = "object"
		}
		if params["type"] == "object" && params["properties"] == nil {
			params["properties"] = map[string]any{} // several servers insist on it
		}
		out = append(out, sdk.Tool{Type: sdk.ToolTypeFunction, Function: &sdk.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: params}})
	}
	return out
}

// turnsOf gives each result of a tool a message of its own, before the text.
func turnsOf(m *model.Message) ([]sdk.ChatCompletionMessage, error) {
	var out []sdk.ChatCompletionMessage
	for _, r := range m.Results {
		text := r.Text
		if r.Error { // there is no field for it
			text = "Error: " + text
		}
		if text == "" { // the SDK leaves it out, and the API insists on it
			text = "(empty)"
		}
		out = append(out, sdk.ChatCompletionMessage{Role: sdk.ChatMessageRoleTool, ToolCallID: r.ID, Content: text})
	}
	switch {
	case m.Role != model.User && m.Role != model.Assistant:
		return nil, fmt.Errorf("no role %q", m.Role)
	case m.Text == "" && len(m.Calls) == 0 && len(out) == 0:
		return nil, errors.New("it is empty")
	case m.Text == "" && len(m.Calls) == 0:
		return out, nil
	}
	turn := sdk.ChatCompletionMessage{Role: string(m.Role), Content: m.Text}
	for _, c := range m.Calls {
		turn.ToolCalls = append(turn.ToolCalls, sdk.ToolCall{
			ID: c.ID, Type: sdk.ToolTypeFunction, Function: sdk.FunctionCall{Name: c.Name, Arguments: string(wire.Arguments(c.Arguments))},
		})
	}
	return append(out, turn), nil
}
