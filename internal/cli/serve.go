package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/ingress"
)

// A serveForm is what the flags of "serve" say.
type serveForm struct {
	listen  string
	base    string
	teams   []string
	tokens  string
	cert    string
	certKey string
	mcp     bool
	proxies []string
}

func (a *app) serveCommand() *cobra.Command {
	var f serveForm
	c := &cobra.Command{
		Use: "serve", Short: "Serve teams as MCP tools, A2A agents and chat models",
		Long: "Serve teams to other programs until Ctrl-C or SIGTERM, and supervise their runs:\n\n" +
			"  /v1/models, /v1/chat/completions   a team is a model (OpenAI's API)\n" +
			"  /v1/responses                      the same in OpenAI's newer form\n" +
			"  /mcp                               a team is a tool (MCP, Streamable HTTP)\n" +
			"  /.well-known/agent-card.json, /a2a a team is an agent (A2A 1.0)\n" +
			"  /livez, /readyz                    for whoever watches the process\n\n" +
			"Only this machine is served unless there are tokens: $CHARGEHAND_API_TOKEN, $CHARGEHAND_API_TOKEN_FILE or\n" +
			"--tokens. With --mcp one client is served on standard input and output instead.",
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return a.serve(c.Context(), f) },
	}
	fl := c.Flags()
	fl.StringVar(&f.listen, "listen", "127.0.0.1:7433", "address to listen on")
	fl.StringVar(&f.base, "base-url", "", "where others reach it, such as https://agents.example.com")
	fl.StringArrayVar(&f.teams, "team", nil, "team to serve, TEAM or TEAM.yaml; may be given more than once (default the ready-made ones)")
	fl.StringVar(&f.tokens, "tokens", "", "file with a NAME:TOKEN on each line")
	fl.StringVar(&f.cert, "tls-cert", "", "file with the certificate to serve TLS with")
	fl.StringVar(&f.certKey, "tls-key", "", "file with its private key")
	fl.StringArrayVar(&f.proxies, "trusted-proxy", nil, "address or range of a proxy whose X-Forwarded-For names the client; may be given more than once")
	fl.BoolVar(&f.mcp, "mcp", false, "serve MCP on standard input and output, and nothing else")
	return c
}

func (a *app) serve(ctx context.Context, f serveForm) error {
	served, err := a.served(f.teams)
	if err != nil {
		return err
	}
	if f.mcp {
		return a.serveStdio(ctx, served)
	}
	h, err := a.house(f)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return &chargehand.Error{Code: chargehand.CodeInvalid, What: "cannot listen on " + f.listen, Why: err.Error(), Next: "name another address with --listen", Err: err}
	}
	defer l.Close()
	return a.supervising(ctx, Taking{}, func(s *session) error {
		if !s.owner {
			return a.unserved()
		}
		defer h.signals.start()()
		if err := a.granted(ctx, h, served); err != nil {
			return err
		}
		if err := h.furnish(s, served); err != nil {
			return err
		}
		return a.answerOn(ctx, h, l, s.done)
	})
}

func (a *app) unserved() error {
	return &chargehand.Error{
		Code: chargehand.CodeLocked, What: "cannot serve the data folder", Why: a.ownerHere() + " has it",
		Next: "end that process, or name another folder with --data",
	}
}

// served are the teams that flags name, the ready-made ones where they name none.
func (a *app) served(names []string) ([]Ready, error) {
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(a.Teams))
	}
	var all []Ready
	given := map[string]string{} // by the name that clients would tell teams by
	for _, name := range names {
		r, err := a.team(name)
		if err != nil {
			return nil, err
		}
		if err := r.enabled(""); err != nil {
			return nil, err
		}
		if first, taken := given[r.Team.Name]; taken {
			return nil, usage(fmt.Sprintf("--team %s and --team %s are both the team %s", first, name, r.Team.Name), "give each team once; two of one name cannot be told apart")
		}
		given[r.Team.Name] = name
		all = append(all, r)
	}
	return all, nil
}

// granted refuses teams that grant tools which their servers do not have. A signal ends the asking.
func (a *app) granted(ctx context.Context, h *house, served []Ready) error {
	g, ok := a.Agents.(interface {
		Grants(ctx context.Context, t *chargehand.Team, dir string) []chargehand.Problem
	})
	if !ok {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer h.signals.peek(func(os.Signal) { cancel() })()
	for i := range served {
		if problems := g.Grants(ctx, &served[i].Team, ""); len(problems) > 0 {
			return a.placed(served[i], &chargehand.Error{
				Code: chargehand.CodeInvalid, What: "the team " + served[i].Team.Name + " cannot be served", Problems: problems,
				Next: "correct the team, or the server of its tools",
			})
		}
	}
	return nil
}

// supervising has the data folder for as long as do takes.
func (a *app) supervising(ctx context.Context, how Taking, do func(*session) error) error {
	s, err := a.open(ctx, how)
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.close())
}

const drainTime = 10 * time.Second // for requests under way, once the process is told to end

// answerOn answers on l until a signal comes, or the engine has stopped, which says why when it is
// closed. Then requests under way are answered that their runs go on later, and new ones are turned
// away. A second signal ends the process at once.
func (a *app) answerOn(ctx context.Context, h *house, l net.Listener, engine <-chan struct{}) error {
	srv, l := h.server(abandoning(a.io.Err, h.handler()), l)
	srv.BaseContext = func(net.Listener) context.Context { return ctx }
	told := make(chan os.Signal, 2) // the first ends it, the second at once
	stop := h.signals.to(func(sig os.Signal) {
		select {
		case told <- sig:
		default:
		}
	})
	defer stop()
	failed := make(chan error, 1)
	go func() {
		if h.form.cert != "" {
			failed <- srv.ServeTLS(l, "", "")
			return
		}
		failed <- srv.Serve(l)
	}()
	fmt.Fprintf(a.io.Out, "%s\n", h.address(l))
	fmt.Fprintf(a.io.Err, "Serving %s at %s. Ctrl-C ends it.\n", h.names(), h.address(l))
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-engine:
	case <-told:
	}
	h.leave()
	fmt.Fprintln(a.io.Err, "Ending: runs go on when somebody supervises the folder again.")
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	go func() {
		select {
		case <-told:
			cancel()
		case <-grace.Done():
		}
	}()
	if srv.Shutdown(grace) != nil {
		srv.Close()
	}
	<-failed
	return nil
}

// server is an HTTP server that no client of one address can hold, and its listener.
func (h *house) server(doors http.Handler, l net.Listener) (*http.Server, net.Listener) {
	limits := ingress.New(ingress.Limits{Proxies: h.proxies, Encrypted: h.form.cert != ""})
	srv := &http.Server{
		Handler:           limits.Handler(doors),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute, // lifted once a body is read
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	if h.certificate != nil {
		srv.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*h.certificate}, MinVersion: tls.VersionTLS12}
	}
	return srv, limits.Listener(l)
}
