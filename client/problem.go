package client

import (
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"

	"github.com/chargehand/chargehand"
)

// maxProblem is the most that is read of a refusal, in bytes.
const maxProblem = 4 << 20

// refusal is the error that an answer tells of.
func refusal(resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxProblem))
	if err != nil {
		return unreadable(resp.Request.Context(), err)
	}
	if media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); media == "application/problem+json" {
		return problem(body)
	}
	return &chargehand.Error{
		Code: chargehand.CodeUnavailable, What: "the engine's answer makes no sense",
		Why:  resp.Status + " without a problem document",
		Next: "check that the address is that of chargehand",
	}
}

// problem is the error that a problem document holds.
func problem(body []byte) error {
	e := new(chargehand.Error)
	if err := json.Unmarshal(body, e); err != nil || e.Code == "" {
		return &chargehand.Error{
			Code: chargehand.CodeUnavailable, What: "the engine's answer makes no sense",
			Why: "it is no problem document", Err: err,
		}
	}
	return e
}

// unreachable is the error for a request without an answer. The end of the caller's own context
// stays what it is.
func unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &chargehand.Error{
		Code: chargehand.CodeUnavailable, What: "the engine cannot be reached", Why: err.Error(),
		Next: "check that the process that owns the data is running", Err: err,
	}
}

func unreadable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &chargehand.Error{
		Code: chargehand.CodeUnavailable, What: "the engine's answer broke off", Why: err.Error(), Next: "try again", Err: err,
	}
}
