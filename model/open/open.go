// Package open makes a Model out of its name, "provider/model", and of what the environment says of the
// provider: its key, and where it is.
package open

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/anthropic"
	"github.com/chargehand/chargehand/model/openai"
)

// An Env looks a variable up: os.LookupEnv, or what a test says.
type Env func(name string) (value string, ok bool)

// Options are how models are called. The zero Options are what most want.
type Options struct {
	HTTP  *http.Client // Nil means one without a timeout
	Limit int          // bytes of an answer. Zero means 8 MiB
}

// Model is the model of a ref: "provider/model", or a model's name, whose provider is then known by the
// name, or by which one is configured. "provider+responses/model" is called by the Responses API. It sends
// nothing. The error says what is missing, and what to do.
func Model(ref string, env Env, o Options) (model.Model, error) {
	plain, responses := byResponses(ref)
	name, provider, err := resolve(plain, env)
	if err != nil {
		return nil, err
	}
	if responses && provider.messages {
		return nil, bad(ref, provider.title+" has no Responses API", "write "+provider.name+"/"+name)
	}
	p, err := provider.configured(env, o)
	if err != nil {
		return nil, err
	}
	p.responses = responses
	return p.model(name), nil
}

// Resolve is the ref in full: "provider/model", or "provider+responses/model".
func Resolve(ref string, env Env) (string, error) {
	plain, responses := byResponses(ref)
	name, m, err := resolve(plain, env)
	if err != nil {
		return "", err
	}
	if responses {
		return m.name + ResponsesMark + "/" + name, nil
	}
	return m.name + "/" + name, nil
}

// ResponsesMark follows the name of a provider whose model is called by the Responses API.
const ResponsesMark = "+responses"

// byResponses takes the mark off a ref.
func byResponses(ref string) (plain string, marked bool) {
	provider, name, _ := strings.Cut(strings.TrimSpace(ref), "/")
	provider, marked = strings.CutSuffix(provider, ResponsesMark)
	if !marked {
		return ref, false
	}
	return provider + "/" + name, true
}

// resolve finds whose model a ref means.
func resolve(ref string, env Env) (string, *maker, error) {
	ref = strings.TrimSpace(ref)
	first, rest, slash := strings.Cut(ref, "/")
	if m := byName(first); slash && m != nil {
		if rest == "" {
			return "", nil, bad(ref, "it names no model", "write "+first+"/MODEL")
		}
		return rest, m, nil
	}
	if ref == "" {
		return "", nil, bad(ref, "it is empty", "write PROVIDER/MODEL, such as anthropic/claude-sonnet-4-5")
	}
	if slash { // "meta-llama/Llama-3.3-70B" is a name at vLLM, "openai/…" one at OpenRouter
		for _, m := range makers {
			if m.any && m.set(env) {
				return ref, m, nil
			}
		}
		return "", nil, bad(ref, "no provider is called "+first, "providers are "+strings.Join(names(), ", ")+near(first)+
			"; for a server of your own set OPENAI_BASE_URL")
	}
	for _, m := range makers {
		if m.makes(ref) {
			return ref, m, nil
		}
	}
	var open []*maker
	for _, m := range makers {
		if m.any && m.set(env) {
			open = append(open, m)
		}
	}
	if len(open) == 1 {
		return ref, open[0], nil
	}
	return "", nil, bad(ref, "the name does not tell whose model it is", "write PROVIDER/"+ref+", with one of "+strings.Join(names(), ", "))
}

func bad(ref, why, next string) error {
	return &chargehand.Error{Code: chargehand.CodeInvalid, What: "no model " + quote(ref), Why: why, Next: next}
}

func quote(s string) string { return `"` + s + `"` }

func near(word string) string {
	if n := chargehand.Near(word, names()); n != "" {
		return " (did you mean " + n + "?)"
	}
	return ""
}

func names() []string {
	out := make([]string, 0, len(makers))
	for _, m := range makers {
		out = append(out, m.name)
	}
	return out
}

func byName(name string) *maker {
	if i := slices.IndexFunc(makers, func(m *maker) bool { return m.name == name }); i >= 0 {
		return makers[i]
	}
	return nil
}

// caller is what both kinds of providers have.
type caller interface {
	model.Model
	lister
}

// model is one of the provider's.
func (p *Provider) model(name string) caller {
	if p.maker.messages {
		return anthropic.New(name, *p.key, anthropic.Options{BaseURL: p.Address, HTTP: p.o.HTTP, Limit: p.o.Limit, Name: p.Name})
	}
	return openai.New(name, *p.key, openai.Options{BaseURL: p.Address, HTTP: p.o.HTTP, Limit: p.o.Limit, Name: p.Name, Responses: p.responses})
}

// configured is the provider as the environment has it.
func (m *maker) configured(env Env, o Options) (*Provider, error) {
	key, err := secret(env, m.key)
	if err != nil {
		return nil, err
	}
	address, err := m.where(env)
	if err != nil {
		return nil, err
	}
	if key == "" && !m.open && (address == m.address || !m.any) {
		return nil, &chargehand.Error{
			Code: chargehand.CodeInvalid, What: "cannot call " + m.title, Why: m.key + " is not set",
			Next: "export " + m.key + "=… (or " + m.key + "_FILE=PATH)" + m.instead(),
		}
	}
	return &Provider{Name: m.name, Title: m.title, Address: address, Variable: cmp.Or(m.key, m.base), key: &key, maker: m, o: o}, nil
}

// instead is another way to the same, where there is one.
func (m *maker) instead() string {
	if m.any && m.base != "" {
		return ", or " + m.base + "=URL of a server that wants none"
	}
	return ""
}
