package a2a

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/chargehand/chargehand/internal/excerpt"
	"github.com/chargehand/chargehand/internal/retryafter"
	"github.com/chargehand/chargehand/worker"
)

// A line is how one attempt speaks to an agent.
type line struct {
	*agent
	door   *door
	header http.Header
}

// do carries an operation out and decodes its answer into v.
func (l *line) do(ctx context.Context, o op, p params, v any) error {
	resp, err := l.post(ctx, o, p, "application/json")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := l.read(ctx, resp)
	if err != nil {
		return err
	}
	return l.decode(body, v)
}

// decode takes an answer out of its envelope.
func (l *line) decode(body []byte, v any) error {
	result, err := l.door.binding.open(body)
	if err == nil {
		err = json.Unmarshal(result, v)
	}
	if peer, ok := errors.AsType[*peerError](err); ok {
		return l.turnedDown(peer)
	}
	if err != nil {
		return &worker.Error{Kind: worker.Garbage, Message: l.named("the answer is none of A2A"), Err: errors.New(excerpt.Line(err.Error())), Raw: evidence(body)}
	}
	return nil
}

// evidence is the start of an answer, for the record.
func evidence(body []byte) []byte {
	const most = 256 << 10
	return body[:min(len(body), most)]
}

// turnedDown is what an agent's error means for the task. One of its own making may pass; whatever
// it says of the request does not, and then the task was not taken.
func (l *line) turnedDown(e *peerError) *worker.Error {
	failure := &worker.Error{Kind: worker.Refused, Message: l.named("the agent answers"), Err: e, NotBegun: true}
	if e.code == -32603 || e.code == -32000 || e.reason == "INTERNAL" || e.reason == "UNAVAILABLE" || e.reason == "INVALID_AGENT_RESPONSE" {
		failure.Kind, failure.NotBegun = worker.Transient, false
	}
	return failure
}

func (l *line) named(what string) string { return fmt.Sprintf("worker %q: %s", l.id, what) }

// post sends an operation and answers with a response of status 200, or with what went wrong.
func (l *line) post(ctx context.Context, o op, p params, accept string) (*http.Response, error) {
	p.Tenant = l.door.tenant
	sent := false
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent = true }})
	req, err := l.door.binding.request(traced, l.door.url, o, p)
	if err != nil {
		return nil, &worker.Error{Kind: worker.Refused, Message: l.named("not sent"), Err: err, NotBegun: true}
	}
	req.Header = l.header.Clone()
	req.Header.Set("Accept", accept)
	again := req.GetBody
	if req.Body != nil {
		req.Header.Set("Content-Type", "application/json")
		req.GetBody = nil // net/http must not send a message a second time by itself
	}
	resp, err := l.tasks.Do(req)
	if err == nil && slashApart(resp) {
		if resp, err = l.resend(req, again, resp); err != nil {
			err = fmt.Errorf("follow a redirect: %w", err)
		}
	}
	if err != nil {
		return nil, l.lost(ctx, err, sent)
	}
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, l.turnedAway(ctx, resp)
}

// slashApart reports whether a server did nothing but to send the request to the same address with a slash at its
// end, or without one. Frameworks that mount an agent below a path do so.
func slashApart(resp *http.Response) bool {
	if resp.StatusCode != http.StatusTemporaryRedirect && resp.StatusCode != http.StatusPermanentRedirect {
		return false
	}
	to, err := resp.Location()
	from := resp.Request.URL
	return err == nil && to.Scheme == from.Scheme && sameHost(to, from) && to.User == nil && to.RawQuery == from.RawQuery &&
		to.EscapedPath() != from.EscapedPath() && strings.TrimRight(to.EscapedPath(), "/") == strings.TrimRight(from.EscapedPath(), "/")
}

// resend sends a request to where slashApart found that it belongs, once.
func (l *line) resend(req *http.Request, body func() (io.ReadCloser, error), resp *http.Response) (*http.Response, error) {
	_ = resp.Body.Close()
	to, err := resp.Location()
	if err != nil {
		return nil, err
	}
	next := req.Clone(req.Context())
	next.URL = to
	if body != nil {
		if next.Body, err = body(); err != nil {
			return nil, err
		}
	}
	return l.tasks.Do(next)
}

