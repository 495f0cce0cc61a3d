// Package wire is what providers share below their own protocols: one HTTP exchange with its errors
// named, its size bounded, its stream made regular, and its key kept out of everything else.
//
// Protocols whose answers are read by structs of our own use Post and the types of tolerant.go. An SDK is
// given a Call as its HTTP client, because SDKs retry, read without bounds, and take a stream that breaks
// off for one that ended.
package wire

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
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
	either bool        // a stream may answer a request for a whole answer
	sent   atomic.Bool // a connection was had: the request may have arrived
	done   atomic.Bool // [DONE] was read
	body   []byte      // of an answer that came whole
	come   *events     // of an answer that is a stream
}

// Call prepares one exchange; a stream is answered by events.
func (c *Client) Call(stream bool) *Call { return &Call{c: c, stream: stream} }

// Post sends a body by POST. The answer is then in Body, or comes by Event, whichever form was asked for.
// Close ends it.
func (c *Call) Post(ctx context.Context, address string, header http.Header, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return c.Invalid(fmt.Errorf("write the request: %w", err))
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(raw))
	if err != nil {
		return c.Invalid(bare(err))
	}
	req.Header = header
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if c.stream {
		req.Header.Set("Accept", "text/event-stream")
	}
	c.either = true
	_, err = c.Do(req) //nolint:bodyclose // Close does
	return err
}

// Event is the data of the next event, which is valid until the next call; io.EOF after the last.
func (c *Call) Event() ([]byte, error) { return c.come.event() }

// Close ends the answer.
func (c *Call) Close() {
	if c.come != nil {
		_ = c.come.Close()
	}
}

// Body is an answer that came in one piece; nil where none has, or where it comes by events.
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
	switch form(res) {
	case eventForm:
		if c.stream || c.either {
			res.Header.Set("Content-Type", "text/event-stream")
			c.come = newEvents(ctx, c, res.Body)
			res.Body = c.come
			return res, nil
		}
	case jsonForm:
		return c.whole(ctx, res)
	}
	defer res.Body.Close()
	if c.stream {
		return nil, c.malformed("the answer is "+what(res.Header)+", not a stream of events", nil)
	}
	return nil, c.malformed("the answer is "+what(res.Header)+", not JSON: is this the right address?", nil)
}

// whole reads an answer that is one JSON value. Where a stream was asked for, the body is then empty.
func (c *Call) whole(ctx context.Context, res *http.Response) (*http.Response, error) {
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, int64(c.c.limit())+1))
	switch {
	case err != nil:
		if ctx.Err() != nil {
			return nil, c.broke(ctx, err)
		}
		return nil, c.interrupted("the answer broke off", err)
	case len(body) > c.c.limit():
		return nil, c.malformed("the answer is larger than "+size(c.c.limit()), nil)
	case len(bytes.TrimSpace(body)) == 0:
		return nil, c.interrupted("the answer is empty", nil)
	}
	if err := json.Unmarshal(body, new(json.RawMessage)); err != nil {
		if strings.Contains(err.Error(), "unexpected end") {
			return nil, c.interrupted("the answer is not whole JSON", nil)
		}
		return nil, c.malformed("the answer is not JSON", nil)
	}
	if e := c.told(body); e != nil {
		return nil, e
	}
	c.body = body
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if c.stream {
		res.Header.Set("Content-Type", "text/event-stream")
		res.Body, res.ContentLength = http.NoBody, 0
	}
	return res, nil
}

// The forms of an answer.
const (
	jsonForm  = "json"
	eventForm = "events"
)

// form is what an answer is, by its type and its first character: servers name the one and send the other.
func form(res *http.Response) string {
	t, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	named := ""
	switch {
	case t == "text/event-stream":
		named = eventForm
	case isJSON(res.Header):
		named = jsonForm
	case t != "" && t != "text/plain" && t != "application/octet-stream" && t != "application/x-ndjson":
		return ""
	}
	r := bufio.NewReader(res.Body)
	first := firstByte(r)
	res.Body = struct {
		io.Reader
		io.Closer
	}{r, res.Body}
	switch first {
	case '{', '[':
		return jsonForm
	case 'd', 'e', 'i', 'r', ':', 0xef: // data, event, error, id, retry, a comment, a byte order mark
		return eventForm
	}
	return named
}

// firstByte is the first that is no white space, and stays to be read; zero where there is none.
func firstByte(r *bufio.Reader) byte {
	for n := 1; n <= 64; n++ {
		b, err := r.Peek(n)
		if err != nil {
			return 0
		}
		if strings.IndexByte(" \t\r\n", b[n-1]) < 0 {
			return b[n-1]
		}
	}
	return 0
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

// Malformed is a complete answer that cannot be read.
func (c *Call) Malformed(why string) error { return c.malformed(why, nil) }

// Interrupted is an answer that broke off before its end.
func (c *Call) Interrupted(why string) error { return c.interrupted(why, nil) }

// Failed is an answer that the provider ended by itself, because something behind it failed.
func (c *Call) Failed(why string) error {
	return &model.Error{Kind: model.Unavailable, Provider: c.c.Provider, Status: 200, Message: c.c.clean(why), Sent: true}
}

// Told is the error that an answer says of itself, where said is one; nil where it is none.
func (c *Call) Told(said json.RawMessage) error {
	if len(said) == 0 || string(said) == "null" {
		return nil
	}
	what, ok := complaint([]byte(`{"error":` + string(said) + `}`))
	if !ok {
		return nil
	}
	e := c.complain(what.Status, what)
	e.Sent = true
	return e
}

func (c *Call) interrupted(why string, err error) *model.Error {
	e := c.malformed(why, err)
	e.Kind = model.Interrupted
	return e
}

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
