package agent

import (
	"encoding/json"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/model"
)

// A transcript is what was said in an attempt, as evidence. Texts that are kept under their hashes
// already, such as documents, are named and not repeated.
type transcript struct {
	Model   string           `json:"model"`
	Prompts string           `json:"prompts"` // digest of the built-in ones
	System  string           `json:"system"`
	Given   []given          `json:"given"`
	Turns   []turn           `json:"turns"`
	Spaced  int              `json:"spaced,omitempty"`  // quotes that took the document's white space
	Missing int              `json:"missing,omitempty"` // quotes that stand in no document
	Usage   chargehand.Usage `json:"usage"`
}

// A given is a field that the model was given; its text is there where no hash names it.
type given struct {
	field
	Text string `json:"text,omitempty"`
}

func givenOf(fields []field) []given {
	out := make([]given, len(fields))
	for i := range fields {
		out[i].field = fields[i]
		if fields[i].Hash == "" {
			out[i].Text = excerpt.Of(fields[i].text, maxSaid)
		}
	}
	return out
}

// A turn is one answer of the model, and what became of the calls in it. What the provider wants back
// of it (model.Message) is not kept: it is for nobody else to read.
type turn struct {
	Model string      `json:"model,omitempty"` // that answered, as the provider names it
	Text  string      `json:"text,omitempty"`
	Calls []callMade  `json:"calls,omitempty"`
	Stop  model.Stop  `json:"stop,omitempty"`
	Usage model.Usage `json:"usage,omitzero"` // that counts; Estimated where the provider did not say all of it
	Error string      `json:"error,omitempty"`

	Adapted   []string `json:"adapted,omitempty"`   // how the request was put otherwise after refusals
	Unwrapped []string `json:"unwrapped,omitempty"` // what was taken off the text before it was read (llm.unwrap)
}

// A callMade is a call that a model wanted, and the executor's answer.
type callMade struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments,omitempty"`
	Answer    string `json:"answer,omitempty"`
	Failed    bool   `json:"failed,omitempty"`
	Refused   bool   `json:"refused,omitempty"` // it was not made
}

const (
	maxTranscript = 4 << 20   // bytes
	maxSaid       = 256 << 10 // bytes of one text in it
)

// encode is the transcript as JSON; nil where it is beyond its bound, even cut.
func (t *transcript) encode() json.RawMessage {
	b, err := json.Marshal(t)
	if err != nil || len(b) > maxTranscript {
		return nil
	}
	return b
}

func (t *transcript) took(r model.Response, err error) *turn {
	said := turn{Model: r.Model, Text: excerpt.Of(r.Text, maxSaid), Stop: r.Stop, Usage: r.Usage, Adapted: r.Adapted}
	if err != nil {
		said.Error = excerpt.Of(err.Error(), 1<<10)
	}
	t.Turns = append(t.Turns, said)
	return &t.Turns[len(t.Turns)-1]
}

// unwrapped notes what was taken off the last answer.
func (t *transcript) unwrapped(taken []string) {
	if n := len(t.Turns); n > 0 {
		t.Turns[n-1].Unwrapped = taken
	}
}
