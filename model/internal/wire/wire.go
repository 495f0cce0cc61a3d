// Package wire is what providers share below their own protocols: one HTTP exchange with its errors
// named, its size bounded, its stream made regular, and its key kept out of everything else.
//
// It sits between an SDK and the network, because SDKs retry, read without bounds, and take a
// stream that breaks off for one that ended.
package wire

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/model"
)

// DefaultLimit is how many bytes of an answer are held at most, where nothing else is said.
const DefaultLimit = 8 << 20

// A Client is an endpoint of a provider.
type Client struct {
	Provider string       // as errors name it
	Secret   *string      // the key, which is cut out of every message; a pointer, so that printing a Client does not show it
	HTTP     *http.Client // nil means one that follows no redirects
	Limit    int          // bytes of an answer; zero means DefaultLimit
	Named    bool         // the events of a stream have names that mean something
}

// plain keeps as many connections as runs may want at once; net/http keeps two for each host.
var plain = &http.Client{CheckRedirect: stay, Transport: func() http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	t = t.Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 256, 64
	return t
}()}

// stay follows no redirect: it would take the key, and the conversation, to somewhere else.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func (c *Client) http() *http.Client {
	if c.HTTP == nil {
		return plain
	}
	h := *c.HTTP
	h.CheckRedirect = stay
	return &h
}

func (c *Client) limit() int {
	if c.Limit <= 0 {
		return DefaultLimit
	}
	return c.Limit
}

// A Call is one request and its answer.
type Call struct {
	Key string // for idempotency, sent where it is not empty

	c      *Client
	stream bool
	sent   atomic.Bool // a connection was had: the request may have arrived
	done   atomic.Bool // [DONE] was read
	body   []byte      // of an answer that came whole
}

// Call prepares one exchange; a stream is answered by events.
func (c *Client) Call(stream bool) *Call { return &Call{c: c, stream: stream} }

// Body is an answer that came in one piece; nil where none has.
func (c *Call) Body() []byte { return c.body }

// Done reports whether a stream ended with [DONE].
func (c *Call) Done() bool { return c.done.Load() }

// Do sends the request, once. Everything but an answer of the right form is a *model.Error.
func (c *Call) Do(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	req = req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { c.sent.Store(true) },
	}))
	req.GetBody = nil // else net/http itself sends a request with an idempotency key again
	if c.Key != "" {
		req.Header.Set("Idempotency-Key", c.Key)
	}
	res, err := c.c.http().Do(req)
	if err != nil {
		return nil, c.broke(ctx, err)
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		defer res.Body.Close()
		return nil, c.refused(res)
	}
	if c.stream {
		return c.events(ctx, res)
	}
	return c.whole(ctx, res)
}

// whole reads an answer that is one JSON value.
func (c *Call) whole(ctx context.Context, res *http.Response) (*http.Response, error) {
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, int64(c.c.limit())+1))
	switch {
	case err != nil:
		if ctx.Err() != nil {
			return nil, c.broke(ctx, err)
		}
		return nil, c.malformed("the answer broke off", err)
	case len(body) > c.c.limit():
		return nil, c.malformed("the answer is larger than "+size(c.c.limit()), nil)
	case !isJSON(res.Header):
		return nil, c.malformed("the answer is "+what(res.Header)+", not JSON: is this the right address?", nil)
	case !json.Valid(body):
		return nil, c.malformed("the answer is not whole JSON", nil)
	}
	if e := c.told(body); e != nil {
		return nil, e
	}
	c.body = body
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return res, nil
}

func (c *Call) events(ctx context.Context, res *http.Response) (*http.Response, error) {
	if t, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); t != "text/event-stream" {
		defer res.Body.Close()
		body, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10))
		if e := c.told(body); e != nil {
			return nil, e
		}
		return nil, c.malformed("the answer is "+what(res.Header)+", not a stream of events", nil)
	}
	res.Header.Set("Content-Type", "text/event-stream")
	res.Body = newEvents(ctx, c, res.Body)
	return res, nil
}

func isJSON(h http.Header) bool {
	t, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return t == "application/json" || strings.HasSuffix(t, "+json")
}

func what(h http.Header) string {
	t, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || t == "" {
		return "of no known type"
	}
	return t
}

// Malformed is an answer that is none.
func (c *Call) Malformed(why string) error { return c.malformed(why, nil) }

func (c *Call) malformed(why string, err error) *model.Error {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && why == "" {
		why = "of the answer, " + excerpt.JSON(t).Error()
	}
	if why == "" && err != nil {
		why = c.c.clean(err.Error())
	}
	return &model.Error{Kind: model.Malformed, Provider: c.c.Provider, Status: 200, Message: why, Sent: true, Err: err}
}

// Invalid is a request that cannot be put to the provider.
func (c *Call) Invalid(err error) error {
	return &model.Error{Kind: model.Invalid, Provider: c.c.Provider, Message: c.c.clean(err.Error()), Err: err}
}

// broke names an exchange that got no answer. The cause stands without the address, which may hold a secret.
func (c *Call) broke(ctx context.Context, err error) *model.Error {
	e := &model.Error{Kind: model.Unavailable, Provider: c.c.Provider, Sent: c.sent.Load(), Err: bare(err)}
	var nerr net.Error
	switch {
	case ctx.Err() != nil:
		e.Kind, e.Err = model.TimedOut, context.Cause(ctx)
		e.Message = "no answer in time"
		if errors.Is(ctx.Err(), context.Canceled) {
			e.Message = "the call was given up"
		}
		return e
	case errors.As(err, &nerr) && nerr.Timeout():
		e.Kind = model.TimedOut
	case untrusted(err):
		e.Kind = model.Invalid // waiting does not mend a certificate
	}
	e.Message = c.c.clean(e.Err.Error())
	return e
}

func untrusted(err error) bool {
	_, ok := errors.AsType[*tls.CertificateVerificationError](err)
	return ok
}

func bare(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// now is the time that Retry-After dates are compared with where the answer has no date of its own.
var now = time.Now
