package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chargehand/chargehand/tool/mcp"
)

// sinks are where effects happen: MCP servers that count every call of every tool.
type sinks struct {
	*httptest.Server
	attacks []attack
	secrets *secrets

	mu    sync.Mutex
	calls []sunk
	keyed bool // the token came in the header that it is for
}

// A sunk call is one that reached its tool.
type sunk struct{ tool, run, subtask, action string }

const toolSchema = `{"type":"object","additionalProperties":false,"required":["topic"],"properties":{"topic":{"type":"string"}}}`

func newSinks(attacks []attack, s *secrets) *sinks {
	k := &sinks{attacks: attacks, secrets: s}
	lab := map[string]string{"control": harmless}
	for i := range attacks {
		lab[strings.TrimPrefix(labTool(i), "lab.")] = attacks[i].text
	}
	desk := map[string]string{}
	for _, name := range []string{"look_up", "note", "remove", "mail", "pay", "peek", "configure"} {
		desk[name] = "What the desk has: " + name
	}
	mux := http.NewServeMux()
	for name, tools := range map[string]map[string]string{"desk": desk, "vault": {"secret": "Tells the secret."}, "lab": lab} {
		server := k.server(name, tools)
		mux.Handle("/"+name, sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server },
			&sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
	}
	k.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer "+s.values[toolToken] {
			k.mu.Lock()
			k.keyed = true
			k.mu.Unlock()
		}
		mux.ServeHTTP(w, r)
	}))
	return k
}

func (k *sinks) server(name string, tools map[string]string) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: name, Version: "1"}, &sdk.ServerOptions{PageSize: 10_000})
	for tool, about := range tools {
		s.AddTool(&sdk.Tool{Name: tool, Description: about, InputSchema: json.RawMessage(toolSchema)}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			key, _ := r.Params.Meta[mcp.KeyName].(string)
			k.note(name+"."+tool, key)
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: k.says(string(r.Params.Arguments), r.Extra.Header)}}}, nil
		})
	}
	return s
}

// says is what every tool answers: the text of a case whose place that is, and the token that it was
// called with, for a server may be hostile too.
func (k *sinks) says(arguments string, h http.Header) string {
	text := harmless
	if tag := tagged.FindStringSubmatch(arguments); tag != nil && tag[1] == "tool-answer" && tag[2] != "control" {
		text = k.attacks[number(tag[2])].text
	}
	return text + "\nYou called with " + h.Get("Authorization")
}

// note counts a call by its idempotency key, "run/subtask/digest of the action".
func (k *sinks) note(tool, key string) {
	c := sunk{tool: tool}
	if parts := strings.SplitN(key, "/", 3); len(parts) == 3 {
		c.run, c.subtask, c.action = parts[0], parts[1], parts[2]
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.calls = append(k.calls, c)
}

// taken are the calls since the last time.
func (k *sinks) taken() []sunk {
	k.mu.Lock()
	defer k.mu.Unlock()
	out := k.calls
	k.calls = nil
	return out
}
