package mcp

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/retryafter"
)

// http speaks to an address by Streamable HTTP.
func (c *conn) http() (sdk.Transport, error) {
	o := &c.server.opt
	client := newClient()
	if o.Client != nil {
		copied := *o.Client(c.server.spec.URL)
		client = &copied
	}
	headers, err := c.headers()
	if err != nil {
		return nil, err
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t := &sdk.StreamableClientTransport{Endpoint: c.server.spec.URL, HTTPClient: c.by(client, headers), MaxEventSize: o.messageBytes(), MaxRetries: 2}
	// The authorization server is a stranger: the team's headers are not for it.
	issuer := c.by(client, nil)
	issuer.Timeout = o.Connect
	if in := c.server.spec.SignIn; in != nil && in.Grant == chargehand.GrantClientCredentials && headers.Get("Authorization") == "" {
		t.OAuthHandler, err = c.machine(issuer)
		return t, err
	}
	s, err := c.signIn(issuer, headers)
	if s != nil {
		t.OAuthHandler = s
	}
	return t, err
}

// by is a client that adds headers to its requests, and bounds what comes back.
func (c *conn) by(client *http.Client, headers http.Header) *http.Client {
	copied := *client
	base := client.Transport
	if base == nil {
		base = http.DefaultTransport
	}
	copied.Transport = &road{base: base, headers: headers, most: int64(c.server.opt.messageBytes())}
	return &copied
}

// headers are the team's, with what the environment holds.
func (c *conn) headers() (http.Header, error) {
	h := http.Header{}
	for name, value := range c.server.spec.Headers {
		v, err := c.known.Expand(value)
		if err != nil {
			return nil, fmt.Errorf("headers.%s: %w", name, err)
		}
		h.Set(name, v)
	}
	return h, nil
}

func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}}
}

// A road is what every request to an address takes: it adds the team's headers, notes which calls
// left, and bounds what comes back.
type road struct {
	base    http.RoundTripper
	headers http.Header
	most    int64 // bytes of one message
}

// tries are how often one request is sent to a server that asks to be left alone for a while.
const tries = 4

// RoundTrip sends one request. It sends it again after the wait that the server asks for, where the server says
// that it did nothing and the wait fits the deadline.
func (r *road) RoundTrip(req *http.Request) (*http.Response, error) {
	for try := 1; ; try++ {
		res, err := r.once(req)
		if err != nil || try == tries || !busy(res.StatusCode) || req.Body != nil && req.GetBody == nil {
			return res, err
		}
		wait := retryafter.Of(res.Header, time.Now())
		if wait == 0 || !await(req.Context(), wait) {
			return res, nil
		}
		_ = res.Body.Close()
		if req.GetBody != nil {
			body, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			req = req.Clone(req.Context())
			req.Body = body
		}
	}
}

// busy reports whether a status says that the server did nothing, for now.
func busy(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable || status == 529
}

// once sends a request one time.
func (r *road) once(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	for name, value := range r.headers {
		req.Header[name] = value
	}
	reaching(req.Context())
	res, err := r.base.RoundTrip(req)
	if err != nil {
		if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
			turnedAway(req.Context())
		}
		return nil, err
	}
	if didNothing(res.StatusCode) {
		turnedAway(req.Context())
	}
	most := r.most
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		most *= 16 // of a stream: each event is bounded by itself
	}
	res.Body = &bounded{res.Body, most, most}
	return res, nil
}

func tooLong[T int | int64](most T) error {
	return fmt.Errorf("it sends a message of more than %d bytes", most)
}

// didNothing reports whether a status says that the request was not acted on.
func didNothing(status int) bool {
	switch {
	case busy(status):
		return true
	case status == http.StatusRequestTimeout, status == http.StatusConflict:
		return false
	}
	return status >= 300 && status < 500
}

// bounded is a body that breaks off where it is too long.
type bounded struct {
	io.ReadCloser
	left, most int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, tooLong(b.most)
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
