package worker

import (
	"context"
	"errors"

	"github.com/chargehand/chargehand"
)

// ErrUncovered is what Cover's error is when the money does not reach, however a worker wraps it.
var ErrUncovered = errors.New("the budget does not cover it")

// A Line is how a worker reaches the engine while it works. Calls may come from several goroutines.
type Line interface {
	// Say hands on text of the answer as it comes (SPEC.md ·162). It is provisional: watched and
	// shown, and never used. An error means that the text is not wanted: the worker stops and
	// returns that error, with what it has consumed.
	Say(text string) error

	// Cover makes sure, before a call is made, that what the attempt has reserved covers so much in
	// all: what it has consumed and what the call may consume at most (SPEC.md ·90). What is
	// missing is granted or denied at once. An error means that the call must not be made. What is
	// said after it is a new text: that of the next call, or of the same one tried again.
	Cover(ctx context.Context, total chargehand.Usage) error
}

// WithLine is ctx for a call of a worker that may use the line.
func WithLine(ctx context.Context, l Line) context.Context {
	return context.WithValue(ctx, lineKey{}, l)
}

// LineOf is the line of a call; where there is none, one that wants every word and covers all.
func LineOf(ctx context.Context) Line {
	if l, ok := ctx.Value(lineKey{}).(Line); ok {
		return l
	}
	return deaf{}
}

type lineKey struct{}

type deaf struct{}

func (deaf) Say(string) error                              { return nil }
func (deaf) Cover(context.Context, chargehand.Usage) error { return nil }
