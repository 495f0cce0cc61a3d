package chatapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/chargehand/chargehand/internal/ingress"
)

type callerKey struct{}

func callerOf(r *http.Request) Caller {
	who, _ := r.Context().Value(callerKey{}).(Caller)
	return who
}

// guard keeps out what web pages make a browser send, and whoever is not known.
func (s *server) guard(next http.Handler) http.Handler {
	origin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.opt.Host(r.Host) {
			refuse(w, &failure{status: http.StatusForbidden, Kind: forbidden, Message: "the request names a host that is not this one"})
			return
		}
		// Reading counts too: a page that lets its own name resolve to this machine reads with GET.
		changing := r.Clone(r.Context())
		changing.Method = http.MethodPost
		if err := origin.Check(changing); err != nil {
			refuse(w, &failure{status: http.StatusForbidden, Kind: forbidden, Message: err.Error()})
			return
		}
		who, ok := Caller{Name: "chat"}, true
		if s.opt.Caller != nil {
			who, ok = s.opt.Caller(r)
		}
		if !ok || who.Name == "" {
			refuse(w, &failure{status: http.StatusUnauthorized, Kind: unknown, Code: "invalid_api_key", Message: "say who you are: Authorization: Bearer TOKEN"})
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, who)))
	})
}

// read takes the body in, within limits. Once it is read the connection may stay quiet.
func (s *server) read(w http.ResponseWriter, r *http.Request) ([]byte, *failure) {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Now().Add(s.opt.Timeout)) // a writer without deadlines is a test's
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.opt.MaxBody))
	if err == nil {
		_ = c.SetReadDeadline(time.Time{}) // otherwise what is left of the body would be waited for
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, &failure{
			status: http.StatusRequestEntityTooLarge, Kind: invalid, Code: "request_too_large",
			Message: fmt.Sprintf("the request is larger than %d bytes", s.opt.MaxBody),
		}
	}
	switch {
	case err == nil:
		return body, nil
	case errors.Is(err, ingress.ErrBusy):
		return nil, &failure{
			status: http.StatusTooManyRequests, Kind: overloaded, Code: "too_many_requests",
			Message: "too many requests of this address are arriving: send fewer at a time, or again later",
		}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &failure{
			status: http.StatusRequestTimeout, Kind: invalid, Code: "request_timeout",
			Message: "the request arrives too slowly: send it again, faster",
		}
	}
	return nil, &failure{status: http.StatusBadRequest, Kind: invalid, Message: "the request cannot be read"}
}
