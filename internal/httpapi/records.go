package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/chargehand/chargehand"
)

// streamRecords answers with a run's records, as server-sent events where the caller accepts them
// and as lines of JSON otherwise.
func (s *server) streamRecords(w http.ResponseWriter, r *http.Request) {
	s.stream(w, r, func(ctx context.Context, a ask, yield func(item) bool) {
		for rec, err := range s.engine.Records(ctx, a.run, a.after, a.follow) {
			if !yield(item{record: rec, err: err}) {
				return
			}
		}
	})
}

// streamTokens answers with what the workers of a run say from now on, in the same two forms. It is
// provisional, and has no sequence numbers to come back to.
func (s *server) streamTokens(w http.ResponseWriter, r *http.Request) {
	t, ok := s.engine.(chargehand.Streamer)
	if !ok {
		refuse(w, &chargehand.Error{Code: chargehand.CodeNotFound, What: "there are no tokens", Why: "this engine does not hand them on"})
		return
	}
	s.stream(w, r, func(ctx context.Context, a ask, yield func(item) bool) {
		for tok, err := range t.Tokens(ctx, a.run) {
			if !yield(item{token: &tok, err: err}) {
				return
			}
		}
	})
}

// stream answers with what source yields, until that ends or the caller is gone.
func (s *server) stream(w http.ResponseWriter, r *http.Request, source func(context.Context, ask, func(item) bool)) {
	ask, err := s.asked(r)
	if err != nil {
		refuse(w, err)
		return
	}
	// Afterwards the status is sent, and an error can only be a line of the stream.
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	if _, err := s.engine.Run(ctx, ask.run); err != nil {
		refuse(w, err)
		return
	}
	st := stream{control: http.NewResponseController(w), timeout: s.options.Timeout, w: w, format: lines{}}
	if ask.events {
		st.format = events{}
	}
	w.Header().Set("Content-Type", st.format.mediaType())
	w.Header().Set("Cache-Control", "no-store")
	if st.flush() != nil {
		return
	}
	items := make(chan item, 64)
	go func() { // ends with ctx; the loop below drains it to its close
		defer close(items)
		source(ctx, ask, func(it item) bool {
			select {
			case items <- it:
				return true
			case <-ctx.Done():
				return false
			}
		})
	}()
	st.run(ctx, items, s.options.Heartbeat)
	cancel()
	for range items {
	}
}

// An ask is what the caller wants to read.
type ask struct {
	run    string
	after  int64
	follow bool
	events bool
}

func (s *server) asked(r *http.Request) (ask, error) {
	q := query{values: r.URL.Query()}
	a := ask{
		run: r.PathValue("id"), after: q.number("after"), follow: q.yes("follow"),
		events: strings.Contains(r.Header.Get("Accept"), "text/event-stream"),
	}
	if id := r.Header.Get("Last-Event-ID"); a.events && id != "" {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil || n < 0 {
			q.fault("Last-Event-ID", fmt.Sprintf("%q is not a sequence number", id))
		}
		a.after = n
	}
	a.follow = a.follow || a.events
	return a, q.refusal("after", "follow")
}

// An item is a record, a piece of text, or the error that ends the stream.
type item struct {
	record chargehand.Record
	token  *chargehand.Token
	err    error
}

// A stream writes items to one caller.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
	format  format
	buf     []byte // written, not sent
	last    int64  // sequence number written last
}

// run writes until the items end, ctx ends or the caller is gone.
func (st *stream) run(ctx context.Context, items <-chan item, heartbeat time.Duration) {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case it, ok := <-items:
			if !ok {
				st.end(ctx.Err())
				return
			}
			if it.err == nil {
				it.err = st.write(it, len(items) == 0)
			}
			if it.err != nil {
				st.end(it.err)
				return
			}
			beat.Reset(heartbeat)
		case <-beat.C:
			st.buf = st.format.heartbeat(st.buf)
			if st.flush() != nil {
				return
			}
		case <-ctx.Done():
			st.end(context.Cause(ctx))
			return
		}
	}
}

// write takes an item, and sends what has gathered when nothing more is at hand.
func (st *stream) write(it item, flush bool) error {
	gathered := len(st.buf)
	buf, err := st.appendItem(it)
	if err != nil {
		st.buf = buf[:gathered]
		return err
	}
	st.buf = buf
	if flush || len(st.buf) >= 64<<10 {
		return st.flush()
	}
	return nil
}

func (st *stream) appendItem(it item) ([]byte, error) {
	if it.token == nil {
		st.last = it.record.Seq
		return st.format.record(st.buf, it.record)
	}
	body, err := json.Marshal(it.token)
	if err != nil {
		return st.buf, err
	}
	return st.format.token(st.buf, body), nil
}

// end closes the stream with a word: an interrupted one must not look complete.
func (st *stream) end(err error) {
	if err == nil {
		st.buf = st.format.end(st.buf, st.last)
	} else {
		e := edge(err)
		body, merr := json.Marshal(asProblem(kindOf(e.Code).status, e))
		if merr != nil {
			return
		}
		st.buf = st.format.failure(st.buf, body)
	}
	_ = st.flush() // whoever is gone needs no last word
}

func (st *stream) flush() error {
	_ = st.control.SetWriteDeadline(time.Now().Add(st.timeout))
	if len(st.buf) > 0 {
		if _, err := st.w.Write(st.buf); err != nil {
			return err
		}
		st.buf = st.buf[:0]
	}
	return st.control.Flush()
}

// A format is how a stream is written. Its methods append to what is there.
type format interface {
	mediaType() string
	record(dst []byte, r chargehand.Record) ([]byte, error)
	token(dst, body []byte) []byte
	heartbeat(dst []byte) []byte
	end(dst []byte, last int64) []byte
	failure(dst, problem []byte) []byte
}

// lines is one JSON object a line: records, and at last {"end":seq} or {"error":problem}. An
// empty line is a sign of life.
type lines struct{}

func (lines) mediaType() string { return "application/x-ndjson" }

func (lines) record(dst []byte, r chargehand.Record) ([]byte, error) {
	dst, err := r.AppendJSON(dst)
	return append(dst, '\n'), err
}

func (lines) token(dst, body []byte) []byte { return append(append(dst, body...), '\n') }

func (lines) heartbeat(dst []byte) []byte { return append(dst, '\n') }

func (lines) end(dst []byte, last int64) []byte { return fmt.Appendf(dst, "{\"end\":%d}\n", last) }

func (lines) failure(dst, problem []byte) []byte {
	return fmt.Appendf(dst, "{\"error\":%s}\n", problem)
}

// events is the format of server-sent events: id is the sequence number, event the fact's type,
// and the last event is "end" or "failure". A piece of text is the event "token", without an id.
type events struct{}

func (events) mediaType() string { return "text/event-stream" }

func (events) record(dst []byte, r chargehand.Record) ([]byte, error) {
	dst = fmt.Appendf(dst, "id: %d\nevent: %s\ndata: ", r.Seq, r.Type())
	dst, err := r.AppendJSON(dst)
	return append(dst, "\n\n"...), err
}

func (events) token(dst, body []byte) []byte {
	return fmt.Appendf(dst, "event: token\ndata: %s\n\n", body)
}

func (events) heartbeat(dst []byte) []byte { return append(dst, ": heartbeat\n\n"...) }

func (events) end(dst []byte, last int64) []byte {
	return fmt.Appendf(dst, "event: end\ndata: {\"seq\":%d}\n\n", last)
}

func (events) failure(dst, problem []byte) []byte {
	return fmt.Appendf(dst, "event: failure\ndata: %s\n\n", problem)
}
