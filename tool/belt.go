package tool

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chargehand/chargehand"
)

// A Belt is the tools of one team: where they come from, and what the team says of each. It is for
// all runs of the team, and for many goroutines.
type Belt struct {
	servers map[string]server
	opt     Options
	pins    pins

	mu       sync.Mutex
	compiled map[string]*compiled // by digest
}

type server struct {
	source Source
	policy map[string]chargehand.ToolPolicy // by the tool's own name
}

// compiled is what is made of a definition once.
type compiled struct {
	arguments, answer *schema
	broken            string // why it cannot be used; empty if it can
}

// Options are the limits of calls. The zero Options are the defaults.
type Options struct {
	AnswerBytes int           // of an answer that are handed on, and of a structured answer at all. Zero means 256 KiB
	Timeout     time.Duration // of one call. Zero means that the attempt's deadline is its only one
	Tries       int           // of a call that may be made again, the first included. Zero means 3
	Log         *slog.Logger  // nil means none
}

func (o Options) answerBytes() int { return orDefault(o.AnswerBytes, 256<<10) }

func (o Options) tries() int { return orDefault(o.Tries, 3) }

func orDefault[T int | time.Duration](v, d T) T {
	if v <= 0 {
		return d
	}
	return v
}

// NewBelt makes a team's tools ready. Sources are by the names of the team's tool servers; a server
// without one is an error.
func NewBelt(team *chargehand.Team, sources map[string]Source, opt Options) (*Belt, error) {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	b := &Belt{servers: map[string]server{}, opt: opt, compiled: map[string]*compiled{}}
	for i := range team.Tools {
		s := &team.Tools[i]
		if sources[s.Name] == nil {
			return nil, fmt.Errorf("tool server %q: there is no source of its tools", s.Name)
		}
		b.servers[s.Name] = server{sources[s.Name], s.Tools}
	}
	return b, nil
}

// Executor readies the tools that a task allows, as their servers define them now. The error of a
// server that cannot be asked is an *Error with NotBegun. Close it when the attempt is over.
func (b *Belt) Executor(ctx context.Context, t *chargehand.WorkerTask) (*Executor, error) {
	x := &Executor{
		belt: b, run: t.RunID, subtask: t.TaskID, effect: t.Effect, most: orDefault(t.MaxToolCalls, chargehand.DefaultToolCalls),
		before: t.DoneActions, tools: map[string]*granted{}, done: map[string]*doing{},
	}
	b.pins.hold(t.RunID, t.ToolDigests)
	names := slices.Compact(slices.Sorted(slices.Values(t.AllowedTools)))
	alias := aliases(names)
	for _, name := range names {
		g, err := x.grant(ctx, name)
		if err != nil {
			_ = x.Close()
			return nil, err
		}
		g.alias = alias[name]
		x.tools[name], x.tools[g.alias] = g, g
		x.list = append(x.list, g)
	}
	return x, nil
}

// definition is what a tool's server says of it now, together with what the team says; nil if there
// is no such tool, and why.
func (b *Belt) definition(ctx context.Context, name string) (*Definition, string, error) {
	own, tool, _ := strings.Cut(name, ".")
	s, ok := b.servers[own]
	if !ok {
		return nil, fmt.Sprintf("the team has no tool server %s", quoted(own)), nil
	}
	list, err := s.source.Tools(ctx)
	if err != nil {
		return nil, "", &Error{Message: fmt.Sprintf("list the tools of the server %q", own), Err: err, NotBegun: true}
	}
	var found *Definition
	for i := range list {
		switch {
		case list[i].Name != name:
		case found != nil:
			return nil, fmt.Sprintf("its server lists %s twice", quoted(name)), nil
		default:
			d := list[i]
			found = &d
		}
	}
	if found == nil {
		return nil, fmt.Sprintf("its server has no tool %s", quoted(tool)), nil
	}
	p := s.policy[tool]
	found.Effect, found.Idempotent = p.Effect, p.Idempotent
	if found.Effect == "" {
		found.Effect = chargehand.EffectWrite
	}
	return found, "", nil
}

// Lacking finds those of some tools that their servers do not have now, with the names of all that the
// server has. It asks each server once, all at the same time. What cannot be asked lacks nothing.
func (b *Belt) Lacking(ctx context.Context, names []string) map[string][]string {
	wanted := map[string][]string{}
	for _, name := range names {
		own, _, _ := strings.Cut(name, ".")
		if _, ok := b.servers[own]; ok {
			wanted[own] = append(wanted[own], name)
		}
	}
	var mu sync.Mutex
	var asked sync.WaitGroup
	lacking := map[string][]string{}
	for own, names := range wanted {
		asked.Go(func() {
			list, err := b.servers[own].source.Tools(ctx)
			if err != nil {
				return
			}
			has := make([]string, len(list))
			for i := range list {
				has[i] = list[i].Name
			}
			mu.Lock()
			defer mu.Unlock()
			for _, name := range names {
				if !slices.Contains(has, name) {
					lacking[name] = has
				}
			}
		})
	}
	asked.Wait()
	return lacking
}

// compile makes a definition's schemas ready, once for each digest.
func (b *Belt) compile(d *Definition, digest string) *compiled {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c := b.compiled[digest]; c != nil {
		return c
	}
	const plenty = 2_000 // a server whose definitions change for ever is forgotten now and then
	if len(b.compiled) >= plenty {
		clear(b.compiled)
	}
	c := &compiled{}
	b.compiled[digest] = c
	var err error
	if c.arguments, err = compile(d.Schema); err != nil {
		c.broken = err.Error()
	} else if c.answer, err = compile(d.Output); err != nil {
		c.broken = "of its answers: " + err.Error()
	}
	return c
}

// declared is the digest that the team file names for a tool; empty if it names none.
func (b *Belt) declared(name string) string {
	own, tool, _ := strings.Cut(name, ".")
	return b.servers[own].policy[tool].Digest
}

func (b *Belt) sourceOf(name string) Source {
	own, _, _ := strings.Cut(name, ".")
	return b.servers[own].source
}
