package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
	"github.com/chargehand/chargehand/internal/dial"
	"github.com/chargehand/chargehand/internal/retryafter"
	"github.com/chargehand/chargehand/internal/secret"
)

// NewHTTP is the worker that posts each task to spec's URL as JSON, with the task's key in the
// header Idempotency-Key. An answer of 200 carries the result. 429, every 5xx and a connection
// that fails are tried again as Retry says, other answers are Refused, redirects included.
//
// $NAME in a header is taken from the environment at each call, or from the file NAME_FILE names, and
// where the service says it, its name stands in what is handed on.
// Only addresses that may be reached are connected to: public ones, this machine where the URL names
// it outright, and what CHARGEHAND_ALLOW_NET lists (SPEC.md ·202). No proxy is used, and each try is one request on a connection of its own: on a used one net/http
// may send a second time by itself.
func NewHTTP(spec *chargehand.WorkerSpec, l Limits) (Worker, error) {
	if spec.HTTP == nil {
		return nil, fmt.Errorf("worker %q: http.url is empty", spec.WorkerID)
	}
	u, err := url.Parse(spec.HTTP.URL)
	switch {
	case err != nil:
		return nil, fmt.Errorf("worker %q: http.url is not a URL", spec.WorkerID)
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return nil, fmt.Errorf("worker %q: http.url is not the URL of a service: want http://host/path or https://host/path", spec.WorkerID)
	case u.User != nil:
		return nil, fmt.Errorf("worker %q: http.url holds a user name; credentials belong into http.headers, as $NAME", spec.WorkerID)
	}
	for name := range spec.HTTP.Headers {
		if strings.ContainsFunc(name, notToken) || name == "" {
			return nil, fmt.Errorf("worker %q: http.headers: %q is not the name of a header", spec.WorkerID, name)
		}
	}
	guard, err := dial.FromEnvironment()
	if err != nil {
		return nil, fmt.Errorf("worker %q: %w", spec.WorkerID, err)
	}
	s := &service{id: spec.WorkerID, url: u, headers: maps.Clone(spec.HTTP.Headers), limits: l, client: newClient(guard, spec.HTTP.URL)}
	return Retry(s, l), nil
}

// notToken reports what RFC 9110 §5.6.2 keeps out of a header's name.
func notToken(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	return !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

func newClient(g dial.Guard, declared string) *http.Client {
	t := g.Transport(declared)
	t.DisableKeepAlives, t.ForceAttemptHTTP2 = true, false
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

type service struct {
	id      string
	url     *url.URL
	headers map[string]string
	limits  Limits
	client  *http.Client
}

// Do posts the task once.
func (s *service) Do(ctx context.Context, t chargehand.WorkerTask) (chargehand.WorkerResult, error) {
	known := &secret.Values{}
	r, err := s.post(ctx, t, known)
	if failure, ok := errors.AsType[*Error](err); ok {
		failure.hide(known)
		failure.Message = fmt.Sprintf("worker %q: %s", s.id, failure.Message)
	}
	return r, err
}

func (s *service) post(ctx context.Context, t chargehand.WorkerTask, known *secret.Values) (chargehand.WorkerResult, error) {
	var none chargehand.WorkerResult
	task, err := json.Marshal(t)
	if err != nil {
		return none, unwritable(t, err)
	}
	header, err := s.header(t, known)
	if err != nil {
		return none, &Error{Kind: Refused, Message: "not sent", Err: err, NotBegun: true}
	}
	sent := false
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent = true }}
	req, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, trace), http.MethodPost, s.url.String(), bytes.NewReader(task))
	if err != nil {
		return none, &Error{Kind: Refused, Message: "not sent", Err: err, NotBegun: true}
	}
	req.Header = header
	resp, err := s.client.Do(req)
	if err != nil {
		return none, s.lost(ctx, err, sent)
	}
	defer resp.Body.Close()
	answered(ctx, known, "status "+status(resp), nil)
	if resp.StatusCode/100 != 2 {
		return none, turnedAway(resp, known)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, s.limits.outputBytes()+1))
	switch {
	case err != nil:
		return none, s.lost(ctx, err, true)
	case resp.StatusCode != http.StatusOK:
		return none, garbage(body, fmt.Errorf("the answer is %s; only 200 carries a result", status(resp)))
	case int64(len(body)) > s.limits.outputBytes():
		return none, garbage(body, tooLong(s.limits))
	}
	answered(ctx, known, "status "+status(resp), body)
	return decode(t, body, known)
}

// header is the request's: the spec's own, then those that are not for it to change.
func (s *service) header(t chargehand.WorkerTask, known *secret.Values) (http.Header, error) {
	h := http.Header{}
	for _, name := range slices.Sorted(maps.Keys(s.headers)) {
		value, err := known.Expand(s.headers[name])
		if err != nil {
			return nil, fmt.Errorf("http.headers.%s: %w", name, err)
		}
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return nil, fmt.Errorf("http.headers.%s: the value holds a control character", name)
		}
		h.Set(name, value)
	}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json")
	h.Set("User-Agent", "chargehand")
	if t.IdempotencyKey != "" {
		h.Set("Idempotency-Key", t.IdempotencyKey)
	}
	return h, nil
}

// lost is the error of a request that got no whole answer.
func (s *service) lost(ctx context.Context, err error, sent bool) *Error {
	// A *url.Error repeats the URL, whose query may hold a key.
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	e := &Error{Kind: Transient, Message: "no answer from " + s.url.Host, Err: err}
	if _, refused := errors.AsType[*dial.RefusedError](err); refused {
		return &Error{Kind: Refused, Message: "not sent", Err: err, NotBegun: true}
	}
	if ctx.Err() != nil {
		e = ended(ctx, "no answer from "+s.url.Host)
	}
	e.NotBegun = !sent
	return e
}

// turnedAway is the error of an answer that carries no result.
func turnedAway(resp *http.Response, known *secret.Values) *Error {
	e := &Error{Kind: Refused, Message: "the answer is " + status(resp) + problem(resp, known)}
	switch code := resp.StatusCode; {
	case code == http.StatusTooManyRequests, code >= 500:
		e.Kind = Transient
		e.RetryAfter = retryafter.Of(resp.Header, time.Now())
		// 529 is what several model services say when they are overloaded.
		e.NotBegun = code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable || code == 529
	case code/100 == 3:
		e.Message += "; redirects are not followed"
		e.NotBegun = true
	default:
		e.NotBegun = code != http.StatusRequestTimeout && code != http.StatusConflict
	}
	return e
}

func status(resp *http.Response) string {
	return strings.TrimSpace(strconv.Itoa(resp.StatusCode) + " " + http.StatusText(resp.StatusCode))
}

// problem is ": title: detail" where the answer is a problem document (RFC 9457).
func problem(resp *http.Response, known *secret.Values) string {
	const most = 64 << 10
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/problem+json") {
		return ""
	}
	var p struct{ Title, Detail string }
	if json.NewDecoder(io.LimitReader(resp.Body, most)).Decode(&p) != nil {
		return ""
	}
	var text string
	for _, part := range []string{p.Title, p.Detail} {
		if part != "" {
			text += ": " + line(known.Redact(part))
		}
	}
	return text
}
