package model

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Kind is what went wrong with a call, as far as it matters to what is done about it.
type Kind string

// The kinds.
const (
	Limited     Kind = "limited"     // 429: too many requests, or too many tokens
	Overloaded  Kind = "overloaded"  // 503, 529: the provider is busy
	Unavailable Kind = "unavailable" // 5xx, resets, names that do not resolve
	TimedOut    Kind = "timed out"   // no answer in time; the call may have been made and billed
	Denied      Kind = "denied"      // 401, 403: the key
	Invalid     Kind = "invalid"     // 400, 404, 413, 422: the request, the model's name
	Exhausted   Kind = "exhausted"   // 402, a quota that does not come back by waiting
	Interrupted Kind = "interrupted" // an answer that broke off before its end
	Malformed   Kind = "malformed"   // a complete answer that cannot be read; asking again changes nothing
)

// An Error is a call that came to nothing.
type Error struct {
	Kind       Kind
	Provider   string
	Status     int           // of HTTP; zero means there was no answer
	Message    string        // the provider's words, cut short; never a secret
	RetryAfter time.Duration // what the provider asks for; zero means it does not say
	Sent       bool          // the request may have reached the provider, and may be billed
	Err        error
}

// Error says who, what and how.
func (e *Error) Error() string {
	s := e.Provider + ": " + string(e.Kind)
	var told []string
	if e.Status > 0 {
		told = append(told, fmt.Sprintf("HTTP %d", e.Status))
	}
	if e.RetryAfter > 0 {
		told = append(told, "asks to be left alone for "+e.RetryAfter.String())
	}
	if len(told) > 0 {
		s += " (" + strings.Join(told, ", ") + ")"
	}
	if e.Message != "" {
		s += ": " + e.Message
	} else if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// Passing reports whether the same call may succeed a little later.
func (e *Error) Passing() bool {
	switch e.Kind {
	case Limited, Overloaded, Unavailable, TimedOut, Interrupted:
		return true
	}
	return false
}

// KindOf is the kind of a model's error; empty if it is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}
