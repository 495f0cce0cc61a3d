package mcpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
)

// A call is one call of a tool.
type call struct{ *mcp.CallToolRequest }

// A service answers a call. Its context ends when the client cancels the call.
type service func(ctx context.Context, c call) (*answer, error)

// seated gives a call one of the caller's seats, and turns its error into a tool's error, which the
// client's model reads.
func (d *desk) seated(serve service) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case d.seats <- struct{}{}:
			defer func() { <-d.seats }()
		default:
			return d.failed(&chargehand.Error{
				Code: chargehand.CodeUnavailable, What: "the call was refused",
				Why:  fmt.Sprintf("%d calls are under way, which is the most at a time", cap(d.seats)),
				Next: "call again when one of them has answered",
			}), nil
		}
		a, err := serve(ctx, call{req})
		if err != nil {
			return d.failed(err), nil
		}
		return a.result()
	}
}

// failed is an error as a tool's answer. What is not meant for callers goes to the log.
func (d *desk) failed(err error) *mcp.CallToolResult {
	e, ok := errors.AsType[*chargehand.Error](err)
	if !ok {
		if !errors.Is(err, context.Canceled) {
			d.opt.Log.Error("answer a tool call", "error", err)
		}
		e = &chargehand.Error{Code: chargehand.CodeInternal, What: "the call failed", Why: "the reason is in the server's log"}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "error %s: %s", e.Code, e.Error())
	if e.Next != "" {
		b.WriteString("\nnext: " + e.Next)
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: excerpt.Of(b.String(), 16<<10)}}}
}

// arguments reads a call's arguments into v, and refuses what v does not have.
func (c call) arguments(v any) error {
	raw := c.Params.Arguments
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil {
		if _, more := d.Token(); errors.Is(more, io.EOF) {
			return nil
		}
		err = errors.New("something follows the object")
	}
	path, why := "$", err.Error()
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		path, why = "$."+t.Field, "cannot be a "+t.Value
	}
	return refused(path, why)
}

// refused is the error of arguments that make no sense.
func refused(path, why string) error {
	return &chargehand.Error{
		Code: chargehand.CodeInvalid, What: "the arguments were refused",
		Problems: []chargehand.Problem{{Path: path, Message: why}}, Next: "call again as the tool's input schema says",
	}
}

// What ends a wait without being a failure.
var (
	errPatience = errors.New("it has been waited for long enough")
	errLeaving  = errors.New("this process is about to end")
)

// patience is for how long an answer is waited for: until the client cancels, its time is up, or
// this process is about to end.
func (d *desk) patience(ctx context.Context, seconds *int) (context.Context, context.CancelFunc, error) {
	wait := d.opt.Wait
	if seconds != nil {
		if *seconds < 0 || *seconds > maxWait {
			return nil, nil, refused("$.wait_seconds", fmt.Sprintf("want 0 to %d", maxWait))
		}
		wait = time.Duration(*seconds) * time.Second
	}
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(wait, func() { cancel(errPatience) })
	go func() {
		select {
		case <-d.opt.Leaving:
			cancel(errLeaving)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { timer.Stop(); cancel(nil) }, nil
}
