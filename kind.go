package chargehand

import "cmp"

// LLMKind is a worker that is a language model with a prompt and, where it has grants, tools. The
// model is the worker's Model, or that of its tier in the team's Models.
type LLMKind struct {
	// Prompt is what the model is told about its work. The engine adds the role, the contract and
	// what is data and what is not; texts of a run never get in.
	Prompt string `json:"prompt,omitempty"`

	MaxTokens   int      `json:"maxTokens,omitempty"`      // of one answer; zero means 4096
	MaxTurns    int      `json:"maxTurns,omitempty"`       // calls of the model in one attempt; zero means 10
	MaxTools    int      `json:"maxToolCalls,omitempty"`   // calls of tools in one attempt, where the task does not say; zero means 20
	MaxInput    int      `json:"maxInputTokens,omitempty"` // of all that one call is sent, counted as a token for three bytes; zero means 200,000
	Temperature *float64 `json:"temperature,omitempty"`    // nil means the provider's own

	// Unwrap is what the model puts around its answers, and is taken off before they are read. The
	// transcript says where it was. Nil means nothing: such an answer is refused.
	Unwrap []Wrapping `json:"unwrap,omitempty"`
}

// A Wrapping is what a model puts around an answer.
type Wrapping string

// The wrappings.
const (
	WrapFence Wrapping = "fence" // a Markdown code fence around the whole answer
	WrapThink Wrapping = "think" // a thought before it that ends with </think>
)

// MCPKind is a worker that is one tool of one of the team's tool servers: the task's input is its
// arguments, what it answers is the output.
type MCPKind struct {
	Tool string `json:"tool"` // "server.tool"
}

// A2AKind is a worker that is an agent reached by the A2A protocol.
type A2AKind struct {
	Card    string            `json:"card"`              // URL of the agent's card, or of its host
	Headers map[string]string `json:"headers,omitempty"` // $NAME in a value is taken from the environment
	Digest  string            `json:"digest,omitempty"`  // of the card, which then must be this; empty means the first seen in a run
}

// CardName is the name under which a run pins the card of a worker of kind a2a, beside its tools.
func CardName(workerID string) string { return "agent card of " + workerID }

// A ToolServer is where tools come from: a process that speaks MCP on its standard input and output,
// or an address that speaks it over Streamable HTTP. One of Command and URL is given.
type ToolServer struct {
	Name    string            `json:"name"` // the first half of its tools' names
	Command []string          `json:"command,omitempty"`
	Dir     string            `json:"dir,omitempty"` // working directory; relative to the team file
	Env     map[string]string `json:"env,omitempty"` // as of ExecKind

	Reach // of the command

	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"` // $NAME in a value is taken from the environment

	// SignIn is the client as which a person, or this program by itself, signs in to the server where it
	// wants that. Nil means one that registers itself, for a person.
	SignIn *SignIn `json:"signIn,omitempty"`

	// Tools says of each tool, by its own name, what it does to the world. A tool that is not named
	// counts as one that writes.
	Tools map[string]ToolPolicy `json:"tools,omitempty"`
}

// A SignIn is a client that a tool server's authorization server knows (OAuth 2.1).
type SignIn struct {
	Grant        SignInGrant `json:"grant,omitempty"`        // empty means authorization_code
	ClientID     string      `json:"clientId,omitempty"`     // an https URL is that of a client ID metadata document; empty: the client registers itself
	ClientSecret string      `json:"clientSecret,omitempty"` // $NAME is taken from the environment; empty for a client without one
	PrivateKey   string      `json:"privateKey,omitempty"`   // PEM, $NAME is taken from the environment: signs in the place of a secret; client_credentials only
	Issuer       string      `json:"issuer,omitempty"`       // the authorization server, and no other gets the client's credentials; empty means the one that the server names; client_credentials only
	TokenURL     string      `json:"tokenUrl,omitempty"`     // where tokens come from; empty means as the authorization server's metadata says; client_credentials only
	Port         int         `json:"port,omitempty"`         // of the redirect address on this machine; zero means any
	Scopes       []string    `json:"scopes,omitempty"`       // asked for; empty means those that the server names
}

// A SignInGrant is how a client comes to a token.
type SignInGrant string

// The grants.
const (
	GrantAuthorizationCode SignInGrant = "authorization_code" // a person signs in, in a browser
	GrantClientCredentials SignInGrant = "client_credentials" // the client signs in by itself, with its secret or key
)

// A ToolPolicy is what a team says about one tool.
type ToolPolicy struct {
	Effect Effect `json:"effect,omitempty"` // empty means write
	Digest string `json:"digest,omitempty"` // of its definition, which then must be this; empty means the first seen in a run

	// Idempotent says that a call of one idempotency key is done once, however often it is made. The
	// key is in the call's _meta, as chargehand.dev/idempotency-key. A call of a tool that writes
	// and is not idempotent is never made again when it is not known whether it took effect.
	Idempotent bool `json:"idempotent,omitempty"`
}

// Models names the models of the tiers, for workers that name none: "provider/model". A tier without
// one has that of the next better tier that has.
type Models struct {
	Tier1 string `json:"tier1,omitempty"`
	Tier2 string `json:"tier2,omitempty"`
	Tier3 string `json:"tier3,omitempty"`
}

// Of is the model of a tier; tier 0 is the second. Empty if none is named.
func (m Models) Of(tier int) string {
	switch tier {
	case 1:
		return m.Tier1
	case 3:
		return cmp.Or(m.Tier3, m.Of(2))
	}
	return cmp.Or(m.Tier2, m.Tier1)
}

// LLMPlanner is a planner that is a language model: it is shown the objective, what the team's
// workers can do and what they cost, and never their names (SPEC.md ·13, ·20).
type LLMPlanner struct {
	Model     string `json:"model,omitempty"`     // "provider/model"; empty means the team's best
	Prompt    string `json:"prompt,omitempty"`    // what to mind; the engine adds the rules
	MaxTokens int    `json:"maxTokens,omitempty"` // of a plan; zero means 8192
}
