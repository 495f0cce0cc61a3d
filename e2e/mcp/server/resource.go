package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const watched = "test://watched-resource"

func addResources(s *mcp.Server) {
	plain := func(said string) mcp.ResourceHandler {
		return func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return contents(&mcp.ResourceContents{URI: req.Params.URI, MIMEType: "text/plain", Text: said})
		}
	}
	s.AddResource(&mcp.Resource{Name: "static-text", URI: "test://static-text", MIMEType: "text/plain"}, plain("The static text."))
	s.AddResource(&mcp.Resource{Name: "watched-resource", URI: watched, MIMEType: "text/plain"}, plain("Watched."))
	s.AddResource(&mcp.Resource{Name: "static-binary", URI: "test://static-binary", MIMEType: "image/png"},
		func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return contents(&mcp.ResourceContents{URI: req.Params.URI, MIMEType: "image/png", Blob: dot})
		})
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "template", URITemplate: "test://template/{id}/data", MIMEType: "application/json"},
		func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
			return contents(&mcp.ResourceContents{
				URI: req.Params.URI, MIMEType: "application/json",
				Text: fmt.Sprintf(`{"id": %q, "templateTest": true, "data": %q}`, id, "Data for ID: "+id),
			})
		})
}

func contents(c *mcp.ResourceContents) (*mcp.ReadResourceResult, error) {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}, nil
}

func addPrompts(s *mcp.Server) {
	user := func(c mcp.Content) *mcp.PromptMessage { return &mcp.PromptMessage{Role: "user", Content: c} }
	s.AddPrompt(&mcp.Prompt{Name: "test_simple_prompt", Description: "Simple."}, prompt(func(map[string]string) []*mcp.PromptMessage {
		return []*mcp.PromptMessage{user(text("This is a simple prompt for testing."))}
	}))
	s.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_arguments", Description: "Takes arguments.", Arguments: []*mcp.PromptArgument{
		{Name: "arg1", Description: "First.", Required: true}, {Name: "arg2", Description: "Second.", Required: true},
	}}, prompt(func(args map[string]string) []*mcp.PromptMessage {
		return []*mcp.PromptMessage{user(text("Prompt with arguments: arg1='%s', arg2='%s'", args["arg1"], args["arg2"]))}
	}))
	s.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_embedded_resource", Description: "Embeds a resource.", Arguments: []*mcp.PromptArgument{
		{Name: "resourceUri", Description: "What to embed.", Required: true},
	}}, prompt(func(args map[string]string) []*mcp.PromptMessage {
		return []*mcp.PromptMessage{user(embedded(args["resourceUri"])), user(text("Please process the resource."))}
	}))
	s.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_image", Description: "Shows an image."}, prompt(func(map[string]string) []*mcp.PromptMessage {
		return []*mcp.PromptMessage{user(&mcp.ImageContent{Data: dot, MIMEType: "image/png"}), user(text("Please look."))}
	}))
	s.AddPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: "Asks first."},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			if said := word(req.Params.InputResponses, "user_context", "context"); said != "" {
				return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{user(text("Context: %s", said))}}, nil
			}
			return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{
				"user_context": &mcp.ElicitParams{Message: "Please give context.", RequestedSchema: form("context")},
			}}, nil
		})
}

// prompt is a prompt made of its arguments.
func prompt(messages func(map[string]string) []*mcp.PromptMessage) mcp.PromptHandler {
	return func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: messages(req.Params.Arguments)}, nil
	}
}

// addChanges adds the tools that change what the server has, which subscribers are told.
func addChanges(s *mcp.Server) {
	add(s, "test_trigger_tool_change", nil, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		add(s, "transient_tool", nil, always())
		return say(text("The tools have changed."))
	})
	add(s, "test_trigger_prompt_change", nil, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.AddPrompt(&mcp.Prompt{Name: "transient_prompt", Description: "Comes and goes."}, prompt(func(map[string]string) []*mcp.PromptMessage { return nil }))
		return say(text("The prompts have changed."))
	})
}
