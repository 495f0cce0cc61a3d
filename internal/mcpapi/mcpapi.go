// Package mcpapi serves supervised teams as tools of the Model Context Protocol
// (https://modelcontextprotocol.io), revision 2026-07-28 and older: calling a team's tool is a run,
// its records are the call's progress, and the answer is the run's result. Nothing here decides a
// review: a run that waits for a person says where one decides (SPEC.md ·125).
package mcpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/dial"
)

// Options say what is served, and to whom.
type Options struct {
	// Teams are the teams served, each a tool under its name. At least one.
	Teams []chargehand.Team

	// Version is the program's, as clients are told it. Empty means "0".
	Version string

	// Caller tells who makes a request over HTTP, and false where that is not known, which is
	// refused. Nil means that whoever asks is Caller{Name: "mcp"}, and that only requests to this
	// machine under its own name are let in.
	Caller func(*http.Request) (Caller, bool)

	// Host reports whether a request's host is one that this server goes by; others are refused. Nil
	// means this machine's own names where Caller is nil, and any otherwise.
	Host func(host string) bool

	// Where tells people where a review is decided, such as a page's address. Nil means the command.
	Where func(chargehand.Review) string

	// Leaving is closed when this process is about to end: calls then answer that their runs go on
	// later. Nil means never.
	Leaving <-chan struct{}

	Wait      time.Duration // how long a call waits for its run where it does not say; zero means 5 min
	Heartbeat time.Duration // between signs of progress on a quiet call; zero means 10 s
	Timeout   time.Duration // to read a request; zero means 30 s
	MaxBody   int64         // bytes of a request, its documents included; zero means 32 MiB
	MaxAnswer int           // bytes of output, and of items, in one answer; zero means 256 KiB
	MaxCalls  int           // calls of one caller at a time; zero means 64
	Sessions  int           // of one caller at a time, for revisions that have them; zero means 64

	// Log is for operators. Nil means no log. It never holds payloads.
	Log *slog.Logger
}

// A Caller is who makes a call. A caller sees the runs it began and no others.
type Caller struct {
	Name   string // the principal; recorded as who started a run
	Tenant string
}

// An API makes tools of teams.
type API struct {
	engine chargehand.Engine
	opt    Options
	tools  []*mcp.Tool // by team, in the order of Options.Teams
}

// New makes an API over an engine. Teams that cannot be told apart as tools are an error.
func New(e chargehand.Engine, o Options) (*API, error) {
	a := &API{engine: e, opt: withDefaults(o)}
	if len(o.Teams) == 0 {
		return nil, errors.New("serve mcp: no team is given")
	}
	taken := map[string]bool{getRun: true, waitRun: true, cancelRun: true}
	for i := range a.opt.Teams {
		t := teamTool(&a.opt.Teams[i])
		if t.Name == "" || taken[t.Name] {
			return nil, fmt.Errorf("serve mcp: the team %q cannot have the tool name %q, which is taken", a.opt.Teams[i].Name, t.Name)
		}
		taken[t.Name] = true
		a.tools = append(a.tools, t)
	}
	return a, nil
}

func withDefaults(o Options) Options {
	positive(&o.Wait, 5*time.Minute)
	positive(&o.Heartbeat, 10*time.Second)
	positive(&o.Timeout, 30*time.Second)
	positive(&o.MaxBody, 32<<20)
	positive(&o.MaxAnswer, 256<<10)
	positive(&o.MaxCalls, 64)
	positive(&o.Sessions, 64)
	if o.Version == "" {
		o.Version = "0"
	}
	if o.Host == nil {
		local := o.Caller == nil
		o.Host = func(host string) bool { return !local || dial.ThisMachine(host) }
	}
	if o.Where == nil {
		o.Where = func(r chargehand.Review) string { return "chargehand review show " + r.ID }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Teams = append([]chargehand.Team(nil), o.Teams...)
	return o
}

func positive[N int | int64 | time.Duration](n *N, otherwise N) {
	if *n <= 0 {
		*n = otherwise
	}
}

const instructions = "Each team is a tool: calling it starts a supervised run, in which every output is checked before it is used, and answers with the result, " +
	"its gaps named. A call that answers before the run has ended gives its run_id: go on with wait_run. Where state is needs_human a person " +
	"decides, at the place that the review names; no tool can decide."

// Server is a server for one caller.
func (a *API) Server(who Caller) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "chargehand", Title: "Chargehand", Version: a.opt.Version}, &mcp.ServerOptions{
		Instructions: instructions, Logger: a.opt.Log,
		// Teams are fixed while the program runs, so lists do not change.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	s.AddReceivingMiddleware(onlyServed)
	a.Register(s, who)
	return s
}

// Register adds the tools to a server that who alone uses.
func (a *API) Register(s *mcp.Server, who Caller) {
	d := &desk{API: a, who: who, seats: make(chan struct{}, a.opt.MaxCalls)}
	for i, t := range a.tools {
		team := &a.opt.Teams[i]
		s.AddTool(t, d.seated(func(ctx context.Context, c call) (*answer, error) { return d.start(ctx, c, team) }))
	}
	s.AddTool(runTool(getRun, "Tells how a run stands, and what it has found so far.", true), d.seated(d.get))
	s.AddTool(runTool(waitRun, "Waits until a run has ended, or waits for a person, and tells how it stands.", true), d.seated(d.wait))
	s.AddTool(runTool(cancelRun, "Cancels a run that this caller started. What was accepted so far is kept.", false), d.seated(d.cancel))
}

// A desk serves one caller.
type desk struct {
	*API
	who   Caller
	seats chan struct{} // taken by calls under way
}

// toolName is a team's name as the protocol allows it: letters, digits, "_", "-" and ".".
func toolName(team string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.", r) {
			return r
		}
		return '_'
	}, team)
	return name[:min(len(name), 128)]
}
