package mcpapi

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chargehand/chargehand/internal/excerpt"
)

// served are the requests that a server answers: the protocol's own, and those of tools, the one capability it
// declares.
var served = map[string]bool{
	"initialize": true, "ping": true, "server/discover": true, "subscriptions/listen": true,
	"tools/list": true, "tools/call": true,
}

// unserved answers a message that asks for a method outside served; nil for any other. The SDK answers methods of
// capabilities that are not declared, and looks at arguments before it looks for the method.
func unserved(raw []byte) []byte {
	m, err := jsonrpc.DecodeMessage(raw)
	if err != nil {
		return nil // the reader of messages says what is wrong
	}
	req, ok := m.(*jsonrpc.Request)
	if !ok || !req.IsCall() || served[req.Method] {
		return nil
	}
	id, err := json.Marshal(req.ID.Raw())
	if err != nil {
		return nil
	}
	e := noMethod(req.Method)
	answer, err := rpcError(id, int(e.Code), e.Message)
	if err != nil {
		return nil
	}
	return answer
}

func noMethod(method string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found: " + excerpt.Line(excerpt.Of(method, 100))}
}

// onlyServed refuses methods outside served that come in a batch, which unserved does not see.
func onlyServed(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if !served[method] && !strings.HasPrefix(method, "notifications/") {
			return nil, noMethod(method)
		}
		return next(ctx, method, r)
	}
}
