package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"unicode/utf8"

	"github.com/itchyny/gojq"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/cli/exit"
	"github.com/chargehand/chargehand/internal/cli/term"
)

// A query is an expression of the language jq. It reads no files and no environment.
type query struct {
	text string
	code *gojq.Code
}

func parseQuery(text string) (*query, error) {
	q := &query{text: text}
	parsed, err := gojq.Parse(text)
	if err != nil {
		return nil, q.wrong(err)
	}
	if q.code, err = gojq.Compile(parsed); err != nil {
		return nil, q.wrong(err)
	}
	return q, nil
}

// write writes what the expression makes of v, a value a line, until a signal comes: an expression
// may have no end.
func (q *query) write(w *os.File, v any) error {
	data, err := plainData(v)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	defer onSignal(func(s os.Signal) { cancel(signalled(s)) })()
	for values := q.code.RunWithContext(ctx, data); ; {
		value, more := values.Next()
		if !more {
			return nil
		}
		if err, failed := value.(error); failed {
			return q.ended(ctx, err)
		}
		if err := writeValue(w, value); err != nil {
			return err
		}
	}
}

// ended is the error of an expression that ended early. One that halts without a value has none.
func (q *query) ended(ctx context.Context, err error) error {
	if halt, ok := errors.AsType[*gojq.HaltError](err); ok && halt.Value() == nil {
		return nil
	}
	if stopped := context.Cause(ctx); stopped != nil {
		return stopped
	}
	return q.wrong(err)
}

// wrong names the expression, and the place in it where that is known: of a name that is not defined
// the message has the name, of a value that does not fit the value.
func (q *query) wrong(err error) error {
	why := err.Error()
	if e, ok := errors.AsType[*gojq.ParseError](err); ok {
		before := min(max(0, e.Offset-len(e.Token)), len(q.text))
		why = fmt.Sprintf("character %d: %s", utf8.RuneCountInString(q.text[:before])+1, why)
	}
	return &exit.Error{Code: exit.Usage, Err: &chargehand.Error{
		Code: chargehand.CodeInvalid, What: fmt.Sprintf("the jq expression %q cannot be used", q.text), Why: why,
		Next: "correct the expression; -o json shows what it reads", Err: err,
	}}
}

// writeValue writes a text as it is, so that a script can use it, and anything else as JSON. On a
// terminal, what could not be seen is shown.
func writeValue(w *os.File, value any) error {
	if text, ok := value.(string); ok {
		if isTerminal(w) {
			text = term.Block(text)
		}
		_, err := fmt.Fprintln(w, text)
		return err
	}
	b, err := gojq.Marshal(value)
	if err != nil {
		return err
	}
	return term.WriteJSON(w, json.RawMessage(b))
}
