package a2aapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/internal/ingress"
)

// A kind is one of the protocol's errors, with its names in both bindings (A2A 1.0 §5.4).
type kind struct {
	code   int    // of JSON-RPC
	http   int    // status
	status string // of google.rpc
	reason string // empty for the errors that are not the protocol's own
	words  string // where there is nothing more to say
}

var (
	taskNotFound        = &kind{-32001, http.StatusNotFound, "NOT_FOUND", "TASK_NOT_FOUND", "there is no such task"}
	taskNotCancelable   = &kind{-32002, http.StatusConflict, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE", "the task cannot be canceled"}
	pushNotSupported    = &kind{-32003, http.StatusBadRequest, "UNIMPLEMENTED", "PUSH_NOTIFICATION_NOT_SUPPORTED", "push notifications are not supported: stream, subscribe or poll"}
	unsupported         = &kind{-32004, http.StatusBadRequest, "UNIMPLEMENTED", "UNSUPPORTED_OPERATION", "this operation is not supported"}
	contentTypeRefused  = &kind{-32005, http.StatusUnsupportedMediaType, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED", "this type of content is not supported"}
	versionNotSupported = &kind{-32009, http.StatusBadRequest, "UNIMPLEMENTED", "VERSION_NOT_SUPPORTED", "this version of the protocol is not supported"}

	parseError      = &kind{-32700, http.StatusBadRequest, "INVALID_ARGUMENT", "", "the request is not JSON"}
	invalidRequest  = &kind{-32600, http.StatusBadRequest, "INVALID_ARGUMENT", "", "the request is not one of JSON-RPC 2.0"}
	tooLarge        = &kind{-32600, http.StatusRequestEntityTooLarge, "INVALID_ARGUMENT", "", "the request is too large"}
	tooSlow         = &kind{-32600, http.StatusRequestTimeout, "DEADLINE_EXCEEDED", "", "the request arrives too slowly: send it again, faster"}
	tooMany         = &kind{-32600, http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "", "too many requests of this address are arriving: send fewer at a time, or again later"}
	methodNotFound  = &kind{-32601, http.StatusNotFound, "NOT_FOUND", "", "there is no such method"}
	invalidParams   = &kind{-32602, http.StatusBadRequest, "INVALID_ARGUMENT", "", "the parameters are wrong"}
	internalError   = &kind{-32603, http.StatusInternalServerError, "INTERNAL", "", "something went wrong here; the log of the server says what"}
	unavailable     = &kind{-32603, http.StatusServiceUnavailable, "UNAVAILABLE", "", "the engine cannot be reached now"}
	unauthenticated = &kind{-32600, http.StatusUnauthorized, "UNAUTHENTICATED", "", "say who you are: Authorization: Bearer TOKEN"}
	notAllowed      = &kind{-32600, http.StatusForbidden, "PERMISSION_DENIED", "", "the request was refused"}
)

// A failure is why a request comes to nothing.
type failure struct {
	kind   *kind
	words  string
	fields []violation
}

// A violation is one thing wrong with a request.
type violation struct {
	Field       string `json:"field"`
	Description string `json:"description"`
}

func (f *failure) Error() string { return f.words }

func (k *kind) failure() *failure { return &failure{kind: k, words: k.words} }

func (k *kind) because(words string) *failure { return &failure{kind: k, words: words} }

// wrong is the failure of a request one field of which makes no sense.
func wrong(field, words string) *failure {
	return &failure{invalidParams, field + ": " + words, []violation{{field, words}}}
}

// failed is any error as a failure. What is not meant for callers goes to the log.
func (s *server) failed(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	e, ok := errors.AsType[*chargehand.Error](err)
	if !ok {
		if !errors.Is(err, context.Canceled) {
			s.opt.Log.Error("answer a request", "error", err)
		}
		return internalError.failure()
	}
	switch e.Code {
	case chargehand.CodeInvalid, chargehand.CodeDrift, chargehand.CodeFormat:
		f := invalidParams.because(e.Error())
		for _, p := range e.Problems {
			f.fields = append(f.fields, violation{p.Path, p.Message})
		}
		return f
	case chargehand.CodeNotFound:
		return taskNotFound.failure()
	case chargehand.CodeEnded:
		return unsupported.because(e.Error())
	case chargehand.CodeUnavailable, chargehand.CodeFull, chargehand.CodeLocked:
		s.opt.Log.Error("answer a request", "error", err)
		return unavailable.failure()
	}
	s.opt.Log.Error("answer a request", "error", err)
	return internalError.failure()
}

// details are the failure's particulars, as google.protobuf.Any in JSON.
func (f *failure) details() []any {
	var all []any
	if f.kind.reason != "" {
		all = append(all, map[string]any{
			"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": f.kind.reason, "domain": "a2a-protocol.org",
		})
	}
	if len(f.fields) > 0 {
		all = append(all, map[string]any{
			"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": f.fields,
		})
	}
	return all
}

// unreadable is the failure of JSON that is not what is expected, found at path.
func unreadable(err error, path string) *failure {
	if t, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge.because("the request is larger than " + count(t.Limit, "byte"))
	}
	if errors.Is(err, ingress.ErrBusy) {
		return tooMany.failure()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return tooSlow.failure()
	}
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if t.Field != "" {
			path += "." + t.Field
		}
		return wrong(path, "cannot be a "+t.Value)
	}
	if _, ok := errors.AsType[*json.SyntaxError](err); ok || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return parseError.because("the request is not JSON: " + excerpt.JSON(err).Error())
	}
	return wrong(path, err.Error())
}
