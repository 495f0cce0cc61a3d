// Package openai is the models of OpenAI and of every server that speaks its chat completions or its
// Responses API: Gemini's compatible endpoint, Ollama, vLLM, LiteLLM, OpenRouter and many more.
//
// Requests and answers are structs of this package. Those of answers take each form that servers are known
// to send (docs/models.md, "Quirks"): a typed client refuses an answer for one odd member of it.
package openai

import (
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/internal/wire"
)

// Address is where OpenAI's API is.
const Address = "https://api.openai.com/v1"

// Options are what a Model is like. The zero Options are those of OpenAI itself.
type Options struct {
	BaseURL   string       // what "/chat/completions" follows. Empty means Address
	HTTP      *http.Client // Nil means one without a timeout; redirects are never followed
	Limit     int          // bytes of an answer, beyond which it counts as malformed. Zero means 8 MiB
	Name      string       // of the provider, in errors. Empty means "openai"
	Responses bool         // it is called by the Responses API. False means by chat completions, until a refusal leads there
}

// A Model is one model of a provider that speaks chat completions or the Responses API.
type Model struct {
	name, base string
	responses  bool
	wire       *wire.Client
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
		name: name, base: strings.TrimRight(o.BaseURL, "/"), responses: o.Responses,
		wire: &wire.Client{Provider: o.Name, Secret: &key, HTTP: o.HTTP, Limit: o.Limit},
	}
}

// String is "provider/model".
func (m *Model) String() string {
	if m.responses {
		return m.wire.Provider + "+responses/" + m.name
	}
	return m.wire.Provider + "/" + m.name
}

// GoString is String: a key is nowhere in it.
func (m *Model) GoString() string { return m.String() }

// mostForms bounds how often one request is put otherwise.
const mostForms = 12

// Complete sends the request. After a refusal that names a parameter it sends it again without it, or with
// another value, and so does every later call of that model at that address in this process.
func (m *Model) Complete(ctx context.Context, r model.Request) (model.Response, error) {
	if r.Model == "" {
		r.Model = m.name
	}
	learned := wire.Learned(m.base, r.Model)
	for n := 1; ; n++ {
		f := m.form(&r, learned)
		res, err := m.once(ctx, &r, f)
		if err != nil && n < mostForms && learned.Refused(err, &r, f, m.about(&r, f)) {
			continue
		}
		res.Adapted = adapted(&r, f)
		return res, err
	}
}

// reasoner matches the models of OpenAI that reason: they take max_completion_tokens only, and no temperature.
var reasoner = regexp.MustCompile(`^(o[1-9]|gpt-[5-9])`)

// form is how the request is put: as was learnt, and as the name says.
func (m *Model) form(r *model.Request, learned *wire.Means) wire.Form {
	f := learned.Form(r)
	if reasoner.MatchString(r.Model) {
		f[wire.TemperatureMean] = ""
	}
	if m.responses {
		f[wire.EndpointMean] = declared
	}
	return f
}

// declared is the value of an endpoint that no refusal led to.
const declared = "declared"

// about is what the request has that it could do without, and what refusals of it name.
func (m *Model) about(r *model.Request, f wire.Form) map[wire.Mean][]string {
	out := map[wire.Mean][]string{}
	if len(r.Schema) > 0 {
		out[wire.SchemaMean] = []string{
			"response_format", "json_schema", "response_schema", "responseSchema", "structured output", "response mime type", "json mode", "text.format",
		}
	}
	if r.Temperature != nil {
		out[wire.TemperatureMean] = []string{"temperature"}
	}
	if r.System != "" {
		out[wire.SystemMean] = []string{"system role", "does not support 'system'", "role 'system'"}
	}
	if f.Lacks(wire.EndpointMean) {
		out[wire.IncludeMean] = []string{"include[0]", "'include'", `"include"`, "encrypted_content", "encrypted content"}
		delete(out, wire.SystemMean) // it is a field of its own there
		return out
	}
	out[wire.EndpointMean] = wire.Endpoint
	out[wire.TokensMean] = []string{"max_tokens", "max_completion_tokens"}
	if r.Stream != nil {
		out[wire.UsageMean] = []string{"stream_options", "include_usage"}
	}
	if len(r.Tools) > 0 {
		out[wire.EffortMean] = []string{"reasoning_effort", "reasoning effort"}
	}
	for i := range r.Messages {
		if len(r.Messages[i].Calls) > 0 {
			out[wire.ForgetMean] = []string{"reasoning_content"}
		}
	}
	return out
}

// adapted says in which way the request was sent otherwise than asked for.
func adapted(r *model.Request, f wire.Form) []string {
	var out []string
	add := func(m wire.Mean, applies bool, what string) {
		if f.Lacks(m) && applies {
			out = append(out, what)
		}
	}
	chat := !f.Lacks(wire.EndpointMean)
	add(wire.EndpointMean, f[wire.EndpointMean] != declared, "endpoint: /responses instead of /chat/completions")
	add(wire.SchemaMean, len(r.Schema) > 0, "response_format: the schema stands in the prompt")
	add(wire.TemperatureMean, r.Temperature != nil, "temperature: left out")
	add(wire.EffortMean, chat && len(r.Tools) > 0, "reasoning_effort: "+f[wire.EffortMean])
	add(wire.SystemMean, chat && r.System != "", "system prompt: at the beginning of the first message")
	add(wire.UsageMean, chat && r.Stream != nil, "stream_options: left out, so usage may not be said")
	add(wire.TokensMean, chat, "max_tokens: under its other name")
	add(wire.IncludeMean, !chat, "include: left out, so reasoning does not go back")
	return out
}

// once sends the request in one form.
func (m *Model) once(ctx context.Context, r *model.Request, f wire.Form) (model.Response, error) {
	call := m.wire.Call(r.Stream != nil)
	call.Key = r.Key
	path, body, err := m.put(r, f)
	if err != nil {
		return model.Response{}, call.Invalid(err)
	}
	a := call.Answer(r)
	if err := call.Post(ctx, m.base+path, m.header(), body); err != nil {
		return a.End(ctx, err)
	}
	defer call.Close()
	if f.Lacks(wire.EndpointMean) {
		return a.End(ctx, (&responseReader{call: call, a: a}).read())
	}
	return a.End(ctx, (&chatReader{call: call, a: a}).read())
}

// put is where the request goes to, and its body.
func (m *Model) put(r *model.Request, f wire.Form) (path string, body any, err error) {
	if len(r.Messages) == 0 {
		return "", nil, errors.New("the request has no messages")
	}
	if f.Lacks(wire.EndpointMean) {
		body, err = responseRequestOf(r, f)
		return "/responses", body, err
	}
	body, err = m.chatRequest(r, f)
	return "/chat/completions", body, err
}

func (m *Model) header() http.Header {
	h := http.Header{"User-Agent": {"chargehand"}}
	if *m.wire.Secret != "" {
		h.Set("Authorization", "Bearer "+*m.wire.Secret)
	}
	return h
}

// each calls f with the data of every event up to the end of the stream.
func each(call *wire.Call, f func(data []byte) error) error {
	for {
		data, err := call.Event()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := f(data); err != nil {
			return err
		}
	}
}
