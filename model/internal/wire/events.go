package wire

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	longestLine = 1 << 20 // of a stream; a model's whole answer fits in one
	overhead    = 64      // bytes of a stream for each byte of an answer, at most: events of one letter
)

// events makes a stream regular: each event of it comes out as an optional line "event:", one line
// "data:" with a JSON object or [DONE], and an empty line; anything else is an error of Read. The
// SDKs' readers take lines for events, skip what they do not understand, and have no bounds.
// Source: html.spec.whatwg.org/multipage/server-sent-events.html, "Parsing an event stream".
type events struct {
	ctx  context.Context //nolint:containedctx // that of the request whose body this is
	call *Call
	in   io.ReadCloser
	r    *bufio.Reader
	left int64 // bytes that may still be read

	line    []byte
	pending bool // the last line ended in CR: an LF belongs to it
	begun   bool // a byte order mark would be in the middle
	name    []byte
	data    []byte
	has     bool // the event has data

	out []byte // ready to be read
	err error
}

func newEvents(ctx context.Context, c *Call, in io.ReadCloser) *events {
	return &events{ctx: ctx, call: c, in: in, r: bufio.NewReader(in), left: int64(c.c.limit()) * overhead}
}

func (e *events) Close() error { return e.in.Close() }

// Read gives regular events.
func (e *events) Read(p []byte) (int, error) {
	for len(e.out) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		if e.call.Done() { // whatever follows says nothing
			return 0, io.EOF
		}
		e.err = e.next()
	}
	n := copy(p, e.out)
	e.out = e.out[n:]
	return n, nil
}

// event is the data of the next event, which is valid until the next call; io.EOF after the last.
func (e *events) event() ([]byte, error) {
	for e.out = e.out[:0]; len(e.out) == 0; {
		if e.err == nil && e.call.Done() {
			e.err = io.EOF
		}
		if e.err != nil {
			return nil, e.err
		}
		e.err = e.next()
	}
	out := e.out
	e.out = e.out[len(out):]
	_, data, _ := bytes.Cut(out, []byte("data: "))
	return bytes.TrimSuffix(data, []byte("\n\n")), nil
}

// next reads one line.
func (e *events) next() error {
	err := e.readLine()
	switch {
	case errors.Is(err, io.EOF):
		if len(e.line) > 0 {
			return e.call.interrupted("the stream ends within a line", nil)
		}
		if err := e.dispatch(); err != nil { // an event that only lacks its empty line is whole
			return err
		}
		return io.EOF
	case err != nil:
		return err
	}
	line := e.line
	e.line = e.line[:0]
	if !e.begun {
		e.begun, line = true, bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	if len(line) == 0 {
		return e.dispatch()
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "event":
		err = e.apart()
		e.name = append(e.name[:0], value...)
	case "data":
		err = e.apart()
		if e.has {
			e.data = append(e.data, ' ') // between tokens of JSON as good as a line break
		}
		e.has, e.data = true, append(e.data, value...)
		if len(e.data) > longestLine {
			return e.call.malformed("an event of the stream is larger than "+size(longestLine), nil)
		}
	case "error": // llama.cpp's, instead of data
		err = e.apart()
		e.has, e.data = true, append(append(append(e.data[:0], `{"error":`...), value...), '}')
	}
	return err
}

// apart dispatches an event that is whole without the empty line after it, which some servers leave out.
func (e *events) apart() error {
	if !e.has || !whole(bytes.TrimSpace(e.data)) {
		return nil
	}
	return e.dispatch()
}

func whole(data []byte) bool {
	return string(data) == "[DONE]" || len(data) > 0 && data[len(data)-1] == '}' && json.Valid(data)
}

// readLine appends to line up to CR, LF or CR LF. It never waits for an LF after a CR.
func (e *events) readLine() error {
	for {
		b, err := e.r.ReadByte()
		if err != nil {
			return e.ended(err)
		}
		if e.left--; e.left < 0 {
			return e.call.malformed("the stream does not end", nil)
		}
		switch {
		case b == '\n' && e.pending:
			e.pending = false
			continue
		case b == '\n', b == '\r':
			e.pending = b == '\r'
			return nil
		}
		e.pending = false
		if len(e.line) >= longestLine {
			return e.call.malformed("a line of the stream is longer than "+size(longestLine), nil)
		}
		e.line = append(e.line, b)
	}
}

func (e *events) ended(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return io.EOF
	case e.ctx.Err() != nil:
		return e.call.broke(e.ctx, err)
	}
	return e.call.interrupted("the stream broke off", bare(err))
}

func (e *events) dispatch() error {
	defer func() { e.name, e.data, e.has = e.name[:0], e.data[:0], false }()
	data := bytes.TrimSpace(e.data)
	switch {
	case !e.has, len(data) == 0, string(data) == "null": // null keeps the connection alive
		return nil
	case !utf8.Valid(data):
		return e.call.malformed("an event of the stream is not UTF-8", nil)
	case string(data) == "[DONE]":
		e.call.done.Store(true)
	case data[0] != '{':
		return e.call.malformed("an event of the stream is not a JSON object", nil)
	default:
		if told := e.call.told(data); told != nil {
			return told
		}
	}
	e.out = e.out[:0]
	if e.call.c.Named && len(e.name) == 0 {
		e.name = append(e.name, typeOf(data)...) // which says the same
	}
	if e.call.c.Named && len(e.name) > 0 {
		e.out = append(append(append(e.out, "event: "...), e.name...), '\n')
	}
	e.out = append(append(append(e.out, "data: "...), data...), "\n\n"...)
	return nil
}

// typeOf is what the data of an event says of its type.
func typeOf(data []byte) string {
	var e struct{ Type Word }
	_ = json.Unmarshal(data, &e)
	if strings.ContainsAny(string(e.Type), "\r\n") {
		return ""
	}
	return string(e.Type)
}
