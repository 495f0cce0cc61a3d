package chatapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/chargehand/chargehand"
)

// The types of errors that clients know.
const (
	invalid     = "invalid_request_error"
	unknown     = "authentication_error"
	forbidden   = "permission_error"
	overloaded  = "rate_limit_error"
	serverError = "server_error"
)

// A failure is why a request has no answer, in the form that clients of the API read.
type failure struct {
	status int
	final  bool // asking again would be a run more

	Message string
	Kind    string
	Param   string
	Code    string
	Run     string
}

func (f *failure) body() map[string]any {
	e := map[string]any{"message": f.Message, "type": f.Kind, "param": optional(f.Param), "code": optional(f.Code)}
	if f.Run != "" {
		e["run_id"] = f.Run
	}
	return map[string]any{"error": e}
}

func optional(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// wrong is the failure of a request one parameter of which makes no sense.
func wrong(param, message string) *failure {
	return &failure{status: http.StatusBadRequest, Kind: invalid, Param: param, Message: param + ": " + message}
}

// unsupported is the failure of a request that asks for what a team does not do.
func unsupported(param, message string) *failure {
	f := wrong(param, message)
	f.Code = "unsupported_parameter"
	return f
}

// failed is any error of the engine as a failure. What is not meant for callers goes to the log.
func (s *server) failed(err error) *failure {
	e, ok := errors.AsType[*chargehand.Error](err)
	if !ok {
		s.opt.Log.Error("answer a chat completion", "error", err)
		return &failure{status: http.StatusInternalServerError, Kind: serverError, Message: "something went wrong here; the server's log says what"}
	}
	message := e.Error()
	if e.Next != "" {
		message += "\nnext: " + e.Next
	}
	f := &failure{status: http.StatusInternalServerError, Kind: serverError, Code: string(e.Code), Message: message}
	switch e.Code {
	case chargehand.CodeInvalid, chargehand.CodeDrift, chargehand.CodeFormat:
		f.status, f.Kind = http.StatusBadRequest, invalid
	case chargehand.CodeUnavailable, chargehand.CodeFull, chargehand.CodeLocked:
		s.opt.Log.Error("answer a chat completion", "error", err)
		f.status = http.StatusServiceUnavailable
	default:
		s.opt.Log.Error("answer a chat completion", "error", err)
	}
	return f
}

// refuse answers with a failure.
func refuse(w http.ResponseWriter, f *failure) {
	h := w.Header()
	switch f.status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Bearer realm="chargehand"`)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		h.Set("Retry-After", strconv.Itoa(5))
	}
	if f.final {
		h.Set("X-Should-Retry", "false") // clients made by OpenAI heed it
	}
	if f.Run != "" {
		h.Set(runHeader, f.Run)
	}
	answer(w, f.status, f.body())
}

func answer(w http.ResponseWriter, status int, v any) {
	body := append(encode(v), '\n')
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// encode writes what this package makes, all of which can be written.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("chatapi: " + err.Error())
	}
	return bytes.TrimSpace(b.Bytes())
}
