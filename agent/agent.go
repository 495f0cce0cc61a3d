// Package agent is language models at work: as workers with tools, as reviewers, as planners, and as
// writers of a run's result. It makes them from what a team declares (SPEC.md ·2, ·13, ·66, ·141).
//
// What a model is told is in prompt/*.txt, the team's own prompt, and the contract. Everything else
// (documents, outputs, hints, what tools say) reaches it as data between markers that data cannot
// forge (frame.go), and nothing it answers is used before the gate has seen it.
package agent

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/agent/a2a"
	"github.com/chargehand/chargehand/internal/dial"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/open"
	"github.com/chargehand/chargehand/model/price"
	"github.com/chargehand/chargehand/tool"
	"github.com/chargehand/chargehand/tool/mcp"
	"github.com/chargehand/chargehand/worker"
)

// Options say where models and tools come from. The zero Options reach none.
type Options struct {
	// Open reaches a model by the name a team gives it, "provider/model". Nil means by what the
	// environment says of providers (package model/open).
	Open func(ref string) (model.Model, error)

	// Price is what a model costs, by length of its input, false where that is not known. What a team says of a price goes
	// before. Nil means the built-in table (package model/price).
	Price func(ref string) (chargehand.ModelPrice, bool)

	// Tools makes what lets the calls of one attempt through, or not. Dir is where relative paths of
	// the team's servers start from. Nil means the executor of package tool over the team's servers.
	Tools func(ctx context.Context, team *chargehand.Team, dir string, task *chargehand.WorkerTask) (Tools, error)

	// Servers says how tool servers are reached. A Client that is nil leads only where that is
	// allowed (SPEC.md ·202).
	Servers mcp.Options

	// Tries is how often one call of a model is made when failures pass, the first included. Zero
	// means 4.
	Tries int
}

// Tools are the tools of one attempt behind what was granted (SPEC.md ·54).
type Tools interface {
	// Definitions are the tools that may be called, by names that providers take.
	Definitions() []tool.Definition

	// Call makes a call or refuses it. The text is data either way; failed says that it did not
	// work. Arguments are as the model wrote them.
	Call(ctx context.Context, name, arguments string) (text string, failed bool)

	// Deny puts on the record that a call was wished for and not even handed on, and why.
	Deny(name string, cause chargehand.Denied, why string)

	// Err is why the attempt must not go on; nil while it may. One with a method Blockers is for a
	// person to see to.
	Err() error

	// Report is what the attempt's result says of its tools; nil if there is nothing to say.
	Report() *chargehand.ToolReport

	// Close ends the attempt: nothing is let through any more.
	Close() error
}

// Agents makes what teams declare: it is the worker.Maker for real models. Whoever made it closes
// it, when the engines that it works for are closed: it may be shared, and none of them does.
type Agents struct {
	opt Options

	mu   sync.Mutex
	pool *mcp.Pool // nil until a team has tools
}

var (
	_ worker.Maker = (*Agents)(nil)
	_ Tools        = (*tool.Executor)(nil)
)

// New makes teams' agents with these models and tools.
func New(opt Options) *Agents {
	if opt.Open == nil {
		opt.Open = func(ref string) (model.Model, error) { return open.Model(ref, os.LookupEnv, open.Options{}) }
	}
	if opt.Price == nil {
		opt.Price = price.Of
	}
	if opt.Tries <= 0 {
		opt.Tries = 4
	}
	return &Agents{opt: opt}
}

// Worker is the worker behind a registry entry of kind llm, mcp or a2a.
func (a *Agents) Worker(t *chargehand.Team, spec *chargehand.WorkerSpec, dir string) (worker.Worker, error) {
	switch spec.Kind {
	case chargehand.KindLLM:
		w, err := a.llm(t, spec, dir)
		if err != nil {
			return nil, fmt.Errorf("worker %q: %w", spec.WorkerID, err)
		}
		return w, nil
	case chargehand.KindA2A:
		return remote(t, spec)
	case chargehand.KindMCP:
		belt, err := a.belt(t, dir)
		if err != nil {
			return nil, fmt.Errorf("worker %q: %w", spec.WorkerID, err)
		}
		return mcp.Worker(belt, spec)
	}
	return nil, fmt.Errorf("worker %q: kind %q is none of llm, mcp, a2a", spec.WorkerID, spec.Kind)
}

// remote is an agent elsewhere. Its card, and what the card leads to, is reached only where that is
// allowed (SPEC.md ·202).
func remote(t *chargehand.Team, spec *chargehand.WorkerSpec) (worker.Worker, error) {
	if spec.A2A == nil {
		return nil, fmt.Errorf("worker %q: a2a.card is empty", spec.WorkerID)
	}
	guard, err := dial.FromEnvironment()
	if err != nil {
		return nil, err
	}
	return a2a.New(spec, t.Contracts, a2a.Options{Client: guard.Client(spec.A2A.Card)})
}

// Drift says in which way what is made here differs from what a team was completed with (SPEC.md ·161).
func (a *Agents) Drift(t *chargehand.Team) []string {
	if t.Prompts == "" || t.Prompts == Prompts {
		return nil
	}
	return []string{"the built-in prompts are not those the run began with"}
}

// metered is a model by name, with the meter that its calls go through.
func (a *Agents) metered(t *chargehand.Team, ref string) (func() *meter, error) {
	p, ok := a.price(t, ref)
	if !ok {
		return nil, unpriced(ref)
	}
	m, err := a.opt.Open(ref)
	if err != nil {
		return nil, fmt.Errorf("reach the model %s: %w", ref, err)
	}
	return func() *meter { return &meter{model: m, price: &p, tries: a.opt.Tries} }, nil
}
