package provider

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/chargehand/chargehand/model"
)

// A Request is what a model was asked.
type Request struct {
	N       int     // of the request, from 1
	Dialect Dialect // it came in
	Path    string
	Header  http.Header // with the key blotted out
	Body    []byte      // as it came

	Model       string
	System      string
	Messages    []model.Message
	Tools       []model.Tool
	Schema      json.RawMessage // of the answer, where the provider's own means were used; nil means any text
	Strict      bool            // that the schema is to be held to
	MaxTokens   int
	Temperature *float64
	Stream      bool
	Usage       bool   // it is wanted at the end of a stream; always so with Anthropic
	Key         string // the idempotency key
}

// A Dialect is the protocol of a provider.
type Dialect string

// The dialects.
const (
	Anthropic Dialect = "anthropic"
	OpenAI    Dialect = "openai"
	Responses Dialect = "responses" // of OpenAI, the newer one
)

// Last is the text of the last message.
func (q *Request) Last() string {
	if len(q.Messages) == 0 {
		return ""
	}
	return q.Messages[len(q.Messages)-1].Text
}

const blot = "***"

func blotted(h http.Header) http.Header {
	h = h.Clone()
	for _, name := range []string{"Authorization", "X-Api-Key"} {
		if h.Get(name) != "" {
			h.Set(name, blot)
		}
	}
	return h
}

// An answerable message is one whose calls are answered by the next one, which both providers insist on.
func answered(msgs []model.Message) error {
	var open []string
	for _, m := range msgs {
		for _, r := range m.Results {
			i := index(open, r.ID)
			if i < 0 {
				return errors.New("a tool result names no call of the message before it: " + r.ID)
			}
			open = append(open[:i], open[i+1:]...)
		}
		if len(open) > 0 {
			return errors.New("calls of tools have no result in the next message: " + strings.Join(open, ", "))
		}
		for _, c := range m.Calls {
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		return errors.New("the conversation ends with calls of tools that have no result: " + strings.Join(open, ", "))
	}
	return nil
}

func index(all []string, s string) int {
	for i, a := range all {
		if a == s {
			return i
		}
	}
	return -1
}

// texts is the text of a content that is a string or a list of blocks of text.
func texts(content json.RawMessage) (string, error) {
	var s string
	if len(content) == 0 || string(content) == "null" || json.Unmarshal(content, &s) == nil {
		return s, nil
	}
	var blocks []struct{ Type, Text string }
	if err := json.Unmarshal(content, &blocks); err != nil {
		return "", err
	}
	var out []string
	for _, b := range blocks {
		if b.Type == "text" {
			out = append(out, b.Text)
		}
	}
	return strings.Join(out, "\n"), nil
}
