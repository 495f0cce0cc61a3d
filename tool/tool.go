// Package tool is what a model may have done: tools as their servers define them, and the executor
// that lets a call through or not. What a prompt says about tools is advice; what the executor
// grants is all that can happen (SPEC.md ·54).
//
// A Belt is the tools of a team. For each attempt it gives out an Executor, which a model's loop
// asks for Definitions and hands each of the model's wishes to:
//
//	x, err := belt.Executor(ctx, task)
//	for _, d := range x.Definitions() { ... }                      // shown to the model
//	text, failed := x.Call(ctx, call.Name, call.Arguments)         // and told to it
//	if err := x.Err(); err != nil { ... }                          // the attempt cannot go on
//	result.Tools = x.Report()                                      // for the record
package tool

import (
	"context"
	"encoding/json"

	"github.com/chargehand/chargehand"
)

// A Definition is a tool as its server describes it. Everything in it but its name, and what the
// team says of it, is untrusted text.
type Definition struct {
	Name        string          `json:"name"` // "server.tool", by which grants name it
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"` // JSON Schema of the arguments
	Output      json.RawMessage `json:"output,omitempty"` // JSON Schema of the structured answer; empty means none is promised

	Hints *Hints `json:"hints,omitempty"` // nil means that the server gives none

	Effect     chargehand.Effect `json:"effect,omitempty"`     // as the team declares it; empty means write
	Idempotent bool              `json:"idempotent,omitempty"` // as the team declares it: a call of one key is done once
}

// Hints are what a server says of the manner of its tool (MCP's tool annotations). They are shown to
// people. Nothing is decided by them: what counts is the effect that the team declares.
type Hints struct {
	Title       string `json:"title,omitempty"`
	ReadOnly    bool   `json:"readOnlyHint"`
	Destructive *bool  `json:"destructiveHint,omitempty"` // nil means that the server does not say
	Idempotent  bool   `json:"idempotentHint"`
	OpenWorld   *bool  `json:"openWorldHint,omitempty"` // nil means that the server does not say
}

// An Answer is what a tool said. It is untrusted text.
type Answer struct {
	Text       string          `json:"text"`
	Structured json.RawMessage `json:"structured,omitempty"`
	Failed     bool            `json:"failed,omitempty"` // the tool's own word
}

// A Source is where tools come from. Calls may come from several goroutines at once.
type Source interface {
	// Tools lists what there is now.
	Tools(ctx context.Context) ([]Definition, error)

	// Call calls a tool by its full name. Key is the same whenever the same call is made again. An
	// error means that there is no answer: it is not known whether the tool did its work, unless
	// the error is an *Error that says so.
	Call(ctx context.Context, name string, arguments json.RawMessage, key string) (Answer, error)
}

// An Error is why a call has no answer.
type Error struct {
	Message  string // one line for people
	Err      error  // the error beneath; may be nil
	NotBegun bool   // the tool certainly did nothing
}

// Error is the message, and the error beneath if there is one.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

// Unwrap is the error beneath.
func (e *Error) Unwrap() error { return e.Err }
