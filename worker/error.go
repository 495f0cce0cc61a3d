package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/internal/secret"
)

// A Kind says what an error means for the task (SPEC.md ·70 to ·74).
type Kind string

// The kinds.
const (
	Crash     Kind = "crash"     // it broke: a panic, an exit code, a service out of reach after every try
	Refused   Kind = "refused"   // it did not take the task; asking again changes nothing
	Transient Kind = "transient" // asking again may help; what Retry acts on and turns into Crash at the end
	Timeout   Kind = "timeout"   // the context's deadline came first
	Cancelled Kind = "cancelled" // the caller no longer wants the answer
	Garbage   Kind = "garbage"   // it answered, and the answer is not a result: a schema failure
)

// ErrCutOff is beneath an error of kind Garbage whose answer stopped at the most tokens that a model
// may write. The gate then says that, and not what the missing rest makes of the JSON.
var ErrCutOff = errors.New("it was cut off")

// ErrClosing is the cause of a call's context that ends because its engine does. The attempt is
// pursued again, under the same idempotency key, when the engine is opened next: what the worker has
// begun elsewhere is better left to go on.
var ErrClosing = errors.New("the engine is closing")

// An Error is why a worker gave no result.
type Error struct {
	Kind    Kind
	Message string // one line for people, control characters escaped
	Err     error  // the error beneath; may be nil

	// Raw is what the worker wrote where the kind is Garbage: evidence, cut after 256 KiB.
	Raw []byte

	// Stderr is the end of what a process wrote there, at most 4 KiB before control characters
	// other than line breaks are escaped.
	Stderr string

	// RetryAfter is how long the worker asks to be left alone, where the kind is Transient. Zero
	// means it did not say.
	RetryAfter time.Duration

	// NotBegun reports that the worker certainly did no work: it could not be started or reached,
	// or it turned the task away. False means that it may have acted.
	NotBegun bool
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

// KindOf is the kind of the first Error in err's chain. Without one it is Timeout or Cancelled for
// the errors of a context, and Crash for every other: a worker's own error costs an attempt.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	case errors.Is(err, context.Canceled):
		return Cancelled
	}
	return Crash
}

// A PanicError is a panic in a function. Its message holds the value and never the stack.
type PanicError struct {
	Value string // the panic's value as text, cut after 1 KiB
	Stack []byte // of the goroutine that panicked, cut after 16 KiB
}

// Error is the start of the value, in one line.
func (e *PanicError) Error() string { return "panic: " + line(e.Value) }

func panicked(v any) *Error {
	stack := debug.Stack()
	p := &PanicError{Value: excerpt.Of(fmt.Sprint(v), 1<<10), Stack: stack[:min(len(stack), 16<<10)]}
	return &Error{Kind: Crash, Message: "the function panicked", Err: p}
}

// ended is the error of a call whose context ended first.
func ended(ctx context.Context, message string) *Error {
	kind := Cancelled
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		kind = Timeout
	}
	return &Error{Kind: kind, Message: message, Err: context.Cause(ctx)}
}

// garbage is the error of an answer that is no result, with the answer as evidence.
func garbage(raw []byte, err error) *Error {
	const evidence = 256 << 10
	return &Error{Kind: Garbage, Message: "the answer is not a result", Err: err, Raw: raw[:min(len(raw), evidence)]}
}

// hide puts the names of values in their place, wherever the error may say one. Where the error beneath
// does, its text is all that is left of it.
func (e *Error) hide(known *secret.Values) {
	e.Message, e.Stderr = known.Redact(e.Message), known.Redact(e.Stderr)
	e.Raw = []byte(known.Redact(string(known.RedactJSON(e.Raw))))
	if e.Err == nil {
		return
	}
	if said := known.Redact(e.Err.Error()); said != e.Err.Error() {
		e.Err = errors.New(said)
	}
}

// unwritable is the error of a task that has no JSON form, such as one with a broken input.
func unwritable(t chargehand.WorkerTask, err error) *Error {
	return &Error{Kind: Refused, Message: fmt.Sprintf("encode task %q", t.TaskID), Err: err, NotBegun: true}
}

// line is the start of s on one line, fit for a message.
func line(s string) string {
	return strings.ReplaceAll(escape(excerpt.Of(strings.TrimSpace(s), 200)), "\n", `\n`)
}

// escape writes out what a terminal or a page could act on or hide: control and format
// characters, and bytes that are not UTF-8. Line breaks stay.
func escape(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '\n' || unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		s = s[n:]
	}
	return b.String()
}
