package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/internal/secret"
	"github.com/chargehand/chargehand/tool"
)

// A conn is one connection to a server.
type conn struct {
	server  *Server
	ctx     context.Context // ends with the server's, or when the connection is given up: calls end with it
	giveUp  context.CancelCauseFunc
	session *sdk.ClientSession
	process *process // nil where the server has an address
	known   *secret.Values
	gone    chan struct{} // closed when the session is over
	broken  atomic.Bool   // it is about to be over

	listing chan struct{} // holds one while the tools are listed; guards list and listed
	list    []tool.Definition
	listed  time.Time
	stale   atomic.Bool // the server said that its tools have changed

	chatter atomic.Int64 // messages since it last answered that nobody asked for
	pulses  pulses
}

// open connects and shakes hands.
func (s *Server) open(ctx context.Context) (*conn, error) {
	c := &conn{server: s, known: &secret.Values{}, gone: make(chan struct{}), listing: make(chan struct{}, 1), pulses: pulses{timers: map[string]*time.Timer{}}}
	c.ctx, c.giveUp = context.WithCancelCause(s.ctx)
	transport, err := c.transport()
	if err != nil {
		c.giveUp(err)
		return nil, fmt.Errorf("tool server %q: %s", s.spec.Name, excerpt.Line(c.known.Redact(err.Error())))
	}
	client := sdk.NewClient(s.implementation(), &sdk.ClientOptions{
		Capabilities:                &sdk.ClientCapabilities{},
		MultiRoundTrip:              &sdk.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { c.stale.Store(true) },
		ProgressNotificationHandler: c.progress,
	})
	client.AddReceivingMiddleware(c.guard)
	c.session, err = client.Connect(ctx, transport, nil)
	if err != nil {
		err = s.lost(ctx, c, "connect", err)
		c.giveUp(err)
		if c.process != nil {
			c.process.stop()
		}
		return nil, err
	}
	go func() {
		_ = c.session.Wait()
		close(c.gone)
	}()
	return c, nil
}

func (c *conn) transport() (sdk.Transport, error) {
	s := c.server
	if s.spec.URL != "" {
		return c.http()
	}
	env, err := c.known.Environment(s.spec.Env)
	if err != nil {
		return nil, err
	}
	c.process, err = start(s.spec.Command, env, processOptions{s.box, s.opt.Grace, s.opt.Patience, s.spec.Name, s.opt.Log, c.known})
	if err != nil {
		return nil, err
	}
	return c.process.transport(s.opt.messageBytes(), c.heard), nil
}

func (c *conn) alive() bool {
	select {
	case <-c.gone:
		return false
	default:
		return !c.broken.Load()
	}
}

// close ends the session, and with it the process, and waits for both.
func (c *conn) close() {
	c.giveUp(errClosed)
	if c.process != nil {
		c.process.close()
	}
	_ = c.session.Close()
	if c.process != nil {
		c.process.stop()
	}
	<-c.gone
}

// stray tells of a line that was no message, at which the SDK broke the connection with one error or
// another; empty where there was none.
func (c *conn) stray() string {
	if c.process == nil {
		return ""
	}
	line := c.process.strays.Load()
	if line == nil {
		return ""
	}
	c.broken.Store(true)
	return "its standard output is for messages, one a line, and logs go to standard error; it wrote there: " + *line
}

// epitaph is how the process ended, where that is why err came; empty otherwise.
func (c *conn) epitaph(err error) string {
	if !errors.Is(err, io.EOF) && !errors.Is(err, sdk.ErrConnectionClosed) && !errors.Is(err, syscall.EPIPE) {
		return ""
	}
	c.broken.Store(true)
	if c.process == nil {
		return ""
	}
	late := time.NewTimer(3 * c.server.opt.Grace)
	defer late.Stop()
	select {
	case <-c.process.gone:
	case <-late.C:
	}
	return c.process.epitaph()
}

// because is err, or why ctx ended.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// maxChatter is how many messages a server may send between two answers that nobody asked for.
const maxChatter = 10_000

// guard is what a server may say unasked: notifications, and not without end. Whatever it asks of
// this side (a model's answer, a person's, folders) is refused.
func (c *conn) guard(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		if c.process == nil { // of a process every line counts
			if err := c.heard(); err != nil {
				return nil, err
			}
		}
		switch method {
		case "elicitation/create":
			return declined(), nil
		case "sampling/createMessage", "roots/list":
			c.server.opt.Log.Warn("a tool server asked for what it may not have", "server", c.server.spec.Name, "method", method)
			return nil, refused(method)
		}
		return next(ctx, method, r)
	}
}

// heard counts a message of the server's. Answers begin the count again.
func (c *conn) heard() error {
	if c.chatter.Add(1) <= maxChatter {
		return nil
	}
	c.flooded()
	return errFlood
}

var errFlood = errors.New("it sends messages without end that nobody asked for")

// flooded ends a connection that only costs.
func (c *conn) flooded() {
	if c.chatter.Load() == maxChatter+1 {
		c.server.opt.Log.Error("a tool server floods", "server", c.server.spec.Name)
		c.broken.Store(true)
		c.giveUp(errFlood)
		if c.process != nil {
			c.process.child.Kill()
		}
	}
}

// call calls a tool by its own name.
func (c *conn) call(ctx context.Context, name string, arguments json.RawMessage, key string) (tool.Answer, error) {
	ctx, token, over := c.pulses.watch(ctx, c.server.opt.Patience)
	defer over()
	params := &sdk.CallToolParams{Name: name, Arguments: arguments, Meta: sdk.Meta{KeyName: key}}
	params.SetProgressToken(token)
	for range maxRounds {
		res, err := c.session.CallTool(ctx, params)
		if err != nil {
			return refusal(because(ctx, err))
		}
		c.chatter.Store(0)
		if !res.NeedsInput() {
			return answer(res)
		}
		if params.InputResponses, err = c.respond(res); err != nil {
			return tool.Answer{Text: err.Error(), Failed: true}, nil
		}
		params.RequestState = res.RequestState
	}
	return tool.Answer{Text: "The tool asks again and again for what it is not given.", Failed: true}, nil
}
