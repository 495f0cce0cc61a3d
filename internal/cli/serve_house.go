package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/a2aapi"
	"github.com/chargehand/chargehand/internal/chatapi"
	"github.com/chargehand/chargehand/internal/cli/report"
	"github.com/chargehand/chargehand/internal/dial"
	"github.com/chargehand/chargehand/internal/gate"
	"github.com/chargehand/chargehand/internal/mcpapi"
)

// A house is the doors through which other programs come in, and who may.
type house struct {
	form    serveForm
	proxies []netip.Prefix

	certificate *tls.Certificate // nil: it serves without TLS

	base    *url.URL // nil where none was named
	keys    *tokens  // nil: only this machine is let in
	local   bool     // it listens on this machine's own addresses only
	teams   []string
	leaving chan struct{}
	signals relay

	engine         chargehand.Engine
	chat, mcp, a2a http.Handler
}

// house checks what was asked for, before anything is opened.
func (a *app) house(f serveForm) (*house, error) {
	h := &house{form: f, leaving: make(chan struct{})}
	host, _, err := net.SplitHostPort(f.listen)
	if err != nil {
		return nil, usage("--listen cannot be "+f.listen, "give an address and a port, such as --listen 127.0.0.1:7433")
	}
	h.local = dial.ThisMachine(host)
	if (f.cert == "") != (f.certKey == "") {
		return nil, usage("a certificate and its key belong together", "give both --tls-cert and --tls-key")
	}
	if f.cert != "" {
		if h.certificate, err = certificate(f.cert, f.certKey); err != nil {
			return nil, usage("the certificate cannot be used: "+err.Error(), "give --tls-cert and --tls-key files in PEM that belong together")
		}
	}
	if f.base != "" {
		if h.base, err = url.Parse(f.base); err != nil || h.base.Host == "" || h.base.Scheme != "http" && h.base.Scheme != "https" {
			return nil, usage("--base-url cannot be "+f.base, "give the whole address, such as --base-url https://agents.example.com")
		}
	}
	if h.proxies, err = prefixes(f.proxies); err != nil {
		return nil, err
	}
	if h.keys, err = a.tokens(f.tokens); err != nil {
		return nil, err
	}
	if h.keys == nil && (!h.local || h.base != nil && !dial.ThisMachine(h.base.Hostname())) {
		return nil, usage("others than this machine need a token to come in, and there is none",
			"set CHARGEHAND_API_TOKEN or CHARGEHAND_API_TOKEN_FILE, or give --tokens FILE; or listen on 127.0.0.1")
	}
	return h, nil
}

// certificate reads a certificate, with its chain, and its key.
func certificate(cert, key string) (*tls.Certificate, error) {
	public, err := readSmall(cert)
	if err != nil {
		return nil, err
	}
	private, err := readSmall(key)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair([]byte(public), []byte(private))
	return &pair, err
}

// prefixes are addresses, and ranges of them.
func prefixes(given []string) ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, text := range given {
		p, err := netip.ParsePrefix(text)
		if addr, bad := netip.ParseAddr(text); bad == nil {
			p, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		if err != nil {
			return nil, usage("--trusted-proxy cannot be "+text, "give an address or a range of them, such as --trusted-proxy 10.0.0.0/8")
		}
		all = append(all, p)
	}
	return all, nil
}

// furnish puts the doors in.
func (h *house) furnish(e chargehand.Engine, served []Ready) error {
	h.engine = e
	var teams []chargehand.Team
	var models []chatapi.Model
	for _, r := range served {
		h.teams = append(h.teams, r.Team.Name)
		teams = append(teams, r.Team)
		models = append(models, chatapi.Model{Team: r.Team, Reads: r.Documents})
	}
	chat := chatapi.Options{Models: models, Report: markdown, Schema: gate.Schema, Leaving: h.leaving, Host: h.ours}
	release, _ := build()
	tools := mcpapi.Options{Teams: teams, Version: release, Leaving: h.leaving, Host: h.ours}
	agents := a2aapi.Options{Teams: teams, BaseURL: h.form.base, Host: h.ours}
	if h.keys != nil {
		chat.Caller = func(r *http.Request) (chatapi.Caller, bool) {
			name, ok := h.keys.principal(r)
			return chatapi.Caller{Name: name}, ok
		}
		tools.Caller = func(r *http.Request) (mcpapi.Caller, bool) {
			name, ok := h.keys.principal(r)
			return mcpapi.Caller{Name: name}, ok
		}
		agents.Caller = func(r *http.Request) (a2aapi.Caller, bool) {
			name, ok := h.keys.principal(r)
			return a2aapi.Caller{Name: name}, ok
		}
	}
	api, err := mcpapi.New(e, tools)
	if err != nil {
		return err
	}
	h.mcp = api.Handler()
	if h.chat, err = chatapi.Handler(e, chat); err != nil {
		return err
	}
	h.a2a, err = a2aapi.Handler(e, agents)
	return err
}

func markdown(r *chargehand.Result) (string, error) {
	var b strings.Builder
	err := report.Markdown(&b, r, r.Status.Sign())
	return b.String(), err
}

// handler sends requests to their doors, which refuse those to other hosts in their own words.
func (h *house) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/v1/", h.chat)
	mux.Handle("/mcp", h.mcp)
	mux.Handle("/mcp/{$}", h.mcp)
	mux.Handle("/a2a/", h.a2a)
	mux.Handle("/.well-known/agent-card.json", h.a2a)
	mux.Handle("/.well-known/agent-card.json/{$}", h.a2a)
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", h.ready)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		probe := r.URL.Path == "/livez" || r.URL.Path == "/readyz"
		if !probe && h.left() {
			w.Header().Set("Connection", "close")
			w.Header().Set("Retry-After", "10")
			say(w, http.StatusServiceUnavailable, "the server is about to end")
			return
		}
		mux.ServeHTTP(w, a2aapi.Plain(r))
	})
}

// abandoning drops the connection of a request whose handler panics, and tells operators where that
// was; what it panicked with may be somebody's text.
func abandoning(out io.Writer, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if err, ok := v.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
				fmt.Fprintf(out, "error: a request was not answered, its handler panicked\n%s", debug.Stack())
			}
			panic(http.ErrAbortHandler)
		}()
		next.ServeHTTP(w, r)
	})
}

// ours reports whether a request's host is one that this server goes by. A page of the web that lets
// its own name resolve to this machine fails here. Beyond this machine, without a base URL, any name
// will do: a page has no token.
func (h *house) ours(host string) bool {
	if h.base != nil && strings.EqualFold(host, h.base.Host) {
		return true
	}
	if h.local {
		return dial.ThisMachine(host)
	}
	return h.base == nil
}

// ready tells whether requests are taken, and the engine answers.
func (h *house) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	if h.left() {
		say(w, http.StatusServiceUnavailable, "ending")
		return
	}
	if _, err := h.engine.Runs(ctx, chargehand.Filter{Limit: 1}); err != nil {
		say(w, http.StatusServiceUnavailable, "the engine does not answer")
		return
	}
	say(w, http.StatusOK, "ok")
}

func (h *house) leave() { close(h.leaving) }

func (h *house) left() bool {
	select {
	case <-h.leaving:
		return true
	default:
		return false
	}
}

func (h *house) names() string { return strings.Join(h.teams, ", ") }

func (h *house) address(l net.Listener) string {
	if h.form.cert != "" {
		return "https://" + l.Addr().String()
	}
	return "http://" + l.Addr().String()
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n"))
}
