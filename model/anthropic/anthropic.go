// Package anthropic is the models of Anthropic, by the Messages API.
//
// The SDK makes requests and reads events; it retries nothing. What goes over the network is watched by
// model/internal/wire, since the SDK has no bound on the size of an answer and reports no error for a
// stream that breaks off.
package anthropic

import (
	"context"
	"net/http"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/internal/wire"
)

// Address is where the API is.
const Address = "https://api.anthropic.com"

// Options are what a Model is like. The zero Options are those of Anthropic itself.
type Options struct {
	BaseURL string       // without "/v1". Empty means Address
	HTTP    *http.Client // Nil means one without a timeout; redirects are never followed
	Limit   int          // bytes of an answer, beyond which it counts as malformed. Zero means 8 MiB
	Name    string       // of the provider, in errors. Empty means "anthropic"
}

// A Model is one model of a provider that speaks the Messages API.
type Model struct {
	name, base string
	wire       *wire.Client
}

// New is the model of a name, called with a key.
func New(name, key string, o Options) *Model {
	if o.BaseURL == "" {
		o.BaseURL = Address
	}
	if o.Name == "" {
		o.Name = "anthropic"
	}
	return &Model{
		name: name, base: o.BaseURL,
		wire: &wire.Client{Provider: o.Name, Secret: &key, HTTP: o.HTTP, Limit: o.Limit, Named: true},
	}
}

// String is "provider/model".
func (m *Model) String() string { return m.wire.Provider + "/" + m.name }

// GoString is String: a key is nowhere in it.
func (m *Model) GoString() string { return m.String() }

// about is what refusals of a mean name.
var about = map[wire.Mean][]string{
	wire.SchemaMean:      {"output_config", "output_format", "structured output", "schema"},
	wire.TemperatureMean: {"temperature"},
}

// Complete sends the request. It sends it again, put otherwise, if the model takes no schema or no
// temperature, and so does every later call of that model at that address in this process.
func (m *Model) Complete(ctx context.Context, r model.Request) (model.Response, error) {
	if r.Model == "" {
		r.Model = m.name
	}
	learned := wire.Learned(m.base, r.Model)
	for {
		f := learned.Form(&r)
		res, err := m.once(ctx, &r, f)
		if err != nil && learned.Refused(err, &r, f, m.wanted(&r)) {
			continue
		}
		if r.Temperature != nil && f.Lacks(wire.TemperatureMean) {
			res.Adapted = append(res.Adapted, "temperature: left out")
		}
		if len(r.Schema) > 0 && f.Lacks(wire.SchemaMean) {
			res.Adapted = append(res.Adapted, "output_config: the schema stands in the prompt")
		}
		return res, err
	}
}

// wanted is about, of what the request has.
func (m *Model) wanted(r *model.Request) map[wire.Mean][]string {
	out := map[wire.Mean][]string{}
	if len(r.Schema) > 0 {
		out[wire.SchemaMean] = about[wire.SchemaMean]
	}
	if r.Temperature != nil {
		out[wire.TemperatureMean] = about[wire.TemperatureMean]
	}
	return out
}

func (m *Model) once(ctx context.Context, r *model.Request, f wire.Form) (model.Response, error) {
	call := m.wire.Call(r.Stream != nil)
	call.Key = r.Key
	opts := []option.RequestOption{
		option.WithBaseURL(m.base), option.WithAPIKey(*m.wire.Secret), option.WithHTTPClient(call), option.WithMaxRetries(0), option.WithoutOpenTelemetry(),
		option.WithRequestTimeout(24 * time.Hour), // the context has the deadline; without one the SDK refuses long answers
	}
	params, err := params(r, f)
	if err != nil {
		return model.Response{}, call.Invalid(err)
	}
	messages, a := sdk.NewMessageService(opts...), call.Answer(r)
	if r.Stream != nil {
		return a.End(ctx, streamed(call, a, messages.NewStreaming(ctx, params)))
	}
	msg, err := messages.New(ctx, params)
	if err == nil {
		err = whole(call, a, msg)
	}
	return a.End(ctx, err)
}
