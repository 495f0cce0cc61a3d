package worker

import (
	"context"

	"github.com/chargehand/chargehand/internal/secret"
)

// An Exchange is what a program or a service answered in one call, before it is read as a result.
// Other workers leave it empty. Where the answer holds the value of a secret, the secret's name stands.
type Exchange struct {
	Ended  string // "exit code 0", "signal: killed" or "status 200"; empty means that there was no answer
	Answer []byte // stdout, or the body of the last response with code 200; at most the limit of an output
}

// WithExchange is ctx for a call that fills x in.
func WithExchange(ctx context.Context, x *Exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

type exchangeKey struct{}

// answered fills the call's exchange in, if one is wanted.
func answered(ctx context.Context, known *secret.Values, ended string, answer []byte) {
	if x, ok := ctx.Value(exchangeKey{}).(*Exchange); ok {
		*x = Exchange{Ended: ended, Answer: []byte(known.Redact(string(known.RedactJSON(answer))))}
	}
}