// lost is the error of a request that got no whole answer.
func (l *line) lost(ctx context.Context, err error, sent bool) *worker.Error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err // the whole would repeat the address, whose query may hold a key
	}
	e := &worker.Error{Kind: worker.Transient, Message: l.named("no answer from " + l.card.Host), Err: err, NotBegun: !sent}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		e.Kind, e.Err = worker.Timeout, context.Cause(ctx)
	case ctx.Err() != nil:
		e.Kind, e.Err = worker.Cancelled, context.Cause(ctx)
	}
	return e
}

// turnedAway is the error of an answer with another status than 2xx.
func (l *line) turnedAway(ctx context.Context, resp *http.Response) error {
	code := resp.StatusCode
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return l.lost(ctx, err, true)
	}
	e := &worker.Error{Kind: worker.Refused, Message: l.named("the answer is " + strings.TrimSpace(strconv.Itoa(code)+" "+http.StatusText(code)))}
	if _, err := l.door.binding.open(body); err != nil {
		if peer, ok := errors.AsType[*peerError](err); ok {
			e.Err = peer
		}
	}
	switch {
	case code == http.StatusTooManyRequests, code >= 500:
		e.Kind, e.RetryAfter = worker.Transient, retryafter.Of(resp.Header, time.Now())
		e.NotBegun = code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable
	default:
		e.NotBegun = code != http.StatusRequestTimeout
	}
	return e
}

// read is a whole answer, within bounds.
func (l *line) read(ctx context.Context, resp *http.Response) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, l.most+1))
	switch {
	case err != nil:
		return nil, l.lost(ctx, err, true)
	case int64(len(body)) > l.most:
		return nil, l.tooLong(body)
	}
	return body, nil
}

func (l *line) tooLong(body []byte) error {
	return &worker.Error{Kind: worker.Garbage, Message: l.named(fmt.Sprintf("the answer is longer than %d bytes", l.most)), Raw: evidence(body)}
}

// get fetches a document that is no operation: a card.
func (a *agent) get(ctx context.Context, at *url.URL, h http.Header, most int64) ([]byte, error) {
	l := &line{agent: a, door: &door{binding: rest{}}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, refused(l.named(err.Error()))
	}
	req.Header = h.Clone()
	req.Header.Set("Accept", "application/json")
	resp, err := a.cards.Do(req)
	if err != nil {
		e := l.lost(ctx, err, true)
		e.NotBegun = true // what was asked for is a card
		return nil, e
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		err := l.turnedAway(ctx, resp)
		if e, ok := errors.AsType[*worker.Error](err); ok {
			e.NotBegun, e.Message = true, l.named("the card of "+at.Host+": "+strings.TrimPrefix(e.Message, l.named("")))
		}
		switch resp.StatusCode {
		case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone:
			err = &noCardError{err}
		}
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	switch {
	case err != nil:
		e := l.lost(ctx, err, true)
		e.NotBegun = true
		return nil, e
	case int64(len(body)) > most:
		return nil, refused(l.named(fmt.Sprintf("the card of %s is longer than %d bytes", at.Host, most)))
	}
	return body, nil
}

// events yields the data of server-sent events to f, until the stream ends or f says no. All of it
// together is at most l.most bytes.
func (l *line) events(ctx context.Context, body io.Reader, f func(data []byte) (more bool, err error)) error {
	lines := lineReader{from: bufio.NewReader(body), left: l.most}
	var data []byte
	for {
		text, err := lines.next()
		if lines.left < 0 {
			return l.tooLong(text)
		}
		switch field, value, _ := bytes.Cut(text, []byte(":")); {
		case len(text) == 0 && len(data) > 0 && err == nil:
			more, ferr := f(bytes.TrimSuffix(data, []byte("\n")))
			if ferr != nil || !more {
				return ferr
			}
			data = nil
		case string(field) == "data":
			data = append(append(data, bytes.TrimPrefix(value, []byte(" "))...), '\n')
		}
		if errors.Is(err, io.EOF) {
			return nil // an event without its empty line is not one
		}
		if err != nil {
			return l.lost(ctx, err, true)
		}
	}
}

// A lineReader reads lines, so many bytes in all.
type lineReader struct {
	from *bufio.Reader
	left int64 // below zero: there were more
	line []byte
}

// next is the next line without its end, valid until the one after it. The last one comes with an
// error.
func (r *lineReader) next() ([]byte, error) {
	r.line = r.line[:0]
	for {
		piece, err := r.from.ReadSlice('\n')
		r.line = append(r.line, piece...)
		if r.left -= int64(len(piece)); r.left < 0 || !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(r.line, "\r\n"), err
		}
	}
}
