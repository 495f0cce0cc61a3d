package open

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// A Provider is one that can be called.
type Provider struct {
	Name     string // as in "provider/model"
	Title    string // as people write it
	Address  string
	Variable string // that configures it

	key   *string // a pointer, so that printing a Provider does not show it
	maker *maker
	o     Options

	responses bool // its models are called by the Responses API
}

// A State is what the environment says of a provider: it can be called, or Err says why not.
type State struct {
	Provider
	Err error
}

// Providers are those that the environment says something of, configured or misconfigured, in a fixed
// order. A provider without any variable is not among them.
func Providers(env Env, o Options) []State {
	var out []State
	for _, m := range makers {
		if !m.mentioned(env) {
			continue
		}
		p, err := m.configured(env, o)
		if err != nil {
			p = &Provider{Name: m.name, Title: m.title, maker: m}
		}
		out = append(out, State{*p, err})
	}
	return out
}

// All are the providers that are known by name, in a fixed order, with nothing of the environment but
// the variable that each is configured by. None of them can be called.
func All() []Provider {
	out := make([]Provider, 0, len(makers))
	for _, m := range makers {
		out = append(out, Provider{Name: m.name, Title: m.title, Variable: cmp.Or(m.key, m.base), maker: m})
	}
	return out
}

// Variables are the names that configure a provider, those of files left out.
func Variables() []string {
	var out []string
	for _, m := range makers {
		if m.key != "" {
			out = append(out, m.key)
		}
	}
	return append(out, "OPENAI_BASE_URL", "OLLAMA_HOST")
}

func (m *maker) mentioned(env Env) bool {
	for _, name := range []string{m.key, m.key + "_FILE", m.base} {
		if v, _ := env(name); name != "" && name != "_FILE" && v != "" {
			return true
		}
	}
	return false
}

type lister interface {
	Models(context.Context) ([]string, error)
}

// A Pong is a provider's answer to Ping.
type Pong struct {
	Models []string // that it lists, sorted
	Took   time.Duration
}

// Ping asks the provider for its list of models, which costs nothing. The error is a *model.Error.
func (p *Provider) Ping(ctx context.Context) (Pong, error) {
	begun := time.Now()
	models, err := p.model("").Models(ctx)
	slices.Sort(models)
	return Pong{models, time.Since(begun)}, err
}

// String is the name and the address.
func (p Provider) String() string { return p.Name + " at " + p.Address }

// GoString is String: a key is nowhere in it.
func (p Provider) GoString() string { return p.String() }
