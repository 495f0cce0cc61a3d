package httpapi

import (
	"context"
	"net"
	"net/http"

	"github.com/chargehand/chargehand"
)

// A peerKey is where the account behind a connection is kept in a request's context.
type peerKey struct{}

// withPeer notes the account behind a connection. Where the system does not name it, it is the account
// of this process, if the connection is one of a socket that only this account may use.
func withPeer(ctx context.Context, c net.Conn) context.Context {
	unix, ok := c.(*net.UnixConn)
	if !ok {
		return ctx
	}
	uid, err := peer(unix)
	if err != nil {
		return ctx
	}
	return context.WithValue(ctx, peerKey{}, uid)
}

// principal is who sends a request. What its body says of that counts only where the options say so.
func (s *server) principal(r *http.Request, claimed string) (string, error) {
	if s.options.TrustNames {
		return claimed, nil
	}
	if uid, ok := r.Context().Value(peerKey{}).(int); ok {
		return s.options.Name(uid), nil
	}
	return "", &chargehand.Error{
		Code: chargehand.CodeNotAllowed, What: "the request was refused", Why: "it is not known which account sends it",
		Next: "use the socket in the data folder",
	}
}
