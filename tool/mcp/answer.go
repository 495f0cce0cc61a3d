package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/tool"
)

// KeyName is where a call's idempotency key stands in its _meta.
const KeyName = "chargehand.dev/idempotency-key"

// maxRounds is how often a call is taken up again whose tool wants something first, or is too busy.
const maxRounds = 4

// answer is a result as text. What is no text is described: nothing is fetched, nothing is shown
// that a model would have to be trusted with.
func answer(res *sdk.CallToolResult) (tool.Answer, error) {
	var parts []string
	for _, c := range res.Content {
		parts = append(parts, described(c))
	}
	a := tool.Answer{Text: strings.Join(parts, "\n"), Failed: res.IsError}
	if res.StructuredContent != nil {
		b, err := json.Marshal(res.StructuredContent)
		if err != nil {
			return tool.Answer{}, fmt.Errorf("read the structured answer: %w", err)
		}
		a.Structured = b
	}
	return a, nil
}

func described(c sdk.Content) string {
	switch c := c.(type) {
	case *sdk.TextContent:
		return c.Text
	case *sdk.ImageContent:
		return fmt.Sprintf("[an image, %s, %d bytes: left out]", excerpt.Line(c.MIMEType), len(c.Data))
	case *sdk.AudioContent:
		return fmt.Sprintf("[a sound, %s, %d bytes: left out]", excerpt.Line(c.MIMEType), len(c.Data))
	case *sdk.ResourceLink:
		return fmt.Sprintf("[a link to %s: not followed]", excerpt.Line(c.URI))
	case *sdk.EmbeddedResource:
		return resource(c.Resource)
	}
	return "[something that is no text: left out]"
}

func resource(r *sdk.ResourceContents) string {
	switch {
	case r == nil:
		return "[an empty resource]"
	case r.Text != "":
		return fmt.Sprintf("[resource %s]\n%s", excerpt.Line(r.URI), r.Text)
	}
	return fmt.Sprintf("[resource %s, %s, %d bytes: left out]", excerpt.Line(r.URI), excerpt.Line(r.MIMEType), len(r.Blob))
}

// ours reports whether an error only has the form of a server's: the transport makes those itself
// (codes -32006 to -32003), of requests that reached the server and of those that did not.
func ours(e *jsonrpc.Error) bool { return e.Code >= -32006 && e.Code <= -32003 }

// refusal is a server's own word that it did not do what it was asked: an answer, if not a good one.
func refusal(err error) (tool.Answer, error) {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok && !ours(e) {
		return tool.Answer{Text: fmt.Sprintf("The tool's server refused the call (error %d): %s", e.Code, e.Message), Failed: true}, nil
	}
	return tool.Answer{}, err
}

// respond is what a tool is given that wants something of this side before it goes on: that nobody
// answers, where the protocol has a way to say so. One that is only busy wants nothing.
func (c *conn) respond(res *sdk.CallToolResult) (sdk.InputResponseMap, error) {
	var out sdk.InputResponseMap
	for id, r := range res.InputRequests {
		if _, person := r.(*sdk.ElicitParams); !person {
			c.server.opt.Log.Warn("a tool asked for what it may not have", "server", c.server.spec.Name)
			return nil, errors.New("the tool asks for a model's answer or for folders, which it is not given")
		}
		if out == nil {
			out = sdk.InputResponseMap{}
		}
		out[id] = declined()
	}
	return out, nil
}

// declined says that no person answers a server.
func declined() *sdk.ElicitResult { return &sdk.ElicitResult{Action: "decline"} }

func refused(method string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "not taken: " + method}
}
