// Package cassette records what a Model answers, and answers the same again without it: tests that have
// seen a real model once, and need neither key nor network from then on.
//
// A tape is a file of JSON lines, an exchange each. Requests are found on it by what they say, not by
// when they are asked; several that say the same get their answers in the order of the recording.
// Keys are not on it: a request has none. Texts are, so a tape is as secret as they.
package cassette

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/chargehand/chargehand/model"
)

// An exchange is a line of a tape.
type exchange struct {
	Hash     string         `json:"hash"` // of Request
	Request  asked          `json:"request"`
	Response model.Response `json:"response"`
	Stream   []int          `json:"stream,omitempty"` // lengths of the texts that were handed on, in bytes
	Error    *failure       `json:"error,omitempty"`
}

// asked is what of a request counts: not the key for idempotency, which is another one each time, and not
// whether the answer was wanted as a stream.
type asked struct {
	Model       string          `json:"model,omitempty"`
	System      string          `json:"system,omitempty"`
	Messages    []model.Message `json:"messages"`
	Tools       []model.Tool    `json:"tools,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"`
	MaxTokens   int             `json:"maxTokens"`
	Temperature *float64        `json:"temperature,omitempty"`
}

type failure struct {
	Kind         model.Kind `json:"kind"`
	Provider     string     `json:"provider,omitempty"`
	Status       int        `json:"status,omitempty"`
	Message      string     `json:"message,omitempty"`
	RetryAfterMS int64      `json:"retryAfterMs,omitempty"`
	Sent         bool       `json:"sent,omitempty"`
}

// question is the request in its regular form, and its hash.
func question(r *model.Request) (asked, string) {
	a := asked{Model: r.Model, System: r.System, Messages: r.Messages, Schema: regular(r.Schema), MaxTokens: r.Tokens(), Temperature: r.Temperature}
	for _, t := range r.Tools {
		t.Schema = regular(t.Schema)
		a.Tools = append(a.Tools, t)
	}
	b, _ := json.Marshal(a) // it is strings, numbers and JSON
	sum := sha256.Sum256(b)
	return a, hex.EncodeToString(sum[:])
}

// regular is JSON with its keys in order, so that an order that means nothing changes nothing.
func regular(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		b, _ := json.Marshal(string(raw))
		return b
	}
	b, _ := json.Marshal(v)
	return b
}
