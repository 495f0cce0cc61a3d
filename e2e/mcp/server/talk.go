package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addTalk adds the tools that say or ask something while they work.
func addTalk(s *mcp.Server) {
	add(s, "test_tool_with_logging", nil, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, line := range []string{"started", "processing", "completed"} {
			note(ctx, req, line)
		}
		return say(text("Logged."))
	})
	add(s, "test_logging_tool", nil, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		note(ctx, req, "executed")
		return say(text("Log attempted."))
	})
	add(s, "test_tool_with_progress", nil, progress)
	add(s, "test_streaming_elicitation", nil, always(text("Nothing but this.")))
	add(s, "test_reconnection", nil, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if req.Extra != nil && req.Extra.CloseSSEStream != nil {
			req.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
		}
		select { // the answer comes after the client is back, which is the point
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
		}
		return say(text("Reconnection test completed."))
	})
	add(s, "test_sampling", nil, sample)
	add(s, "test_missing_capability", nil, needsSampling)
	addElicitation(s)
}

// note logs to the client, as far as it asked for that.
func note(ctx context.Context, req *mcp.CallToolRequest, line string) {
	_ = req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: "Tool execution " + line}) //nolint:staticcheck // older revisions log like this
}

func progress(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	token := req.Params.GetProgressToken()
	for _, done := range []float64{0, 50, 100} {
		if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: done, Total: 100, Message: fmt.Sprintf("Step %.0f", done),
		}); err != nil {
			return nil, err
		}
	}
	return say(text("%v", token))
}

func sample(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct{ Prompt string }
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, err
	}
	r, err := req.Session.CreateMessage(ctx, &mcp.CreateMessageParams{ //nolint:staticcheck // older revisions ask like this
		Messages: []*mcp.SamplingMessage{{Role: "user", Content: text("%s", in.Prompt)}}, MaxTokens: 100, //nolint:staticcheck // older revisions ask like this
	})
	if err != nil {
		return nil, err
	}
	said, _ := r.Content.(*mcp.TextContent)
	if said == nil {
		said = text("(no text)")
	}
	return say(text("LLM response: %s", said.Text))
}

func needsSampling(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if caps := req.ClientCapabilities(); caps != nil && caps.Sampling != nil { //nolint:staticcheck // what the scenario is about
		return say(text("Sampling is there."))
	}
	data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{
		RequiredCapabilities: &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}}, //nolint:staticcheck // what the scenario is about
	})
	if err != nil {
		return nil, err
	}
	return nil, &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "sampling is required", Data: data}
}

// asks is a tool that asks a person such things through the client.
func asks(schema any) tool {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		in := struct{ Message string }{"Please fill this in."}
		if len(req.Params.Arguments) > 0 {
			if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
				return nil, err
			}
		}
		r, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: in.Message, RequestedSchema: schema})
		if err != nil {
			return nil, err
		}
		return say(text("Elicitation result: action=%s, content=%v", r.Action, r.Content))
	}
}

func addElicitation(s *mcp.Server) {
	add(s, "test_elicitation", nil, asks(form("username")))
	add(s, "test_elicitation_sep1034_defaults", nil, asks(json.RawMessage(`{"type": "object", "properties": {
		"name": {"type": "string", "default": "John Doe"},
		"age": {"type": "integer", "default": 30},
		"score": {"type": "number", "default": 95.5},
		"status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
		"verified": {"type": "boolean", "default": true}}}`)))
	add(s, "test_elicitation_sep1330_enums", nil, asks(json.RawMessage(`{"type": "object", "properties": {
		"untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
		"titledSingle": {"type": "string", "oneOf": [
			{"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}]},
		"legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
		"untitledMulti": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
		"titledMulti": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"anyOf": [
			{"const": "value1", "title": "First Choice"}, {"const": "value2", "title": "Second Choice"}, {"const": "value3", "title": "Third Choice"}]}}}}`)))
}

// form asks for one text.
func form(field string) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", Required: []string{field}, Properties: map[string]*jsonschema.Schema{field: {Type: "string"}},
	}
}
