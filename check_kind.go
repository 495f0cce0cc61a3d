package chargehand

import (
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// llm checks a worker that is a language model. Which models there are is not known here.
func (c *check) llm(path string, w *WorkerSpec) {
	x := w.LLM
	if x == nil {
		x = &LLMKind{}
	}
	if w.Model == "" && c.team.Models.Of(w.Tier) == "" {
		c.add(path+".model", "is missing: say which model it is, or name one for its tier in `models`", "such as `model: openai/gpt-5-mini`")
	}
	c.model(path+".model", w.Model)
	c.natural(path+".llm.maxTokens", int64(x.MaxTokens))
	c.natural(path+".llm.maxTurns", int64(x.MaxTurns))
	c.natural(path+".llm.maxToolCalls", int64(x.MaxTools))
	c.natural(path+".llm.maxInputTokens", int64(x.MaxInput))
	if x.Temperature != nil && (*x.Temperature < 0 || *x.Temperature > 2) {
		c.problem(path+".llm.temperature", "must be 0 to 2, it is %g", *x.Temperature)
	}
	c.unwrap(path+".llm.unwrap", x.Unwrap)
	for i, grant := range w.ToolGrants {
		c.toolName(fmt.Sprintf("%s.toolGrants[%d]", path, i), grant)
	}
}

// unwrap checks what is to be taken off a model's answers.
func (c *check) unwrap(path string, list []Wrapping) {
	for i, w := range list {
		if w != WrapFence && w != WrapThink {
			c.add(fmt.Sprintf("%s[%d]", path, i), tick(string(w))+" is nothing that can be taken off an answer", "write `fence` or `think`")
		}
	}
}

// model checks a model's name as a team writes it; empty is left to others.
func (c *check) model(path, name string) {
	if provider, model, ok := strings.Cut(name, "/"); name != "" && (!ok || provider == "" || model == "") {
		c.add(path, tick(name)+" is no model", "write the provider and its name for the model, such as `openai/gpt-5-mini`")
	}
}

// toolName checks the name of a tool of one of the team's servers: "server.tool".
func (c *check) toolName(path, name string) {
	server, tool, ok := strings.Cut(name, ".")
	if !ok || server == "" || tool == "" {
		c.add(path, tick(name)+" is no tool of a server", "write the server and the tool, such as `files.read`")
		return
	}
	c.refer(path, "tool server", server, &c.servers)
}

func (c *check) mcp(path string, x *MCPKind) {
	if x == nil {
		x = &MCPKind{}
	}
	if c.required(path+".tool", x.Tool, "say which tool of which server it is, such as `files.read`") {
		c.toolName(path+".tool", x.Tool)
	}
}

func (c *check) a2a(path string, x *A2AKind) {
	if x == nil {
		x = &A2AKind{}
	}
	if c.required(path+".card", x.Card, "say where the agent's card is") {
		c.address(path+".card", x.Card)
	}
	c.headers(path+".headers", x.Headers)
}

func (c *check) models() {
	c.model("$.models.tier1", c.team.Models.Tier1)
	c.model("$.models.tier2", c.team.Models.Tier2)
	c.model("$.models.tier3", c.team.Models.Tier3)
	priced := names{}
	for i := range c.team.Prices {
		path, p := fmt.Sprintf("$.prices[%d]", i), &c.team.Prices[i]
		if c.required(path+".model", p.Model, "say which model it is the price of") {
			c.model(path+".model", p.Model)
			priced.add(p.Model, i)
			if first := priced.first[p.Model]; first != i {
				c.problem(path+".model", "%s has a price already, in $.prices[%d]", tick(p.Model), first)
			}
		}
		c.price(path, p.base())
		for j := range p.Steps {
			c.step(fmt.Sprintf("%s.steps[%d]", path, j), p.Steps[:j+1])
		}
	}
}

func (c *check) price(path string, p Price) {
	c.money(path+".inputUSD", p.InputUSD)
	c.money(path+".outputUSD", p.OutputUSD)
	c.money(path+".cachedInputUSD", p.CachedInputUSD)
	c.money(path+".cacheWriteUSD", p.CacheWriteUSD)
}

// step is the last of some steps of a price.
func (c *check) step(path string, steps []PriceStep) {
	s, before := &steps[len(steps)-1], int64(0)
	if n := len(steps) - 2; n >= 0 {
		before = steps[n].Above
	}
	if s.Above <= before {
		c.add(path+".aboveInputTokens", fmt.Sprintf("must be more than %d, it is %d", before, s.Above),
			"steps begin above a number of tokens of input, the shortest first")
	}
	c.price(path, s.price())
}

func (c *check) tools() {
	for i := range c.team.Tools {
		path, s := fmt.Sprintf("$.tools[%d]", i), &c.team.Tools[i]
		if c.required(path+".name", s.Name, "its tools are named after it") {
			if !sane(s.Name) || strings.Contains(s.Name, ".") {
				c.add(path+".name", tick(s.Name)+" cannot be a server's name", "use letters, digits, `-` and `_`")
			}
			if first := c.servers.first[s.Name]; first != i {
				c.problem(path+".name", "%s is also the name of $.tools[%d]", tick(s.Name), first)
			}
		}
		switch {
		case len(s.Command) == 0 && s.URL == "":
			c.add(path, "says nowhere to reach it", "give a `command` to start, or a `url`")
		case len(s.Command) > 0 && s.URL != "":
			c.problem(path, "has both a command and a url: keep one")
		case s.URL != "":
			c.address(path+".url", s.URL)
		}
		c.environment(path+".env", s.Env)
		c.reach(path, &s.Reach)
		c.headers(path+".headers", s.Headers)
		c.signIn(path+".signIn", s)
		for _, name := range slices.Sorted(maps.Keys(s.Tools)) {
			choice(c, path+".tools."+name+".effect", s.Tools[name].Effect,
				EffectRead, EffectWrite, EffectIrreversible, EffectExternalComm, EffectPayment)
			if d := s.Tools[name].Digest; d != "" && !digest.MatchString(d) {
				c.add(path+".tools."+name+".digest", tick(d)+" is no digest", "write it as a run's record of its tools has it: `sha256:` and 64 digits")
			}
		}
	}
}

func (c *check) signIn(path string, s *ToolServer) {
	in := s.SignIn
	if in == nil {
		return
	}
	if s.URL == "" {
		c.problem(path, "is for servers with a url")
	}
	choice(c, path+".grant", in.Grant, GrantAuthorizationCode, GrantClientCredentials)
	c.open(path+".clientSecret", in.ClientSecret)
	c.open(path+".privateKey", in.PrivateKey)
	if in.Grant == GrantClientCredentials {
		c.clientCredentials(path, in)
		return
	}
	if in.ClientID == "" && in.ClientSecret != "" {
		c.problem(path+".clientId", "is missing: the secret is of no client")
	}
	for _, field := range []struct{ name, value string }{{"privateKey", in.PrivateKey}, {"issuer", in.Issuer}, {"tokenUrl", in.TokenURL}} {
		if field.value != "" {
			c.add(path+"."+field.name, "is for clients that sign in by themselves", "add `grant: client_credentials`")
		}
	}
	if in.Port < 0 || in.Port > 65535 {
		c.problem(path+".port", "want 0 to 65535")
	}
}

// clientCredentials checks a client that signs in by itself.
func (c *check) clientCredentials(path string, in *SignIn) {
	c.required(path+".clientId", in.ClientID, "the authorization server knows the client by it")
	switch {
	case in.ClientSecret == "" && in.PrivateKey == "":
		c.add(path+".clientSecret", "is missing: the client has to show who it is", "name a variable of the environment, such as `$TOOLS_SECRET`, here or as `privateKey`")
	case in.ClientSecret != "" && in.PrivateKey != "":
		c.problem(path, "has both a clientSecret and a privateKey: keep one")
	}
	if in.Port != 0 {
		c.problem(path+".port", "is for people who sign in in a browser")
	}
	for _, field := range []struct{ name, value string }{{"issuer", in.Issuer}, {"tokenUrl", in.TokenURL}} {
		if u, err := url.Parse(field.value); field.value != "" && (err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && !loopback(u)) {
			c.add(path+"."+field.name, tick(field.value)+" is no address that a secret is sent to", "such as `https://auth.example`")
		}
	}
}

// loopback reports whether an address is one of this machine, spoken to in the clear.
func loopback(u *url.URL) bool {
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Scheme == "http" && (u.Hostname() == "localhost" || err == nil && ip.IsLoopback())
}

var digest = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
