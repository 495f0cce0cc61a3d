// Package openai is the models of OpenAI and of every server that speaks its chat completions: Gemini's
// compatible endpoint, Ollama, vLLM, LiteLLM, OpenRouter and many more.
//
// The SDK makes requests and reads answers. What goes over the network is watched by model/internal/wire:
// the SDK's reader has no bound on lines, gives up after 300 comments, does not join the lines of an event,
// and ends in the same way after [DONE] as after a connection that closed too soon.
package openai

import (
	"context"
	"errors"
	"net/http"
	"slices"

	sdk "github.com/sashabaranov/go-openai"

	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/internal/wire"
)

// Address is where OpenAI's API is.
const Address = "https://api.openai.com/v1"

// Options are what a Model is like. The zero Options are those of OpenAI itself.
type Options struct {
	BaseURL string       // what "/chat/completions" follows. Empty means Address
	HTTP    *http.Client // Nil means one without a timeout; redirects are never followed
	Limit   int          // bytes of an answer, beyond which it counts as malformed. Zero means 8 MiB
	Name    string       // of the provider, in errors. Empty means "openai"
}

// A Model is one model of a provider that speaks chat completions.
type Model struct {
	name, base string
	wire       *wire.Client
	means      *wire.Means
}

// New is the model of a name, called with a key. An empty key is not sent.
func New(name, key string, o Options) *Model {
	if o.BaseURL == "" {
		o.BaseURL = Address
	}
	if o.Name == "" {
		o.Name = "openai"
	}
	return &Model{
		name: name, base: o.BaseURL, means: &wire.Means{},
		wire: &wire.Client{Provider: o.Name, Secret: &key, HTTP: o.HTTP, Limit: o.Limit},
	}
}

// String is "provider/model".
func (m *Model) String() string { return m.wire.Provider + "/" + m.name }

// GoString is String: a key is nowhere in it.
func (m *Model) GoString() string { return m.String() }

// Complete sends the request. It sends it again, put otherwise, where the server takes no schema, no
// usage of streams, no temperature or the other of the two names of MaxTokens, or wants back what the
// model reasoned, and remembers that.
func (m *Model) Complete(ctx context.Context, r model.Request) (model.Response, error) {
	if r.Model == "" {
		r.Model = m.name
	}
	for {
		res, err := m.once(ctx, &r)
		if err != nil && m.means.Learn(err, &r, wanted(&r)) {
			continue
		}
		return res, err
	}
}

// wanted is what the request has that it could do without, and what refusals of it name.
func wanted(r *model.Request) map[wire.Mean][]string {
	out := map[wire.Mean][]string{wire.TokensMean: {"max_tokens", "max_completion_tokens"}}
	if len(r.Schema) > 0 {
		out[wire.SchemaMean] = []string{"response_format", "json_schema", "response_schema", "responseSchema", "structured output"}
	}
	if r.Stream != nil {
		out[wire.UsageMean] = []string{"stream_options", "include_usage"}
	}
	if r.Temperature != nil {
		out[wire.TemperatureMean] = []string{"temperature"}
	}
	if slices.ContainsFunc(r.Messages, func(m model.Message) bool { return len(m.Calls) > 0 }) {
		out[wire.ForgetMean] = []string{"reasoning_content"}
	}
	return out
}

func (m *Model) once(ctx context.Context, r *model.Request) (model.Response, error) {
	call := m.wire.Call(r.Stream != nil)
	call.Key = r.Key
	q, err := m.request(r)
	if err != nil {
		return model.Response{}, call.Invalid(err)
	}
	config := sdk.DefaultConfig(*m.wire.Secret)
	config.BaseURL, config.HTTPClient = m.base, m.returning(call, r)
	client, a := sdk.NewClientWithConfig(config), call.Answer(r)
	if r.Stream != nil {
		s, err := client.CreateChatCompletionStream(ctx, q)
		if err == nil {
			err = stream(call, a, s)
		}
		return a.End(ctx, refusedHere(call, err))
	}
	c, err := client.CreateChatCompletion(ctx, q)
	if err == nil {
		err = whole(call, a, &c)
	}
	return a.End(ctx, refusedHere(call, err))
}

// refusedHere is err, named if the SDK sent nothing because it knows that the model would refuse.
func refusedHere(call *wire.Call, err error) error {
	for _, known := range []error{
		sdk.ErrReasoningToolsRequireResponses, sdk.ErrReasoningModelMaxTokensDeprecated, sdk.ErrReasoningModelLimitationsOther,
		sdk.ErrReasoningSamplingUnsupported, sdk.ErrReasoningEffortUnsupported, sdk.ErrChatCompletionInvalidModel,
	} {
		if errors.Is(err, known) {
			return call.Invalid(err)
		}
	}
	return err
}
