package cli

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/term"
	"github.com/chargehand/chargehand/model"
	"github.com/chargehand/chargehand/model/open"
	"github.com/chargehand/chargehand/model/price"
)

const pingTimeout = 10 * time.Second // of one provider

// models tells which providers of models are configured, and which of them answer.
func (a *app) models(ctx context.Context) []symptom {
	states := open.Providers(os.LookupEnv, open.Options{})
	if len(states) == 0 {
		return []symptom{{name: "models", none: true, found: "no provider is configured: set " + strings.Join(open.Variables(), ", ") + " (docs/models.md)"}}
	}
	out := make([]symptom, len(states))
	var asked sync.WaitGroup
	for i, s := range states {
		asked.Go(func() { out[i] = ping(ctx, &s) })
	}
	asked.Wait()
	from, date := price.Table()
	return append(out, symptom{name: "prices", found: "of " + date + ", from " + from})
}

func ping(ctx context.Context, s *open.State) symptom {
	if s.Err != nil {
		return symptom{name: s.Name, err: whatNext(s.Err)}
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	pong, err := s.Ping(ctx)
	if err != nil {
		return symptom{name: s.Name, err: fmt.Errorf("%w; %s", err, remedy(s, err))}
	}
	return symptom{name: s.Name, found: fmt.Sprintf("answers at %s after %s, with %s", s.Address, term.Span(pong.Took), term.Count(len(pong.Models), "model"))}
}

// whatNext is an error with what to do about it, in one line.
func whatNext(err error) error {
	if e, ok := err.(*chargehand.Error); ok && e.Next != "" { //nolint:errorlint // its own text is what is wanted
		return fmt.Errorf("%w; %s", err, e.Next)
	}
	return err
}

// remedy is what to do about a provider that does not answer as it should.
func remedy(s *open.State, err error) string {
	switch model.KindOf(err) {
	case model.Denied:
		return "check " + s.Variable + ", which is for " + s.Address
	case model.Limited, model.Overloaded:
		return "it works, and is busy: try again later"
	case model.Exhausted:
		return "see the account at " + s.Title
	case model.Invalid, model.Malformed:
		return "is " + s.Address + " the right address?"
	}
	if s.Name == "ollama" {
		return "is it running at " + s.Address + "? (ollama serve)"
	}
	return "can " + s.Address + " be reached from here?"
}

// remedyOf is what to do about a run that came to nothing, found by how a provider's error begins: its
// records keep errors as words. It is empty where the words name no provider.
func remedyOf(words string) string {
	for _, p := range open.All() {
		says := func(k model.Kind, status int) bool {
			return strings.Contains(words, (&model.Error{Provider: p.Name, Kind: k, Status: status}).Error())
		}
		switch {
		case says(model.Denied, 0):
			return "check " + p.Variable + " (chargehand doctor)"
		case says(model.Exhausted, 0):
			return "see the account at " + p.Title
		case says(model.Invalid, http.StatusNotFound):
			return "check the model's name"
		case says(model.Unavailable, 0):
			return "is " + p.Title + " to be reached from here? (chargehand doctor)"
		}
	}
	return ""
}
