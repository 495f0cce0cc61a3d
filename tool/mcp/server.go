// Package mcp reaches tools by the Model Context Protocol: a Server is a tool.Source over one
// connection to a process or an address, which is made when it is first needed and again when it
// breaks. A server is untrusted: it may not ask anything of this side, and what it sends is bounded.
package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/internal/sandbox"
	"github.com/chargehand/chargehand/tool"
)

// Options are how servers are reached. The zero Options are the defaults.
type Options struct {
	// Client is what requests to a declared URL are sent by; its Transport decides where they may
	// lead. Redirects are not followed. Nil means one that uses no proxy and goes anywhere.
	Client func(declared string) *http.Client

	// Grants keeps what people have granted to servers that want somebody to sign in. Nil keeps
	// nothing: such a server then fails with ErrSignIn.
	Grants Grants

	// Consent asks a person to sign in, where a server wants that. Nil means that nobody can be
	// asked, and that what Grants holds must do.
	Consent *Consent

	// Connect bounds making a connection, a process's start included. Zero means 30 s.
	Connect time.Duration

	// Patience is how long a server may be silent during a call; progress it reports counts as a
	// word. Zero means 60 s.
	Patience time.Duration

	// Fresh is how old a list of tools may be; one that the server says has changed is never used.
	// Zero means 10 s, negative means that it is asked for each time.
	Fresh time.Duration

	// Grace is how long a process may take to end, once when its input is closed and once when it
	// is asked to. Zero means 2 s.
	Grace time.Duration

	// MaxTools and MaxBytes bound a list of tools; a message may have four times MaxBytes. Zero
	// means 1,000 and 4 MiB.
	MaxTools, MaxBytes int

	Version string       // of this program, as servers are told. Empty means "0"
	Log     *slog.Logger // nil means none
}

