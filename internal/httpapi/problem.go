package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"

	"github.com/chargehand/chargehand"
)

// A problem is an error as RFC 9457 has it, with the fields of *chargehand.Error as extensions.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	*chargehand.Error
}

// A kind is what all problems of one code have in common.
type kind struct {
	status int
	title  string
}

// kinds maps every code to its answer.
var kinds = map[chargehand.Code]kind{
	chargehand.CodeInvalid:     {http.StatusBadRequest, "The request is not valid"},
	chargehand.CodeNotFound:    {http.StatusNotFound, "There is no such thing"},
	chargehand.CodeDecided:     {http.StatusConflict, "The review is already decided"},
	chargehand.CodeStale:       {http.StatusConflict, "The content has changed"},
	chargehand.CodeNonce:       {http.StatusConflict, "The nonce is used up"},
	chargehand.CodeExpired:     {http.StatusGone, "The deadline has passed"},
	chargehand.CodeEnded:       {http.StatusConflict, "The run has ended"},
	chargehand.CodeNotAllowed:  {http.StatusForbidden, "This is not allowed"},
	chargehand.CodeNothing:     {http.StatusUnprocessableEntity, "There is nothing to accept"},
	chargehand.CodeLocked:      {http.StatusLocked, "Another process owns the data"},
	chargehand.CodeFormat:      {http.StatusInternalServerError, "The data is in a newer format"},
	chargehand.CodeAudit:       {http.StatusInternalServerError, "What is kept is not what was recorded"},
	chargehand.CodeDrift:       {http.StatusConflict, "The team is not the one the run began with"},
	chargehand.CodeKeyTaken:    {http.StatusConflict, "The key is taken"},
	chargehand.CodeFull:        {http.StatusInsufficientStorage, "There is no space left"},
	chargehand.CodeUnavailable: {http.StatusServiceUnavailable, "The engine is not available"},
	chargehand.CodeInternal:    {http.StatusInternalServerError, "Something went wrong"},
}

// refuse answers with err.
func refuse(w http.ResponseWriter, err error) {
	e := edge(err)
	status := kindOf(e.Code).status
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		status = http.StatusRequestEntityTooLarge
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		status = http.StatusRequestTimeout
	}
	writeProblem(w, status, e)
}

// edge is err as an *chargehand.Error, made from its text if there is none in its chain.
func edge(err error) *chargehand.Error {
	if e, ok := errors.AsType[*chargehand.Error](err); ok {
		return e
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &chargehand.Error{
			Code: chargehand.CodeUnavailable, What: "the engine did not answer in time", Why: err.Error(),
			Next: "try again", Err: err,
		}
	}
	return &chargehand.Error{Code: chargehand.CodeInternal, What: err.Error(), Err: err}
}

func kindOf(code chargehand.Code) kind {
	if k, ok := kinds[code]; ok {
		return k
	}
	return kinds[chargehand.CodeInternal]
}

func asProblem(status int, e *chargehand.Error) problem {
	detail := e.What
	if e.Why != "" {
		detail += ": " + e.Why
	}
	return problem{"urn:chargehand:error:" + string(e.Code), kindOf(e.Code).title, status, detail, e}
}

func writeProblem(w http.ResponseWriter, status int, e *chargehand.Error) {
	body, err := json.Marshal(asProblem(status, e))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}
