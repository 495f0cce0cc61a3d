package chargehand

import (
	"errors"
	"fmt"
	"strings"
)

// A Code is the stable name of a kind of error, the same in Go, HTTP and the command line.
type Code string

// The codes.
const (
	CodeInvalid     Code = "invalid"   // the request is wrong; Problems say where
	CodeNotFound    Code = "not_found" // there is no such thing
	CodeDecided     Code = "already_decided"
	CodeStale       Code = "stale_content" // the content judged is not the content now
	CodeNonce       Code = "nonce_used"
	CodeExpired     Code = "expired"
	CodeEnded       Code = "run_ended"
	CodeNotAllowed  Code = "not_allowed"
	CodeNothing     Code = "nothing_to_accept" // a review without an output cannot be approved
	CodeLocked      Code = "locked"            // another process owns the data
	CodeFormat      Code = "newer_format"
	CodeDrift       Code = "drift"     // the team, or a worker, is not the one the run began with
	CodeKeyTaken    Code = "key_taken" // the idempotency key began a run with another order
	CodeAudit       Code = "audit"     // what is kept is not what was recorded
	CodeFull        Code = "no_space"
	CodeUnavailable Code = "unavailable"
	CodeInternal    Code = "internal"
)

// An Error is what the edges show: what happened, why, and what to do next.
type Error struct {
	Code     Code      `json:"code"`
	What     string    `json:"what"`           // what could not be done
	Why      string    `json:"why,omitempty"`  // the reason, in words
	Next     string    `json:"next,omitempty"` // what to do; often a command
	Problems []Problem `json:"problems,omitempty"`
	Err      error     `json:"-"`
}

// Error is what and why in one line, and every problem on a line of its own.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.What)
	if e.Why != "" {
		b.WriteString(": " + e.Why)
	}
	for _, p := range e.Problems {
		b.WriteString("\n  " + p.String())
	}
	return b.String()
}

// Unwrap is the error beneath.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf is the code of the first Error in err's chain, CodeInternal if there is none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}

// A Problem is one thing wrong with a team, a plan or an input.
type Problem struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"` // from 1; zero means not known
	Column  int    `json:"column,omitempty"`
	Path    string `json:"path"` // JSON path: $.workers[0].capabilities
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"` // did you mean …?
}

// String is "file:line:column: path: message (hint)".
func (p Problem) String() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File + ":")
	}
	if p.Line > 0 {
		fmt.Fprintf(&b, "%d:%d:", p.Line, p.Column)
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	b.WriteString(p.Path + ": " + p.Message)
	if p.Hint != "" {
		b.WriteString(" (" + p.Hint + ")")
	}
	return b.String()
}
