package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What the tools below ask for, in answers that require input.
var (
	askName    = &mcp.ElicitParams{Message: "What is your name?", RequestedSchema: form("name")}
	askColor   = &mcp.ElicitParams{Message: "What is your favourite colour?", RequestedSchema: form("color")}
	askConfirm = &mcp.ElicitParams{Message: "Please confirm", RequestedSchema: &jsonschema.Schema{
		Type: "object", Required: []string{"ok"}, Properties: map[string]*jsonschema.Schema{"ok": {Type: "boolean"}},
	}}
)

func askModel(prompt string) *mcp.CreateMessageParams { //nolint:staticcheck // what the scenario is about
	return &mcp.CreateMessageParams{ //nolint:staticcheck // what the scenario is about
		Messages: []*mcp.SamplingMessage{{Role: "user", Content: text("%s", prompt)}}, MaxTokens: 100, //nolint:staticcheck // what the scenario is about
	}
}

// require is an answer that requires input.
func require(state string, asked mcp.InputRequestMap) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{InputRequests: asked, RequestState: state}, nil
}

var key = []byte(rand.Text())

// seal makes a state that only this process can have made.
func seal(state string) string {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(state))
	return state + "." + base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// unseal is what was sealed. Anything else is refused.
func unseal(sealed string) (string, error) {
	state, _, _ := strings.Cut(sealed, ".")
	if !hmac.Equal([]byte(seal(state)), []byte(sealed)) {
		return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the requestState is not one of this server's"}
	}
	return state, nil
}

// filled is what a person filled in; nil if it was not accepted.
func filled(responses mcp.InputResponseMap, name string) map[string]any {
	if r, ok := responses[name].(*mcp.ElicitResult); ok && r.Action == "accept" {
		return r.Content
	}
	return nil
}

func word(responses mcp.InputResponseMap, name, field string) string {
	s, _ := filled(responses, name)[field].(string)
	return s
}

// modelSaid is what the client's model said.
func modelSaid(responses mcp.InputResponseMap, name string) (string, bool) {
	r, ok := responses[name].(*mcp.CreateMessageWithToolsResult) //nolint:staticcheck // what the scenario is about
	if !ok {
		return "", false
	}
	for _, c := range r.Content {
		if t, is := c.(*mcp.TextContent); is {
			return t.Text, true
		}
	}
	return "(no text)", true
}

// addRounds adds the tools whose answers require input.
func addRounds(s *mcp.Server) {
	const prefix = "test_input_required_result_"
	add(s, prefix+"elicitation", nil, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if name := word(req.Params.InputResponses, "user_name", "name"); name != "" {
			return say(text("Hello, %s!", name))
		}
		return require("", mcp.InputRequestMap{"user_name": askName})
	})
	add(s, prefix+"sampling", nil, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if said, ok := modelSaid(req.Params.InputResponses, "capital_question"); ok {
			return say(text("Sampling response: %s", said))
		}
		return require("", mcp.InputRequestMap{"capital_question": askModel("What is the capital of France?")})
	})
	add(s, prefix+"list_roots", nil, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if r, ok := req.Params.InputResponses["client_roots"].(*mcp.ListRootsResult); ok { //nolint:staticcheck // what the scenario is about
			return say(text("%d roots", len(r.Roots)))
		}
		return require("", mcp.InputRequestMap{"client_roots": &mcp.ListRootsParams{}}) //nolint:staticcheck // what the scenario is about
	})
	add(s, prefix+"request_state", nil, confirmed)
	add(s, prefix+"tampered_state", nil, confirmed)
	add(s, prefix+"multiple_inputs", nil, several)
	add(s, prefix+"multi_round", nil, rounds)
	add(s, prefix+"capabilities", nil, capable)
}

func confirmed(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if sealed := req.Params.RequestState; sealed != "" {
		if _, err := unseal(sealed); err != nil {
			return nil, err
		}
		if filled(req.Params.InputResponses, "confirm") != nil {
			return say(text("state-ok"))
		}
	}
	return require(seal("confirm"), mcp.InputRequestMap{"confirm": askConfirm})
}

func several(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	in := req.Params.InputResponses
	said, greeted := modelSaid(in, "greeting")
	roots, listed := in["client_roots"].(*mcp.ListRootsResult) //nolint:staticcheck // what the scenario is about
	if name := word(in, "user_name", "name"); name != "" && greeted && listed {
		return say(text("%s %s, %d roots", said, name, len(roots.Roots)))
	}
	return require(seal("several"), mcp.InputRequestMap{
		"user_name": askName, "greeting": askModel("Make a greeting."),
		"client_roots": &mcp.ListRootsParams{}, //nolint:staticcheck // what the scenario is about
	})
}

func rounds(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	in := req.Params.InputResponses
	if req.Params.RequestState == "" {
		return require(seal("1"), mcp.InputRequestMap{"step1": askName})
	}
	state, err := unseal(req.Params.RequestState)
	if err != nil {
		return nil, err
	}
	if state == "1" {
		return require(seal("2 "+word(in, "step1", "name")), mcp.InputRequestMap{"step2": askColor})
	}
	return say(text("%s likes %s", strings.TrimPrefix(state, "2 "), word(in, "step2", "color")))
}

// capable asks only for what the client says it can do.
func capable(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if len(req.Params.InputResponses) > 0 {
		return say(text("Fulfilled."))
	}
	asked, caps := mcp.InputRequestMap{}, req.ClientCapabilities()
	if caps != nil && caps.Elicitation != nil {
		asked["user_name"] = askName
	}
	if caps != nil && caps.Sampling != nil { //nolint:staticcheck // what the scenario is about
		asked["greeting"] = askModel("Make a greeting.")
	}
	if caps != nil && caps.RootsV2 != nil { //nolint:staticcheck // what the scenario is about
		asked["client_roots"] = &mcp.ListRootsParams{} //nolint:staticcheck // what the scenario is about
	}
	if len(asked) == 0 {
		return say(text("The client can do none of it."))
	}
	return require("", asked)
}
