// Package model is language models as the rest sees them: a request goes in, an answer comes out,
// its text on the way if that is wanted. Providers are packages below this one.
//
// A Model sends each request once. What to do about an error is for the caller, who holds the
// money and the deadline; Retry does what most want.
package model

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/chargehand/chargehand"
)

// A Model answers requests. Complete may be called by several goroutines at once, returns soon
// after ctx ends, and gives an *Error for all that goes wrong between it and the provider. Usage is
// set beside an error too, where the provider said what the call cost.
type Model interface {
	Complete(ctx context.Context, r Request) (Response, error)
}

// A Func is a model in this process.
type Func func(ctx context.Context, r Request) (Response, error)

// Complete calls the function.
func (f Func) Complete(ctx context.Context, r Request) (Response, error) { return f(ctx, r) }

// A Request is one call of a model. The zero Request is not valid: it has no messages.
type Request struct {
	Model    string    // the provider's name for it; empty means the Model's own
	System   string    // written by the team and the engine, never by a user or a worker
	Messages []Message // in order, the user's first
	Tools    []Tool    // what it may call; none means it cannot

	// Schema is the JSON Schema 2020-12 of the answer, which is then asked for by the provider's own
	// means where it has any. The answer is not held to it here. Empty means any text.
	Schema json.RawMessage

	MaxTokens   int      // of the answer, reasoning included. Zero means 4096
	Temperature *float64 // nil means the provider's own
	Key         string   // idempotency key, sent to providers that take one; empty means none

	// Stream is told the answer's text as it comes. An error from it ends the call, which returns it
	// together with what had come. Nil means the answer is wanted whole.
	Stream func(text string) error
}

// Tokens is MaxTokens, 4096 where it is not given.
func (r *Request) Tokens() int {
	if r.MaxTokens <= 0 {
		return 4096
	}
	return r.MaxTokens
}

// A Role is who speaks.
type Role string

// The roles. A system prompt is a field of the request, so that no message can become one.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// A Message is one turn of a conversation.
type Message struct {
	Role    Role     `json:"role"`
	Text    string   `json:"text,omitempty"`
	Calls   []Call   `json:"calls,omitempty"`   // of tools, by the assistant
	Results []Result `json:"results,omitempty"` // of the calls before, by the user

	// Opaque is what the provider wants back as it came, such as thinking with its signature: JSON that
	// only the provider that made it reads, and the others leave out. It is no text, and goes nowhere
	// but into the requests that go on with the conversation. Nil means nothing.
	Opaque json.RawMessage `json:"opaque,omitempty"`
}

// A Tool is something that a model may ask to have called.
type Tool struct {
	Name        string          `json:"name"` // letters, digits, "_" and "-", at most 64
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema"` // JSON Schema of the arguments: an object
}

// A Call is a model's wish to have a tool called. Arguments are as the model wrote them, and need
// not be JSON.
type Call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`

	Opaque json.RawMessage `json:"opaque,omitempty"` // that the provider wants back with this call: see Message
}

// A Result is what became of a call.
type Result struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	Error bool   `json:"error,omitempty"`
}

// A Response is a model's answer.
type Response struct {
	Text  string `json:"text,omitempty"`
	Calls []Call `json:"calls,omitempty"`
	Stop  Stop   `json:"stop"`
	Model string `json:"model,omitempty"` // that answered, as the provider names it
	Usage Usage  `json:"usage,omitzero"`

	Opaque json.RawMessage `json:"opaque,omitempty"` // that the provider wants back with this answer: see Message

	// Adapted says how the request was sent otherwise than asked for, because the provider refused it
	// as it was: "temperature: left out". Nil means that it was sent as asked.
	Adapted []string `json:"adapted,omitempty"`
}

// Message is the answer as the turn that it is in the requests that go on with the conversation.
func (r *Response) Message() Message {
	return Message{Role: Assistant, Text: r.Text, Calls: r.Calls, Opaque: r.Opaque}
}

// A Stop is why an answer ended.
type Stop string

// The reasons. Anything a provider says that is none of them is StopOther.
const (
	StopEnd     Stop = "end"     // the answer is complete
	StopLength  Stop = "length"  // it reached MaxTokens
	StopCalls   Stop = "calls"   // tools are to be called first
	StopRefusal Stop = "refusal" // the model, or a filter of the provider's, declined
	StopOther   Stop = "other"
)

// Usage is what a call consumed, in tokens, as the provider counted them.
type Usage struct {
	Input       int64 `json:"input,omitempty"`       // of the prompt, cached ones included
	CachedInput int64 `json:"cachedInput,omitempty"` // of Input, those read from a cache
	CacheWrite  int64 `json:"cacheWrite,omitempty"`  // of Input, those written to a cache
	Output      int64 `json:"output,omitempty"`      // reasoning included
	Reasoning   int64 `json:"reasoning,omitempty"`   // of Output, where the provider says it
	Estimated   bool  `json:"estimated,omitempty"`   // some of it is an estimate, since the provider did not count it
}

// Plus is the sum of both.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, CachedInput: u.CachedInput + v.CachedInput, CacheWrite: u.CacheWrite + v.CacheWrite,
		Output: u.Output + v.Output, Reasoning: u.Reasoning + v.Reasoning, Estimated: u.Estimated || v.Estimated,
	}
}

// MostTokens is the most that one count of a call can be: ten times the longest context of any model.
const MostTokens = 100_000_000

// Check reports a count that no call can have: below zero, or above MostTokens.
func (u Usage) Check() error {
	for _, n := range []int64{u.Input, u.CachedInput, u.CacheWrite, u.Output, u.Reasoning} {
		if n < 0 || n > MostTokens {
			return fmt.Errorf("the usage cannot be: a count of tokens is %d, the least is 0 and the most %d", n, MostTokens)
		}
	}
	return nil
}

// Estimate is how many tokens a text of so many bytes counts for where the provider did not count them:
// one for every two bytes, rounded up. Most texts have fewer.
func Estimate(bytes int) int64 { return (int64(bytes) + 1) / 2 }

// Bill is the usage of one call as a result states it, at the step of the price that its own input
// reaches. The usage of several calls is to be billed call by call.
func (u Usage) Bill(p *chargehand.ModelPrice) chargehand.Usage { return u.at(p.For(u.Input)) }

// Most is the usage of one call at the dearest step of a price: what to reserve for a call that may
// consume so much.
func (u Usage) Most(p *chargehand.ModelPrice) chargehand.Usage { return u.at(p.Most()) }

func (u Usage) at(p chargehand.Price) chargehand.Usage {
	return chargehand.Usage{InputTokens: u.Input, OutputTokens: u.Output, USD: p.Of(u.Input, u.CachedInput, u.CacheWrite, u.Output)}
}