func (o Options) withDefaults() Options {
	o.Connect = orDefault(o.Connect, 30*time.Second)
	o.Patience = orDefault(o.Patience, time.Minute)
	o.Grace = orDefault(o.Grace, 2*time.Second)
	o.MaxTools = orDefault(o.MaxTools, 1_000)
	o.MaxBytes = orDefault(o.MaxBytes, 4<<20)
	if o.Fresh == 0 {
		o.Fresh = 10 * time.Second
	}
	if o.Version == "" {
		o.Version = "0"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

func (o *Options) messageBytes() int { return 4 * o.MaxBytes }

func orDefault[T int | time.Duration](v, d T) T {
	if v <= 0 {
		return d
	}
	return v
}

// A Server is one of a team's tool servers. Close it when it is no longer needed.
type Server struct {
	spec chargehand.ToolServer
	box  *sandbox.Box // nil where it is reached at a URL
	opt  Options
	ctx  context.Context // of the connection; ends with Close
	stop context.CancelCauseFunc

	mu      sync.Mutex
	conn    *conn         // nil: there is none
	dialing chan struct{} // closed when the connection under way is there, or failed
	failed  error         // of the last try
	wait    *pause
	calls   sync.WaitGroup
}

// errClosed is why calls end when the server is closed.
var errClosed = errors.New("the engine lets go of its tool servers")

// NewServer is a server as a team declares it; it is reached when it is first needed. Dir is the
// folder of the team file, which relative paths start from; empty means the current one.
func NewServer(spec *chargehand.ToolServer, dir string, opt Options) (*Server, error) {
	s := &Server{spec: *spec, opt: opt.withDefaults(), wait: newPause()}
	u, err := url.Parse(spec.URL)
	switch {
	case len(spec.Command) > 0 && spec.URL != "":
		return nil, fmt.Errorf("tool server %q has both a command and a url", spec.Name)
	case len(spec.Command) > 0 && spec.Command[0] != "":
		if s.box, err = sandbox.New(dir, spec.Dir, &spec.Reach); err == nil {
			err = sandbox.Guard()
		}
		if err != nil {
			return nil, fmt.Errorf("tool server %q: %w", spec.Name, err)
		}
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("tool server %q: url is not the URL of a service: want http://host/path or https://host/path", spec.Name)
	case u.User != nil:
		return nil, fmt.Errorf("tool server %q: url holds a user name; credentials belong into headers, as $NAME", spec.Name)
	}
	s.ctx, s.stop = context.WithCancelCause(context.Background())
	return s, nil
}

// Tools lists the server's tools, none of them older than Options.Fresh.
func (s *Server) Tools(ctx context.Context) (list []tool.Definition, err error) {
	err = s.ask(ctx, "list its tools", func(ctx context.Context, c *conn) (err error) {
		list, err = c.tools(ctx)
		return err
	})
	return list, err
}

// Call calls a tool once.
func (s *Server) Call(ctx context.Context, name string, arguments json.RawMessage, key string) (a tool.Answer, err error) {
	err = s.ask(ctx, "call "+name, func(ctx context.Context, c *conn) (err error) {
		a, err = c.call(ctx, name[len(s.spec.Name)+1:], arguments, key)
		a.Text, a.Structured = c.known.Redact(a.Text), c.known.RedactJSON(a.Structured) // it may tell what it was told in confidence
		return err
	})
	return a, err
}

// ask has something asked over the connection, over a new one where that turns out to be broken
// before anything was sent. Its error is a *tool.Error.
func (s *Server) ask(ctx context.Context, what string, do func(context.Context, *conn) error) error {
	ctx, cancel := s.begin(ctx)
	defer s.calls.Done()
	defer cancel(nil)
	for first := true; ; first = false {
		c, err := s.connected(ctx)
		if err != nil {
			return &tool.Error{Message: "not sent", Err: err, NotBegun: true}
		}
		ctx, sent := withSending(ctx)
		free := context.AfterFunc(c.ctx, func() { cancel(context.Cause(c.ctx)) })
		err = do(ctx, c)
		free()
		switch {
		case err == nil:
			return nil
		case first && sent.nothing() && errors.Is(err, sdk.ErrConnectionClosed):
			c.broken.Store(true)
			continue
		}
		return &tool.Error{Message: "no answer", Err: sent.because(s.lost(ctx, c, what, err)), NotBegun: sent.nothing()}
	}
}

// begin joins the calls that Close waits for.
func (s *Server) begin(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls.Add(1)
	return context.WithCancelCause(ctx)
}

// lost is the error of a request without an answer. What a dead process said last is part of it.
func (s *Server) lost(ctx context.Context, c *conn, what string, err error) error {
	if errors.Is(err, ErrSignIn) {
		return fmt.Errorf("tool server %q: %w: chargehand tools sign-in TEAM.yaml %s", s.spec.Name, ErrSignIn, s.spec.Name)
	}
	if stray := c.stray(); stray != "" && context.Cause(ctx) == nil {
		err = errors.New(stray)
	} else if err = because(ctx, err); stray == "" {
		if end := c.epitaph(err); end != "" {
			err = errors.New(end)
		}
	}
	return fmt.Errorf("tool server %q: %s: %s", s.spec.Name, what, excerpt.Line(c.known.Redact(err.Error())))
}

// Close ends what is under way and the connection, and waits until both are gone.
func (s *Server) Close() error {
	s.mu.Lock()
	s.stop(errClosed)
	dialing := s.dialing
	s.mu.Unlock()
	if dialing != nil {
		<-dialing
	}
	s.calls.Wait()
	s.mu.Lock()
	c := s.conn
	s.mu.Unlock()
	if c != nil {
		c.close()
	}
	return nil
}

var _ tool.Source = (*Server)(nil)

// implementation is who this side says it is.
func (s *Server) implementation() *sdk.Implementation {
	return &sdk.Implementation{Name: "chargehand", Version: s.opt.Version}
}
