package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// fixtures is a server with what the scenarios name.
func fixtures() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "chargehand-conformance", Version: "1"}, &mcp.ServerOptions{
		CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
		},
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	addContent(s)
	addSchemas(s)
	addTalk(s)
	addChanges(s)
	addRounds(s)
	addResources(s)
	addPrompts(s)
	return s
}

// A tool answers a call of a fixture.
type tool = func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error)

// add adds a tool that takes an object of any kind, or one as schema has it. Its errors are for the
// model, unless they are the protocol's.
func add(s *mcp.Server, name string, schema any, t tool) {
	if schema == nil {
		schema = &jsonschema.Schema{Type: "object"}
	}
	mcp.AddTool(s, &mcp.Tool{Name: name, Description: "Asked for by the conformance suite.", InputSchema: schema},
		func(ctx context.Context, req *mcp.CallToolRequest, _ map[string]any) (*mcp.CallToolResult, any, error) {
			r, err := t(ctx, req)
			return r, nil, err
		})
}

// say is an answer of such content.
func say(content ...mcp.Content) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{Content: content}, nil
}

func text(format string, args ...any) *mcp.TextContent {
	return &mcp.TextContent{Text: fmt.Sprintf(format, args...)}
}

// always is a tool that answers the same.
func always(content ...mcp.Content) tool {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return say(content...) }
}

var (
	// dot is a PNG image of one pixel.
	dot = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89" +
		"\x00\x00\x00\rIDATx\xdac\xfc\xcf\xf0\x1f\x00\x04\x05\x02\x00_\xc8\xf1\xd2\x00\x00\x00\x00IEND\xaeB`\x82")
	// silence is a WAV file of no sound.
	silence = []byte("RIFF&\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00@\x1f\x00\x00\x80>\x00\x00\x02\x00\x10\x00data\x02\x00\x00\x00\x00\x00")
)

func embedded(uri string) mcp.Content {
	return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "An embedded resource."}}
}

func addContent(s *mcp.Server) {
	image := &mcp.ImageContent{Data: dot, MIMEType: "image/png"}
	add(s, "test_simple_text", nil, always(text("This is a simple text response for testing.")))
	add(s, "test_image_content", nil, always(image))
	add(s, "test_audio_content", nil, always(&mcp.AudioContent{Data: silence, MIMEType: "audio/wav"}))
	add(s, "test_embedded_resource", nil, always(embedded("test://embedded-resource")))
	add(s, "test_multiple_content_types", nil, always(text("Text."), image, embedded("test://mixed-content-resource")))
	add(s, "test_error_handling", nil, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("this tool intentionally returns an error for testing")
	})
}

func addSchemas(s *mcp.Server) {
	echo := func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return say(text("called with %s", req.Params.Arguments))
	}
	add(s, "json_schema_2020_12_tool", json.RawMessage(`{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"type": "object",
		"$defs": {"address": {"$anchor": "addressDef", "type": "object",
			"properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
		"properties": {
			"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
			"contactMethod": {"type": "string", "enum": ["phone", "email"]},
			"phone": {"type": "string"}, "email": {"type": "string"}},
		"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
		"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
		"then": {"required": ["phone"]},
		"else": {"required": ["email"]},
		"additionalProperties": false
	}`), echo)
	add(s, "test_x_mcp_header", json.RawMessage(`{"type": "object", "properties": {
		"region": {"type": "string", "description": "mirrored", "x-mcp-header": "Region"},
		"level": {"type": "integer", "description": "not mirrored"}}}`), echo)
}
